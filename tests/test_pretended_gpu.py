"""The pretended GPU refuses what a real one refuses; without that, tests on it would show nothing."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn

from wassdp.training import reproducible

pytestmark = pytest.mark.usefixtures("pretended_gpu")


def there(*shape: int) -> torch.Tensor:
    return torch.rand(shape, device="cuda")


@pytest.fixture
def _deterministic(pretended_gpu: None) -> Iterator[None]:
    with reproducible.surroundings(bytes(32), torch.device("cuda")):
        yield


MIXED: dict[str, Callable[[], object]] = {
    "sum": lambda: there(3) + torch.ones(3),
    "product": lambda: torch.ones(2, 3) @ there(3, 2),
    "layer": lambda: nn.Linear(3, 2)(there(1, 3)),
    "input": lambda: nn.Linear(3, 2).to("cuda")(torch.ones(1, 3)),
    "parts": lambda: torch.cat([there(2), torch.ones(2)]),
    "number in a list": lambda: torch.stack([there(), torch.tensor(1.0)]),
    "index": lambda: torch.ones(3)[torch.tensor([0, 1], device="cuda")],
    "NumPy": lambda: torch.from_numpy(torch.ones(3).numpy()) * there(3),
    "drawn there": lambda: torch.randn(3, device="cuda", generator=torch.Generator()),
    "drawn here": lambda: torch.randn(3, generator=torch.Generator("cuda")),
    "filled": lambda: there(3).normal_(generator=torch.Generator()),
}


@pytest.mark.parametrize("name", MIXED)
def test_two_devices_do_not_mix(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"same device|on the processor|expected a generator on"):
        MIXED[name]()


def test_numbers_and_indices_may_come_from_the_processor() -> None:
    values = there(4)
    assert (values * torch.tensor(2.0)).device.type == "cuda"
    assert values[torch.tensor([0, 2])].device.type == "cuda"
    assert values.sum().cpu().device.type == "cpu"
    assert (values.to("cpu") + torch.ones(4)).device.type == "cpu"


def test_images_are_enlarged_there_as_on_the_processor() -> None:
    slopes = []
    for device in ("cpu", "cuda"):
        images = torch.arange(16.0).view(1, 1, 4, 4).to(device).requires_grad_()
        large = nn.functional.interpolate(images, scale_factor=2, mode="bilinear", align_corners=True)
        slopes += torch.autograd.grad(large.square().sum(), images)
    torch.testing.assert_close(slopes[1].cpu(), slopes[0])


def test_numpy_needs_a_copy() -> None:
    with pytest.raises(TypeError, match="numpy"):
        there(3).numpy()
    assert there(3).cpu().numpy().shape == (3,)


REFUSED: dict[str, Callable[[], object]] = {
    "running sums": lambda: there(3).cumsum(dim=0),
    "weighted counts": lambda: torch.bincount(torch.tensor([0, 1], device="cuda"), weights=there(2)),
    "histogram": lambda: torch.histc(there(3)),
    "medians": lambda: there(3, 3).median(dim=0),
    "mirrored edges": lambda: (
        nn.functional.pad(there(1, 1, 4, 4).requires_grad_(), (1,) * 4, "reflect").sum().backward()
    ),
    "adaptive means": lambda: nn.AdaptiveAvgPool2d(2)(there(1, 1, 5, 5).requires_grad_()).sum().backward(),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.usefixtures("_deterministic")
def test_what_has_no_deterministic_form_is_refused(name: str) -> None:
    with pytest.raises(RuntimeError, match="does not have a deterministic implementation"):
        REFUSED[name]()


@pytest.mark.usefixtures("_deterministic")
def test_whole_numbers_have_deterministic_sums() -> None:
    assert torch.ones(3, dtype=torch.int64, device="cuda").cumsum(dim=0).tolist() == [1, 2, 3]


def test_a_network_learns_there_as_on_the_processor_and_is_read_back() -> None:
    ends = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU()).to(device)
        optimiser = torch.optim.Adam(network.parameters())
        for _ in range(3):
            loss = network(torch.rand(5, 4).to(device)).square().sum()
            assert loss.device.type == device
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        file = io.BytesIO()
        torch.save(network.state_dict(), file)
        ends.append(torch.load(io.BytesIO(file.getvalue()), map_location="cpu", weights_only=True))
    assert ends[0].keys() == ends[1].keys()
    assert all(torch.equal(ends[0][name], ends[1][name]) for name in ends[0])
