"""A session's process is killed: PostgreSQL ends all others and recovers."""
import os
import signal
import time

from disturbance import disturb
from stage import Settings, Stage
from verdict import Result


def run(settings: Settings) -> Result:
    return disturb(settings, "kill_backend", (2, 5), kill)


def kill(stage: Stage) -> float:
    pids = stage.cluster.rows(
        "SELECT pid FROM pg_stat_activity WHERE usename IN ('hearth_api', 'hearth_worker')")
    before = recoveries(stage)
    os.kill(int(stage.random.choice(pids)[0]), signal.SIGKILL)
    # Until the server has noticed, it accepts connections only to close them.
    stage.eventually("PostgreSQL recovers", lambda: recoveries(stage) > before)
    stage.cluster.await_ready()
    return time.time()


def recoveries(stage: Stage) -> int:
    return (stage.cluster.folder / "log").read_text(errors="replace").count("reinitializing")
