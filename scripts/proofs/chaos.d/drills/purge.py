"""Workers are killed while they purge invitations. Everything due is removed, nothing else."""
import time

from stage import Settings, Stage
from verdict import Result, hold_all

FILL = """
SET session_replication_role = replica;
WITH home AS (SELECT id, created_by_user_id AS owner FROM app.family_units LIMIT 1)
INSERT INTO app.family_invitations
    (family_unit_id, invited_by, role, household_role, status, delivery, expires_at, created_at,
     closed_at)
SELECT h.id, h.owner, 'parent', 'adult', 'expired', 'link', now() - interval '8 days',
    now() - interval '15 days', now() - interval '8 days' - n * interval '1 second'
FROM home AS h, generate_series(1, {count}) AS n;
INSERT INTO app.invitation_secrets (invitation_id, generation, token_hash)
SELECT i.id, 1, sha256(i.id::text::bytea) FROM app.family_invitations AS i
WHERE i.closed_at IS NOT NULL;
RESET session_replication_role;
ANALYZE app.family_invitations, app.invitation_secrets;
"""
DUE = "SELECT count(*) FROM app.family_invitations WHERE closed_at IS NOT NULL"


def run(settings: Settings) -> Result:
    count = 100_000 if settings.is_quick else 1_000_000
    with Stage(settings, "purge") as stage:
        stage.mail.start()
        stage.start_api()
        stage.start_worker()
        stage.start_load()
        stage.eventually("a family is there", lambda: stage.cluster.number(
            "SELECT count(*) FROM app.family_units") > 0)
        stage.cluster.sql(FILL.format(count=count))
        stage.eventually("schedules are there", lambda: stage.cluster.number(
            "SELECT count(*) FROM jobs.schedules WHERE name = 'purge'") == 1)
        stage.cluster.sql("UPDATE jobs.schedules SET next_at = clock_timestamp()")
        began, kills, left = time.monotonic(), 0, count
        while left > 0:
            # A fourth kill would discard the job until the next hour.
            if kills < 3:
                stage.eventually(
                    "it purges", lambda: stage.cluster.number(DUE) < left, 60)
                stage.go_on(stage.random.uniform(0, 2))
                worker = stage.workers[0]
                worker.kill()
                worker.start()
                kills += 1
            else:
                stage.go_on(0.5)
            left = stage.cluster.number(DUE)
            if time.monotonic() - began > 900:
                raise RuntimeError(f"{left} are left after a quarter of an hour")
        took = time.monotonic() - began
        answers = stage.stop_load()
        result = Result()
        result.notes.append(f"{count} gone after {took:.0f} s and {kills} kills")
        orphans = stage.cluster.number(
            "SELECT count(*) FROM app.invitation_secrets AS s WHERE NOT EXISTS "
            "(SELECT FROM app.family_invitations AS i WHERE i.id = s.invitation_id)")
        result.expect(orphans == 0, f"{orphans} secrets without an invitation")
        return hold_all(result, stage, answers)
