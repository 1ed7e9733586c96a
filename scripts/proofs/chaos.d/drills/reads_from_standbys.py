"""Reads go to two standbys that lag, hang and fail. None of them shows data that was taken away."""
import http.client
import json
import os
import random
import signal
import subprocess
import threading
import time
import uuid

from cluster import Cluster
from load import Client, Site
from sabotage import stop_waiting_for_readers
from stage import ISSUER, Settings, Stage, free_port
from verdict import Result, hold_alive

SABOTAGE = "responses to changes don't wait for standbys that serve reads"
# Each process keeps responses, so that a stale one could be sent again.
READ_CACHE = {"HEARTH_READ_CACHE": str(32 * 1024 * 1024)}
# The kinds of changes, and how often each is made.
KINDS = ["removal"] * 3 + ["lowering"] * 3 + ["session"] * 3 + ["erasure"] + ["own write"] * 2


class Caller(Client):
    """A connection of one thread to one process."""
    last_used = 0.0

    def ask(self, method: str, path: str, token: str, body=None, address: str = "10.9.9.9"):
        """Status and body; None and the reason if there was no response."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}",
                   "X-Forwarded-For": address}
        began = time.monotonic()
        # The server closes connections that are idle for 30 seconds.
        if began - self.last_used > 20:
            self.close()
        is_reused = self.connection is not None
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.site.port, timeout=30)
            self.connection.request(
                method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.connection.getresponse()
            content = answer.read()
            self.last_used = time.monotonic()
            if answer.will_close:
                self.close()
            return answer.status, json.loads(content or b"{}")
        except (OSError, http.client.HTTPException) as error:
            self.close()
            seconds = time.monotonic() - began
            return None, {"code": f"{type(error).__name__} after {seconds:.1f} s on a connection "
                                  f"{'used before' if is_reused else 'just opened'}"}


class Household:
    """A family, and one thread that changes it and then reads it through every process."""

    def __init__(self, trial: "Trial"):
        self.trial = trial
        self.callers = [Caller(site) for site in trial.sites]
        self.owner = str(uuid.uuid4())
        self.token = trial.sites[0].token(self.owner)
        _, made = self.change("POST", "/api/family/create", self.token, {})
        self.family, self.code = made["familyId"], made["familyCode"]
        self.members = f"/api/family/members?familyId={self.family}"
        self.guest, self.guest_token, self.guest_id = self.join()

    def change(self, method: str, path: str, token: str, body=None):
        """Makes a change through one process; repeats it after a server error, which is recorded."""
        for _ in range(200):
            if self.trial.stopping.is_set():
                break
            # Each response of the process that reads from no standby waits for three seconds.
            caller = random.choices(self.callers, [49, 49, 2])[0]
            status, found = caller.ask(method, path, token, body, self.address())
            if status is not None and status < 500:
                # A repeated request may find that the first one was made.
                if status >= 400 and status not in (401, 404, 409):
                    raise RuntimeError(f"{method} {path}: {status} {found}")
                return status, found
            self.trial.note_failure(f"{method} {path}: {status} {found.get('code')}")
            time.sleep(0.1)
        raise Ended()

    def look(self, path: str, token: str):
        """Reads from every process, in random order."""
        for caller in random.sample(self.callers, len(self.callers)):
            status, found = caller.ask("GET", path, token)
            if status is None or status >= 500:
                self.trial.note_failure(f"GET {path}: {status} {found.get('code')}")
                continue
            yield caller.site.port, status, found

    def address(self) -> str:
        return f"10.{random.randrange(250)}.{random.randrange(250)}.{random.randrange(1, 250)}"

    def join(self) -> tuple[str, str, str]:
        account = str(uuid.uuid4())
        token = self.trial.sites[0].token(account)
        self.change("POST", "/api/family/code/join", token, {"familyCode": self.code})
        for _, status, found in self.look(self.members, token):
            ids = {m["user_id"]: m["id"] for m in found.get("members", [])}
            self.trial.expect(account in ids, "own write", f"a new member is not shown: {status}")
            if account in ids:
                return account, token, ids[account]
        raise Ended()

    def work(self) -> None:
        while self.trial.take():
            kind = random.choice(KINDS)
            try:
                getattr(self, kind.replace(" ", "_"))()
            except Ended:
                continue
            except Exception as error:  # The thread's failure is the drill's.
                self.trial.note_failure(f"{kind}: {error}")
                continue
            self.trial.count(kind)

    def followed(self, token: str) -> str:
        """A cursor after everything that a process shows now."""
        cursor = ""
        for caller in random.sample(self.callers, len(self.callers)) * 20:
            status, page = caller.ask("GET", f"/api/sync?cursor={cursor}", token)
            if status != 200:
                self.trial.note_failure(f"GET /api/sync: {status} {page.get('code')}")
                continue
            cursor = page["cursor"]
            if not page["hasMore"]:
                return cursor
        raise Ended()

    def told(self, cursor: str, token: str):
        """Reads the changes after a cursor from every process, in random order."""
        for port, status, page in self.look(f"/api/sync?cursor={cursor}", token):
            self.trial.expect(
                status == 200 and not page["reset"], "following",
                f"a cursor is not gone on from at {port}: {status}")
            yield port, page.get("changes", [])

    def removal(self) -> None:
        _, token, member = self.join()
        cursor, own = self.followed(self.token), self.followed(token)
        self.change("DELETE", f"/api/family/members/{member}", self.token)
        for port, status, _ in self.look(self.members, token):
            self.trial.expect(status != 200, "removal", f"a removed member reads on at {port}")
        for port, _, found in self.look(self.members, self.token):
            self.trial.expect(
                all(m["id"] != member for m in found.get("members", [])), "removal",
                f"a removed member is shown at {port}")
        for port, changes in self.told(cursor, self.token):
            self.trial.expect(
                any(c["id"] == member and c.get("deleted") for c in changes), "removal",
                f"who follows is not told of a removal at {port}")
        for port, changes in self.told(own, token):
            self.trial.expect(
                any(c["id"] == self.family and c.get("deleted") for c in changes)
                and not any(c.get("value") for c in changes if c.get("familyId") == self.family),
                "removal", f"somebody removed follows on at {port}")

    def lowering(self) -> None:
        path = f"/api/family/members/{self.guest_id}"
        invitations = f"/api/family/invitations?familyUnitId={self.family}"
        self.change("PATCH", path, self.token, {"householdRole": "visitor"})
        for port, status, _ in self.look(invitations, self.guest_token):
            self.trial.expect(status == 403, "lowering", f"a visitor reads on at {port}: {status}")
        self.change("PATCH", path, self.token, {"householdRole": "adult"})
        for port, status, _ in self.look(invitations, self.guest_token):
            self.trial.expect(status == 200, "own write", f"a right is not shown at {port}: {status}")

    def session(self) -> None:
        _, opened = self.change("POST", "/api/auth/exchange", self.token, {"token": self.token})
        token = opened["access_token"]
        for port, status, _ in self.look("/api/me", token):
            self.trial.expect(status == 200, "own write", f"a session is no good at {port}: {status}")
        self.change(
            "POST", "/api/auth/sign-out", token, {"refresh_token": opened["refresh_token"]})
        for port, status, _ in self.look("/api/me", token):
            self.trial.expect(status == 401, "session", f"an ended session is good at {port}")

    def erasure(self) -> None:
        _, token, member = self.join()
        self.change("DELETE", "/api/me", token)
        for port, status, _ in self.look(self.members, token):
            self.trial.expect(status != 200, "erasure", f"somebody erased reads on at {port}")
        for port, _, found in self.look(self.members, self.token):
            self.trial.expect(
                all(m["id"] != member for m in found.get("members", [])), "erasure",
                f"somebody erased is shown at {port}")

    def own_write(self) -> None:
        name = f"Name {random.randrange(10 ** 9)}"
        cursor = self.followed(self.token)
        self.change("PATCH", "/api/me", self.token, {"fullName": name})
        for port, _, found in self.look("/api/me", self.token):
            self.trial.expect(
                found.get("fullName") == name, "own write", f"an own write is not shown at {port}")
        for port, changes in self.told(cursor, self.token):
            self.trial.expect(
                any(c["kind"] == "profile" and c.get("value", {}).get("fullName") == name
                    for c in changes),
                "own write", f"who follows is not told of an own write at {port}")


class Ended(Exception):
    """The trial is over."""


class Trial:
    """The shared state of the threads, and their findings."""

    def __init__(self, sites: list[Site], changes: int):
        self.sites, self.left = sites, changes
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.counts: dict[str, int] = {}
        self.wrong: list[str] = []
        self.failures: list[str] = []
        # While a primary is replaced, requests may fail.
        self.excuses = False

    def take(self) -> bool:
        with self.lock:
            self.left -= 1
            return self.left >= 0 and not self.stopping.is_set()

    def count(self, kind: str) -> None:
        with self.lock:
            self.counts[kind] = self.counts.get(kind, 0) + 1

    def expect(self, holds: bool, kind: str, words: str) -> None:
        if not holds:
            with self.lock:
                self.wrong.append(f"{kind}: {words}")

    def note_failure(self, words: str) -> None:
        if not self.excuses and not self.stopping.is_set():
            with self.lock:
                self.failures.append(words)

    def run(self, threads: int, meanwhile) -> None:
        households = [Household(self) for _ in range(threads)]
        works = [threading.Thread(target=each.work, daemon=True) for each in households]
        for work in works:
            work.start()
        while any(work.is_alive() for work in works):
            meanwhile()
        for work in works:
            work.join()


def run(settings: Settings) -> Result:
    result = Result()
    with Stage(settings, "reads") as stage:
        primary = stage.cluster
        standbys = [stage.add_cluster(name).follow(primary) for name in ("b", "c")]
        for standby in standbys:
            standby.start(standby.following)
        sites = start_apis(stage, standbys)
        if settings.is_sabotaged:
            stop_waiting_for_readers(primary.sql)
        trial = Trial(sites, 600 if settings.is_quick else 10_000)
        acts = [lag, fall_behind, hang, cut_off, kill]
        turns: dict[str, int] = {}

        def meanwhile() -> None:
            act, standby = random.choice(acts), random.choice(standbys)
            turns[act.__name__] = turns.get(act.__name__, 0) + 1
            act(stage, standby, primary)
            time.sleep(random.uniform(1.5, 3))

        began = time.monotonic()
        trial.run(6 if settings.is_quick else 12, meanwhile)
        took = time.monotonic() - began
        later = promote(stage, trial, sites, standbys)
        report(result, trial, took, turns, [figures(site) for site in sites])
        hold_alive(result, stage)
        result.expect(later > 0, "nothing was changed after the promotion")
    return result


def is_noticed(result: Result) -> bool:
    return result.lost > 0


def start_apis(stage: Stage, standbys: list[Cluster]) -> list[Site]:
    """Two processes that read from the standbys, and one that does not."""
    keys = stage.folder / "signing-keys.pem"
    subprocess.run([stage.settings.programs / "hearth-admin", "keys", "create", keys], check=True,
                   capture_output=True)
    clusters = [stage.cluster] + standbys
    hosts = ",".join(str(each.folder) for each in clusters)
    ports = ",".join(str(each.port) for each in clusters)
    url = (f"host='{hosts}' port={ports} dbname=hearth user=hearth_api "
           "target_session_attrs=read-write connect_timeout=2")
    # The primary is among the hosts on purpose: it is no standby, and must not be used as one.
    reads = f"host='{hosts}' port={ports} dbname=hearth user=hearth_api"
    sites = [stage.site]
    stage.start_api(
        url, HEARTH_READ_DATABASE_URL=reads, HEARTH_SIGNING_KEYS_FILE=str(keys), **READ_CACHE)
    for number, more in [(2, {"HEARTH_READ_DATABASE_URL": reads}), (3, {})]:
        site = Site(free_port(), ISSUER, stage.site.secret)
        stage.run(
            "hearth-api", f"api{number}", HEARTH_DATABASE_URL=url,
            HEARTH_LISTEN=f"127.0.0.1:{site.port}", HEARTH_TRUSTED_PROXIES="127.0.0.1",
            HEARTH_ISSUERS_FILE=str(stage.folder / "issuers.json"),
            HEARTH_SIGNING_KEYS_FILE=str(keys), **READ_CACHE, **more)
        sites.append(site)
    for site in sites[:2]:
        stage.eventually(
            "both standbys serve",
            lambda: figures(site).get("hearth_standbys_serving") == 2)
    # By now the third process knows it too.
    return sites


def figures(site: Site) -> dict[str, float]:
    """The metrics of a process."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    try:
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().split("\n")
    except (OSError, http.client.HTTPException):
        return {}
    finally:
        connection.close()
    pairs = [line.rpartition(" ") for line in lines if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in pairs}


# What happens to a standby.

def lag(stage: Stage, standby: Cluster, primary: Cluster) -> None:
    """The standby replays with a delay."""
    for delay in ("300ms", "3s", "0"):
        standby.sql(f"ALTER SYSTEM SET recovery_min_apply_delay = '{delay}'", "postgres")
        standby.sql("SELECT pg_reload_conf()", "postgres")
        time.sleep(1.5)


def fall_behind(stage: Stage, standby: Cluster, primary: Cluster) -> None:
    """The standby pauses replay for a while."""
    standby.sql("SELECT pg_wal_replay_pause()", "postgres")
    time.sleep(random.uniform(0.1, 4))
    standby.sql("SELECT pg_wal_replay_resume()", "postgres")


def hang(stage: Stage, standby: Cluster, primary: Cluster) -> None:
    """The standby hangs."""
    processes = [standby.process.pid] + standby.children()
    send(processes, signal.SIGSTOP)
    time.sleep(random.uniform(0.1, 4))
    send(processes, signal.SIGCONT)


def send(processes: list[int], number: int) -> None:
    for pid in processes:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def cut_off(stage: Stage, standby: Cluster, primary: Cluster) -> None:
    """The standby is reachable for the API, but can't reach the primary."""
    standby.sql("ALTER SYSTEM SET primary_conninfo = 'host=/nowhere'", "postgres")
    standby.sql("SELECT pg_reload_conf()", "postgres")
    time.sleep(random.uniform(0.5, 5))
    standby.sql("ALTER SYSTEM RESET primary_conninfo", "postgres")
    standby.sql("SELECT pg_reload_conf()", "postgres")


def kill(stage: Stage, standby: Cluster, primary: Cluster) -> None:
    """The standby is killed and returns."""
    standby.kill_tree()
    time.sleep(random.uniform(0.1, 3))
    standby.start(standby.following)


def promote(stage: Stage, trial: Trial, sites: list[Site], standbys: list[Cluster]) -> int:
    """The primary is killed and a standby is promoted; the other standby is left behind."""
    new, behind = standbys
    stage.eventually("both have everything", lambda: stage.cluster.sql(
        "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_flush_lsn()",
        "postgres") == "2")
    after = Trial(sites, 60 if stage.settings.is_quick else 300)
    after.wrong, after.failures, after.excuses = trial.wrong, trial.failures, True
    behind.sql("SELECT pg_wal_replay_pause()", "postgres")
    stage.cluster.kill_tree()
    new.promote()
    stage.cluster = new
    after.run(4, lambda: time.sleep(0.1))
    return sum(after.counts.values())


def report(result: Result, trial: Trial, took: float, turns: dict[str, int],
           metrics: list[dict[str, float]]) -> None:
    total = sum(trial.counts.values())
    result.acknowledged = total
    result.lost = len(trial.wrong)
    for words in sorted(set(trial.wrong))[:8]:
        result.fail(words)
    for words in trial.failures[:8]:
        result.fail(f"one of {len(trial.failures)} errors that reached a client: {words}")
    reads = sum(each.get('hearth_reads_total{target="standby"}', 0) for each in metrics)
    others = sum(each.get('hearth_reads_total{target="primary"}', 0) for each in metrics)
    result.expect(reads > total, "the standbys served too few reads for a proof")
    outdated, confirmed = (
        sum(each.get(f'hearth_read_cache_total{{outcome="{outcome}"}}', 0) for each in metrics)
        for outcome in ("changed", "confirmed"))
    result.expect(outdated > total / 10, "too few reads found an outdated response in a cache")
    result.notes.append(", ".join(f"{count} x {kind}" for kind, count in sorted(trial.counts.items())))
    result.notes.append(f"{reads:.0f} reads by standbys, {others:.0f} by the primary instead")
    result.notes.append(
        f"{outdated:.0f} cached responses were outdated, {confirmed:.0f} confirmed")
    result.notes.append(f"{total / took:.0f} changes/s")
    result.notes.append(", ".join(f"{count} x {act}" for act, count in sorted(turns.items())))
