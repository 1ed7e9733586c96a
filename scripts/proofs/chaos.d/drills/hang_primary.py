"""The primary hangs and its standby is promoted. Hearth drops its connections."""
import os
import signal
import time

from drills.failover import start_hearth, with_standby
from stage import Settings, Stage
from verdict import Result, hold_all, hold_back, hold_mail_back

# Maximum wait in seconds for a statement (the worker's exchange), and for a connection.
PATIENCE = 20 + 5


def run(settings: Settings) -> Result:
    with Stage(settings, "hang_primary") as stage:
        primary = stage.cluster
        standby = with_standby(stage)
        start_hearth(stage, standby, is_pooled=False)
        stage.start_load()
        stage.go_on(3)
        pids = [primary.process.pid] + primary.children()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        # Before a promotion one must be sure that the primary is down, which takes time.
        time.sleep(PATIENCE)
        back = standby.promote()
        stage.cluster = standby
        stage.go_on(12)
        answers = stage.stop_load()
        primary.kill_tree()
        result = Result()
        hold_back(result, answers, back, time.time())
        hold_mail_back(result, stage, back)
        return hold_all(result, stage, answers)
