"""Generate images from a release of private ones, and judge them (SWD, Table 2).

What is released are noisy projections, noisy gradients or a noisy mean embedding, towards which a generator is trained,
or noisy moments, from which images are drawn. The generator, at any time of its training and however long that is, is
post-processing. Accuracies, the Fréchet distance, shares of clipped rows and the
spread of rows are *evaluation*: they read data without noise, are kept for the study, and are no part of the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from wassdp import data, experiment
from wassdp.accounting.event import Event
from wassdp.accounting.reach import Reach
from wassdp.audit.generated import ATTACKS
from wassdp.audit.trainings.crafted_images import Generated
from wassdp.data.images import Images, image_of
from wassdp.generation import generators, pictures
from wassdp.generation.evaluation import GeneratedEvaluation
from wassdp.generation.generators import Network
from wassdp.generation.method import GenerationMethod, GenerationSetting, Noise, ReleasePlan
from wassdp.generation.methods import METHODS
from wassdp.generation.training import GeneratorTraining
from wassdp.ranges import LearningRate
from wassdp.result import Attacked, Schedule, curves, evenly
from wassdp.training import reproducible
from wassdp.training.audited import Canaries
from wassdp.training.gradients import trainable
from wassdp.training.optimisers import Optimiser
from wassdp.training.session import Session

PHASE = "train"

UNNOISED = {"clipped": "shares of clipped rows", "signal_to_noise": "spreads of rows"}
"""Figures that are computed from private rows without noise, and what they are."""


class Parameters(experiment.JudgedParameters):
    """One generator."""

    headline = "accuracy_mlp"
    other_figures = ("clipped", "signal_to_noise")
    public_figures = (
        "steps",
        "releases",
        "noise",
        "noise_std",
        "distance",
        "dimension",
        "projections",
        "rows_released",
    )
    evaluation_figures = (
        "loss",
        "accuracy_mlp",
        "accuracy_mlp_stopped",
        "accuracy_logistic",
        "frechet_sampled",
        "frechet_sampled_floor",
        "frechet_scattering",
    )

    dataset: Images
    method: Annotated[GenerationMethod, METHODS]
    privacy: Noise | None = Field(description="null: no noise, and the private rows are used as they are")
    generator: Network = Network()
    optimiser: Optimiser = Optimiser(name="adam", learning_rate=1e-4)
    final_learning_rate: LearningRate | None = Field(
        default=None, description="at the last step, reached by a constant factor; null: constant"
    )
    epochs: int = Field(
        default=0, ge=0, le=10_000, description="parts of the training, each with a checkpoint; 0: nothing is trained"
    )
    steps_per_epoch: int = Field(default=0, ge=0, le=1_000_000)
    batch: int = Field(default=100, ge=1, description="images generated in a step, as many of each class")
    evaluation: GeneratedEvaluation = GeneratedEvaluation()
    audit: Canaries | None = Field(
        default=None, exclude_if=lambda section: section is None, description="null: the run is not attacked"
    )

    @property
    def classes(self) -> int:
        """Classes that the generator is told; 0 if labels are not used."""
        return (data.descriptor(self.dataset).classes or 0) if self.method.labelled else 0

    @property
    def steps(self) -> int:
        """Steps of the whole training."""
        return self.epochs * self.steps_per_epoch

    @property
    def releases(self) -> int:
        """How often something is released."""
        return self.method.releases(self.steps)

    def measured_headline(self) -> str | None:
        kinds = self.evaluation.classifiers
        if not (kinds and self.evaluation.samples and self.classes):
            return None  # no classifier is trained
        return self.headline if "mlp" in kinds else f"accuracy_{kinds[0]}"

    def describe(self) -> experiment.Description:
        if self.privacy is None:
            return experiment.Description(self.dataset, self.method.describe(), experiment.asked())
        asked = experiment.asked(epsilon=self.privacy.epsilon, noise=self.privacy.noise)
        return experiment.Description(self.dataset, f"DP-{self.method.describe()}", asked)

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        method = self.method
        if method.trains != (self.steps > 0):
            wanted = "at least 1, a generator is trained" if method.trains else "left out, nothing is trained"
            return f"epochs {self.epochs}, steps_per_epoch {self.steps_per_epoch}: must be {wanted} by {method.name}"
        labelled = data.descriptor(self.dataset).classes is not None
        if not labelled and method.labelled:
            return f"{self.dataset} has no classes: method sliced or output_gradient, with labels none"
        if self.classes and self.batch % self.classes:
            return f"batch {self.batch} is no multiple of {self.classes} classes"
        shape = image_of(self.dataset).shape
        if reason := method.impossible(shape):
            return reason
        records = self.training_records(self.dataset)
        if reason := method.without_release(shape, self.classes, records, self._class_counts()):
            return reason
        if self.privacy is not None and (reason := self.privacy.too_large(*self.private_records())):
            return reason
        if self.audit is not None and (reason := self._not_attacked(self.audit, records)):
            return reason
        return self.generator.impossible(shape)

    def _not_attacked(self, audit: Canaries, records: int) -> str | None:
        if self.privacy is None:
            return "audit: the run is not private, there is no budget to attack"
        if reason := self.method.without_canaries():
            return f"audit with method {self.method.name}: {reason}"
        if self.method.name not in ATTACKS.names():
            return f"audit with method {self.method.name}: has no canaries, must be {' or '.join(ATTACKS.names())}"
        return audit.too_many(records=records, of=self.dataset)

    def modules(self) -> tuple[str, ...]:
        return (*super().modules(), *([] if self.audit is None else [ATTACKS.module(self.method.name)]))

    def private_records(self) -> tuple[int, str]:
        return self.training_records(self.dataset), self.dataset

    def expected_event(self) -> Event | None:
        return None if self.privacy is None else self.method.expected_event()

    def reach(self) -> Reach:
        return self.method.reach(image_of(self.dataset).shape, self.classes)

    def released(self, metrics: Mapping[str, float]) -> Event | None:
        if self.privacy is None:
            return None
        shape, records = image_of(self.dataset).shape, self.training_records(self.dataset)
        return self.method.released(metrics, shape, self.classes, records, self._class_counts())

    def _class_counts(self) -> tuple[int, ...]:
        """Of what is left where some records are held out for validation, the sizes of classes are not on record."""
        return data.descriptor(self.dataset).class_counts if self.judged_on == "test" else ()


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Release, train where the method does, generate, evaluate, and describe what was released.

    Metrics: ``accuracy_mlp``, ``accuracy_logistic`` and ``accuracy_mlp_stopped``, of each classifier asked for,
    trained on generated images (`wassdp.generation.downstream`), on real test images; ``frechet_sampled``,
    ``frechet_sampled_floor`` and ``frechet_scattering`` (`wassdp.generation.evaluation`);
    ``steps``, ``releases``, ``noise`` and, for sliced distances, ``distance`` (Δ, between neighbouring rows),
    ``dimension``, ``projections``, ``clipped``, the share of private rows that were clipped, and ``signal_to_noise``:
    how far private rows (of a class, where labels are public) spread along a mean direction, over the deviation of
    the noise on a released number. Where rows are released, ``rows_released``; where gradients are, ``noise_std``, in
    the unit of rows. The curve ``loss`` runs over epochs. The picture ``samples`` shows generated images, one column
    per class.

    Raises:
        ValueError: the device is absent, or nothing keeps the budget, or the settings have no account.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    splits = parameters.splits(parameters.dataset)
    with Session.of(parameters, seed=seed, context=context) as session:
        setting = GenerationSetting(
            dataset=parameters.dataset,
            train=splits.train,
            classes=parameters.classes,
            steps=parameters.steps,
            device=session.device,
        )
        attack = None
        if parameters.audit is not None:
            # What derives from it is no abstract class.
            kind = ATTACKS.choice(parameters.method.name, Generated)  # type: ignore[type-abstract]
            attack = kind(
                parameters.method,
                setting,
                canaries=parameters.audit.canaries,
                coins=reproducible.stream(seed, "canaries", context.run),
            )
        plan = parameters.method.build(parameters.privacy, setting if attack is None else attack.setting)
        if plan.sampler is not None:
            network, epochs, earlier = plan.sampler(session.streams.noise).to(session.device), [], 0.0
        else:
            network = parameters.generator.build(setting.shape, parameters.classes).to(session.device)
            progress = _training(parameters, session, network, plan, attack).run()
            epochs, earlier = progress.epochs, progress.earlier
        judged = parameters.evaluation.judge(network, splits.test, parameters.dataset, device=session.device, seed=seed)
        sheet_rows = parameters.evaluation.sheet_rows
        shown, _ = generators.sample(network, count=sheet_rows * max(parameters.classes, 1), device=session.device)
    figures = session.kept(plan.figures)
    attacks: tuple[Attacked, ...] = ()
    if parameters.audit is not None and parameters.privacy is not None and attack is not None:
        assert plan.event is not None, "the run is private"
        confidence = parameters.audit.confidence
        attacks = attack.bounds(plan.event, delta=parameters.privacy.delta, confidence=confidence)
    unnoised = " and ".join(words for name, words in UNNOISED.items() if name in figures)
    return experiment.Findings(
        metrics={"steps": float(parameters.steps), "releases": float(parameters.releases)} | figures | judged,
        history=curves("epoch", range(1, parameters.epochs + 1), epochs),
        event=None if plan.event is None else parameters.noted(plan.event, unnoised),
        delta=None if parameters.privacy is None else parameters.privacy.delta,
        device=session.device_name,
        earlier_seconds=earlier,
        accounted_at=None if plan.event is None else _schedule(parameters),
        attacks=attacks,
        pictures={"samples": pictures.sheet(shown.numpy(), rows=sheet_rows)},
    )


def _training(
    parameters: Parameters, session: Session, network: generators.Generator, plan: ReleasePlan, attack: Generated | None
) -> GeneratorTraining:
    """The training of ``network`` towards what is released."""
    assert plan.target is not None, "the method trains a generator"
    if attack is not None:
        attack.attach(plan.target)
    return GeneratorTraining(
        session=session,
        model=network,
        optimiser=parameters.optimiser.build(trainable(network)),
        target=plan.target,
        batch=parameters.batch,
        epochs=parameters.epochs,
        steps_per_epoch=parameters.steps_per_epoch,
        average=parameters.optimiser.average(parameters.steps),
        final_learning_rate=parameters.final_learning_rate,
        beside={} if attack is None else {"attack": attack},
    )


def _schedule(parameters: Parameters) -> Schedule | None:
    """After which epochs the budget is accounted: all, or a dozen evenly spread that end with the last.

    None where everything is released before the first.
    """
    epochs = evenly(parameters.epochs)
    releases = [parameters.method.elementary(epoch * parameters.steps_per_epoch) for epoch in epochs]
    steps = tuple(count for count in releases if count is not None)
    return Schedule(axis="epoch", positions=tuple(map(float, epochs)), steps=steps) if steps else None
