"""Wasserstein distances in differential privacy: published and proven budgets side by side.

What was released is an event, and `compare` asks every accountant that covers it:

>>> import wassdp
>>> step = wassdp.PoissonSampled(event=wassdp.Gaussian(noise_multiplier=1.0, adjacency="add-remove"), rate=256 / 60000)
>>> print(wassdp.compare(wassdp.repeated(step, 1000), 1e-5, ["pld", "rdp"]))
accountant  kind   epsilon   error
----------  -----  --------  -------
pld         upper  0.727705  -0.0002
rdp         upper  1.10375
<BLANKLINE>
add-remove adjacency, poisson sampling, delta = 1e-05
error: the exact value lies at most so far below epsilon

The least noise, or the most steps, that keep a budget:

>>> round(wassdp.calibrate.noise_multiplier(
...     lambda noise: wassdp.Gaussian(noise_multiplier=noise, adjacency="add-remove"),
...     epsilon=1.0, delta=1e-5, accountant=wassdp.PLDAccountant(),
... ), 2)
3.73

Events are described in `wassdp.accounting.events`, accountants in `wassdp.accounting.accountants`, mechanisms in
`wassdp.mechanisms` and distances in `wassdp.distances`; `wassdp.audit.attack` attacks anybody's code.
``__init__.pyi`` is the list of what is offered here: each name is imported when it is first used, so that a budget
needs no torch. Mechanisms, distances and attacks do (the extra ``train``).
"""

from wassdp.version import __version__ as __version__

with open(f"{__file__}i") as _stub:
    # from HOME import NAME as OFFERED
    _HOMES = {words[5]: (words[1], words[3]) for words in map(str.split, _stub)}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, known = _HOMES[name]
    try:
        # What stands in this package itself is a package of its own.
        value = (
            __import__(f"{home}.{known}", fromlist=["_"])
            if home == __name__
            else getattr(__import__(home, fromlist=[known]), known)
        )
    except ModuleNotFoundError as error:
        from wassdp.extras import advice

        raise ModuleNotFoundError(f"wassdp.{name}: {advice(error) or error}", name=error.name) from error
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    return __all__
