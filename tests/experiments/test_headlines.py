"""A kind's headline is a metric that it says it measures: the ledger would show nothing by a name misspelt."""

from wassdp.experiments import KINDS


def test_headlines_are_among_the_metrics_that_their_kinds_list():
    modules = {kind: KINDS.load(kind) for kind in KINDS.names()}
    headlines = {kind: module.Parameters.headline for kind, module in modules.items()}
    listed = {kind: name for kind, name in headlines.items() if f"``{name}``" in modules[kind].run.__doc__}
    assert listed == {kind: name for kind, name in headlines.items() if name is not None}
    assert len(listed) > 1
