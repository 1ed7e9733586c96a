"""The same with PgBouncer between, which is led to the standby before that is promoted."""
from drills import failover
from stage import Settings
from verdict import Result


def run(settings: Settings) -> Result:
    return failover.fail_over(settings, "failover_pgbouncer", is_pooled=True)
