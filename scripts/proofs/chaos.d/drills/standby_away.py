"""The synchronous standby goes away and comes back. Nothing unconfirmed is acknowledged."""
import time

from drills.failover import start_hearth, with_standby
from stage import Settings, Stage
from verdict import Result, hold_all, hold_back, hold_mail_back


def run(settings: Settings) -> Result:
    with Stage(settings, "standby_away") as stage:
        primary = stage.cluster
        standby = with_standby(stage)
        start_hearth(stage, standby, is_pooled=False)
        load = stage.start_load()
        stage.go_on(3)
        standby.kill_tree()
        gone = time.time()
        # Longer than a commit is waited for.
        time.sleep(4 if settings.is_quick else 14)
        early = [a for a in load.answers if a.is_done and a.began > gone + 0.5]
        back = time.time()
        standby.start(standby.following)
        stage.eventually("the standby follows", lambda: primary.sql(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
        back = max(back, time.time())
        stage.go_on(8)
        # What was acknowledged has to be there once nothing else is.
        answers = stage.stop_load()
        primary.kill_tree()
        standby.promote()
        stage.cluster = standby
        result = Result()
        result.expect(not early, f"{len(early)} writes were acknowledged without the standby")
        hold_back(result, answers, back, time.time())
        hold_mail_back(result, stage, back)
        return hold_all(result, stage, answers)
