"""The cluster profile on a real Slurm: one node, started for the test and stopped after it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import _checkout

COMMANDS = ("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "sacct", "sacctmgr")
MISSING = [name for name in ("munged", "slurmctld", "slurmd", *COMMANDS) if shutil.which(name) is None]
EPOCHS = 60
# Against hanging alone: two idle processors need three and a half minutes for all of it.
WAIT_S, START_S = 900, 60
CONFIGURATION = {
    "preset": "batch",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {"steps": 3, "gradients": 4, "coordinates": 5, "clip": True, "clip_quantile": 0.5},
            "seeds": [0, 1],
            "accountants": ["pld"],
        },
        {
            "name": "training",
            "paper": "dp-sliced-wasserstein",
            "kind": "adaptation",
            "parameters": {
                "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 25},
                "method": {"name": "source_only", "learning_rate": 0.002},
                "epochs": EPOCHS,
                "warm_up": 2,
                "batch": 128,
            },
            "accountants": ["pld"],
            "tables": [{"name": "training", "kind": "adaptation"}],
        },
    ],
}

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"needs Slurm (slurm-wlm, munge); not found: {', '.join(MISSING)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="a Slurm node is started by root"),
]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until(condition, what, *, seconds=WAIT_S):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.5)


@pytest.fixture
def cluster(tmp_path_factory):
    """Environment of a cluster of one node, two processors and two stand-ins for a GPU; it ends with the test."""
    place = tmp_path_factory.mktemp("slurm")
    host = socket.gethostname().split(".")[0]
    for name in ("state", "spool"):
        (place / name).mkdir()
    key = place / "key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    (place / "slurm.conf").write_text(
        "\n".join(
            (
                "ClusterName=test",
                f"SlurmctldHost={host}(127.0.0.1)",
                f"SlurmctldPort={free_port()}",
                f"SlurmdPort={free_port()}",
                "SlurmUser=root",
                "SlurmdUser=root",
                "AuthType=auth/munge",
                # A job that is put back waits for as long as a credential is good, two minutes by default.
                f"AuthInfo=socket={place}/munge,cred_expire=30",
                "MpiDefault=none",
                "ProctrackType=proctrack/linuxproc",
                "TaskPlugin=task/none",
                "SlurmdParameters=config_overrides",
                "SelectType=select/cons_tres",
                "SelectTypeParameters=CR_Core_Memory",
                f"StateSaveLocation={place}/state",
                f"SlurmdSpoolDir={place}/spool",
                f"SlurmctldPidFile={place}/slurmctld.pid",
                f"SlurmdPidFile={place}/slurmd.pid",
                # Jobs that may begin again are looked for once a minute by default.
                "SchedulerParameters=sched_interval=5",
                "GresTypes=gpu",
                f"NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=16000 Gres=gpu:2",
                # Memory is watched without control groups, which a container has not.
                "JobAcctGatherType=jobacct_gather/linux",
                "JobAcctGatherFrequency=task=1",
                "JobAcctGatherParams=OverMemoryKill",
                "PreemptType=preempt/partition_prio",
                "PreemptMode=REQUEUE",
                f"PartitionName=main Nodes={host} Default=YES State=UP PriorityTier=1",
                f"PartitionName=urgent Nodes={host} State=UP PriorityTier=10",
            )
        )
        + "\n"
    )
    (place / "gres.conf").write_text("Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n")
    environment = _checkout.environment() | {"SLURM_CONF": str(place / "slurm.conf")}
    # The executor takes SLURM_CONF out of its jobs' environment, where a cluster has its file at the usual place.
    (place / "bin").mkdir()
    for name in COMMANDS:
        command = place / "bin" / name
        command.write_text(f'#!/bin/sh\nSLURM_CONF={place}/slurm.conf exec {shutil.which(name)} "$@"\n')
        command.chmod(0o755)
    environment["PATH"] = f"{place}/bin:{environment['PATH']}"
    daemons: list[subprocess.Popen[bytes]] = []

    def start(*command):
        with (place / f"{Path(command[0]).name}.log").open("wb") as log:
            daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))

    def answer(*command):
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    try:
        start(
            *("munged", "--foreground", "--force", f"--socket={place}/munge", f"--key-file={key}"),
            *(f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log", f"--seed-file={place}/seed"),
        )
        try:
            wait_until((place / "munge").exists, "munged's socket", seconds=START_S)
            start("slurmctld", "-D")
            start("slurmd", "-D", "-N", host)
            wait_until(lambda: "idle" in answer("sinfo", "-h", "-o", "%T"), "an idle node", seconds=START_S)
        except TimeoutError as error:
            said = [line for path in place.glob("*.log") for line in path.read_text().splitlines() if "error" in line]
            pytest.skip(f"Slurm does not start here ({error}): {' '.join(said[-2:])}")
        yield environment
    finally:
        answer("scancel", "--user=root")
        with contextlib.suppress(TimeoutError):
            wait_until(lambda: not answer("squeue", "-h"), "the end of all jobs", seconds=START_S)
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()


@pytest.fixture
def begun(cluster, tmp_path):
    """The pipeline on that cluster, once its training has done three epochs; it is over when the test is."""
    _checkout.copy(tmp_path, CONFIGURATION)
    with submitted(cluster, tmp_path) as pipeline:
        wait_until(lambda: epochs_done(tmp_path) >= 3 or pipeline.poll() is not None, "three epochs of the training")
        assert pipeline.poll() is None, (tmp_path / "out").read_text()
        yield pipeline


@contextlib.contextmanager
def submitted(cluster, folder, *words):
    """The pipeline with its cluster profile; it ends with the block."""
    profile = ("--workflow-profile", "workflow/profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
    with (
        (folder / "out").open("w") as out,
        subprocess.Popen(
            [sys.executable, "-m", "snakemake", *profile, *words], cwd=folder, env=cluster, stdout=out, stderr=out
        ) as pipeline,
    ):
        try:
            yield pipeline
        finally:
            pipeline.kill()


def epochs_done(folder):
    return sum(len(path.read_text().splitlines()) for path in folder.glob("results/runs/*/history.jsonl"))


def training(cluster):
    """Number and state of the training's job, as Slurm has them."""
    asked = ("squeue", "-h", "-t", "all", "-o", "%i %T %k")
    listed = subprocess.run(asked, env=cluster, capture_output=True, text=True, check=True).stdout
    return [tuple(line.split()[:2]) for line in listed.splitlines() if "train" in line]


def whole(folder):
    """All results are there, and the training went on from where it was: its log, and its curve without a gap."""
    results = folder / "results"
    assert (results / "report.html").stat().st_size > 0
    for run in json.loads((results / "plan.json").read_text())["runs"]:
        assert (results / "runs" / run["run"] / "result.json").exists(), run["name"]
    (log,) = (path for path in results.glob("runs/*/run.log") if "resumed after epoch" in path.read_text())
    history = json.loads((log.parent / "result.json").read_text())["history"]
    return [point["position"] for point in history if point["metric"] == "accuracy"] == [*range(1, EPOCHS + 1)]


def test_a_cancelled_training_goes_on_and_no_submission_asks_for_more_than_a_small_node(begun, cluster, tmp_path):
    ((job, _),) = (found for found in training(cluster) if found[1] == "RUNNING")
    subprocess.run(["scancel", job], env=cluster, check=True)
    assert epochs_done(tmp_path) < EPOCHS, "the training was over before it was cancelled"
    wait_until(lambda: begun.poll() is not None, "the end of the pipeline")
    said = (tmp_path / "out").read_text()
    assert begun.returncode == 0, said
    told = [line for line in said.splitlines() if "rule train failed" in line]
    assert len(told) == 1, said
    assert told[0].endswith(": Slurm says CANCELLED, somebody cancelled it")
    assert whole(tmp_path)


def test_a_preempted_training_is_put_back_into_the_queue_and_goes_on(begun, cluster, tmp_path):
    urgent = ("sbatch", "--partition=urgent", "--exclusive", "--time=1", "--output=/dev/null", "--wrap", "sleep 2")
    subprocess.run(urgent, env=cluster, check=True, capture_output=True)
    wait_until(lambda: "PENDING" in dict(training(cluster)).values(), "the training back in the queue", seconds=START_S)
    assert epochs_done(tmp_path) < EPOCHS, "the training was over before it was preempted"
    wait_until(lambda: begun.poll() is not None, "the end of the pipeline")
    said = (tmp_path / "out").read_text()
    assert begun.returncode == 0, said
    assert "rule train failed" not in said, "a job that waits again has not failed"
    assert len(training(cluster)) == 1, "it is the same job, not another"
    assert whole(tmp_path)


def test_a_training_out_of_memory_says_so_in_one_line_and_asks_for_more(cluster, tmp_path):
    _checkout.copy(tmp_path, CONFIGURATION)
    words = ("--set-resources", "train:mem_mb=250*attempt**3", "--retries", "1")
    with submitted(cluster, tmp_path, *words) as pipeline:
        wait_until(lambda: epochs_done(tmp_path) or pipeline.poll() is not None, "an epoch of the training")
        said = (tmp_path / "out").read_text()
        assert pipeline.poll() is None, said
        told = [line for line in said.splitlines() if "rule train failed" in line]
        assert len(told) == 1, said
        # Under control groups the state would be OUT_OF_MEMORY.
        assert ": Slurm says exceeded memory limit, it needed more memory than it asked for" in told[0]
        assert [state for _, state in sorted(training(cluster))] == ["FAILED", "RUNNING"]
