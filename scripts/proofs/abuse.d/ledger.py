"""The rows of the database: compared before and after attacks, and restored."""
import subprocess
import time

from stage import Database

# Tables that count attempts, remember responses, or are written by programs themselves.
COUNTS = ("rate_limits", "code_lookups", "wrong_codes", "wrong_code_hours", "idempotency_keys",
          "standby_readers", "consent_purposes", "automatic_approval", "mail_verdicts",
          "processes", "process_samples")
# Columns that the worker writes when it has sent an e-mail, and the count of guesses at a code.
LATER = ("delivery_status", "delivery_generation", "tries")

SETUP = """
CREATE SCHEMA kept;
CREATE TABLE kept.touched (name text NOT NULL);
CREATE TABLE kept.known (name text, is_all boolean, count bigint, sum numeric);
CREATE FUNCTION kept.tables() RETURNS TABLE (name text, columns text) LANGUAGE sql AS $$
    SELECT c.relname::text, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    GROUP BY c.relname
$$;
CREATE FUNCTION kept.touch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO kept.touched VALUES (TG_TABLE_NAME);
    RETURN NULL;
END $$;
-- Whoever writes to a table says so, so that only these tables are read again.
CREATE FUNCTION kept.watch() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT k.name FROM kept.tables() AS k LOOP
        EXECUTE format('CREATE TRIGGER touch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON app.%I'
            ' FOR EACH STATEMENT EXECUTE FUNCTION kept.touch()', t);
        EXECUTE format('ALTER TABLE app.%I ENABLE ALWAYS TRIGGER touch', t);
    END LOOP;
END $$;
CREATE FUNCTION kept.unwatch() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT k.name FROM kept.tables() AS k LOOP
        EXECUTE format('DROP TRIGGER touch ON app.%I', t);
    END LOOP;
END $$;
-- Of a partitioned table the partitions may be written to, which its trigger does not see.
CREATE FUNCTION kept.digest(p_all boolean) RETURNS TABLE (name text, count bigint, sum numeric)
LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    WITH touched AS (DELETE FROM kept.touched RETURNING touched.name)
        DELETE FROM kept.known AS k WHERE k.name IN (
            SELECT d.name FROM touched AS d UNION ALL SELECT c.relname FROM pg_class AS c
            WHERE c.relkind = 'p' AND c.relnamespace = 'app'::regnamespace);
    FOR t IN SELECT k.name FROM kept.tables() AS k
        WHERE (p_all OR k.name <> ALL (:'counts'::text[])) AND NOT EXISTS (
            SELECT FROM kept.known AS d WHERE d.name = k.name AND d.is_all = p_all)
    LOOP
        EXECUTE format(
            'INSERT INTO kept.known SELECT %L, %L, count(*), coalesce(sum(hashtextextended('
            '(to_jsonb(t) - ''{%s}''::text[])::text, 0)::numeric), 0) FROM app.%I AS t',
            t, p_all, CASE WHEN p_all THEN '' ELSE :'later' END, t);
    END LOOP;
    RETURN QUERY SELECT k.name, k.count, k.sum FROM kept.known AS k
        WHERE k.is_all = p_all ORDER BY k.name;
    IF NOT p_all THEN
        RETURN QUERY SELECT 'jobs', count(*), coalesce(sum(j.id), 0) FROM (
            SELECT l.id, l.kind FROM jobs.live AS l UNION SELECT h.id, h.kind FROM jobs.history AS h
            UNION SELECT d.id, d.kind FROM jobs.dead AS d) AS j
        WHERE j.kind NOT IN (SELECT s.kind FROM jobs.schedules AS s);
    END IF;
END $$;
CREATE FUNCTION kept.hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.run_at := NEW.run_at + interval '1 day';
    RETURN NEW;
END $$;
CREATE FUNCTION kept.keep() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT * FROM kept.tables() LOOP
        EXECUTE format('DROP TABLE IF EXISTS kept.%I', t.name);
        EXECUTE format('CREATE TABLE kept.%I AS SELECT %s FROM app.%I', t.name, t.columns, t.name);
    END LOOP;
    DROP TABLE IF EXISTS kept.digests;
    CREATE TABLE kept.digests AS SELECT * FROM kept.digest(true);
END $$;
CREATE FUNCTION kept.put_back() RETURNS void LANGUAGE plpgsql
SET session_replication_role = replica AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT k.* FROM kept.tables() AS k JOIN kept.digest(true) AS d USING (name)
        JOIN kept.digests AS b USING (name) WHERE (d.count, d.sum) IS DISTINCT FROM (b.count, b.sum)
    LOOP
        EXECUTE format('DELETE FROM app.%1$I WHERE (tableoid, ctid) IN ('
            'SELECT n.tableoid, n.ctid FROM app.%1$I AS n'
            ' WHERE ROW(%2$s)::text NOT IN (SELECT ROW(%2$s)::text FROM kept.%1$I))',
            t.name, t.columns);
        EXECUTE format('INSERT INTO app.%1$I (%2$s) OVERRIDING SYSTEM VALUE'
            ' SELECT %2$s FROM kept.%1$I'
            ' WHERE ROW(%2$s)::text NOT IN (SELECT ROW(%2$s)::text FROM app.%1$I)',
            t.name, t.columns);
    END LOOP;
END $$;
CREATE FUNCTION kept.changes() RETURNS TABLE (name text, change text, value text)
LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT * FROM kept.tables() AS k WHERE k.name <> ALL (:'counts'::text[]) LOOP
        RETURN QUERY EXECUTE format(
            'WITH now AS (SELECT to_jsonb(n) - ''{%1$s}''::text[] AS v FROM'
            ' (SELECT %2$s FROM app.%3$I) AS n),'
            ' old AS (SELECT to_jsonb(o) - ''{%1$s}''::text[] AS v FROM kept.%3$I AS o)'
            ' SELECT %3$L, ''new'', v::text FROM (SELECT v FROM now EXCEPT SELECT v FROM old) AS x'
            ' UNION ALL'
            ' SELECT %3$L, ''old'', v::text FROM (SELECT v FROM old EXCEPT SELECT v FROM now) AS x',
            :'later', t.columns, t.name);
    END LOOP;
END $$;
"""


class Ledger:
    """The rows of all tables, apart from those that count attempts, and the list of jobs."""

    def __init__(self, database: Database):
        self.database = database
        self._renewed_at = time.monotonic()
        done = SETUP
        for name, value in (("counts", "{" + ",".join(COUNTS) + "}"), ("later", ",".join(LATER))):
            done = done.replace(f":'{name}'", f"'{value}'")
        database.run(done)
        self._psql = subprocess.Popen(
            [database.psql, "-X", "-q", "-A", "-t", database.url], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.run("SET client_min_messages = warning")
        # Each statement takes less than a second: one that doesn't end is a fault to be shown.
        self.run("SET statement_timeout = '2min'")

    def close(self) -> None:
        """Puts everything back, and lets the worker send e-mails again."""
        self.put_back()
        self.forget_attempts()
        self.run("DROP TRIGGER hold ON jobs.live")
        self.run("SELECT kept.unwatch()")
        self._psql.stdin.close()
        self._psql.wait(timeout=20)

    def run(self, statement: str) -> list[str]:
        """The rows of a statement, which has one line."""
        self._psql.stdin.write(statement + ";\n\\echo done.\n")
        lines = []
        self._psql.stdin.flush()
        while (line := self._psql.stdout.readline()) != "done.\n":
            if not line or line.startswith("ERROR:"):
                raise SystemExit(f"psql: {line} {statement}")
            lines.append(line.rstrip("\n"))
        return lines

    def now(self) -> list[str]:
        """A digest of every table."""
        return self.run("SELECT * FROM kept.digest(false)")

    def _settle(self) -> None:
        """Waits until the worker has sent all e-mails."""
        end = time.monotonic() + 60
        while self.run("SELECT 1 FROM jobs.live AS l WHERE l.run_at <= now() AND l.kind NOT IN"
                       " (SELECT s.kind FROM jobs.schedules AS s) LIMIT 1"):
            if time.monotonic() > end:
                raise SystemExit("the worker has not sent all e-mails within a minute")
            time.sleep(0.05)

    def keep(self) -> None:
        """Remembers everything, to be put back. From now on no e-mails are sent: the worker would
        write to the tables meanwhile."""
        self._settle()
        self.run("CREATE TRIGGER hold BEFORE INSERT ON jobs.live FOR EACH ROW"
                 " WHEN (NEW.queue = 'mail') EXECUTE FUNCTION kept.hold()")
        self.run("SELECT kept.watch()")
        self._renew()

    def _renew(self) -> None:
        self.run("UPDATE app.sessions SET signed_in_at = now()")
        self.run("SELECT kept.keep()")
        self._renewed_at = time.monotonic()

    def renew_sign_ins(self) -> None:
        """Puts everything back and, every few minutes, makes all sign-ins recent: after ten minutes
        some forms ask for a new one first, which would hide what else is refused."""
        if time.monotonic() - self._renewed_at > 240:
            self.put_back()
            self._renew()

    def put_back(self) -> None:
        self.run("SELECT kept.put_back()")
        self.run("DELETE FROM jobs.live WHERE queue = 'mail'")

    def forget_attempts(self) -> None:
        """Empties the counts of all limits, which would hide what is refused for another reason."""
        self.run("; ".join(f"DELETE FROM app.{table}" for table in (
            "rate_limits", "code_lookups", "wrong_codes", "wrong_code_hours",
            "automatic_approval")))

    def changes(self) -> list[str]:
        """The rows that differ from the remembered ones."""
        return [line[:300] for line in self.run("SELECT * FROM kept.changes()")]
