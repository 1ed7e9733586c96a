"""A worker is stopped for longer than its lease, then continues. Its late reports are ignored."""
import time

from stage import Settings, Stage
from verdict import Result, hold_all


def run(settings: Settings) -> Result:
    with Stage(settings, "pause_worker") as stage:
        stage.mail.start()
        stage.start_api()
        stage.start_worker()
        stage.start_worker()
        stage.start_load()
        stage.go_on(2)
        result = Result()
        paused = stage.workers[0]
        for _ in range(1 if settings.is_quick else 3):
            stage.pause(paused, 18)
            began = time.time()
            stage.eventually(
                "the worker finds its lease lost",
                lambda: paused.text().count("the lease was lost") > 0
                or "stale job results" in paused.text(), 20)
            stage.eventually(
                "it works again", lambda: stage.cluster.number(
                    "SELECT count(*) FROM jobs.workers WHERE label LIKE "
                    f"'%:{paused.process.pid}' AND renewed_at > to_timestamp({began})") == 1, 20)
            stage.go_on(2)
        answers = stage.stop_load()
        return hold_all(result, stage, answers)
