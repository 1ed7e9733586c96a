"""Clients that keep a copy of their data, by long polls or by events of a stream."""
import http.client
import json
import random
import threading
import time

from load import Answer, Client, Site
from verdict import Result

# Limit in seconds until every copy is correct after the last write.
BAR = 10


class Follower:
    """Follows GET /api/sync until it is stopped. With `is_live`, a stream triggers each sync."""

    def __init__(self, site: Site, account: str, is_live: bool):
        self.site, self.account, self.is_live = site, account, is_live
        self.client = Client(site)
        self.held: dict[tuple, str] = {}
        self.cursor = ""
        self.pages = 0
        # Responses to GET /api/sync, and to GET /api/live other than 200.
        self.answers: list[Answer] = []
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.live if is_live else self.poll, daemon=True)

    def start(self) -> "Follower":
        self.thread.start()
        return self

    def stop(self) -> None:
        """A stream in which nothing happens ends with the server."""
        self.stopping.set()
        self.thread.join(timeout=None if not self.is_live else 0.1)

    def poll(self) -> None:
        while not self.stopping.is_set():
            if self.step(wait=2) is None:
                self.stopping.wait(0.1)

    def live(self) -> None:
        """Syncs after an event, and when a stream begins that does not continue the last one."""
        last = ""
        while not self.stopping.is_set():
            # The server sends a comment every 25 seconds.
            connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=40)
            began = time.time()
            try:
                headers = {"Authorization": f"Bearer {self.site.token(self.account)}"}
                if last:
                    headers["Last-Event-ID"] = last
                connection.request("GET", "/api/live", headers=headers)
                stream = connection.getresponse()
                if stream.status == 200:
                    last = self.listen(stream, last)
                else:
                    self.answers.append(Answer(
                        "live", began, time.time(), stream.status, {},
                        has_retry_after=stream.getheader("Retry-After") is not None))
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            self.stopping.wait(0.1)

    def listen(self, stream: http.client.HTTPResponse, last: str) -> str:
        """Follows a stream until it breaks; returns the id of the last event that was followed."""
        # The copy may be older than the first event of a new stream.
        if not last and not self.catch_up():
            return last
        event = new = ""
        while not self.stopping.is_set():
            try:
                line = stream.readline()
            except OSError:
                return last
            if not line:
                return last
            line = line.decode().rstrip("\r\n")
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("id:"):
                new = line[3:].strip()
                if not event:
                    last = new
            elif not line and event:
                # The id counts only after the changes were fetched.
                if not self.catch_up():
                    return last
                last, event = new, ""
        return last

    def catch_up(self) -> bool:
        """Follows until there are no more changes; returns whether all requests got a response."""
        while not self.stopping.is_set():
            more = self.step()
            if more is None:
                return False
            if not more:
                return True
        return False

    def step(self, wait: int = 0) -> bool | None:
        """Fetches one page; whether there is more, or None without a response. Some get lost."""
        query = f"?wait={wait}" + (f"&cursor={self.cursor}" if self.cursor else "")
        answer = self.client.send("sync", "GET", "/api/sync" + query, self.account, seconds=40)
        self.answers.append(answer)
        if not answer.is_done:
            return None
        self.pages += 1
        if random.random() < 0.05:
            return True
        with self.lock:
            self.take(answer.body)
        return answer.body["hasMore"]

    def take(self, page: dict) -> None:
        if page["reset"]:
            self.held = {}
        for change in page["changes"]:
            key = (change["kind"], change["id"], change["familyId"])
            if "value" in change:
                self.held[key] = json.dumps(
                    {k: v for k, v in change["value"].items() if k != "conflict"}, sort_keys=True)
                continue
            self.held.pop(key, None)
            if change["kind"] == "family":
                self.held = {k: v for k, v in self.held.items() if k[2] != change["familyId"]}
        self.cursor = page["cursor"]

    def differences(self) -> list[str]:
        """Differences between the copy and the routes of families and members."""
        view: dict[tuple, str] = {}
        client = Client(self.site)
        for family in client.send("read", "GET", "/api/family", self.account).body["families"]:
            identity = family["familyId"]
            view["family", identity, identity] = json.dumps(family, sort_keys=True)
            path = f"/api/family/members?familyId={identity}"
            for member in client.send("read", "GET", path, self.account).body["members"]:
                view["member", member["id"], identity] = json.dumps(member, sort_keys=True)
        client.close()
        with self.lock:
            held = {k: v for k, v in self.held.items() if k[0] in ("family", "member")}
        return sorted(str(k) for k in set(held) | set(view) if held.get(k) != view.get(k))


def hold_converged(result: Result, followers: list[Follower]) -> None:
    """Checks that every copy, led only by notifications, soon equals a fresh read."""
    began = time.monotonic()
    for follower in followers:
        kind = "a stream" if follower.is_live else "wait"
        while differences := follower.differences():
            if time.monotonic() - began > BAR:
                result.fail(f"a copy by {kind} differs in {differences[:3]}")
                break
            time.sleep(0.05)
    result.notes.append(f"all copies correct {time.monotonic() - began:.1f} s after the last write")
