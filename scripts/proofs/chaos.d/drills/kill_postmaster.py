"""PostgreSQL's main process is killed, its sessions end, and it is started again."""
import time

from disturbance import disturb
from stage import Settings, Stage
from verdict import Result


def run(settings: Settings) -> Result:
    return disturb(settings, "kill_postmaster", (1, 3), kill)


def kill(stage: Stage) -> float:
    stage.cluster.kill()
    time.sleep(stage.random.uniform(0, 3))
    stage.cluster.start()
    return time.time()
