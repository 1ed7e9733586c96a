"""Attacks from many addresses, through several processes of the API behind a proxy: passwords that
are tried out, and what the times of answers tell of who has an account.
"""
import json
import random
import statistics
import time

import fields
from sign_in import PASSWORD, at_once
from tools import Report, Site

# Calls for each route and kind of address. An address gets at most twenty e-mails an hour.
ACCOUNTS, CALLS_EACH = 25, 10


def attack(sites: list[Site], report: Report) -> None:
    """The second site believes X-Forwarded-For."""
    accounts = [_account(sites[0]) for _ in range(ACCOUNTS)]
    _told_apart(sites[1], report, accounts)
    _stuffing(sites, report)


def _client() -> dict:
    """Somebody elsewhere."""
    return {"X-Forwarded-For": f"10.{random.randrange(256)}.{random.randrange(256)}.7"}


def _patiently(ask):
    """Again while too many passwords are being compared, as a client does."""
    while True:
        status, answer, seconds = ask()
        if status != 503:
            return status, answer, seconds


def _post(site: Site, route: str, body: dict, client: dict):
    begun = time.monotonic()
    status, answer = site.send("POST", f"/api/auth/{route}", body=body, headers=client)
    return status, answer, time.monotonic() - begun


def _account(site: Site) -> str:
    """The address of somebody who has a password."""
    claims = site.claims(fields.new_account())
    _, answer = site.send("POST", "/api/auth/exchange", body={"token": site.token(claims)})
    access = json.loads(answer)["access_token"]

    def put():
        status, answer = site.send("PUT", "/api/me/password", access, {"newPassword": PASSWORD})
        return status, answer, 0

    status, answer, _ = _patiently(put)
    if status != 200:
        raise SystemExit(f"no password: {status} {answer!r}")
    return claims["email"]


def _told_apart(site: Site, report: Report, accounts: list[str]) -> None:
    """The distributions of times of known and unknown addresses, in a random order."""
    bodies = {
        "sign-in": lambda address: {"email": address, "password": "not this one 88"},
        "email": lambda address: {"email": address},
        "password/forgot": lambda address: {"email": address},
        "sign-up": lambda address: {
            "email": address, "password": PASSWORD, "fullName": "Some One", "role": "parent"},
    }
    for route, body in bodies.items():
        # Of the twenty e-mails an address may get, three routes take five each.
        each = CALLS_EACH - 1 if route == "sign-in" else CALLS_EACH // 2
        calls = [(True, address) for address in accounts for _ in range(each)]
        calls += [(False, f"{fields.new_account()[:8]}@example.com") for _ in calls]
        random.shuffle(calls)
        times = {True: [], False: []}
        told = set()
        for known, address in calls:
            client = _client()
            status, answer, seconds = _patiently(
                lambda: _post(site, route, body(address), client))
            times[known].append(seconds)
            told.add((status, len(answer)))
        distance, bound = _distance(times[True], times[False])
        medians = [statistics.median(times[known]) * 1000 for known in (True, False)]
        findings = [] if len(told) == 1 else [f"answers differ: {told}"]
        # Both: a difference that is there, and one that is worth something.
        if distance > bound and abs(medians[0] - medians[1]) > 0.05 * max(medians):
            findings.append(f"times differ: {distance:.3f} of at most {bound:.3f}")
        report.row(
            f"who has an account: {route}", len(calls),
            f"{medians[0]:.1f} and {medians[1]:.1f} ms, "
            f"distance {distance:.3f} of {bound:.3f}", findings)


def _distance(some: list[float], others: list[float]) -> tuple[float, float]:
    """How far two distributions are apart (Kolmogorov and Smirnov), and how far chance alone brings
    them in one of a thousand tests."""
    ordered = sorted([(value, 0) for value in some] + [(value, 1) for value in others])
    counts, distance = [0, 0], 0.0
    for _, part in ordered:
        counts[part] += 1
        distance = max(distance, abs(counts[0] / len(some) - counts[1] / len(others)))
    return distance, 1.95 * ((len(some) + len(others)) / (len(some) * len(others))) ** 0.5


def _stuffing(sites: list[Site], report: Report) -> None:
    address = _account(sites[0])

    def guess(index: int):
        # Each from an address of its own; the first process sees them all as one.
        return _patiently(lambda: _post(
            sites[index % 2], "sign-in", {"email": address, "password": f"guess {index}"},
            _client()))[0]

    statuses = at_once(40, guess)
    looked = statuses.count(401)
    findings = [] if looked <= 10 and set(statuses) <= {401, 429} else [f"{statuses}"]
    report.row("passwords through two processes", 40, f"{looked} are looked at", findings)
    right = _patiently(lambda: _post(
        sites[1], "sign-in", {"email": address, "password": PASSWORD}, _client()))[0]
    mailed = _post(sites[1], "email", {"email": address}, _client())[0]
    findings = [] if (right, mailed) == (429, 202) else [f"{right}, {mailed}"]
    report.row("its owner meanwhile", 2, "a mailed code still signs in", findings)
    client = _client()
    sprayed = [_patiently(lambda: _post(
        sites[1], "sign-in",
        {"email": f"{fields.new_account()[:8]}@example.com", "password": PASSWORD}, client))[0]
        for _ in range(40)]
    findings = [] if sprayed.count(401) == 30 else [f"{sprayed.count(401)} were looked at"]
    report.row("one password for many accounts", 40,
               f"{sprayed.count(401)} are looked at", findings)
