-- The audit log: who did what, and to whom.
--
-- The log is append only, and row-level security is forced on its owner too. The policy for DELETE
-- is for purging only. The only policy for UPDATE lets an entry name another user while
-- app.former_ids leads from the old id to the new one (app.change_account_id). Entries refer to
-- families and users by value, not by foreign key, so they remain when the family or the user is
-- deleted.
--
-- The log has monthly partitions, so that an old month can be dropped as a whole. The worker
-- creates the partitions of the coming months, as it does for the days of jobs.history. Entries of
-- a month without a partition go to audit_log_other. The partitioned table has the rights and
-- policies. Its partitions have none, and row-level security is forced on them.
--
-- Ids are ordered by time (UUID version 7), so that new entries are close together in the index of
-- the primary key.

-- UUID version 7 (RFC 9562): milliseconds since 1970, then 1/4096ths of a millisecond, then 62
-- random bits.
CREATE FUNCTION app.uuid_v7() RETURNS uuid
LANGUAGE sql VOLATILE
RETURN (
    overlay(
        lpad(to_hex((extract(epoch FROM clock_timestamp()) * 4096000)::bigint), 15, '0')
        PLACING '7' FROM 13 FOR 0)
    || right(gen_random_uuid()::text, 17))::uuid;

COMMENT ON FUNCTION app.uuid_v7() IS
    'New UUID (version 7): ids sort by the microsecond in which they were generated.';

-- The id of the request that makes a change, as in the log of the API. The statement that begins
-- the request has set it. Text of another form is ignored.
CREATE FUNCTION app.request_id() RETURNS text
LANGUAGE sql STABLE
RETURN substring(current_setting('hearth.request', true) FROM '^[A-Za-z0-9._-]{1,40}$');

COMMENT ON FUNCTION app.request_id() IS
    'Id of the request that makes the change; null outside of requests.';

CREATE TABLE app.audit_log (
    id uuid NOT NULL DEFAULT app.uuid_v7(),
    -- clock_timestamp(), not now(): so the rows of one transaction keep their order.
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    family_unit_id uuid,
    actor_user_id uuid,
    actor_label text,
    subject_user_id uuid,
    action text NOT NULL,
    target_id uuid,
    details jsonb NOT NULL DEFAULT '{}',
    request_id text COLLATE "C" DEFAULT app.request_id(),
    CONSTRAINT audit_log_pkey PRIMARY KEY (at, id),
    CONSTRAINT audit_log_action_form CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
    CONSTRAINT audit_log_label_form CHECK (
        actor_label ~ '^(operator|server|sql|job):[^[:cntrl:]]{1,80}$'),
    CONSTRAINT audit_log_details_form CHECK (
        jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 4096),
    CONSTRAINT audit_log_request_form CHECK (request_id ~ '^[A-Za-z0-9._-]{1,40}$')
) PARTITION BY RANGE (at);

CREATE INDEX audit_log_of_family ON app.audit_log (family_unit_id, at DESC, id DESC);
-- For a person's own export: the entries that are about a person and belong to no family.
CREATE INDEX audit_log_of_person ON app.audit_log (subject_user_id, at)
    WHERE family_unit_id IS NULL;
-- For the console: what a person did, and what was done to a person.
CREATE INDEX audit_log_of_actor ON app.audit_log (actor_user_id, at DESC, id DESC)
    WHERE actor_user_id IS NOT NULL;
CREATE INDEX audit_log_of_subject ON app.audit_log (subject_user_id, at DESC, id DESC)
    WHERE subject_user_id IS NOT NULL;
-- For operators: the changes of one request. Clients may choose the ids of their requests, so an id
-- can have many entries.
CREATE INDEX audit_log_of_request ON app.audit_log (request_id, at DESC, id DESC)
    WHERE request_id IS NOT NULL;
-- For operators: the entries with one action, and those of one label, such as an operator's.
CREATE INDEX audit_log_of_action ON app.audit_log (action, at DESC, id DESC);
CREATE INDEX audit_log_of_label ON app.audit_log (actor_label, action, at DESC, id DESC)
    WHERE actor_label IS NOT NULL;
CREATE INDEX audit_log_of_declining ON app.audit_log (actor_user_id)
    WHERE action = 'invitation.decline';

COMMENT ON TABLE app.audit_log IS 'Audit log, append only.';
COMMENT ON COLUMN app.audit_log.request_id IS
    'X-Request-Id of the request that made the change; null for a change without a request.';

ALTER TABLE app.audit_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_log_owner_append ON app.audit_log FOR INSERT TO hearth_owner WITH CHECK (true);
CREATE POLICY audit_log_owner_read ON app.audit_log FOR SELECT TO hearth_owner USING (true);
CREATE POLICY audit_log_owner_purge ON app.audit_log FOR DELETE TO hearth_owner USING (true);
CREATE POLICY audit_log_authz ON app.audit_log FOR SELECT TO hearth_authz USING (true);
CREATE POLICY audit_log_operator_reads ON app.audit_log FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.audit_log TO hearth_authz, hearth_admin;
CREATE POLICY audit_log_owner_renames ON app.audit_log FOR UPDATE TO hearth_owner
    USING (EXISTS (
        SELECT FROM app.former_ids AS o
        WHERE o.former_id IN (actor_user_id, subject_user_id, target_id)))
    WITH CHECK (true);

CREATE TABLE app.audit_log_other PARTITION OF app.audit_log DEFAULT;
ALTER TABLE app.audit_log_other ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Exports by operators: each contains all entries before ends_at. Entries that no export contains
-- are not dropped, unless an operator says that they need not be exported.
CREATE TABLE app.audit_exports (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    ends_at timestamptz NOT NULL,
    entry_count bigint NOT NULL,
    exported_by text NOT NULL,
    exported_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT audit_exports_pkey PRIMARY KEY (id),
    CONSTRAINT audit_exports_count_range CHECK (entry_count >= 0)
);

COMMENT ON TABLE app.audit_exports IS 'Exports of the audit log by operators.';

ALTER TABLE app.audit_exports ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_exports_owner ON app.audit_exports TO hearth_owner
    USING (true) WITH CHECK (true);
