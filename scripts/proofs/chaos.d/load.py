"""People who use the API all the time, and the responses that they got."""
import base64
import dataclasses
import hashlib
import hmac
import http.client
import json
import random
import threading
import time
import uuid


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Site:
    """A running API, and tokens for it."""

    def __init__(self, port: int, issuer: str, secret: bytes):
        self.port, self.issuer, self.secret = port, issuer, secret

    def token(self, account: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": account, "aud": "authenticated", "role": "authenticated",
            "is_anonymous": False, "iat": now, "exp": now + 3600, "email": address(account),
            "user_metadata": {"full_name": "Some One", "role": "parent"}}
        signed = ".".join(encoded(json.dumps(part).encode()) for part in (
            {"alg": "HS256", "typ": "JWT"}, claims))
        return signed + "." + encoded(
            hmac.new(self.secret, signed.encode(), hashlib.sha256).digest())


def address(account: str) -> str:
    return f"{account}@example.com"


@dataclasses.dataclass
class Answer:
    """One request with its time and outcome (None: no response)."""
    kind: str
    began: float
    ended: float
    status: int | None
    body: dict
    account: str = ""
    subject: str = ""
    # Whether the response says when to repeat the request.
    has_retry_after: bool = False

    @property
    def is_done(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_failure(self) -> bool:
        """Whether the service is to blame."""
        return self.status is None or self.status >= 500


class Client:
    """A connection of its own, reopened after it was lost."""

    def __init__(self, site: Site):
        self.site = site
        self.connection = None

    def send(self, kind: str, method: str, path: str, account: str | None, body=None,
             subject: str = "", seconds: float = 20, key: str | None = None) -> Answer:
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        if account:
            headers["Authorization"] = f"Bearer {self.site.token(account)}"
            # Each account has its own address, so that limits per address apply to it alone.
            number = uuid.UUID(account).int
            headers["X-Forwarded-For"] = f"10.{number % 250}.{number // 250 % 250}.{number // 62500 % 250}"
        began = time.time()
        status, content, has_retry_after = None, b"{}", False
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=seconds)
            self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.connection.getresponse()
            content = answer.read()
            status = answer.status
            has_retry_after = answer.getheader("Retry-After") is not None
            if answer.will_close:
                self.close()
        except (OSError, http.client.HTTPException):
            self.close()
        try:
            found = json.loads(content or b"{}")
        except ValueError:
            found = {}
        return Answer(kind, began, time.time(), status, found, account or "", subject,
                      has_retry_after)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Load:
    """Threads that create families, join them and invite people, until they are stopped."""

    def __init__(self, site: Site, threads: int = 4, pause: float = 0.02, joins: int = 2,
                 invitations: int = 3, limit: int | None = None):
        self.site, self.pause, self.joins, self.invitations = site, pause, joins, invitations
        self.limit = limit
        self.answers: list[Answer] = []
        self.invited = 0
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(threads)]

    def start(self) -> "Load":
        for thread in self.threads:
            thread.start()
        return self

    def stop(self) -> list[Answer]:
        """Waits for the requests in progress, and returns all that got a response."""
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        return self.answers

    def note(self, answer: Answer) -> Answer:
        with self.lock:
            self.answers.append(answer)
        self.stopping.wait(self.pause * random.uniform(0.5, 1.5))
        return answer

    def may_invite(self) -> bool:
        with self.lock:
            if self.limit is not None and self.invited >= self.limit:
                self.stopping.set()
                return False
            self.invited += 1
            return True

    def work(self) -> None:
        client = Client(self.site)
        while not self.stopping.is_set():
            owner = str(uuid.uuid4())
            created = self.note(client.send(
                "create", "POST", "/api/family/create", owner, {"familyName": "The Terns"}))
            if not created.is_done:
                continue
            self.live(client, owner, created.body)

    def live(self, client: Client, owner: str, family: dict) -> None:
        for _ in range(self.joins):
            joining = str(uuid.uuid4())
            self.note(client.send(
                "join", "POST", "/api/family/code/join", joining,
                {"familyCode": family.get("familyCode", "")}, subject=family.get("familyId", "")))
            if self.stopping.is_set():
                return
        for _ in range(self.invitations):
            if not self.may_invite():
                return
            invited = f"invited-{uuid.uuid4().hex}@example.org"
            answer = self.note(client.send(
                "invite", "POST", "/api/family/invite", owner,
                {"email": invited, "role": "parent"}, subject=invited))
            if not answer.is_done and self.limit is not None:
                with self.lock:
                    self.invited -= 1
            if self.stopping.is_set():
                return
