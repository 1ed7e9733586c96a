"""Reads and writes through all processes of the API, and the gaps in their success."""
import threading
import time
import uuid

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


class Traffic:
    """People who create families, join, invite and read, through each process of the API, and
    clients that repeat requests under their keys through any of them."""

    def __init__(self, sites: list[Site], more: list[Site] = ()):
        # `more` are processes whose gaps don't count.
        self.sites = sites
        self.reads = [Reads(site) for site in sites]
        self.loads = [Load(site, threads=2, pause=0.05).start() for site in sites]
        self.others = [Load(site, threads=1, pause=0.05).start() for site in more]
        self.keyed = KeyedLoad(sites, threads=3).start()
        self.began = time.time()

    def stop(self) -> "Record":
        ended = time.time()
        others = [answer for load in self.others for answer in load.stop()]
        writes = [(load.site, load.stop()) for load in self.loads]
        requests = self.keyed.stop()
        reads = [(each.site, each.stop()) for each in self.reads]
        return Record(self.began, ended, writes, requests, reads, others)


class Record:
    """Everything that was answered."""

    def __init__(self, began: float, ended: float, writes: list[tuple[Site, list[Answer]]],
                 requests: list[Request], reads: list[tuple[Site, list[Answer]]],
                 others: list[Answer]):
        self.began, self.ended = began, ended
        self.writes, self.requests, self.reads, self.others = writes, requests, reads, others

    @property
    def answers(self) -> list[Answer]:
        """The writes without a key."""
        return [answer for _, answers in self.writes for answer in answers] + self.others

    def write_gap(self, is_shared: bool) -> float:
        keyed = [answer for request in self.requests for answer in request.answers]
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
