import subprocess
import sys
import time

from wassdp.pipeline.resume import Alive

HOLD = """
import sys, time
from pathlib import Path
from wassdp.pipeline.resume import Alive
alive = Alive(Path(sys.argv[1])); alive.clear_stale(); print("held", flush=True); time.sleep(60)
"""


def test_locks_of_a_killed_pipeline_go_and_those_of_a_living_one_stay(tmp_path):
    (tmp_path / "locks").mkdir()
    lock = tmp_path / "locks" / "0.input.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as pipeline:
        assert pipeline.stdout.readline() == "held\n"
        lock.write_text("results/runs.csv\n")
        assert Alive(tmp_path).clear_stale() == []
        assert lock.exists()
        pipeline.kill()
    deadline = time.time() + 10
    while lock.exists() and time.time() < deadline:
        cleared = Alive(tmp_path).clear_stale()
    assert cleared == ["0.input.lock"]
    assert not lock.exists()
