-- Reads from standbys: which processes of the API read from which standbys, and how fresh these
-- are. docs/scaling.md has the whole protocol.
--
-- A process that reads from standbys renews its row here several times a second, each time with the
-- next number. A standby that shows a number has everything that was committed before the process
-- sent that renewal: so the process knows, by its own clock alone, how old what a standby shows can
-- be. The row also names the standbys that the process reads from: whoever answers a change waits
-- until these have it.
--
-- A standby is named by the moment at which its server started, in microseconds: it tells servers
-- apart behind one address, and one server before and after a restart.
--
-- Each renewal is an update on the same page (fillfactor), without an index to be changed.
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
-- Nothing in it is anybody's: each process looks for its own number on standbys.
CREATE POLICY standby_readers_api_reads ON app.standby_readers
    FOR SELECT TO hearth_api USING (true);
GRANT SELECT (id, number) ON app.standby_readers TO hearth_api;
