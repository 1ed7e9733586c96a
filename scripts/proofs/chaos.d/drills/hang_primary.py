"""The primary hangs and its standby is promoted. Hearth gives up its connections."""
import os
import signal
import time

from drills.failover import start_hearth, with_standby
from stage import Settings, Stage
from verdict import Result, hold_all, hold_back, hold_mail_back

# Seconds that a statement is waited for at most (the worker's exchange), and a connection.
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
        # Whoever promotes has to be sure that it is gone; that takes its time.
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
