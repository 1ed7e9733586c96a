"""The rows of the database: compared before and after attacks, and restored."""
import subprocess
import time

from stage import Database

# Tables that count attempts: emptied, never compared.
ATTEMPTS = ("rate_limits", "code_lookups", "wrong_codes", "wrong_code_hours", "automatic_approval")
# Tables that remember responses, or that programs write by themselves or after a response:
# restored, never compared.
COUNTS = ("idempotency_keys", "standby_readers", "consent_purposes", "mail_verdicts",
          "processes", "process_samples", "sign_ins_log")
# Columns that the worker writes when it has sent an e-mail, and the count of guesses at a code.
LATER = ("delivery_status", "delivery_generation", "tries")

# Triggers record the key and the hash of every row that is written. So comparing reads no table,
# and restoring only those that have no primary key.
SETUP = """
CREATE SCHEMA kept;
CREATE TABLE kept.known (name text PRIMARY KEY, count bigint, sum numeric);
CREATE TABLE kept.written (name text NOT NULL, key jsonb, count integer, sum numeric);
CREATE TABLE kept.taken (LIKE kept.written);
CREATE FUNCTION kept.tables() RETURNS TABLE (name text, columns text, keys text[])
LANGUAGE sql AS $$
    SELECT c.relname::text, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
        array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attnum = ANY (i.indkey))
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND c.relname <> ALL (:'attempts'::text[])
    GROUP BY c.relname
$$;
CREATE FUNCTION kept.hash(p_row jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended((p_row - ':later'::text[])::text, 0)::numeric
$$;
CREATE FUNCTION kept.write(p_name text, p_keys text[], p_row jsonb, p_count integer) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO kept.written VALUES (p_name,
        (SELECT jsonb_object_agg(k, p_row -> k) FROM unnest(p_keys) AS k),
        p_count, p_count * kept.hash(p_row))
$$;
CREATE FUNCTION kept.record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET TimeZone = 'UTC' AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM kept.write(TG_ARGV[0], TG_ARGV[1]::text[], to_jsonb(OLD), -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM kept.write(TG_ARGV[0], TG_ARGV[1]::text[], to_jsonb(NEW), 1);
    END IF;
    RETURN NULL;
END $$;
-- Creating the triggers locks the tables, so nothing is written before the rows are counted.
CREATE FUNCTION kept.watch() RETURNS void LANGUAGE plpgsql SET TimeZone = 'UTC' AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT * FROM kept.tables() LOOP
        EXECUTE format('CREATE TRIGGER kept AFTER INSERT OR UPDATE OR DELETE ON app.%I'
            ' FOR EACH ROW EXECUTE FUNCTION kept.record(%L, %L)',
            t.name, t.name, coalesce(t.keys, '{}'));
        EXECUTE format('ALTER TABLE app.%I ENABLE ALWAYS TRIGGER kept', t.name);
        EXECUTE format('INSERT INTO kept.known SELECT %L, count(*),'
            ' coalesce(sum(kept.hash(to_jsonb(t))), 0) FROM app.%I AS t', t.name, t.name);
    END LOOP;
END $$;
CREATE FUNCTION kept.unwatch() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT k.name FROM kept.tables() AS k LOOP
        EXECUTE format('DROP TRIGGER kept ON app.%I', t);
    END LOOP;
END $$;
CREATE FUNCTION kept.digest() RETURNS TABLE (name text, count bigint, sum numeric)
LANGUAGE sql AS $$
    SELECT k.name, k.count + coalesce(w.count, 0), k.sum + coalesce(w.sum, 0)
    FROM kept.known AS k LEFT JOIN (
        SELECT w.name, sum(w.count) AS count, sum(w.sum) AS sum FROM kept.written AS w
        GROUP BY w.name) AS w ON w.name = k.name
    WHERE k.name <> ALL (:'counts'::text[])
    UNION ALL
    SELECT 'jobs', count(*), coalesce(sum(j.id), 0) FROM (
        SELECT l.id, l.kind FROM jobs.live AS l UNION SELECT h.id, h.kind FROM jobs.history AS h
        UNION SELECT d.id, d.kind FROM jobs.dead AS d) AS j
    WHERE j.kind NOT IN (SELECT s.kind FROM jobs.schedules AS s)
    ORDER BY 1
$$;
CREATE FUNCTION kept.hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.run_at := NEW.run_at + interval '1 day';
    RETURN NEW;
END $$;
-- Moves to kept.taken what was recorded so far, or by this transaction alone.
CREATE FUNCTION kept.take(p_is_own boolean) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM kept.written AS w WHERE NOT p_is_own OR w.xmin = pg_current_xact_id()::xid
        RETURNING w.*),
    added AS (
        INSERT INTO kept.taken SELECT * FROM taken)
    UPDATE kept.known AS k SET count = k.count + s.count, sum = k.sum + s.sum
        FROM (SELECT t.name, sum(t.count) AS count, sum(t.sum) AS sum FROM taken AS t
              GROUP BY t.name) AS s
        WHERE k.name = s.name
$$;
CREATE FUNCTION kept.keep() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    PERFORM kept.take(false);
    TRUNCATE kept.taken;
    FOR t IN SELECT * FROM kept.tables() LOOP
        EXECUTE format('DROP TABLE IF EXISTS kept.%I', t.name);
        EXECUTE format('CREATE TABLE kept.%I AS SELECT %s FROM app.%I', t.name, t.columns, t.name);
    END LOOP;
END $$;
CREATE FUNCTION kept.put_back() RETURNS void LANGUAGE plpgsql
SET session_replication_role = replica SET TimeZone = 'UTC' AS $$
DECLARE
    t record;
    v_written text;
BEGIN
    PERFORM kept.take(false);
    FOR t IN SELECT * FROM kept.tables() AS k
        WHERE EXISTS (SELECT FROM kept.taken AS w WHERE w.name = k.name)
    LOOP
        IF t.keys IS NULL THEN
            EXECUTE format('DELETE FROM app.%I', t.name);
            EXECUTE format('INSERT INTO app.%1$I (%2$s) OVERRIDING SYSTEM VALUE'
                ' SELECT %2$s FROM kept.%1$I', t.name, t.columns);
            CONTINUE;
        END IF;
        v_written := format('(%s) IN (SELECT %s FROM kept.taken AS w,'
            ' jsonb_populate_record(NULL::app.%I, w.key) AS r WHERE w.name = %L)',
            (SELECT string_agg(quote_ident(k), ', ') FROM unnest(t.keys) AS k),
            (SELECT string_agg('r.' || quote_ident(k), ', ') FROM unnest(t.keys) AS k),
            t.name, t.name);
        EXECUTE format('DELETE FROM app.%I WHERE %s', t.name, v_written);
        EXECUTE format('INSERT INTO app.%1$I (%2$s) OVERRIDING SYSTEM VALUE'
            ' SELECT %2$s FROM kept.%1$I WHERE %3$s', t.name, t.columns, v_written);
    END LOOP;
    PERFORM kept.take(true);
    TRUNCATE kept.taken;
END $$;
CREATE FUNCTION kept.changes() RETURNS TABLE (name text, change text, value text)
LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT * FROM kept.tables() AS k
        WHERE k.name <> ALL (:'counts'::text[])
            AND EXISTS (SELECT FROM kept.written AS w WHERE w.name = k.name)
    LOOP
        RETURN QUERY EXECUTE format(
            'WITH now AS (SELECT to_jsonb(n) - ''{%1$s}''::text[] AS v FROM'
            ' (SELECT %2$s FROM app.%3$I) AS n),'
            ' old AS (SELECT to_jsonb(o) - ''{%1$s}''::text[] AS v FROM kept.%3$I AS o)'
            ' SELECT %3$L, ''new'', v::text FROM (SELECT v FROM now EXCEPT SELECT v FROM old) AS x'
            ' UNION ALL'
            ' SELECT %3$L, ''old'', v::text FROM (SELECT v FROM old EXCEPT SELECT v FROM now) AS x',
            :'columns', t.columns, t.name);
    END LOOP;
END $$;
"""


class Ledger:
    """The rows of all tables, apart from those that count attempts, and the list of jobs."""

    def __init__(self, database: Database):
        self.database = database
        self._renewed_at = time.monotonic()
        setup = SETUP.replace("':later'", "'{" + ",".join(LATER) + "}'")
        setup = setup.replace(":'columns'", "'" + ",".join(LATER) + "'")
        for name, tables in (("counts", COUNTS), ("attempts", ATTEMPTS)):
            setup = setup.replace(f":'{name}'", "'{" + ",".join(tables) + "}'")
        database.run(setup)
        self._psql = subprocess.Popen(
            [database.psql, "-X", "-q", "-A", "-t", database.url], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.run("SET client_min_messages = warning")
        # Each statement takes less than a second: one that doesn't end is a fault to be shown.
        self.run("SET statement_timeout = '2min'")

    def close(self) -> None:
        """Puts everything back, and lets the worker send e-mails again."""
        self.put_back()
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
        return self.run("SELECT * FROM kept.digest()")

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
        self.forget_attempts()

    def forget_attempts(self) -> None:
        """Empties the counts of all limits, which would hide what is refused for another reason."""
        self.run("; ".join(f"DELETE FROM app.{table}" for table in ATTEMPTS))

    def changes(self) -> list[str]:
        """The rows that differ from the remembered ones."""
        return [line[:300] for line in self.run("SELECT * FROM kept.changes()")]
