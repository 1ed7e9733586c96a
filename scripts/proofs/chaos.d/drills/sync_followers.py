"""The API is killed while clients follow changes: each ends with what a fresh read shows."""
import json
import random
import threading
import uuid

from load import Client
from stage import Settings, Stage
from verdict import Result


class Follower:
    """A client that keeps a copy of what it may see."""

    def __init__(self, stage: Stage, account: str):
        self.client, self.account = Client(stage.site), account
        self.held: dict[tuple, str] = {}
        self.cursor = ""

    def step(self, wait: int = 0) -> bool:
        """One page; whether there is more, or no answer came."""
        query = f"?wait={wait}" + (f"&cursor={self.cursor}" if self.cursor else "")
        answer = self.client.send("sync", "GET", "/api/sync" + query, self.account, seconds=40)
        if not answer.is_done:
            return True
        if answer.body["reset"]:
            self.held = {}
        for change in answer.body["changes"]:
            key = (change["kind"], change["id"], change["familyId"])
            if "value" in change:
                self.held[key] = json.dumps(change["value"], sort_keys=True)
                continue
            self.held.pop(key, None)
            if change["kind"] == "family":
                self.held = {k: v for k, v in self.held.items() if k[2] != change["familyId"]}
        self.cursor = answer.body["cursor"]
        return answer.body["hasMore"]

    def fresh(self) -> dict[tuple, str]:
        """Families and members as their own routes show them."""
        view = {}
        families = self.client.send("read", "GET", "/api/family", self.account).body["families"]
        for family in families:
            family_id = family["familyId"]
            view["family", family_id, family_id] = json.dumps(family, sort_keys=True)
            path = f"/api/family/members?familyId={family_id}"
            for member in self.client.send("read", "GET", path, self.account).body["members"]:
                view["member", member["id"], family_id] = json.dumps(member, sort_keys=True)
        return view


def run(settings: Settings) -> Result:
    result = Result()
    with Stage(settings, "sync_followers") as stage:
        stage.start_api()
        client, owner = Client(stage.site), str(uuid.uuid4())
        family = client.send("create", "POST", "/api/family/create", owner, {}).body
        accounts = [owner] + [str(uuid.uuid4()) for _ in range(5)]
        for account in accounts[1:]:
            client.send("join", "POST", "/api/family/code/join", account,
                        {"familyCode": family["familyCode"]})
        followers = [Follower(stage, account) for account in accounts]
        stopping = threading.Event()
        written: list[int] = []

        def write(account: str) -> None:
            own = Client(stage.site)
            while not stopping.wait(0.01):
                answer = own.send("rename", "PATCH", "/api/me", account,
                                  {"fullName": f"Name {random.randrange(1000)}"})
                if answer.is_done:
                    written.append(1)

        def follow(follower: Follower) -> None:
            while not stopping.is_set():
                follower.step(wait=random.choice([0, 0, 2]))

        threads = [threading.Thread(target=write, args=(account,), daemon=True)
                   for account in accounts[:3]]
        threads += [threading.Thread(target=follow, args=(follower,), daemon=True)
                    for follower in followers]
        for thread in threads:
            thread.start()
        for _ in range(3 if settings.is_quick else 10):
            stage.go_on(2)
            stage.api.kill()
            stage.api.start()
            stage.await_api()
        stage.go_on(2)
        stopping.set()
        for thread in threads:
            thread.join()
        result.acknowledged = len(written)
        for follower in followers:
            for _ in range(1000):
                if not follower.step():
                    break
            fresh = follower.fresh()
            held = {k: v for k, v in follower.held.items() if k[0] in ("family", "member")}
            result.expect(len(fresh) == 7, f"a fresh read shows {len(fresh)} things")
            differing = sorted(
                str(key) for key in set(held) | set(fresh) if held.get(key) != fresh.get(key))
            result.expect(not differing, f"a copy differs in {differing}")
    return result
