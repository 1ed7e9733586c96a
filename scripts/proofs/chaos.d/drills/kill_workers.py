"""Three workers send invitations while one of them at a time is killed repeatedly."""
import time

from stage import Settings, Stage
from verdict import Result, hold_all


def run(settings: Settings) -> Result:
    with Stage(settings, "kill_workers") as stage:
        stage.mail.start()
        stage.start_api()
        for _ in range(3):
            stage.start_worker()
        load = stage.start_load(
            pause=0.03, joins=0, invitations=10, limit=300 if settings.is_quick else 2000)
        kills = 0
        last = None
        while not is_over(stage, load):
            time.sleep(stage.random.uniform(0.5, 1.5))
            worker = stage.random.choice(stage.workers)
            worker.kill()
            last = time.time()
            worker.start()
            kills += 1
        answers = stage.stop_load()
        result = Result()
        result.notes.append(f"{kills} kills, the last e-mail {time.time() - last:.0f} s after one")
        return hold_all(result, stage, answers)


def is_over(stage: Stage, load) -> bool:
    """Whether all were invited and nearly all e-mails were sent.

    The last ones belong to workers that are gone: they are waited for without further kills.
    """
    return load.stopping.is_set() and stage.cluster.number(
        "SELECT count(*) FROM jobs.live WHERE queue = 'mail' AND state = 'ready'") == 0
