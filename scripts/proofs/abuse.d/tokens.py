"""Forged tokens of every kind."""
import http.client
import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tools import Report, Site, encoded


class Listener:
    """Publishes one key, and records the requested paths."""

    KEY = {"kty": "EC", "crv": "P-256", "kid": "e", "use": "sig",
           "x": "HqQNY2ZZs8EJIMZ9thxqri7sah3YSDeHp5GBYqTh-CE",
           "y": "kenporWCnBkcfxakJuIb4M2kae1fQacBLZIe9097MEA"}

    def __init__(self, port: int):
        paths: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                paths.append(self.path)
                body = json.dumps({"keys": [Listener.KEY]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.paths = paths
        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def forged(site: Site, trap: str) -> list[tuple[str, str]]:
    account = str(uuid.uuid4())
    good = site.claims(account)
    token = site.token(good)
    head, payload, signature = token.split(".")
    now = int(time.time())
    unsigned = encoded(b'{"alg":"none"}') + "." + payload + "."
    found = [
        ("alg none", unsigned), ("alg none, signed", unsigned + signature),
        ("no signature", f"{head}.{payload}."), ("two parts", f"{head}.{payload}"),
        ("five parts", f"{token}.a.b"), ("another secret", site.token(good, secret=b"x" * 32)),
        ("empty secret", site.token(good, secret=b"")), ("empty", ""), ("dots", ".."),
        ("changed payload", f"{head}.{encoded(json.dumps({**good, 'sub': 'x'}).encode())}.{signature}"),
        ("padding", f"{head}.{payload}.{signature}="), ("not base64", f"{head}.!!.{signature}"),
        ("not JSON", site.sealed(b"{}{}", b"[]")), ("deep", site.sealed(b'{"alg":"HS256"}', b"[" * 5000)),
        ("too long", site.token({**good, "x": "x" * 9000})),
        ("duplicate alg", site.sealed(b'{"alg":"none","alg":"HS256"}', json.dumps(good).encode())),
        ("duplicate sub", site.sealed(
            b'{"alg":"HS256"}', json.dumps(good)[:-1].encode() + b',"sub":"other"}')),
        ("expired", site.token({**good, "exp": now - 1})), ("expires never", site.token(site.claims(account, exp=None))),
        ("expires in words", site.token({**good, "exp": "tomorrow"})),
        ("not yet", site.token({**good, "nbf": now + 3600})),
        ("issued tomorrow", site.token({**good, "iat": now + 86400})),
        ("other audience", site.token({**good, "aud": "other"})),
        ("no audience", site.token(site.claims(account, aud=None))),
        ("other issuer", site.token({**good, "iss": "https://elsewhere.example.com"})),
        ("issuer in capitals", site.token({**good, "iss": site.issuer.upper()})),
        ("no issuer", site.token(site.claims(account, iss=None))),
        ("no subject", site.token(site.claims(account, sub=None))),
        ("subject no uuid", site.token({**good, "sub": "someone"})),
        ("subject a list", site.token({**good, "sub": [account]})),
        ("role postgres", site.token({**good, "role": "postgres"})),
    ]
    for algorithm in ["none", "None", "RS256", "ES256", "EdDSA", "HS384", "HS512", "hs256", "", 7, None]:
        found.append((f"alg {algorithm}", site.token(good, {"alg": algorithm, "typ": "JWT"})))
    for name in ["jku", "x5u"]:
        found.append((name, site.token(good, {"alg": "HS256", name: trap})))
    for name, value in [("jwk", Listener.KEY), ("x5c", ["AAAA"]), ("crit", ["b64"]), ("crit", []), ("kid", 7)]:
        found.append((name, site.token(good, {"alg": "HS256", name: value})))
    return found


def seen_by_nobody(site: Site, report: Report) -> None:
    """Responses to tokens of no person that name a member as their subject."""
    member = str(uuid.uuid4())
    answer = site.send("POST", "/api/family/create", site.token(site.claims(member)), {})[1]
    family = json.loads(answer)
    reads = ["/api/me", "/api/me/profiles", "/api/me/invitations", "/api/family",
             f"/api/family/{family['familyId']}", f"/api/family/{family['familyId']}/qr.svg",
             f"/api/family/members?familyId={family['familyId']}",
             f"/api/family/invitations?familyId={family['familyId']}",
             f"/api/family/audit?familyId={family['familyId']}",
             f"/api/family/player-details?familyId={family['familyId']}",
             f"/groups/{family['familyId']}", f"/groups/{family['familyId']}/preferences",
             f"/api/family/code/{family['familyCode']}"]
    secrets = [member, family["familyId"], family["familyCode"], family["familyName"], "Some One"]
    results, findings = [], []
    for role, anonymous in NOBODIES:
        token = site.token(site.claims(member, role=role, is_anonymous=anonymous or None))
        for path in reads:
            status, body = site.send("GET", path, token)
            results.append((f"{role} {path}", status))
            findings += [f"{role} {path} tells {secret}" for secret in secrets
                         if secret.encode() in body]
    report.statuses("nobody with a member's subject", results, {200, 403, 404})
    report.row("what they are told", len(results), "nothing" if not findings else "", findings[:20])


NOBODIES = [("anon", False), ("service_role", False), ("supabase_admin", False),
            ("authenticated", True), ("service_role", True)]


def _fetches(listener: Listener) -> int:
    return sum(path == "/keys" for path in listener.paths)


def _with_unknown_key(site: Site, issuer: str, number: int) -> tuple[int, str | None]:
    """The status, and Retry-After, of a read with a token whose key the issuer doesn't have."""
    claims = {"iss": issuer, "sub": "x", "aud": "hearth", "exp": 4_000_000_000}
    token = site.token(claims, {"alg": "ES256", "kid": f"unknown-{number}"})
    connection = http.client.HTTPConnection(site.host, site.port, timeout=40)
    try:
        connection.request("GET", "/api/me", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.getheader("Retry-After")
    finally:
        connection.close()


def attack(site: Site, report: Report, listener: Listener, published_issuer: str) -> None:
    trap = f"http://127.0.0.1:{listener.server.server_port}/trap"
    results = [
        (what, site.send("GET", "/api/me", token)[0]) for what, token in forged(site, trap)]
    report.statuses("forged tokens", results, {401})

    fetched = _fetches(listener)
    results = []
    for number in range(1000):
        results.append((f"kid {number}", _with_unknown_key(site, published_issuer, number)[0]))
    # The keys were fetched just now, so they are not fetched again yet for an unknown key.
    report.statuses("unknown keys", results, {503})
    more = _fetches(listener) - fetched
    report.row("fetches that they caused", 1000, str(more),
               [f"{more} fetches within seconds"] if more > 1 else [])
    _, seconds = _with_unknown_key(site, published_issuer, 0)
    time.sleep(int(seconds or 0))
    status, _ = _with_unknown_key(site, published_issuer, 0)
    report.statuses(f"one of them after Retry-After, {seconds} s", [("kid 0", status)], {401})
    wrong = [path for path in listener.paths if path != "/keys"]
    report.row("addresses in tokens", 4, "none fetched" if not wrong else "fetched", wrong)

    results = []
    for role, anonymous in NOBODIES:
        token = site.token(site.claims(
            str(uuid.uuid4()), role=role, is_anonymous=anonymous or None))
        for method, path, body in [("POST", "/api/family/create", {}),
                                   ("POST", "/api/family/code/join", {"familyCode": "FAM-AAAAAA"}),
                                   ("PATCH", "/api/me", {"fullName": "x"})]:
            results.append((f"{role} {path}", site.send(method, path, token, body)[0]))
    report.statuses("anonymous and service keys", results, {401, 403})
    seen_by_nobody(site, report)
