"""The server terminates all sessions at once."""
import time

from disturbance import disturb
from stage import Settings, Stage
from verdict import Result


def run(settings: Settings) -> Result:
    return disturb(settings, "terminate_backends", (2, 5), terminate)


def terminate(stage: Stage) -> float:
    stage.cluster.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE usename IN ('hearth_api', 'hearth_worker')")
    return time.time()
