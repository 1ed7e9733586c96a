-- What bounds callers (rate limits, distinct codes, idempotency keys), and whose tokens count.
--
-- None of these is read or written by a client role: functions do it.
--
-- Locks: none, all objects are new.

-- One row per bucket: its window begins with the first hit after the last one ended.
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

-- Which codes an account has tried: digests, so that the table tells no code.
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
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (actor_id, subject_id, route, key),
    CONSTRAINT idempotency_keys_route_form CHECK (octet_length(route) BETWEEN 1 AND 200),
    CONSTRAINT idempotency_keys_key_form CHECK (char_length(key) BETWEEN 1 AND 255),
    CONSTRAINT idempotency_keys_digest_size CHECK (octet_length(request_digest) = 32),
    CONSTRAINT idempotency_keys_status_range CHECK (status BETWEEN 200 AND 499),
    -- Running under a claim, or done with an answer.
    CONSTRAINT idempotency_keys_running_or_done CHECK (
        (claim IS NULL) = (status IS NOT NULL) AND (status IS NULL) = (answer IS NULL)),
    CONSTRAINT idempotency_keys_answer_size CHECK (octet_length(answer) <= 131072)
);

CREATE INDEX idempotency_keys_created ON app.idempotency_keys (created_at);

COMMENT ON TABLE app.idempotency_keys IS 'Answers kept for a repeated request.';

CREATE TABLE app.trusted_issuers (
    issuer text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    is_primary boolean NOT NULL DEFAULT false,
    emails_confirmed boolean NOT NULL DEFAULT false,
    audiences text[] NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT trusted_issuers_pkey PRIMARY KEY (issuer),
    CONSTRAINT trusted_issuers_kind_known CHECK (
        kind IN ('supabase', 'cognito', 'apple', 'generic')),
    CONSTRAINT trusted_issuers_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT trusted_issuers_has_audience CHECK (cardinality(audiences) > 0)
);

COMMENT ON TABLE app.trusted_issuers IS 'Issuers whose tokens a direct client may bring.';

CREATE TRIGGER touch BEFORE UPDATE ON app.trusted_issuers
    FOR EACH ROW EXECUTE FUNCTION app.touch();

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

ALTER TABLE app.trusted_issuers ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.trusted_issuers FORCE ROW LEVEL SECURITY;
CREATE POLICY trusted_issuers_owner ON app.trusted_issuers TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY trusted_issuers_admin ON app.trusted_issuers TO hearth_admin
    USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.trusted_issuers TO hearth_admin;
