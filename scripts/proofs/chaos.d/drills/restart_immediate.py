"""PostgreSQL is restarted as by 'pg_ctl restart -m immediate': no checkpoint, sessions lost."""
import signal
import time

from disturbance import disturb
from stage import Settings, Stage
from verdict import Result


def run(settings: Settings) -> Result:
    return disturb(settings, "restart_immediate", (1, 3), restart)


def restart(stage: Stage) -> float:
    # The signal of that command; the server must stay a child of this process.
    stage.cluster.kill(signal.SIGQUIT)
    stage.cluster.start()
    return time.time()
