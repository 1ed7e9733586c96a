"""API and database are killed and fail over, while clients follow by long poll and by stream."""
import random
import threading
import time
import uuid

from drills.failover import start_hearth, with_standby
from follower import Follower, hold_converged
from load import Client
from stage import Settings, Stage
from verdict import Result, hold_alive, hold_sound


def run(settings: Settings) -> Result:
    return follow(settings, "sync_followers", is_pooled=False)


def follow(settings: Settings, name: str, is_pooled: bool) -> Result:
    """50,000 operations (writes and pages) among 14 followers; with --quick 5,000."""
    result = Result()
    target = 5_000 if settings.is_quick else 50_000
    with Stage(settings, name) as stage:
        standby = with_standby(stage)
        start_hearth(stage, standby, is_pooled)
        writers = Writers(stage)
        followers = [
            Follower(stage.site, account, is_live)
            for account in writers.accounts for is_live in (False, True)]
        for running in [*followers, writers]:
            running.start()

        def done() -> int:
            return writers.done + sum(follower.pages for follower in followers)

        began = time.monotonic()
        times = 0
        has_failed_over = False
        while done() < target or times < 4:
            stage.go_on(stage.random.uniform(1, 4))
            times += 1
            if not has_failed_over and (done() > target / 2 or times == 3):
                fail_over(stage, standby, is_pooled)
                has_failed_over = True
            elif times % 2:
                stage.api.kill()
                stage.api.start()
            else:
                stage.cluster.kill()
                stage.cluster.start()
            stage.await_api()
        writers.stop()
        hold_converged(result, followers)
        for follower in followers:
            follower.stop()
        result.acknowledged = writers.done
        result.notes.append(
            f"{done()} operations, {done() / (time.monotonic() - began):.0f} a second, "
            f"{times} disturbances")
        for failure in writers.failures[:5]:
            result.fail(failure)
        stage.drain()
        hold_alive(result, stage)
        hold_sound(result, stage)
    return result


def fail_over(stage: Stage, standby, is_pooled: bool) -> None:
    stage.cluster.kill_tree()
    if is_pooled:
        stage.pooler.lead_to(standby)
    standby.promote()
    stage.cluster = standby


class Writers:
    """A family whose members change all the time, and a member who joins and leaves."""

    def __init__(self, stage: Stage):
        self.site = stage.site
        client, self.owner = Client(stage.site), str(uuid.uuid4())
        family = client.send("create", "POST", "/api/family/create", self.owner, {}).body
        self.family, self.code = family["familyId"], family["familyCode"]
        self.accounts = [self.owner] + [str(uuid.uuid4()) for _ in range(6)]
        for account in self.accounts[1:]:
            self.join(client, account)
        self.done = 0
        self.failures: list[str] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self.rename, self.rename, self.rule, self.come_and_go)]

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def send(self, client: Client, method: str, path: str, account: str, body=None) -> dict:
        answer = client.send("write", method, path, account, body)
        with self.lock:
            if answer.is_done:
                self.done += 1
            elif answer.status is not None and answer.status >= 500 and answer.status != 503:
                self.failures.append(f"{method} {path}: {answer.status} {answer.body}")
        self.stopping.wait(random.uniform(0, 0.01))
        return answer.body if answer.is_done else {}

    def join(self, client: Client, account: str) -> dict:
        return client.send("join", "POST", "/api/family/code/join", account,
                           {"familyCode": self.code}).body

    def rename(self) -> None:
        client = Client(self.site)
        while not self.stopping.is_set():
            self.send(client, "PATCH", "/api/me", random.choice(self.accounts),
                      {"fullName": f"Name {random.randrange(1000)}"})

    def rule(self) -> None:
        """The Parent Admin names the family, gives household roles, and has children."""
        client = Client(self.site)
        while not self.stopping.is_set():
            self.send(client, "PATCH", f"/api/family/{self.family}", self.owner,
                      {"familyName": f"Family {random.randrange(1000)}"})
            path = f"/api/family/members?familyId={self.family}"
            members = client.send("read", "GET", path, self.owner).body.get("members", [])
            others = [m for m in members if m["user_id"] != self.owner and not m["is_managed"]]
            if others:
                self.send(client, "PATCH", f"/api/family/members/{random.choice(others)['id']}",
                          self.owner, {"householdRole": random.choice(["adult", "visitor"])})
            child = self.send(client, "POST", "/api/family/managed", self.owner,
                              {"displayName": "Robin", "familyId": self.family})
            if "id" in child:
                while not self.stopping.is_set() and not self.removed(client, child["id"]):
                    pass

    def removed(self, client: Client, child: str) -> bool:
        answer = client.send("write", "DELETE", f"/api/family/managed/{child}", self.owner)
        with self.lock:
            self.done += answer.is_done
        self.stopping.wait(0.02)
        return answer.is_done or answer.status == 404

    def come_and_go(self) -> None:
        client, account = Client(self.site), self.accounts[-1]
        while not self.stopping.is_set():
            self.send(client, "DELETE", f"/api/family/members/me?familyId={self.family}", account)
            self.join(client, account)
