-- Adds to the families of fill.sql what the console shows: names that many families share, jobs and
-- a week of finished ones, sign-ins, invitations, entries of the audit log by families, operators
-- and jobs, a webhook, and processes with a week of samples.
-- Run as superuser: psql -v families=100000 -v jobs=10000 -f sql/bench/console.sql
SET session_replication_role = replica;
SET synchronous_commit = off;

\ir ids.sql

UPDATE app.family_units SET family_name = 'My Family'
WHERE id IN (SELECT pg_temp.family(k) FROM generate_series(10, :families, 10) AS k);

-- One half waits, a tenth of it to be tried again; the other half is dead, with twenty errors.
INSERT INTO jobs.live (queue, kind, payload, run_at, attempt, last_error)
SELECT 'mail', 'mail.account_blocked', jsonb_build_object('recipient', pg_temp.account(n)),
    now() + interval '1 day', (n % 10 = 0)::int,
    CASE WHEN n % 10 = 0 THEN 'the mail server is unreachable' END
FROM generate_series(1, :jobs / 2) AS n;
INSERT INTO jobs.attempts (job, failed_at, attempt, queue, kind, error)
SELECT j.id, j.enqueued_at, 1, j.queue, j.kind, j.last_error
FROM jobs.live AS j WHERE j.last_error IS NOT NULL;
INSERT INTO jobs.dead (id, queue, kind, payload, priority, attempt, max_attempts, crashes,
    enqueued_at, run_at, died_at, last_error)
SELECT 1000000000 + n, 'mail', 'mail.account_blocked',
    jsonb_build_object('recipient', pg_temp.account(n)), 1, 20, 20, 0, now(), now(),
    now() - n * interval '1 second', 'the mail server refused the message: error ' || n % 20
FROM generate_series(1, :jobs / 2) AS n;

-- E-mails of the last seven days, in a partition for each day, in the order of their ends.
SELECT format('CREATE TABLE jobs.history_%s PARTITION OF jobs.history FOR VALUES FROM (%L) TO (%L)',
    to_char(d, 'YYYYMMDD'), d AT TIME ZONE 'UTC', (d + interval '1 day') AT TIME ZONE 'UTC')
FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC') - interval '7 days',
    date_trunc('day', now() AT TIME ZONE 'UTC'), interval '1 day') AS d
WHERE to_regclass('jobs.history_' || to_char(d, 'YYYYMMDD')) IS NULL \gexec
INSERT INTO jobs.history (id, finished_at, enqueued_at, duration_ms, attempt, queue, kind, outcome,
    recipient)
SELECT n, t.at, t.at - interval '1 second', 100, 1, 'mail',
    (ARRAY['mail.code', 'mail.invitation', 'mail.new_sign_in'])[1 + n % 3],
    CASE WHEN n % 100 = 0 THEN 'expired' ELSE 'done' END, pg_temp.account(1 + n % :families)
FROM generate_series(1, :families / 4) AS n
CROSS JOIN LATERAL (SELECT now() - (1 - n / (:families / 4.0)) * interval '7 days') AS t (at);

INSERT INTO app.sign_ins_log (at, user_id, kind, way, browser, network)
SELECT now() - random() * interval '30 days', pg_temp.account(1 + n % (3 * :families)),
    CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'sign_in' END,
    (ARRAY['email', 'password', 'passkey', 'exchange'])[1 + n % 4], 'Firefox on Linux',
    '192.0.2.0/24'
FROM generate_series(1, :families / 2) AS n;
INSERT INTO app.family_invitations (family_unit_id, invited_by, role, household_role, delivery,
    status, created_at, closed_at)
SELECT pg_temp.family(k), pg_temp.account(3 * k - 1), 'parent', 'adult', 'link', 'revoked',
    now() - random() * interval '90 days', now()
FROM generate_series(1, :families, 10) AS k;
INSERT INTO app.audit_log (at, family_unit_id, actor_user_id, subject_user_id, action)
SELECT now() - random() * interval '90 days', pg_temp.family(1 + n % :families),
    pg_temp.account(3 * (1 + n % :families) - 1), pg_temp.account(3 * (1 + n % :families) - 1),
    'family.update'
FROM generate_series(1, :families) AS n;
-- The hundredth entry is an operator's or a job's.
INSERT INTO app.audit_log (at, family_unit_id, actor_label, subject_user_id, action)
SELECT now() - random() * interval '90 days', pg_temp.family(1 + n % :families),
    CASE WHEN n % 2 = 0 THEN 'job:hearth-worker'
        ELSE format('operator:user%s@example.com', n % 20) END,
    pg_temp.account(3 * (1 + n % :families) - 1),
    (ARRAY['member.deactivate', 'family.merge', 'session.end', 'user.block', 'user.unblock'])
        [1 + n % 5]
FROM generate_series(1, :families / 100) AS n;

INSERT INTO app.webhook_endpoints (id, url, secret_hash)
VALUES (pg_temp.account(0), 'https://hooks.example/', sha256('x'));
INSERT INTO app.processes (id, program, version, revision, host, since)
SELECT pg_temp.account(n), CASE WHEN n > 4 THEN 'hearth-worker' ELSE 'hearth-api' END, '1', '1',
    'host:' || n, now() - interval '30 days'
FROM generate_series(1, 8) AS n;
INSERT INTO app.process_samples (process_id, at, counters)
SELECT pg_temp.account(n), date_trunc('minute', now()) - m * interval '1 minute',
    jsonb_build_object(
        'hearth_http_requests_total', 1000000 - 60 * m,
        'hearth_http_responses_total{class="4xx"}', 100000 - 6 * m,
        'hearth_http_responses_total{class="5xx"}', 20000 - m,
        'hearth_jobs_ended_total', 100000 - 6 * m, 'hearth_jobs_oldest_ready_seconds', m % 60,
        'hearth_http_request_duration_seconds', jsonb_build_object(
            '0.005', 400000 - 30 * m, '0.05', 700000 - 50 * m, '+Inf', 1000000 - 60 * m))
FROM generate_series(1, 8) AS n, generate_series(0, 7 * 1440 - 1) AS m;

RESET session_replication_role;
VACUUM (ANALYZE);
CHECKPOINT;
