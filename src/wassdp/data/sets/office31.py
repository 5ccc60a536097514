"""Office-31: objects in three kinds of pictures, as ResNet-50 features for domain adaptation.

Rakotomamonjy and Ralaivola (2021) use features that were shared through file hosters without checksums; no
loader was published. Here the features are made by the user, in a form that is checked, and the md5 of each
file is recorded at first use; later uses must agree with it. The paper counts 4652 images, the dataset's authors
4110 (2817, 498 and 795), which is what `load` expects.
"""

from __future__ import annotations

from pathlib import Path

from wassdp.data import feature_files
from wassdp.data.base import Dataset, Split

DOMAINS = ("amazon", "dslr", "webcam")

DATASET = Dataset(
    name="office31",
    title="Office-31, ResNet-50 features",
    short="Office-31",
    task="domain adaptation",
    origin="files",
    counts={"amazon": 2_817, "dslr": 498, "webcam": 795},
    shape=(feature_files.DIMENSION,),
    classes=31,
    licence="none stated; research use",
    source="https://faculty.cc.gatech.edu/~judy/domainadapt/",
    citation="Saenko, Kulis, Fritz, Darrell, Adapting visual category models to new domains, ECCV 2010",
    folder="office31",
    files=feature_files.files(*DOMAINS),
    integrity=feature_files.INTEGRITY,
    instructions="They are made from the images of each domain.\n" + feature_files.FORMAT,
)


def load(folder: Path | None = None, *, any_size: bool = False) -> dict[str, Split]:
    """Features float32 (n, 2048) and labels, for the domains ``amazon``, ``dslr`` and ``webcam``.

    Arguments and errors as in `wassdp.data.feature_files.load`.
    """
    return feature_files.load(DATASET, folder, any_size=any_size)
