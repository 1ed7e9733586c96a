"""Checks whether responses reveal accounts. On each route that takes an address, known and unknown
addresses get the same responses: status, headers, body, and the distribution of times.

Accounts and families are those of sql/bench/fill.sql: account n has the address user<n>@example.com.
An unknown address is as long as a known one, and is sent as often, because the first count of
a limit takes another time than the second.
"""
import base64
import http.client
import json
import random
import re
import statistics
import time
import urllib.parse
from typing import Callable, NamedTuple

from pages import FORM, Visitor
from sign_in import PASSWORD
from spread import account
from stage import Database
from tools import Report, Site

WRONG = "not this one 88"
# Headers that differ between responses, whatever the address.
ODDS = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"
    r"|[A-Za-z0-9_-]{43}|\"requestId\":\"[0-9a-f]+"
    r"|(?<=name=\"key\" value=\")[A-Za-z0-9_-]{22}", re.IGNORECASE)
MAIL_COOKIE = re.compile(r"hearth-mail=([A-Za-z0-9_-]+)")
UNTOLD = {"date", "x-request-id"}


class Route(NamedTuple):
    name: str
    # The status of every response: a route that refuses all addresses would prove nothing.
    status: int
    # Calls for known addresses, and as many for unknown ones.
    calls: int
    # Path, body and headers, from the address and a number that is unique within the route.
    request: Callable[[str, int], tuple[str, str, dict]]


def attack(site: Site, database: Database, accounts: int, report: Report) -> None:
    """The site trusts X-Forwarded-For. There are twice as many families as
    tested accounts: each family has one tested account, and an admin and a child that invite."""
    account(site)
    database.run(
        "INSERT INTO app.passwords (user_id, hash) SELECT u.id, p.hash FROM app.users AS u,"
        " (SELECT hash FROM app.passwords LIMIT 1) AS p WHERE u.email ~ '^user[0-9]+@'"
        " ON CONFLICT DO NOTHING")
    routes = _routes(site, accounts)
    for route in routes:
        _told_apart(site, report, route)
    # Without this check, the ones above might be unable to fail.
    _control(site, database, report, routes[0], "passwords", 0.003)
    _control(site, database, report, routes[1], "tickets", 0.002)


def _routes(site: Site, accounts: int) -> list[Route]:
    def post(path: str, **more):
        return lambda address, _: (
            f"/api/auth/{path}", json.dumps({"email": address, **more}), {})

    visitor = Visitor(site)
    sign_in, reset = visitor.token("/sign-in"), visitor.token("/reset-password")

    def form(path: str, token: str, **more):
        headers = {"Content-Type": FORM, "Cookie": f"hearth={visitor.cookie}",
                   "Sec-Fetch-Site": "same-origin"}
        return lambda address, _: (path, urllib.parse.urlencode(
            {"form_token": token, "email": address, **more}), headers)

    def invite(address: str, _: int):
        # Each admin invites a known and an unknown address. Members of one's own family are known
        # anyway, so responses may reveal them.
        number = int(address[4:address.index("@")])
        other = (number // 3 + 3 * accounts // 4) % accounts + 1
        return "/api/family/invite", json.dumps({"email": address, "role": "parent"}), _admin(
            site, other)

    def graduate(address: str, number: int):
        # Each child once, and only of families that neither invite nor have tested addresses.
        family = accounts + number + 1
        path = f"/api/family/managed/00000000-0000-4000-a000-{family:012x}/graduation"
        return path, json.dumps({"email": address}), _admin(site, family)

    hashed, plain = accounts // 2, accounts
    return [
        Route("sign-in", 401, hashed, post("sign-in", password=WRONG)),
        Route("email", 202, plain, post("email")),
        Route("password/forgot", 202, plain, post("password/forgot")),
        Route("sign-up", 202, hashed, post(
            "sign-up", password=PASSWORD, fullName="Some One", role="parent")),
        Route("page: password", 401, hashed, form(
            "/sign-in", sign_in, action="password", password=WRONG)),
        Route("page: code", 303, plain, form("/sign-in", sign_in, action="code")),
        Route("page: sign-up", 303, hashed, form(
            "/sign-in", sign_in, action="sign-up", name="Some One", password=PASSWORD,
            role="parent")),
        Route("page: reset", 303, plain, form("/reset-password", reset)),
        Route("invite", 200, plain, invite),
        Route("graduation", 200, accounts // 4, graduate),
    ]


def _admin(site: Site, family: int) -> dict:
    account = 3 * family - 1
    claims = site.claims(f"00000000-0000-4000-8000-{account:012x}", user_metadata=None)
    claims["email"] = f"user{account}@example.com"
    return {"Authorization": f"Bearer {site.token(claims)}"}


class Answers:
    """Responses for known and for unknown addresses."""

    def __init__(self):
        self.times = {True: [], False: []}
        self.told = {True: set(), False: set()}

    def differences(self, status: int) -> list[str]:
        both = self.told[True] | self.told[False]
        findings = [f"answered {told[0]}: {told[2][:200]}" for told in both if told[0] != status]
        if len(both) > 1:
            findings += [f"{'known' if known else 'unknown'}: {told}"
                         for known in (True, False) for told in sorted(self.told[known])]
        return findings[:6]

    def distance(self) -> tuple[float, float]:
        """The distance of the two distributions of times (Kolmogorov and Smirnov), and the distance
        that chance alone exceeds in one of a thousand tests."""
        some, others = self.times[True], self.times[False]
        ordered = sorted([(value, 0) for value in some] + [(value, 1) for value in others])
        counts, distance = [0, 0], 0.0
        for _, part in ordered:
            counts[part] += 1
            distance = max(distance, abs(counts[0] / len(some) - counts[1] / len(others)))
        return distance, 1.95 * ((len(some) + len(others)) / (len(some) * len(others))) ** 0.5

    def medians(self) -> str:
        known, unknown = (statistics.median(self.times[part]) * 1000 for part in (True, False))
        return f"{known:.2f} and {unknown:.2f} ms"


def _told_apart(site: Site, report: Report, route: Route) -> None:
    answers = _ask(site, route, route.calls)
    distance, bound = answers.distance()
    findings = answers.differences(route.status)
    told = f"{answers.medians()}, distance {distance:.3f} of {bound:.3f}"
    if distance > bound:
        # By chance this happens once in a hundred runs of all routes, hardly ever twice in a row.
        again = _ask(site, route, route.calls, first=1, before=2 * route.calls)
        distance, bound = again.distance()
        told += f"; asked again, {again.medians()}, distance {distance:.3f}"
        findings += again.differences(route.status)
        if distance > bound:
            findings.append(f"times differ twice: the second time {distance:.3f} of {bound:.3f}")
    report.row(f"known or not: {route.name}", 2 * route.calls, told, findings)


def _control(
        site: Site, database: Database, report: Report, route: Route, what: str,
        seconds: float) -> None:
    """Repeats it with delayed responses for known addresses, which must be noticed."""
    calls = route.calls // 2
    with database.slower_for_the_known(what, seconds):
        answers = _ask(site, route, calls)
    distance, bound = answers.distance()
    findings = [] if distance > bound else [
        f"only {distance:.3f} of {bound:.3f}: too few calls, or too busy a machine"]
    report.row(f"{seconds * 1000:.0f} ms more: {route.name}", 2 * calls,
               f"is noticed: {distance:.3f} of {bound:.3f}", findings)


def _ask(site: Site, route: Route, calls: int, first: int = 3, before: int = 0) -> Answers:
    """Known and unknown addresses in a random order, one at a time over one connection: those of
    every third account, which are parents, or players if the first is 1. So many calls of the route
    were made before."""
    numbers = [3 * index + first for index in range(calls)]
    asked = [(True, f"user{number}@example.com") for number in numbers]
    asked += [(False, f"none{number}@example.com") for number in numbers]
    random.shuffle(asked)
    answers = Answers()
    connection = http.client.HTTPConnection(site.host, site.port, timeout=40)
    try:
        for number, (known, address) in enumerate(asked, before):
            path, body, headers = route.request(address, number)
            client = f"10.{random.randrange(256)}.{random.randrange(256)}.7"
            headers = {"Content-Type": "application/json", "X-Forwarded-For": client, **headers}
            begun = time.perf_counter()
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            answers.times[known].append(time.perf_counter() - begun)
            answers.told[known].add((
                answer.status, _headers(answer, content, address),
                _usual(content.decode(), address)))
    finally:
        connection.close()
    return answers


def _headers(answer: http.client.HTTPResponse, content: bytes, address: str) -> tuple[str, ...]:
    """All but the length of a body that names the address: the body itself is compared."""
    return tuple(sorted(
        f"{name.lower()}: {_usual(value, address)}" for name, value in answer.getheaders()
        if name.lower() not in UNTOLD
        and (name.lower(), value) != ("content-length", str(len(content)))))


def _usual(text: str, address: str) -> str:
    # The page's cookie: identifier of the message, and the address, as they were sent.
    text = MAIL_COOKIE.sub(lambda found: "hearth-mail=" + _decoded(found.group(1)), text)
    for written in (address, urllib.parse.quote(address), urllib.parse.quote(address, safe="")):
        text = text.replace(written, "ADDRESS")
    return ODDS.sub("ODD", text)


def _decoded(cookie: str) -> str:
    """The two lines of the cookie, without the random text of the first."""
    first, _, address = base64.urlsafe_b64decode(
        cookie + "=" * (-len(cookie) % 4)).decode().partition("\n")
    return f"{len(first)} characters, {address}"
