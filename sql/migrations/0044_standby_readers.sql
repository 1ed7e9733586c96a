-- Reads from standbys: which processes of the API read from which standbys, and how up to date the
-- standbys are. docs/scaling.md describes the whole protocol.
--
-- A process that reads from standbys renews its row several times a second, each time with the next
-- number. If a standby shows a number, it has everything that was committed before the process sent
-- the renewal with that number. So the process knows, by its own clock alone, how old the data of a
-- standby can be. The row also names the standbys that the process reads from: before the API
-- answers a request that changes something, all these standbys must have the change.
--
-- A standby is identified by the time at which its server started, in microseconds. This
-- distinguishes several servers behind one address, and one server before and after a restart.
--
-- A renewal updates the row on its page (hence the fill factor), and changes no index.
--
-- Locks: none, the table is new.

CREATE TABLE app.standby_readers (
    id uuid NOT NULL,
    number bigint NOT NULL,
    standbys bigint[] NOT NULL,
    renewed_at timestamptz NOT NULL,
    CONSTRAINT standby_readers_pkey PRIMARY KEY (id),
    CONSTRAINT standby_readers_few CHECK (cardinality(standbys) <= 100)
) WITH (fillfactor = 20);

COMMENT ON TABLE app.standby_readers IS
    'Processes of the API that read from standbys: the number of the last renewal, and from which.';

ALTER TABLE app.standby_readers ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.standby_readers FORCE ROW LEVEL SECURITY;
CREATE POLICY standby_readers_owner ON app.standby_readers TO hearth_owner
    USING (true) WITH CHECK (true);
-- The rows belong to no caller: each process reads its own number on the standbys.
CREATE POLICY standby_readers_api_reads ON app.standby_readers
    FOR SELECT TO hearth_api USING (true);
GRANT SELECT (id, number) ON app.standby_readers TO hearth_api;
