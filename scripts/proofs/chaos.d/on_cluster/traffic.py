"""Reads, writes and streams through all processes of the API, and the gaps in their success."""
import random
import threading
import time
import uuid

from follower import Follower
from keyed import KeyedLoad, Request
from load import Answer, Client, Load, Site


class Reads:
    """One account that reads its family again and again through one process of the API."""

    def __init__(self, site: Site):
        self.site, self.account = site, str(uuid.uuid4())
        self.answers: list[Answer] = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        made = Client(site).send("create", "POST", "/api/family/create", self.account, {})
        if not made.is_done:
            raise RuntimeError(f"no family to read: {made.status} {made.body}")
        self.path = f"/api/family/members?familyId={made.body['familyId']}"
        self.thread.start()

    def work(self) -> None:
        client = Client(self.site)
        while not self.stopping.wait(0.05):
            self.answers.append(client.send("read", "GET", self.path, self.account))
        client.close()

    def stop(self) -> list[Answer]:
        self.stopping.set()
        self.thread.join()
        return self.answers


class Copies:
    """A family whose owner changes a name all the time through any process of the API, and copies
    of it: by a stream and by long polls of each process."""

    def __init__(self, sites: list[Site]):
        self.sites, self.account = sites, str(uuid.uuid4())
        self.answers: list[Answer] = []
        # Number of the last name whose change was acknowledged.
        self.acknowledged = 0
        self.stopping = threading.Event()
        made = Client(sites[0]).send("create", "POST", "/api/family/create", self.account, {})
        if not made.is_done:
            raise RuntimeError(f"no family to follow: {made.status} {made.body}")
        self.followers = [
            Follower(site, self.account, is_live) for site in sites for is_live in (False, True)]
        self.watchers = [Watcher(site, self, made.body["familyId"]) for site in sites]
        self.thread = threading.Thread(target=self.work, daemon=True)
        for running in [*self.followers, *self.watchers, self.thread]:
            running.start()

    def work(self) -> None:
        number = 0
        while not self.stopping.wait(0.5):
            number += 1
            client = Client(random.choice(self.sites))
            answer = client.send(
                "rename", "PATCH", "/api/me", self.account, {"fullName": f"Name {number}"})
            self.answers.append(answer)
            if answer.is_done:
                self.acknowledged = number
            client.close()

    def stop_writing(self) -> list[Answer]:
        """Ends the changes; the copies follow until `stop`."""
        self.stopping.set()
        self.thread.join()
        for watcher in self.watchers:
            watcher.stop()
        return self.answers

    def stop(self) -> None:
        for follower in self.followers:
            follower.stop()


class Watcher:
    """Reads the name that `Copies` changes, and remembers reads that showed an older one than was
    acknowledged before they began."""

    def __init__(self, site: Site, copies: "Copies", family: str):
        self.site, self.copies = site, copies
        self.path = f"/api/family/members?familyId={family}"
        self.answers: list[Answer] = []
        self.fresh = 0
        self.stale: list[str] = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def work(self) -> None:
        client = Client(self.site)
        while not self.stopping.wait(0.05):
            known = self.copies.acknowledged
            answer = client.send("watch", "GET", self.path, self.copies.account)
            self.answers.append(answer)
            if not answer.is_done or not known:
                continue
            name = answer.body["members"][0]["display_name"]
            if int(name.split()[-1]) < known:
                self.stale.append(f"'{name}' after 'Name {known}' was acknowledged")
            else:
                self.fresh += 1
        client.close()

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()


class Traffic:
    """People who create families, join, invite, read and follow changes, through each process of
    the API, and clients that repeat requests under their keys through any of them."""

    def __init__(self, sites: list[Site], more: list[Site] = ()):
        # `more` are processes whose gaps don't count. Clients with keys stay with them, so that a
        # repeated request reaches the same database as the first one.
        self.sites = sites
        self.reads = [Reads(site) for site in sites]
        self.copies = Copies(sites)
        self.loads = [Load(site, threads=2, pause=0.05).start() for site in sites]
        self.others = [Load(site, threads=1, pause=0.05).start() for site in more]
        self.keyed = KeyedLoad(sites, threads=3).start()
        self.other_keyed = [KeyedLoad([site], threads=2).start() for site in more]
        self.began = time.time()

    def stop(self) -> "Record":
        """Ends everything but the copies of `copies`."""
        ended = time.time()
        others = [answer for load in self.others for answer in load.stop()]
        renames = self.copies.stop_writing()
        writes = [(load.site, load.stop()) for load in self.loads]
        requests = self.keyed.stop()
        other_requests = [one for load in self.other_keyed for one in load.stop()]
        reads = [(each.site, each.stop()) for each in self.reads]
        return Record(self.began, ended, writes, requests, reads, others, renames,
                      other_requests, self.copies)


class Record:
    """Everything that was answered."""

    def __init__(self, began: float, ended: float, writes: list[tuple[Site, list[Answer]]],
                 requests: list[Request], reads: list[tuple[Site, list[Answer]]],
                 others: list[Answer], renames: list[Answer], other_requests: list[Request],
                 copies: Copies):
        self.began, self.ended = began, ended
        self.writes, self.keyed, self.reads = writes, requests, reads
        # Writes through processes whose gaps don't count.
        self.of_others, self.renames = others, renames
        self.followers, self.watchers = copies.followers, copies.watchers
        # All requests with a key.
        self.requests = requests + other_requests

    @property
    def answers(self) -> list[Answer]:
        """The writes without a key that are looked up afterwards."""
        return [answer for _, answers in self.writes for answer in answers] + self.of_others

    @property
    def everything(self) -> list[Answer]:
        """All answers: to reads, to requests for changes, and to writes with a key and without."""
        return (self.of_others + self.renames
                + [answer for each in self.followers + self.watchers for answer in each.answers]
                + [a for _, answers in self.writes + self.reads for a in answers]
                + [answer for request in self.requests for answer in request.answers])

    def write_gap(self, is_shared: bool) -> float:
        keyed = [answer for request in self.keyed for answer in request.answers]
        if is_shared:
            return self.gap(keyed + [a for _, answers in self.writes for a in answers])
        return max(self.gap(answers) for _, answers in self.writes)

    def read_gap(self, is_shared: bool) -> float:
        if is_shared:
            return self.gap([a for _, answers in self.reads for a in answers])
        return max(self.gap(answers) for _, answers in self.reads)

    def gap(self, answers: list[Answer]) -> float:
        """The longest time without a success, from the beginning to the end."""
        ended = sorted(a.ended for a in answers if a.is_done and a.ended < self.ended)
        moments = [self.began] + ended + [self.ended]
        return max(after - before for before, after in zip(moments, moments[1:]))
