-- Data for requests: rate limits, responses that are stored for repeated requests, and the state of
-- the standbys.
--
-- The roles of callers can neither read nor write limits and responses; only functions do.

-- Attempts counted in time windows, one row per bucket. A bucket's window begins with the first hit
-- after the previous window has ended.
CREATE TABLE app.rate_limits (
    bucket text COLLATE "C" NOT NULL,
    window_start timestamptz NOT NULL,
    hits integer NOT NULL,
    CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket),
    CONSTRAINT rate_limits_bucket_form CHECK (octet_length(bucket) BETWEEN 1 AND 200),
    CONSTRAINT rate_limits_hits_positive CHECK (hits >= 0)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX rate_limits_window ON app.rate_limits (window_start);

COMMENT ON TABLE app.rate_limits IS 'Attempts counted in the present window of each bucket.';

ALTER TABLE app.rate_limits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY rate_limits_owner ON app.rate_limits TO hearth_owner USING (true) WITH CHECK (true);

CREATE TABLE app.idempotency_keys (
    actor_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    route text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    request_digest bytea NOT NULL,
    status smallint NOT NULL,
    answer text NOT NULL,
    -- 1: responses of endpoints, without links. 2: refusals.
    format smallint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (actor_id, subject_id, route, key),
    CONSTRAINT idempotency_keys_route_form CHECK (octet_length(route) BETWEEN 1 AND 200),
    CONSTRAINT idempotency_keys_key_form CHECK (char_length(key) BETWEEN 1 AND 255),
    CONSTRAINT idempotency_keys_digest_size CHECK (octet_length(request_digest) = 32),
    CONSTRAINT idempotency_keys_status_range CHECK (status BETWEEN 200 AND 499),
    CONSTRAINT idempotency_keys_answer_size CHECK (octet_length(answer) <= 131072)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX idempotency_keys_created ON app.idempotency_keys (created_at);

COMMENT ON TABLE app.idempotency_keys IS 'Responses stored under idempotency keys.';
COMMENT ON COLUMN app.idempotency_keys.format IS
    'Format of the stored response; a program must know it to read the response.';

ALTER TABLE app.idempotency_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY idempotency_keys_owner ON app.idempotency_keys TO hearth_owner
    USING (true) WITH CHECK (true);

-- Reads from standbys: which processes of the API read from which standbys, and how up to date the
-- standbys are. docs/scaling.md describes the whole protocol.
--
-- A process that reads from standbys renews its row several times a second, each time with the next
-- number. If a standby shows a number, it has everything that was committed before the process sent
-- the renewal with that number. So the process knows, by its own clock alone, how old the data of a
-- standby can be. The row also names the standbys that the process reads from: before the API
-- responds to a request that changes something, all these standbys must have the change.
--
-- A standby is identified by the time at which its server started, in microseconds. This
-- distinguishes several servers behind one address, and one server before and after a restart.
--
-- A renewal updates the row on its page (hence the fill factor), and changes no index.
CREATE TABLE app.standby_readers (
    id uuid NOT NULL,
    number bigint NOT NULL,
    standbys bigint[] NOT NULL,
    renewed_at timestamptz NOT NULL,
    CONSTRAINT standby_readers_pkey PRIMARY KEY (id),
    CONSTRAINT standby_readers_few CHECK (cardinality(standbys) <= 100)
) WITH (fillfactor = 20);

COMMENT ON TABLE app.standby_readers IS
    'API processes that read from standbys: the number of the process''s last renewal, and the '
    'standbys that it reads from.';

ALTER TABLE app.standby_readers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY standby_readers_owner ON app.standby_readers TO hearth_owner
    USING (true) WITH CHECK (true);
GRANT SELECT (id, number) ON app.standby_readers TO hearth_api;
-- The rows belong to no caller: each process reads its own number on the standbys.
CREATE POLICY standby_readers_api_reads ON app.standby_readers
    FOR SELECT TO hearth_api USING (true);
