"""Attacks with API keys: of another scope, revoked, expired, rotated, over the limit, from a browser,
in an address, in a body, against other routes; and keys that are guessed or malformed."""
import hashlib
import json
import re
import secrets
import threading
import time
import urllib.parse

from stage import Database
from tools import Report, Site

SCOPES = ("families:read", "members:read", "people:read", "people:addresses",
          "invitations:write", "events:read")


class Keys:
    """API keys that are stored as `hearth-admin api-key create` stores them."""

    def __init__(self, database: Database):
        self.database = database

    def add(self, scopes=SCOPES, limit=100_000, **columns) -> str:
        key = "hk_" + secrets.token_urlsafe(32)
        names = ["name", "scopes", "secret_hash", "requests_per_minute", *columns]
        values = [f"'{secrets.token_hex(8)}'", "'{%s}'" % ",".join(scopes), hashed(key), str(limit),
                  *columns.values()]
        self.database.run(
            f"INSERT INTO app.api_keys ({', '.join(names)}) VALUES ({', '.join(values)});")
        return key


def hashed(key: str) -> str:
    return f"'\\x{hashlib.sha256(key.encode()).hexdigest()}'"


def attack(site: Site, database: Database, report: Report, victim: str) -> None:
    """Runs all attacks. VICTIM is the id of a family."""
    keys = Keys(database)
    routes = [
        ("families:read", "GET", "/families"), ("families:read", "GET", f"/families/{victim}"),
        ("members:read", "GET", f"/families/{victim}/members"),
        ("people:read", "GET", f"/people/{victim}"),
        ("people:read", "GET", "/people?issuer=a&subject=b"), ("events:read", "GET", "/events"),
        ("invitations:write", "POST", f"/families/{victim}/invitations")]
    body = {"role": "parent", "delivery": "link"}

    def send(key, method="GET", path="/families", **others):
        given = body if method == "POST" else None
        return site.send(method, "/api/server" + path, key, given, **others)

    _scopes(keys, report, routes, send)
    _useless(keys, database, report, routes, send)
    _places(site, keys, report, routes, send)
    _browsers(site, keys, report)
    _limits(keys, report, send)
    _guesses(keys, report, send)
    _elsewhere(site, keys, report)
    _values(keys, report, send)


def _scopes(keys: Keys, report: Report, routes, send) -> None:
    findings, tries = [], 0
    for scope in SCOPES:
        key = keys.add([scope])
        for needed, method, path in routes:
            status, answer = send(key, method, path)
            tries += 1
            is_refused = status == 403 and b"insufficient_scope" in answer
            if needed != scope and not is_refused:
                findings.append(f"{scope} gets {status} at {method} {path}")
            if needed == scope and status not in (200, 404):
                findings.append(f"{scope} gets {status} at {method} {path}, which it may use")
    report.row("keys of another scope", tries, "refused, each where it has no right", findings)


def _useless(keys: Keys, database: Database, report: Report, routes, send) -> None:
    """Keys that don't work all get the same response, on every route."""
    soon, past = "now() + interval '1 hour'", "now() - interval '1 second'"
    rotated, over = "hk_" + secrets.token_urlsafe(32), "hk_" + secrets.token_urlsafe(32)
    keys.add(previous_hash=hashed(over), previous_until=past)
    keys.add(previous_hash=hashed(rotated), previous_until=soon)
    useless = {
        "revoked": keys.add(revoked_at="now()"), "expired": keys.add(expires_at=past),
        "rotated": over, "unknown": "hk_" + secrets.token_urlsafe(32),
        "short": "hk_abc", "prefix": "hk_", "long": "hk_" + "a" * 4000, "jwt": "eyJhbGciOiJub25lIn0.e30.",
        "other case": keys.add().swapcase(), "blank": keys.add() + " x"}
    bodies, findings, tries = set(), [], 0
    for name, key in useless.items():
        for _, method, path in routes:
            status, answer = send(key, method, path)
            tries += 1
            bodies.add((status, re.sub(rb'"requestId":"[^"]*"', b"", answer)))
            if status != 401:
                findings.append(f"{name} gets {status} at {method} {path}")
            if key.encode() in answer and len(key) > 10:
                findings.append(f"the response to {name} repeats the key")
    if len(bodies) != 1:
        findings.append(f"{len(bodies)} different responses")
    if send(rotated)[0] != 200:
        findings.append("the previous key does not work during the overlap")
    # Revoked while it is in use: the next request is refused.
    key = keys.add()
    send(key)
    database.run(f"UPDATE app.api_keys SET revoked_at = now() WHERE secret_hash = {hashed(key)};")
    tries += 1
    if send(key)[0] != 401:
        findings.append("a key works after it was revoked")
    report.row("keys that don't work", tries, "one response: 401", findings)


def _places(site: Site, keys: Keys, report: Report, routes, send) -> None:
    key, results = keys.add(), []
    for name in ("key", "api_key", "apikey", "token", "access_token", "authorization"):
        for _, method, path in routes:
            mark = "&" if "?" in path else "?"
            results.append((f"{name} at {path}", send(
                None, method, path + mark + urllib.parse.urlencode({name: key}))[0]))
    for headers in ({"X-API-Key": key}, {"apikey": key}, {"Cookie": f"hearth={key}"},
                    {"Authorization": f"Basic {key}"}, {"Authorization": key},
                    {"Authorization": f"Token {key}"}, {"Proxy-Authorization": f"Bearer {key}"}):
        results.append((str(list(headers)), send(None, headers=headers)[0]))
    results.append(("path", site.send("GET", f"/api/server/{key}")[0]))
    results.append(("family", send(None, path=f"/families/{key}")[0]))
    report.statuses("keys in other places", results, {401, 404})


def _browsers(site: Site, keys: Keys, report: Report) -> None:
    key, results, findings = keys.add(), [], []
    for origin in ("https://app.example", "null", f"http://{site.host}:{site.port}", ""):
        status, answer = site.send(
            "GET", "/api/server/families", key, headers={"Origin": origin})
        results.append((f"Origin {origin!r}", status))
        if b"families" in answer:
            findings.append(f"Origin {origin!r} reads families")
    status, _ = site.send("OPTIONS", "/api/server/families", headers={
        "Origin": "https://app.example", "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization"})
    if status != 405:
        findings.append(f"a preflight request gets {status}")
    report.statuses("keys in browsers", results, {403})
    report.row("preflight for servers", 1, "refused", findings)


def _limits(keys: Keys, report: Report, send) -> None:
    key, statuses, lock = keys.add(limit=40), [], threading.Lock()

    def ask():
        for _ in range(10):
            status = send(key)[0]
            with lock:
                statuses.append(status)

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    served = statuses.count(200)
    findings = [] if set(statuses) == {200, 429} and served <= 40 else [
        f"{served} of 40 requests, {sorted(set(statuses))}"]
    if served < 20:
        findings.append(f"only {served} of 40 requests")
    report.row("a key over its limit", len(statuses), f"{served} of 40 a minute", findings)


def _guesses(keys: Keys, report: Report, send) -> None:
    """Guessed keys reach the database a hundred times a second at most, and a key in use is served
    meanwhile."""
    key, guesses, served, lock = keys.add(), [], [], threading.Lock()
    send(key)
    start, over = time.monotonic(), threading.Event()

    def guess():
        for _ in range(100):
            status = send("hk_" + secrets.token_urlsafe(32))[0]
            with lock:
                guesses.append(status)

    def use():
        while not over.is_set():
            served.append(send(key)[0])

    threads = [threading.Thread(target=guess) for _ in range(12)]
    user = threading.Thread(target=use)
    for thread in [user, *threads]:
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    user.join()
    took = time.monotonic() - start
    asked = guesses.count(401)
    findings = []
    if not set(guesses) <= {401, 429}:
        findings.append(f"guesses get {sorted(set(guesses))}")
    # Counted by seconds of the process: at most two of them overlap a second of this clock.
    if asked > 100 * (int(took) + 2):
        findings.append(f"{asked} of {len(guesses)} guesses reached the database in {took:.1f} s")
    if set(served) != {200}:
        findings.append(f"a key in use gets {sorted(set(served))}")
    report.row("guessed keys", len(guesses), f"{asked} looked up in {took:.1f} s", findings)


def _elsewhere(site: Site, keys: Keys, report: Report) -> None:
    """A key is nobody's token: routes for people refuse it."""
    key = keys.add()
    _, answer = site.send("GET", "/openapi.json")
    results = []
    for path, methods in json.loads(answer)["paths"].items():
        for method, operation in methods.items():
            if operation["security"] != [{"bearer": []}]:
                continue
            target = re.sub(r"\{\w+\}", "00000000-0000-4000-8000-000000000000", path)
            given = {} if method in ("post", "put", "patch") else None
            results.append((f"{method} {path}", site.send(method.upper(), target, key, given)[0]))
    report.statuses("keys at routes for people", results, {401})


def _values(keys: Keys, report: Report, send) -> None:
    key, results = keys.add(), []
    # Until the second is over in which the guesses took all look-ups of unknown keys.
    deadline = time.monotonic() + 10
    while send(key)[0] == 429 and time.monotonic() < deadline:
        time.sleep(0.1)
    odd = ["", "\0", "x" * 9000, "é\u202e", "%", "'; DROP TABLE app.users; --", "{}", "-1", "1e9"]
    for value in odd:
        word = urllib.parse.quote(value, safe="")
        for path in (f"/families?cursor={word}", f"/events?cursor={word}", f"/families/{word}",
                     f"/families/{word}/members", f"/people/{word}",
                     f"/people?issuer={word}&subject={word}"):
            results.append((f"{path[:40]}", send(key, path=path)[0]))
    report.statuses("odd values from servers", results, {200, 400, 404, 414, 431})
