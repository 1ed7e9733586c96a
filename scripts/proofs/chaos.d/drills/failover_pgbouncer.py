"""failover behind PgBouncer, which is pointed to the standby before the promotion."""
from drills import failover
from stage import Settings
from verdict import Result


def run(settings: Settings) -> Result:
    return failover.fail_over(settings, "failover_pgbouncer", is_pooled=True)
