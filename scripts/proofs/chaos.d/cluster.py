"""PostgreSQL servers and a PgBouncer for one drill: started, killed, promoted, restored.

All files are below one folder, and the servers are reached by sockets in it. As root the servers run as the
user postgres (or nobody), because PostgreSQL and PgBouncer refuse to run as root.
"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time


class Account:
    """The account that runs the servers."""

    def __init__(self):
        self.user = None
        if os.getuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            self.user = names.get("postgres") or names["nobody"]

    def give(self, path: pathlib.Path) -> None:
        if self.user:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def prefix(self) -> list[str]:
        """The prefix of a command that runs as the account and ends with this process."""
        words = ["setpriv", "--pdeathsig", "KILL"]
        if self.user:
            words += [f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        return words + ["--"]

    def run(self, *command, **options) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.prefix() + [str(word) for word in command], check=True, cwd="/",
            stdout=options.pop("stdout", subprocess.DEVNULL), stderr=subprocess.PIPE, **options)


class Cluster:
    """One PostgreSQL server.

    Nothing is flushed to the disk: the machine doesn't crash here, only processes do, and what they
    have written stays in the system's memory. A commit is awaited as in production.
    """

    SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
port = {port}
max_connections = 150
fsync = off
full_page_writes = off
synchronous_commit = on
shared_buffers = 64MB
max_wal_size = 2GB
log_error_verbosity = terse
log_line_prefix = '%m [%p] %q%u@%d '
timezone = 'UTC'
"""

    def __init__(self, account: Account, programs: pathlib.Path, folder: pathlib.Path, port: int):
        self.account, self.programs, self.folder, self.port = account, programs, folder, port
        self.data = folder / "data"
        self.process = None
        # The primary's address in a standby's configuration.
        self.following = ""
        folder.mkdir(mode=0o700)
        account.give(folder)

    def init(self) -> "Cluster":
        self.account.run(
            self.programs / "initdb", "--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust",
            "--username=postgres", "--no-sync", "--pgdata", self.data)
        return self

    def copy(self, other: "Cluster") -> "Cluster":
        """Copies the data of a server that does not run."""
        subprocess.run(["cp", "-a", other.data, self.data], check=True)
        return self

    def follow(self, primary: "Cluster") -> "Cluster":
        """Becomes a standby, without starting it."""
        primary.backup(self.data)
        signal_file = self.data / "standby.signal"
        signal_file.touch()
        self.account.give(signal_file)
        source = primary.url("postgres").replace("'", "''")
        self.following = f"primary_conninfo = '{source} application_name=standby'\n"
        return self

    def backup(self, path: pathlib.Path, *more: str) -> None:
        self.account.run(
            self.programs / "pg_basebackup", "-h", self.folder, "-p", self.port, "-U", "postgres",
            "--checkpoint=fast", "--no-sync", "--wal-method=stream", *more, "--pgdata", path)

    def start(self, more: str = "", seconds: float = 60) -> "Cluster":
        """Starts the server and waits until it accepts connections."""
        settings = self.SETTINGS.format(folder=self.folder, port=self.port) + more
        # Settings about standbys in a primary's copy must not apply here.
        (self.data / "postgresql.conf").write_text(settings)
        deadline = time.monotonic() + seconds
        self.launch()
        while not self.is_ready():
            if self.process.poll() is not None:
                # A killed server's processes may still be exiting; PostgreSQL does not wait for them.
                time.sleep(0.1)
                self.launch()
            if time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL does not start: " + self.log_tail())
            time.sleep(0.02)
        return self

    def launch(self) -> None:
        # The process id of a killed server may belong to another process by now.
        lock = self.data / "postmaster.pid"
        if lock.exists():
            lines = lock.read_text().split("\n")
            lock.write_text("\n".join(["2147483646"] + lines[1:]))
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.account.prefix() + [str(self.programs / "postgres"), "-D", str(self.data)],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", start_new_session=True)

    def is_ready(self) -> bool:
        return subprocess.run(
            [self.programs / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)],
        ).returncode == 0

    def await_ready(self, seconds: float = 60) -> float:
        """Waits until it accepts connections again, and returns that time."""
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL does not answer: " + self.log_tail())
            time.sleep(0.01)
        return time.time()

    def children(self) -> list[int]:
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[1]) == self.process.pid:
                    found.append(int(entry.name))
        return found

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal, SIGKILL by default, to the main process only, and waits for its end."""
        os.kill(self.process.pid, number)
        self.process.wait()

    def kill_tree(self) -> None:
        """Kills all its processes at once, as when a machine fails."""
        children = self.children()
        os.kill(self.process.pid, signal.SIGSTOP)
        for pid in children + self.children() + [self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.kill(signal.SIGINT)

    def promote(self) -> float:
        """Promotes a standby, waits until it is the primary, and returns the time of the order."""
        began = time.time()
        self.sql("SELECT pg_promote(true, 60)", database="postgres")
        while self.sql("SELECT pg_is_in_recovery()", database="postgres") != "f":
            time.sleep(0.01)
        return began

    def sql(self, text: str, database: str = "hearth") -> str:
        """The result of a statement, a row per line, columns separated by '|'."""
        result = subprocess.run(
            [self.programs / "psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d",
             self.url("postgres", database)], input=text, text=True, capture_output=True)
        if result.returncode != 0:
            raise RuntimeError(f"{text[:200]}: {result.stderr}")
        return result.stdout.rstrip("\n")

    def number(self, text: str) -> int:
        return int(self.sql(text))

    def rows(self, text: str) -> list[list[str]]:
        answer = self.sql(text)
        return [line.split("|") for line in answer.split("\n")] if answer else []

    def url(self, user: str, database: str = "hearth") -> str:
        return f"host='{self.folder}' port={self.port} dbname={database} user={user}"

    def log_tail(self) -> str:
        path = self.folder / "log"
        return "\n".join(path.read_text(errors="replace").split("\n")[-15:]) if path.exists() else ""

    def destroy(self) -> None:
        if self.process and self.process.poll() is None:
            self.kill(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


def either(first: Cluster, second: Cluster, user: str) -> str:
    """The connection string of whichever of two servers accepts writes."""
    return (f"host='{first.folder},{second.folder}' port={first.port},{second.port} "
            f"dbname=hearth user={user} target_session_attrs=read-write connect_timeout=2")


class Pooler:
    """PgBouncer in transaction mode before a server."""

    PROGRAM = "/usr/sbin/pgbouncer"
    SETTINGS = """
[databases]
hearth = host={host} port={server_port} dbname=hearth
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = {port}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 10
max_client_conn = 100
; Asked again each second when the server was away; 15 unless said.
server_login_retry = 1
server_connect_timeout = 5
"""

    def __init__(self, account: Account, folder: pathlib.Path, port: int, server: Cluster):
        self.account, self.folder, self.port = account, folder, port
        folder.mkdir(mode=0o700)
        roles = ["hearth_api", "hearth_worker", "hearth_admin"]
        (folder / "users").write_text("".join(f'"{role}" ""\n' for role in roles))
        self.write(server)
        for path in [folder, folder / "users", folder / "pgbouncer.ini"]:
            account.give(path)
        with open(folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                account.prefix() + [self.PROGRAM, "-q", str(folder / "pgbouncer.ini")],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", start_new_session=True)

    def write(self, server: Cluster) -> None:
        (self.folder / "pgbouncer.ini").write_text(self.SETTINGS.format(
            host=server.folder, server_port=server.port, folder=self.folder, port=self.port))

    def lead_to(self, server: Cluster) -> None:
        self.write(server)
        os.kill(self.process.pid, signal.SIGHUP)

    def url(self, user: str) -> str:
        return f"host='{self.folder}' port={self.port} dbname=hearth user={user}"

    def destroy(self) -> None:
        self.process.kill()
        self.process.wait()
