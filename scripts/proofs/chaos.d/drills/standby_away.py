"""The synchronous standby stops and returns. Until then no write or repeated request is acknowledged."""
import time

from drills.failover import start_hearth, with_standby
from keyed import KeyedLoad, hold_one_effect
from sabotage import stop_confirming
from stage import Settings, Stage
from verdict import Result, hold_all, hold_back, hold_mail_back

# A commit waits for ten seconds. Then the requests that got 503 are sent again.
AWAY_SECONDS = 13
SABOTAGE = "repeated requests wait for no standby"
WITHOUT_STANDBY = "were acknowledged without the standby"


def run(settings: Settings) -> Result:
    with Stage(settings, "standby_away") as stage:
        primary = stage.cluster
        standby = with_standby(stage)
        if settings.is_sabotaged:
            stop_confirming(primary.sql)
        start_hearth(stage, standby, is_pooled=False)
        load = stage.start_load()
        keyed = KeyedLoad([stage.site], threads=4).start()
        stage.go_on(3)
        standby.kill_tree()
        gone = time.time()
        time.sleep(AWAY_SECONDS)
        meanwhile = [answer for answer in load.answers + keyed.answers()
                     if answer.began > gone + 0.5 and answer.is_done]
        unknown = [answer for answer in keyed.answers()
                   if answer.ended > gone and answer.body.get("code") == "outcome_unknown"]
        back = time.time()
        standby.start(standby.following)
        stage.eventually("the standby follows", lambda: primary.sql(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
        back = max(back, time.time())
        stage.go_on(8)
        # Acknowledged changes must exist on the standby, after only it is left.
        answers = stage.stop_load()
        requests = keyed.stop()
        primary.kill_tree()
        standby.promote()
        stage.cluster = standby
        result = Result()
        result.expect(not meanwhile, f"{len(meanwhile)} writes {WITHOUT_STANDBY}")
        result.expect(bool(unknown), "no request was repeated while the standby was away")
        result.notes.append(f"{len(unknown)} answers 503 repeated")
        hold_back(result, answers, back, time.time())
        hold_mail_back(result, stage, back)
        hold_one_effect(result, stage, requests)
        return hold_all(result, stage, answers)


def is_noticed(result: Result) -> bool:
    return any(WITHOUT_STANDBY in failure for failure in result.failures)
