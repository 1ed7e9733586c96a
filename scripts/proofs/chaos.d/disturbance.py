"""The common course of most drills: load, disturbances, and a check of each recovery."""
import time
from typing import Callable

from stage import Settings, Stage
from verdict import Result, hold_all, hold_back, hold_mail_back


def disturb(settings: Settings, name: str, times: tuple[int, int], act: Callable[[Stage], float],
            watches_mail: bool = True) -> Result:
    """Runs Hearth under load and disturbs it again and again, at random instants.

    - times: how often, quickly and thoroughly.
    - act: disturbs, and returns when the database (or the killed program) was back.
    """
    with Stage(settings, name) as stage:
        stage.mail.start()
        stage.start_api()
        stage.start_worker()
        stage.start_load()
        stage.go_on(2)
        moments = []
        for _ in range(times[0] if settings.is_quick else times[1]):
            began = time.time()
            moments.append((began, act(stage)))
            stage.go_on(stage.random.uniform(5.5, 6.5) if watches_mail else
                        stage.random.uniform(0.5, 1.5))
        # The last recovery has as much time as the others, including its e-mail.
        stage.go_on(3)
        answers = stage.stop_load()
        result = Result()
        starts = [began for began, _ in moments[1:]] + [time.time()]
        for (_, back), until in zip(moments, starts):
            hold_back(result, answers, back, until)
            if watches_mail:
                hold_mail_back(result, stage, back)
        result.notes.append(f"{len(moments)} times")
        return hold_all(result, stage, answers)
