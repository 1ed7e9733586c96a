"""The primary is killed and its synchronous standby is promoted. Hearth reconnects by itself."""
import time

from cluster import Cluster, Pooler, either
from stage import Settings, Stage
from verdict import Result, hold_all, hold_back, hold_mail_back


def run(settings: Settings) -> Result:
    return fail_over(settings, "failover", is_pooled=False)


def fail_over(settings: Settings, name: str, is_pooled: bool) -> Result:
    with Stage(settings, name) as stage:
        standby = with_standby(stage)
        start_hearth(stage, standby, is_pooled)
        stage.start_load()
        stage.go_on(3 if settings.is_quick else 8)

        stage.cluster.kill_tree()
        if is_pooled:
            # It is still a standby, and refuses Hearth's writes.
            time.sleep(1)
            stage.pooler.lead_to(standby)
        time.sleep(2)
        back = standby.promote()
        stage.cluster = standby
        stage.go_on(8 if settings.is_quick else 12)
        answers = stage.stop_load()
        result = Result()
        hold_back(result, answers, back, time.time())
        hold_mail_back(result, stage, back)
        return hold_all(result, stage, answers)


def with_standby(stage: Stage) -> Cluster:
    """Adds a synchronous standby, without which the stage's server acknowledges nothing."""
    primary = stage.cluster
    standby = stage.add_cluster("b").follow(primary)
    standby.start(standby.following)
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'; SELECT pg_reload_conf()")
    stage.eventually("the standby follows", lambda: primary.sql(
        "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
    return standby


def start_hearth(stage: Stage, standby: Cluster, is_pooled: bool) -> None:
    stage.mail.start()
    if is_pooled:
        stage.pooler = Pooler(
            stage.settings.account, stage.folder / "pooler", 6432, stage.cluster)
        stage.eventually(
            "PgBouncer listens", lambda: (stage.folder / "pooler" / ".s.PGSQL.6432").exists())
        for start, role in [(stage.start_api, "hearth_api"), (stage.start_worker, "hearth_worker")]:
            start(stage.pooler.url(role), HEARTH_PREPARED_STATEMENTS="off")
    else:
        stage.start_api(either(stage.cluster, standby, "hearth_api"))
        stage.start_worker(either(stage.cluster, standby, "hearth_worker"))
