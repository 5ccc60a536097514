"""The one import of torchvision, in a fresh process."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
from wassdp.data.vision_package import torchvision
datasets = torchvision("datasets")
assert torchvision("datasets") is datasets
import torch, torchvision as plain
assert plain is torchvision()
model = torchvision("models").resnet18(weights=None).eval()
assert model(torch.zeros(1, 3, 32, 32)).shape == (1, 1000)
boxes = torch.tensor([[0.0, 0.0, 1.0, 1.0]])
try:
    kept = torchvision("ops").nms(boxes, torch.ones(1), 0.5)
except (NotImplementedError, RuntimeError):
    kept = torch.tensor([0])  # no compiled operator: calling it fails honestly
assert kept.tolist() == [0]
print("fine")
"""


def test_datasets_models_and_operators_of_any_build() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("fine", "")


def test_an_error_of_another_kind_is_passed_on() -> None:
    script = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "torchvision":
            raise RuntimeError("something else")
sys.meta_path.insert(0, Finder())
from wassdp.data.vision_package import torchvision
try:
    torchvision()
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "something else", done.stderr
