"""Reads of processes that read from 0, 1 and 2 standbys, for scripts/proofs/bench.d/standbys.

usage: standby_reads.py --bin FOLDER --postgres FOLDER --families N --rounds N --seconds N
                        [--before FOLDER]
"""
import argparse
import dataclasses
import http.client
import pathlib
import re
import statistics
import subprocess
import sys
import time

from load import Client, Site
from stage import ISSUER, Program, Release, Settings, Stage, free_port
from sync_streams import processor_seconds

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
PEERS = CHECKOUT / "scripts" / "proofs" / "bench.d" / "peers"
SERVER = "max_connections = 200\nshared_buffers = 512MB\n"

MOST_OF_ALL = 1.05
MOST_OF_PRIMARY = 0.05
LEAST_BY_STANDBYS = 0.99
MOST_WITHOUT = 1.02


@dataclasses.dataclass
class Window:
    """One measurement. Times are microseconds of processor time per read."""
    rate: float
    p50: float
    p99: float
    api: float
    primary: float
    standbys: float
    by_standbys: float
    together: float

    @property
    def all(self) -> float:
        return self.api + self.primary + self.standbys


class Process:
    """One hearth-api, which reads from a given number of standbys."""

    def __init__(self, name: str, program: Program, site: Site):
        self.name, self.program, self.site = name, program, site
        self.windows: list[Window] = []

    def median(self, field: str) -> float:
        return statistics.median(getattr(window, field) for window in self.windows)

    def metrics(self) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=10)
        try:
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def answered(self) -> dict[str, float]:
        """Reads so far, by server; empty if the program has no such metric."""
        found = re.findall(
            r'^hearth_reads_total\{target="(\w+)"\} (\S+)$', self.metrics(), re.MULTILINE)
        return {target: float(count) for target, count in found}

    def serving(self) -> int:
        found = re.search(r"^hearth_standbys_serving (\S+)$", self.metrics(), re.MULTILINE)
        return int(float(found[1])) if found else 0


class Bench:
    def __init__(self, options: argparse.Namespace, stage: Stage):
        self.options, self.stage = options, stage
        self.requests = stage.folder / "requests"
        self.primary = stage.cluster
        self.primary.stop()
        self.primary.start(SERVER)
        self.fill()
        self.standbys = [stage.add_cluster(name).follow(self.primary) for name in ("b", "c")]
        for standby in self.standbys:
            standby.start(SERVER + standby.following)
        self.caught_up()
        self.processes = []
        if options.before:
            release = Release(pathlib.Path(options.before), CHECKOUT / "sql" / "migrations")
            self.start("before", 0, release)
        for count, name in enumerate(["none", "one", "two"]):
            self.start(name, count)

    def fill(self) -> None:
        print(f"==> A database with {self.options.families} families", file=sys.stderr)
        for file in ("fill.sql", "readers.sql"):
            subprocess.run(
                [self.primary.programs / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
                 "-v", f"families={self.options.families}",
                 "-v", f"readers={self.options.families}", "-v", f"issuer={ISSUER}",
                 "-f", CHECKOUT / "sql" / "bench" / file, "-d", self.primary.url("postgres")],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        count = min(self.options.families, 10_000)
        with open(self.requests, "wb") as file:
            subprocess.run(
                ["python3", PEERS / "requests.py", ISSUER, self.stage.folder / "local.secret",
                 "members", "1", str(count), str(self.options.families)], check=True, stdout=file)

    def caught_up(self) -> None:
        self.stage.eventually("both standbys have caught up", lambda: self.primary.sql(
            "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_flush_lsn()",
            "postgres") == "2")

    def start(self, name: str, count: int, release: Release | None = None) -> None:
        """Starts a process, and waits until it is ready and its standbys serve."""
        site = Site(free_port(), ISSUER, self.stage.site.secret)
        more = {}
        if count:
            hosts = ",".join(str(each.folder) for each in self.standbys[:count])
            ports = ",".join(str(each.port) for each in self.standbys[:count])
            more["HEARTH_READ_DATABASE_URL"] = (
                f"host='{hosts}' port={ports} dbname=hearth user=hearth_api")
        program = self.stage.run(
            "hearth-api", name, release, HEARTH_DATABASE_URL=self.primary.url("hearth_api"),
            HEARTH_LISTEN=f"127.0.0.1:{site.port}",
            HEARTH_ISSUERS_FILE=str(self.stage.folder / "issuers.json"), **more)
        process = Process(name, program, site)
        client = Client(site)
        # A program of an earlier release may refuse the schema, and so never become ready.
        path = "/healthz" if release else "/readyz"
        self.stage.eventually(
            f"the process '{name}' answers {path}",
            lambda: client.send("ready", "GET", path, None).is_done)
        client.close()
        if count:
            self.stage.eventually(
                f"the process '{name}' reads from standbys", lambda: process.serving() == count)
        self.processes.append(process)
        # Warm-up: every token is verified once, and every connection has its plans.
        self.drive(process)

    def drive(self, process: Process) -> tuple[float, float, float]:
        """Rate, and p50 and p99 in milliseconds."""
        done = subprocess.run(
            ["wrk", "-t", "1", "-c", "32", "-d", str(self.options.seconds),
             "-s", PEERS / "requests.lua", f"http://127.0.0.1:{process.site.port}", "--",
             self.requests, "again"], check=True, text=True, capture_output=True)
        line = done.stdout.strip().split("\n")[-1]
        rate, p50, p99, bad = (
            float(re.search(rf"\b{name} (\S+)", line)[1]) for name in ("rate", "p50", "p99", "bad"))
        if bad:
            sys.exit(f"{bad:.0f} reads of the process '{process.name}' failed")
        return rate, p50, p99

    def spent(self, process: Process) -> list[float]:
        """Seconds of processor time so far, of the API, the primary and the standbys."""
        servers = [processor_seconds(each.process.pid) for each in [self.primary] + self.standbys]
        return [processor_seconds(process.program.process.pid), servers[0], sum(servers[1:])]

    def transactions(self) -> int:
        """Transactions of all servers so far."""
        return sum(int(each.sql(
            "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database", "postgres"))
            for each in [self.primary] + self.standbys)

    def measure(self, process: Process) -> None:
        transactions = self.transactions()
        earlier, before = process.answered(), self.spent(process)
        rate, p50, p99 = self.drive(process)
        later, after = process.answered(), self.spent(process)
        each = [(b - a) * 1e6 / (rate * self.options.seconds) for a, b in zip(before, after)]
        asked = {name: later[name] - earlier.get(name, 0) for name in later}
        share = asked.get("standby", 0) / max(1, sum(asked.values()))
        transactions = self.transactions() - transactions
        process.windows.append(Window(
            rate, p50, p99, *each, by_standbys=share,
            together=rate * self.options.seconds / transactions))

    def idle(self) -> list[float]:
        """Milliseconds of processor time each second, without a request."""
        process = self.processes[-1]
        before, began = self.spent(process), time.monotonic()
        time.sleep(self.options.seconds)
        took = time.monotonic() - began
        return [(b - a) * 1000 / took for a, b in zip(before, self.spent(process))]

    def run(self) -> None:
        for number in range(self.options.rounds):
            print(f"==> Round {number + 1} of {self.options.rounds}", file=sys.stderr)
            # The order alternates, so that no process has an advantage.
            turn = number % len(self.processes)
            for process in self.processes[turn:] + self.processes[:turn]:
                self.measure(process)

    def ratio(self, above: Process, below: Process) -> float:
        return statistics.median(
            a.all / b.all for a, b in zip(above.windows, below.windows))

    def table(self) -> int:
        by_name = {process.name: process for process in self.processes}
        without = by_name["none"]
        print(f"{'standbys':<10}{'reads/s':>9}{'p50 ms':>8}{'p99 ms':>8}{'API us':>8}"
              f"{'primary us':>12}{'standbys us':>13}{'all us':>8}{'of none':>9}"
              f"{'by standbys':>13}{'together':>10}")
        for process in self.processes:
            print(f"{process.name:<10}{process.median('rate'):>9.0f}{process.median('p50'):>8.2f}"
                  f"{process.median('p99'):>8.2f}{process.median('api'):>8.1f}"
                  f"{process.median('primary'):>12.1f}{process.median('standbys'):>13.1f}"
                  f"{process.median('all'):>8.1f}{self.ratio(process, without):>9.3f}"
                  f"{process.median('by_standbys'):>13.1%}{process.median('together'):>10.1f}")
        api, primary, standbys = self.idle()
        print(f"{'no request':<10}{'':>25}{api:>8.1f}{primary:>12.1f}{standbys:>13.1f}"
              "  milliseconds each second")
        self.reckon(without, by_name["two"])
        return self.judge(by_name, without)

    def reckon(self, without: Process, two: Process) -> None:
        """Prints the rate that each program could reach with two processors of its own."""
        alone = 2e6 / without.median("primary")
        each = 2e6 / two.median("standbys")
        api = 2e6 / two.median("api")
        print(f"estimate, each program with two processors of its own: the primary alone serves "
              f"{alone:.0f} reads/s, one standby {each:.0f}, two {2 * each:.0f}; "
              f"a process of the API {api:.0f}")

    def judge(self, by_name: dict[str, Process], without: Process) -> int:
        faults = []
        for name in ("one", "two"):
            process = by_name[name]
            ratio, share = self.ratio(process, without), process.median("by_standbys")
            part = process.median("primary") / process.median("all")
            if ratio > MOST_OF_ALL:
                faults.append(f"a read with {name} costs {ratio:.3f} times as much as without "
                              f"(at most {MOST_OF_ALL})")
            if part > MOST_OF_PRIMARY:
                faults.append(f"with {name} the primary spends {part:.3f} of a read's time "
                              f"(at most {MOST_OF_PRIMARY})")
            if share < LEAST_BY_STANDBYS:
                faults.append(f"with {name} only {share:.3f} of the reads went to standbys "
                              f"(at least {LEAST_BY_STANDBYS})")
        if "before" in by_name:
            ratio = self.ratio(without, by_name["before"])
            print(f"without standbys, compared with the programs before: {ratio:.3f} times the "
                  f"processor time (at most {MOST_WITHOUT})")
            if ratio > MOST_WITHOUT:
                faults.append(f"a read without standbys costs {ratio:.3f} times as much as before "
                              f"(at most {MOST_WITHOUT})")
        for fault in faults:
            print(f"standbys: {fault}", file=sys.stderr)
        return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("bin", "postgres", "before"):
        parser.add_argument(f"--{name}")
    for name in ("families", "rounds", "seconds"):
        parser.add_argument(f"--{name}", type=int)
    options = parser.parse_args()
    settings = Settings(
        CHECKOUT, pathlib.Path(options.bin), pathlib.Path(options.postgres), is_quick=False,
        keep=False)
    try:
        with Stage(settings, "bench") as stage:
            bench = Bench(options, stage)
            bench.run()
            return bench.table()
    finally:
        settings.destroy()


sys.exit(main())
