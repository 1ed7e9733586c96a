"""Invalid values in every field of every route, and requests by people without rights."""
import html
import json
import re
import threading
import uuid
from urllib.parse import unquote_plus

from tools import Report, Site

NASTY = [
    "'; DROP TABLE app.users; --", "' OR '1'='1", "1; SELECT pg_sleep(10)", "$$; SELECT 1; $$",
    "\\'; SELECT 1; --", "a\r\nSet-Cookie: x=y", "a\nb", "a\u0000b", "\u202e\u0000", "x" * 60_000,
    "../../etc/passwd", "%00", "%27%3B--", "<script>alert(1)</script>", "{{7*7}}", "${jndi:x}",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 200, "\ud800", "\u212a", "-1", "99999999999999999999", "",
    " ", "null", "[]", "NaN", "00000000-0000-0000-0000-000000000000",
    "2026-11-26T10:00:00.123456789Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:60.999999999-23:59",
]
LEAKS = ["SQLSTATE", "syntax error", "pg_catalog", "app.user", "app.family", "libpq", ".swift:"]
ODD = [None, True, 0, -1, 1.5, 1e308, [], {}, [[]], {"a": {"b": []}}]


def filled(path: str, ids: dict[str, str], nasty: str | None = None, place: str | None = None) -> str:
    """A path with its parameters replaced, one of them by a malicious value."""
    from urllib.parse import quote

    def replace(match):
        name = match.group(1)
        value = nasty if name == place else ids.get(name, ids["id"])
        return quote(value.encode("utf-8", "surrogatepass"), safe="")

    return re.sub(r"\{([^}]+)\}", replace, path)


def operations(description: dict):
    for path, item in description["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield method.upper(), path, operation


def resolved(schema: dict, description: dict) -> dict:
    while "$ref" in schema:
        node = description
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node[part]
        schema = node
    return schema


def body_fields(operation: dict, description: dict) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {})
    schema = resolved(content.get("application/json", {}).get("schema", {}), description)
    return list(schema.get("properties", {}))


def attack(site: Site, report: Report, description: dict, token: str, ids: dict[str, str]) -> None:
    allowed = set(range(200, 500)) - {500}
    results = []

    def attempt(what, method, path, body=None, headers=None):
        sent = unquote_plus(path.partition("?")[2])
        try:
            status, answer = site.send(method, path, token, body, headers)
        except (OSError, ValueError) as error:
            return results.append((what, f"no answer ({type(error).__name__})"))
        results.append((what, status))
        # A page may show the value that was sent.
        shown = html.unescape(answer.decode("utf-8", "replace"))
        if status >= 400 and any(word in shown and word not in sent for word in LEAKS):
            results.append((what, "tells of the inside"))

    for method, path, operation in operations(description):
        names = re.findall(r"\{([^}]+)\}", path)
        queries = [p["name"] for p in operation.get("parameters", []) if p.get("in") == "query"]
        fields = body_fields(operation, description)
        takes_body = "requestBody" in operation
        for nasty in NASTY:
            short = nasty[:20].encode("unicode_escape").decode()
            for name in names:
                if nasty and len(nasty) < 5000:
                    attempt(f"{method} {path} {name}={short}", method, filled(path, ids, nasty, name),
                            {} if takes_body else None)
            for name in queries:
                if len(nasty) < 5000:
                    target = filled(path + "?" + name + "={x}", ids, nasty, "x")
                    attempt(f"{method} {path} ?{name}={short}", method, target, {} if takes_body else None)
            for name in fields:
                attempt(f"{method} {path} .{name}={short}", method, filled(path, ids), {name: nasty})
        for odd in ODD:
            for name in fields:
                attempt(f"{method} {path} .{name}={odd}", method, filled(path, ids), {name: odd})
            if takes_body and not isinstance(odd, dict):
                attempt(f"{method} {path} body={odd}", method, filled(path, ids), json.dumps(odd))
        if takes_body:
            for what, body in [("deep", b"[" * 60_000), ("cut off", b'{"a": '), ("empty", b""),
                               ("not UTF-8", b'{"a": "\xff"}'), ("twice", b'{"a":1,"a":2}'),
                               ("digits", b'{"a": ' + b"9" * 60_000 + b"}")]:
                attempt(f"{method} {path} {what}", method, filled(path, ids), body)
    report.statuses("every field, odd or nasty", results, allowed)

    results = []
    for name in ["X-Request-Id", "traceparent", "X-Acting-As-Member", "Idempotency-Key", "Accept",
                 "Content-Type", "X-Forwarded-For", "Origin", "Authorization", "X-Changed-At",
                 "X-Base-Version", "X-Confirmation-Code", "If-Match", "If-None-Match", "Last-Event-ID",
                 "Accept-Language", "Cookie", "Sec-Fetch-Site", "Expect", "Range"]:
        for nasty in NASTY:
            value = re.sub(r"[\x00\r\n]", " ", nasty).encode("utf-8", "surrogatepass")[:8000]
            attempt(f"{name}: {value[:20]!r}", "POST", "/api/family/create", {}, {name: value})
    report.statuses("every header, odd or nasty", results, allowed)


def stranger(site: Site, report: Report, description: dict, token: str, ids: dict[str, str]) -> None:
    """Each route of a family, as a person without a family."""
    results = []
    for method, path, operation in operations(description):
        if "{" not in path or "/code/" in path or "/invite/" in path:
            continue
        body = {} if "requestBody" in operation else None
        if body is not None:
            for name in body_fields(operation, description):
                body[name] = ids["member"] if "ember" in name else "x"
        status = site.send(method, filled(path, ids), token, body)[0]
        if path.startswith("/api/server/"):
            # Only keys are accepted there.
            if status != 401:
                results.append((f"{method} {path} with a person's token", f"gets {status}"))
            continue
        results.append((f"{method} {path}", status))
    for path in ["/api/family/members", "/api/family/invitations", "/api/family/audit"]:
        results.append((path, site.send("GET", f"{path}?familyId={ids['id']}", token)[0]))
    report.statuses("a stranger at another's family", results, {400, 403, 404, 405, 409})


def brute_force(site: Site, report: Report, token: str) -> None:
    """Many wrong codes at once."""
    results = []

    def attempt(number):
        code = f"FAM-QQ{number:04d}"
        results.append((code, site.send("POST", "/api/family/code/join", token, {"familyCode": code})[0]))

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report.statuses("sixty wrong codes at once", results, {404, 429})
    looked = len([status for _, status in results if status == 404])
    if looked > 5:
        report.row("codes looked up", 60, str(looked), ["more than five were looked up"])


def new_account() -> str:
    return str(uuid.uuid4())
