"""Attacks from many addresses, through two processes of the API behind a proxy: guesses at
passwords.
"""
import json
import random
import time

import fields
from mailed import Outbox, code_of
from sign_in import PASSWORD, at_once
from tools import Report, Site


def attack(sites: list[Site], outbox: Outbox, report: Report) -> None:
    """Both sites trust X-Forwarded-For."""
    _stuffing(sites, outbox, report)
    _spraying(sites, report)


def _client() -> dict:
    """A client with another address."""
    return {"X-Forwarded-For": f"10.{random.randrange(256)}.{random.randrange(256)}.7"}


def patiently(ask):
    """Status and body; repeated while too many passwords are being checked."""
    end = time.monotonic() + 120
    while True:
        status, answer = ask()
        if status != 503:
            return status, answer
        if time.monotonic() > end:
            raise SystemExit("for two minutes too many passwords are being compared")
        # Retries sooner than Retry-After (one second) allows.
        time.sleep(0.05)


def _sign_in(site: Site, address: str, password: str, client: dict | None = None) -> int:
    client = client or _client()
    return patiently(lambda: site.send(
        "POST", "/api/auth/sign-in", body={"email": address, "password": password},
        headers=client))[0]


def account(site: Site) -> str:
    """The address of an account with a password."""
    claims = site.claims(fields.new_account())
    _, answer = site.send("POST", "/api/auth/exchange", body={"token": site.token(claims)})
    access = json.loads(answer)["access_token"]
    status, answer = patiently(
        lambda: site.send("PUT", "/api/me/password", access, {"newPassword": PASSWORD}))
    if status != 200:
        raise SystemExit(f"no password: {status} {answer!r}")
    return claims["email"]


def _stuffing(sites: list[Site], outbox: Outbox, report: Report) -> None:
    """Many passwords for one account, each from an address of its own."""
    address = account(sites[0])
    # The e-mail about the new password.
    outbox.next(address)
    statuses = at_once(40, lambda index: _sign_in(sites[index % 2], address, f"guess {index}"))
    looked = [statuses[index::2].count(401) for index in (0, 1)]
    findings = [] if set(statuses) <= {401, 429} else [f"{statuses}"]
    # Slow attempts are counted but not checked, so there may be fewer.
    if not 1 <= sum(looked) <= 10 or (sum(looked) > 5 and 0 in looked):
        findings.append(f"{looked[0]} and {looked[1]} were looked at")
    report.row("passwords through two processes", 40,
               f"{looked[0]} and {looked[1]} are looked at", findings)
    # The rest of the ten attempts.
    for index in range(10):
        _sign_in(sites[index % 2], address, f"another guess {index}")
    right = [_sign_in(site, address, PASSWORD) for site in sites]
    _, opened = sites[1].send(
        "POST", "/api/auth/email", body={"email": address}, headers=_client())
    mailed = sites[0].send("POST", "/api/auth/email/verify", body={
        "ticket": json.loads(opened)["ticket"], "code": code_of(outbox.next(address))})[0]
    findings = [] if (right, mailed) == ([429, 429], 200) else [f"{right}, {mailed}"]
    report.row("its owner meanwhile", 3, "a mailed code still signs in", findings)


def _spraying(sites: list[Site], report: Report) -> None:
    """One password for many accounts, from one address."""
    client = _client()
    statuses = [
        _sign_in(sites[index % 2], f"{fields.new_account()[:8]}@example.com", PASSWORD, client)
        for index in range(40)]
    looked = statuses.count(401)
    findings = [] if looked == 30 and statuses.count(429) == 10 else [f"{statuses}"]
    report.row("one password for many accounts", 40, f"{looked} are looked at", findings)
