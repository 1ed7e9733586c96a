-- Limits for callers (attempts counted in time windows, and the distinct codes that an account has
-- tried), and the responses that are kept for requests that are repeated.
--
-- The roles of callers can neither read nor write these tables: only functions do.
--
-- Locks: none, all objects are new.

-- One row per bucket. A bucket's window begins with the first hit after the previous window has
-- ended.
CREATE TABLE app.rate_limits (
    bucket text COLLATE "C" NOT NULL,
    window_start timestamptz NOT NULL,
    hits integer NOT NULL,
    CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket),
    CONSTRAINT rate_limits_bucket_form CHECK (octet_length(bucket) BETWEEN 1 AND 200),
    CONSTRAINT rate_limits_hits_positive CHECK (hits >= 0)
);

CREATE INDEX rate_limits_window ON app.rate_limits (window_start);

COMMENT ON TABLE app.rate_limits IS 'Hits per bucket in its present window.';

-- The codes that an account has tried. The table holds digests, so it reveals no code.
CREATE TABLE app.code_lookups (
    user_id uuid NOT NULL,
    code_digest bytea NOT NULL,
    looked_up_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT code_lookups_pkey PRIMARY KEY (user_id, code_digest),
    CONSTRAINT code_lookups_user_fkey FOREIGN KEY (user_id) REFERENCES app.users (id)
        ON DELETE CASCADE,
    CONSTRAINT code_lookups_digest_size CHECK (octet_length(code_digest) = 32)
);

CREATE INDEX code_lookups_at ON app.code_lookups (looked_up_at);

COMMENT ON TABLE app.code_lookups IS 'Distinct codes that an account has looked up lately.';

CREATE TABLE app.idempotency_keys (
    actor_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    route text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    request_digest bytea NOT NULL,
    claim uuid,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    status smallint,
    answer text,
    -- 1: responses of endpoints, without links. 2: refusals.
    format smallint NOT NULL DEFAULT 1,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (actor_id, subject_id, route, key),
    CONSTRAINT idempotency_keys_route_form CHECK (octet_length(route) BETWEEN 1 AND 200),
    CONSTRAINT idempotency_keys_key_form CHECK (char_length(key) BETWEEN 1 AND 255),
    CONSTRAINT idempotency_keys_digest_size CHECK (octet_length(request_digest) = 32),
    CONSTRAINT idempotency_keys_status_range CHECK (status BETWEEN 200 AND 499),
    -- Either running under a claim, or finished, with a status and an answer.
    CONSTRAINT idempotency_keys_running_or_done CHECK (
        (claim IS NULL) = (status IS NOT NULL) AND (status IS NULL) = (answer IS NULL)),
    CONSTRAINT idempotency_keys_answer_size CHECK (octet_length(answer) <= 131072)
);

CREATE INDEX idempotency_keys_created ON app.idempotency_keys (created_at);

COMMENT ON TABLE app.idempotency_keys IS 'Answers kept for a repeated request.';
COMMENT ON COLUMN app.idempotency_keys.format IS
    'What a program has to know to read the answer: a number that grows with what is kept.';
COMMENT ON COLUMN app.idempotency_keys.claim IS
    'Of a program of an earlier release that has not kept its answer, and may have died.';

ALTER TABLE app.rate_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.rate_limits FORCE ROW LEVEL SECURITY;
CREATE POLICY rate_limits_owner ON app.rate_limits TO hearth_owner USING (true) WITH CHECK (true);
ALTER TABLE app.code_lookups ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.code_lookups FORCE ROW LEVEL SECURITY;
CREATE POLICY code_lookups_owner ON app.code_lookups TO hearth_owner
    USING (true) WITH CHECK (true);
ALTER TABLE app.idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY idempotency_keys_owner ON app.idempotency_keys TO hearth_owner
    USING (true) WITH CHECK (true);
