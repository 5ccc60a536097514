"""Office-Caltech10: features of the ten classes that Office-31 and Caltech-256 share, for domain adaptation.

Two kinds: SURF bag-of-words counts (800 bins, four domains) and the activations of a GoogLeNet trained on
ImageNet (1024 values, three domains: the file of Caltech10 is not part of this collection).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from scipy.io import loadmat

from wassdp import checks
from wassdp.data import storage
from wassdp.data.base import Archive, Dataset, File, Split

DOMAINS = {"surf": ("amazon", "caltech10", "dslr", "webcam"), "googlenet": ("amazon", "dslr", "webcam")}
_SURF = {
    "amazon": ("amazon_SURF_L10.mat", 104_970, "d362bbbe78ddb296a666ee141ca68622"),
    "caltech10": ("Caltech10_SURF_L10.mat", 150_751, "03c3afa06c8a62fb325aa7b5ed96e187"),
    "dslr": ("dslr_SURF_L10.mat", 18_348, "8ec02aff59c1874338cc6618b4d23bd5"),
    "webcam": ("webcam_SURF_L10.mat", 32_406, "6c2d9234165768e8adcd3bdfe068a871"),
}
_GOOGLENET = {
    "amazon": ("amazon.mat", 3_931_880, "b4c9a2b955fc5cd9caeccd230f03a37d"),
    "dslr": ("dslr.mat", 644_576, "eaa89b502816e9feed6af613ba430a26"),
    "webcam": ("webcam.mat", 1_210_928, "a05d0229316d754ade49eaef18266fcb"),
}
_HOST = "https://raw.githubusercontent.com/LeoGautheron/OfficeCaltechDomainAdaptation/master/features/GoogleNet1024/"


DIMENSIONS = {"surf": 800, "googlenet": 1_024}
"""Of each kind of features."""


def _path(features: str, domain: str) -> str:
    return f"surf/{_SURF[domain][0]}" if features == "surf" else f"googlenet1024/{_GOOGLENET[domain][0]}"


DATASET = Dataset(
    name="office_caltech10",
    title="Office-Caltech10, SURF and GoogLeNet features",
    short="Office-Caltech10",
    task="domain adaptation",
    origin="files",
    counts={"amazon": 958, "caltech10": 1_123, "dslr": 157, "webcam": 295},
    shape=(),
    classes=10,
    licence="none stated; research use; the images belong to Office and Caltech-256",
    source="https://github.com/LeoGautheron/OfficeCaltechDomainAdaptation",
    citation=(
        "Gong, Shi, Sha, Grauman, Geodesic flow kernel for unsupervised domain adaptation, CVPR 2012; Saenko et al., "
        "ECCV 2010; Griffin, Holub, Perona, Caltech-256 object category dataset, 2007"
    ),
    folder="office-caltech10",
    files=(
        *(
            File(path=_path("surf", domain), md5=md5, bytes=size, published=False)
            for domain, (_, size, md5) in _SURF.items()
        ),
        *(
            File(path=_path("googlenet", domain), md5=md5, bytes=size, published=False, urls=(_HOST + name,))
            for domain, (name, size, md5) in _GOOGLENET.items()
        ),
    ),
    archive=Archive(url="http://www-scf.usc.edu/~boqinggo/domain_adaptation/GFK_v1.zip", md5=None),
    integrity="no md5 is published; those of the files whose counts and labels agree with the papers are recorded here",
)


def load(
    folder: Path | None = None,
    *,
    features: Literal["surf", "googlenet"] = "surf",
    standardise: bool = False,
) -> dict[str, Split]:
    """Features float32, (n, 800) or (n, 1024), and labels 0 to 9 (1 to 10 in the files) of each domain.

    Args:
        folder: the data folder; None for the usual one.
        features: ``surf`` (counts) or ``googlenet`` (activations).
        standardise: the usual preparation: SURF counts divided by their row's sum, then, for both kinds, each
            column brought to mean 0 and standard deviation 1 within its domain (a constant column to 0). Row sums
            concern one image each; means and deviations are computed from the data, are not free where the domain
            is private, and no budget of this project covers them.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    checks.one_of("features", features, DOMAINS)
    paths = {domain: _path(features, domain) for domain in DOMAINS[features]}
    manifest = storage.fetch(DATASET, folder, only=tuple(paths.values()))
    splits = {}
    for domain, path in paths.items():
        content = loadmat(manifest.path(path))
        inputs = np.ascontiguousarray(content["fts"], dtype=np.float32)
        if standardise:
            inputs = _standardised(inputs / inputs.sum(axis=1, keepdims=True) if features == "surf" else inputs)
        splits[domain] = Split(inputs=inputs, labels=content["labels"].ravel().astype(np.int64) - 1)
    return splits


def _standardised(inputs: np.ndarray) -> np.ndarray:
    wide = inputs.astype(np.float64)
    spread = wide.std(axis=0)
    constant = spread == 0
    return np.asarray((wide - wide.mean(axis=0)) / np.where(constant, 1.0, spread), dtype=np.float32)
