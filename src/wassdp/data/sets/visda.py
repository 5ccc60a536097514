"""VisDA-2017 classification: rendered (train) and real (validation) objects, as ResNet-50 features.

As with Office-31, no feature files with checksums are published: the user makes them, `load` checks their form,
and the md5 of each file is recorded at first use; later uses must agree with it.
"""

from __future__ import annotations

from pathlib import Path

from wassdp.data import feature_files
from wassdp.data.base import Dataset, Split

DOMAINS = ("train", "validation")

DATASET = Dataset(
    name="visda",
    title="VisDA-2017 classification, ResNet-50 features",
    short="VisDA-2017",
    task="domain adaptation",
    origin="files",
    counts={"train": 152_397, "validation": 55_388},
    shape=(feature_files.DIMENSION,),
    classes=12,
    licence="research use; the real images belong to Microsoft COCO and their owners",
    source="http://ai.bu.edu/visda-2017/",
    citation="Peng, Usman, Kaushik, Hoffman, Wang, Saenko, VisDA: the visual domain adaptation challenge, "
    "arXiv:1710.06924, 2017",
    folder="visda",
    files=feature_files.files(*DOMAINS),
    integrity=feature_files.INTEGRITY,
    instructions="They are made from the images of train.tar and validation.tar.\n" + feature_files.FORMAT,
)


def load(folder: Path | None = None, *, any_size: bool = False) -> dict[str, Split]:
    """Features float32 (n, 2048) and labels, for the domains ``train`` (rendered) and ``validation`` (real).

    Arguments and errors as in `wassdp.data.feature_files.load`.
    """
    return feature_files.load(DATASET, folder, any_size=any_size)
