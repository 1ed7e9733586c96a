"""sync-followers behind PgBouncer in transaction mode."""
from drills import sync_followers
from stage import Settings
from verdict import Result


def run(settings: Settings) -> Result:
    return sync_followers.follow(settings, "sync_pgbouncer", is_pooled=True)
