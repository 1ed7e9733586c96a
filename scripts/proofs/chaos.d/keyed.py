"""Clients that send each request with an Idempotency-Key and repeat it until a response arrives."""
import dataclasses
import random
import threading
import time
import uuid

from load import Answer, Client, Site
from stage import Stage
from verdict import Result

PATH = "/api/families"
# Seconds after the end for which requests without an outcome are repeated.
PATIENCE_SECONDS = 90
# An account has five families at most; one is left for a second effect.
FAMILIES = 4


@dataclasses.dataclass
class Request:
    """One request with one key, and all its responses."""
    account: str
    key: str
    body: dict
    answers: list[Answer] = dataclasses.field(default_factory=list)

    @property
    def final(self) -> list[Answer]:
        """The responses that state the outcome."""
        return [a for a in self.answers if a.status is not None and a.status < 500
                and a.body.get("code") not in ("idempotency_key_in_use", "retry_later")]


class KeyedLoad:
    """Threads that create families, and send each request at least twice, to any site."""

    def __init__(self, sites: list[Site], threads: int = 8):
        self.sites = sites
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.deadline = float("inf")
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(threads)]

    def start(self) -> "KeyedLoad":
        for thread in self.threads:
            thread.start()
        return self

    def stop(self) -> list[Request]:
        """Waits for responses to the requests in progress, and returns all requests."""
        self.deadline = time.monotonic() + PATIENCE_SECONDS
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        return self.requests

    def answers(self) -> list[Answer]:
        """All requests with a response so far."""
        with self.lock:
            return [answer for request in self.requests for answer in list(request.answers)]

    def work(self) -> None:
        while not self.stopping.is_set():
            account = str(uuid.uuid4())
            for number in range(FAMILIES + 1):
                # The last one is refused, which is a response too.
                name = "The Terns" if number < FAMILIES else ""
                self.ask(Request(account, str(uuid.uuid4()), {"familyName": name}))

    def ask(self, request: Request) -> None:
        with self.lock:
            self.requests.append(request)
        # A client that misses the response sends the request once more than necessary.
        while len(request.final) < 2 and time.monotonic() < self.deadline:
            self.send(request)
            if not request.final:
                self.stopping.wait(random.uniform(0, 0.1))

    def send(self, request: Request) -> None:
        client = Client(random.choice(list(self.sites)))
        request.answers.append(client.send(
            "create", "POST", PATH, request.account, request.body, key=request.key))
        client.close()


def hold_one_effect(result: Result, stage: Stage, requests: list[Request]) -> None:
    """Checks that each request has one response, and one effect if it succeeded."""
    made: dict[str, set[str]] = {}
    for account, family in stage.cluster.rows(
            "SELECT created_by_user_id, id FROM app.family_units"):
        made.setdefault(account, set()).add(family)
    told: dict[str, set[str]] = {}
    for request in requests:
        if not request.final:
            last = request.answers[-1] if request.answers else None
            result.fail(f"a key has no outcome; last: {last and (last.status, last.body)}")
            continue
        first = request.final[0]
        answers = {str((a.status, a.body.get("familyId"), a.body.get("code")))
                   for a in request.final}
        result.expect(len(answers) == 1, f"a key has several responses: {sorted(answers)}")
        result.expect(
            first.status == (201 if request.body["familyName"] else 400),
            f"answered {first.status} {first.body.get('code')}")
        if first.is_done:
            told.setdefault(request.account, set()).add(first.body["familyId"])
    acknowledged = sum(map(len, told.values()))
    lost = sum(len(ids - made.get(account, set())) for account, ids in told.items())
    result.acknowledged += acknowledged
    result.lost += lost
    result.count("changes", acknowledged - lost, acknowledged)
    result.expect(lost == 0, f"lost: {lost} changes of requests with a key")
    twice = sum(len(ids - told.get(account, set())) for account, ids in made.items()
                if account in told)
    result.effects_twice += twice
    result.expect(twice == 0, f"{twice} requests had a second effect")
    repeated = sum(len(request.answers) > 2 for request in requests)
    result.notes.append(f"{len(requests)} keys, {repeated} sent more than twice")
