"""FID of Figure 6 of *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021).

Fréchet inception distances of 10,000 generated CelebA images. The caption prints 58, 97 and 149; the text of section
6.3 prints 97 and 158 for the same two private models.
"""

from __future__ import annotations

from wassdp.claims.record import PrintedValue

_CAPTION = {"SWD": 58, "DP-SWD-c": 97, "DP-SWD-b": 149}
_TEXT = {"DP-SWD-c": 97, "DP-SWD-b": 158}

RECORDS = tuple(
    PrintedValue(
        paper="dp-sliced-wasserstein",
        where=where,
        row="celeba",
        column=f"{method}, {where}",
        printed=printed,
        unit="FID",
    )
    for where, values in (("caption of Figure 6", _CAPTION), ("section 6.3", _TEXT))
    for method, printed in values.items()
)
