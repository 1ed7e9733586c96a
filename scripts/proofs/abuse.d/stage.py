"""The database behind the attacked API. It prepares states that attackers can't create: many
accounts, and a fault that a test must notice.
"""
import contextlib
import subprocess


class Database:
    def __init__(self, psql: str, url: str):
        """The URL is the superuser's."""
        self.psql, self.url = psql, url

    def run(self, *statements: str, file: str | None = None, **variables) -> str:
        words = [self.psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        for name, value in variables.items():
            words += ["-v", f"{name}={value}"]
        for statement in statements:
            words += ["-c", statement]
        if file is not None:
            words += ["-f", file]
        done = subprocess.run(words + [self.url], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"psql: {done.stderr}")
        return done.stdout

    def fill(self, families: int, issuer: str) -> None:
        """Families of four, whose admins sign in with the issuer, in an empty database."""
        self.run(file="sql/bench/fill.sql", families=families)
        self.run(file="sql/bench/readers.sql", families=families, readers=families, issuer=issuer)

    @contextlib.contextmanager
    def slower_for_the_known(self, what: str, seconds: float):
        """Delays responses for addresses of accounts inside the block, either where passwords are
        checked or where tickets are opened."""
        if what == "tickets":
            self.run(
                "CREATE FUNCTION public.linger() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
                " AS $$ BEGIN IF app.account_of_mailbox(NEW.mailbox) IS NOT NULL THEN"
                f" PERFORM pg_catalog.pg_sleep({seconds}); END IF; RETURN NULL; END $$",
                "CREATE TRIGGER linger AFTER INSERT ON app.email_tokens FOR EACH ROW"
                " EXECUTE FUNCTION public.linger()")
            try:
                yield
            finally:
                self.run("DROP FUNCTION public.linger() CASCADE")
            return
        sound = self.run(
            "SELECT pg_get_functiondef('app.password_of_address(text)'::regprocedure)")
        self.run(
            "CREATE OR REPLACE FUNCTION app.password_of_address(p_email text)"
            " RETURNS TABLE (user_id uuid, hash text) LANGUAGE plpgsql SECURITY DEFINER"
            " SET search_path = '' AS $$ BEGIN RETURN QUERY SELECT p.user_id, p.hash"
            " FROM app.passwords AS p WHERE p.user_id ="
            " app.account_of_mailbox(app.mailbox_of(p_email));"
            f" IF FOUND THEN PERFORM pg_catalog.pg_sleep({seconds}); END IF; END $$")
        try:
            yield
        finally:
            self.run(sound)
