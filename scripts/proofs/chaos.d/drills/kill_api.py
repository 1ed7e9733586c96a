"""The API is killed under load and started again, as a service manager would."""
import time

from disturbance import disturb
from stage import Settings, Stage
from verdict import Result


def run(settings: Settings) -> Result:
    return disturb(settings, "kill_api", (4, 12), kill, watches_mail=False)


def kill(stage: Stage) -> float:
    stage.api.kill()
    back = time.time()
    stage.api.start()
    stage.await_api()
    return back
