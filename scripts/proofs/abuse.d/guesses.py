"""Guesses at family codes from a thousand accounts and addresses, through two processes of the API
behind a proxy. Each stays within its limits; together they make approval required.
"""
import json
import time

import fields
from sign_in import at_once
from stage import Database
from tools import Report, Site

GUESSERS = 1000
JOIN = "/api/family/code/join"


class Family:
    """A family that a player created."""

    def __init__(self, site: Site):
        self.token = site.token(site.claims(
            fields.new_account(), user_metadata={"full_name": "A Player", "role": "player"}))
        _, answer = site.send("POST", "/api/family/create", self.token, {"familyName": "Guessed"})
        made = json.loads(answer)
        self.id, self.code = made["familyId"], made["familyCode"]

    def join(self, site: Site, claims: dict):
        return site.send("POST", JOIN, site.token(claims), {"familyCode": self.code})[0]

    def approve_all(self, site: Site) -> list:
        path = f"/api/family/members?familyId={self.id}&status=invited"
        waiting = json.loads(site.send("GET", path, self.token)[1])["members"]
        return [site.send("POST", f"/api/family/members/{member['id']}/approve", self.token, {})[0]
                for member in waiting]


def attack(sites: list[Site], database: Database, report: Report) -> None:
    """Both sites trust X-Forwarded-For."""
    family = Family(sites[0])
    calm = [family.join(site, site.claims(fields.new_account())) for site in sites]
    statuses, seconds = _guess(sites, family)
    # Guesses get the same responses after approval has become required as before.
    findings = [] if set(statuses) == {404} else [f"{sorted(set(statuses))}"]
    if calm != [200, 200]:
        findings.append(f"before it: {calm}")
    if seconds is None or seconds >= 60:
        findings.append(f"approval was required after {seconds} s")
    report.row("a thousand guessers", GUESSERS,
               f"approval is required after {seconds:.0f} s" if seconds is not None else "",
               findings)
    _go_on(sites, family, report)
    _end(sites, database, family, report)


def _guess(sites: list[Site], family: Family):
    """Statuses of the guesses, and the seconds until joining requires approval."""
    began, seconds, statuses = time.monotonic(), None, []
    for wave in range(0, GUESSERS, 50):
        def guess(index, wave=wave):
            number = wave + index
            site = sites[number % 2]
            return site.send(
                "POST", JOIN, site.token(site.claims(fields.new_account())),
                # Hearth creates no code with a zero.
                {"familyCode": f"FAM-0{number:05d}"},
                {"X-Forwarded-For": f"10.{number // 250}.{number % 250}.7"})[0]

        statuses += at_once(50, guess)
        if seconds is None and _waits(sites[0], family):
            seconds = time.monotonic() - began
    return statuses, seconds


def _waits(site: Site, family: Family) -> bool:
    """Whether a new person has to wait for approval; otherwise the person leaves again."""
    claims = site.claims(fields.new_account())
    if family.join(site, claims) == 202:
        return True
    site.send("DELETE", f"/api/family/members/me?familyId={family.id}", site.token(claims))
    return False


def _go_on(sites: list[Site], family: Family, report: Report) -> None:
    """Actions that a family can still do while wrong codes make approval required."""
    findings = []
    approved = [status for site in sites for status in family.approve_all(site)]
    if not approved or set(approved) != {200}:
        findings.append(f"approving: {approved}")
    guest = sites[0].claims(fields.new_account())
    invited, _ = sites[0].send(
        "POST", "/api/family/invite", family.token, {"email": guest["email"], "role": "parent"})
    joined = family.join(sites[1], guest)
    if (invited, joined) != (200, 200):
        findings.append(f"inviting: {invited}, joining: {joined}")
    report.row("families meanwhile", 2, "approve, and those they invite join at once", findings)


def _end(sites: list[Site], database: Database, family: Family, report: Report) -> None:
    """Five minutes later, by the database's clock."""
    database.run(
        "UPDATE app.automatic_approval SET began_at = began_at - interval '5 minutes',"
        " lasts_until = lasts_until - interval '5 minutes'",
        "UPDATE app.wrong_codes SET minute = minute - interval '5 minutes'")
    statuses = [family.join(site, site.claims(fields.new_account())) for site in sites]
    report.row("five minutes later", 2, "people join at once again",
               [] if statuses == [200, 200] else [f"{statuses}"])
