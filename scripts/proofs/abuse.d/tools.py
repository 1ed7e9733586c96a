"""Tokens, connections and the list of findings, for all attacks."""
import base64
import hashlib
import hmac
import http.client
import json
import socket
import time


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Site:
    """A running API with its addresses and keys."""

    def __init__(self, host: str, port: int, issuer: str, secret: bytes):
        self.host, self.port, self.issuer, self.secret = host, port, issuer, secret

    def claims(self, account: str, **changes) -> dict:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": account, "aud": "authenticated", "role": "authenticated",
            "is_anonymous": False, "iat": now, "exp": now + 3600,
            "email": f"{account[:8]}@example.com",
            "user_metadata": {"full_name": "Some One", "role": "parent"},
        }
        claims.update(changes)
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, claims: dict, header: dict | None = None, secret: bytes | None = None) -> str:
        return self.sealed(
            json.dumps(header or {"alg": "HS256", "typ": "JWT"}).encode(),
            json.dumps(claims).encode(), secret)

    def sealed(self, header: bytes, payload: bytes, secret: bytes | None = None) -> str:
        signed = encoded(header) + "." + encoded(payload)
        key = self.secret if secret is None else secret
        return signed + "." + encoded(hmac.new(key, signed.encode(), hashlib.sha256).digest())

    def connect(self) -> socket.socket:
        connection = socket.create_connection((self.host, self.port), timeout=10)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def send(self, method: str, path: str, token: str | None = None, body=None, headers=None):
        """Status and body of one request on a connection of its own."""
        fields = dict(headers or {})
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
            if not isinstance(body, (bytes, str)):
                body = json.dumps(body)
        connection = http.client.HTTPConnection(self.host, self.port, timeout=40)
        try:
            connection.request(method, path, body=body, headers=fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def raw(self, data: bytes, seconds: float = 10):
        """Status of the first response to raw bytes, and whether the connection ended after it.

        None if it was closed without an answer, "hung" if nothing came in time.
        """
        with self.connect() as connection:
            connection.settimeout(seconds)
            received = b""
            try:
                connection.sendall(data)
                while True:
                    piece = connection.recv(65536)
                    if not piece:
                        break
                    received += piece
            except socket.timeout:
                if not received:
                    return "hung", False
                return int(received.split(b" ", 2)[1]), False
            except OSError:
                pass
            if not received.startswith(b"HTTP/1.1 "):
                return None, True
            return int(received.split(b" ", 2)[1]), True


class Report:
    """Rows of a table: attack, number of attempts, outcome, findings."""

    def __init__(self):
        self.findings: list[str] = []
        print(f"{'attack':<34} {'tries':>6}  outcome")

    def row(self, name: str, tries: int, outcome: str, findings: list[str] = ()):
        print(f"{name:<34} {tries:>6}  {outcome}{'  FINDINGS' if findings else ''}", flush=True)
        for finding in findings:
            print(f"    {finding}", flush=True)
            self.findings.append(f"{name}: {finding}")

    def statuses(self, name: str, results: list[tuple[str, object]], allowed: set):
        """A row of (what, status) pairs, of which each must be allowed."""
        counts: dict[object, int] = {}
        for _, status in results:
            counts[status] = counts.get(status, 0) + 1
        outcome = ", ".join(f"{status}: {count}" for status, count in sorted(
            counts.items(), key=lambda item: str(item[0])))
        bad = [f"{what}: {status}" for what, status in results if status not in allowed]
        self.row(name, len(results), outcome, bad[:20])


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
