"""Attacks on e-mails: their codes, links and texts.

The e-mails are those that a worker has written to its outbox.
"""
import email
import email.policy
import json
import pathlib
import re
import time

import fields
from sign_in import PASSWORD, at_once
from tools import Report, Site


class Outbox:
    """The folder of a worker that has no mail server."""

    def __init__(self, folder: str):
        self.folder = pathlib.Path(folder)
        self.seen: set[pathlib.Path] = set()

    def next(self, address: str):
        """Waits for the next message to an address."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for path in sorted(set(self.folder.glob("*.eml")) - self.seen):
                with open(path, "rb") as file:
                    message = email.message_from_binary_file(file, policy=email.policy.default)
                if message["To"] == address:
                    self.seen.add(path)
                    return message
            time.sleep(0.05)
        raise SystemExit(f"no e-mail to {address} within a minute")


def attack(site: Site, outbox: Outbox, report: Report) -> None:
    _replay(site, outbox, report)
    _last_try(site, outbox, report)
    _parked(site, outbox, report)
    _resets(site, outbox, report)
    _injection(site, outbox, report)


def _address(name: str) -> str:
    return f"{name}-{fields.new_account()[:8]}@example.com"


def _post(site: Site, route: str, body: dict, **headers):
    status, answer = site.send("POST", f"/api/auth/{route}", body=body, headers=headers)
    return status, json.loads(answer)


def _ticket(site: Site, address: str) -> str:
    status, answer = _post(site, "email", {"email": address})
    if status != 202:
        raise SystemExit(f"no ticket: {status} {answer}")
    return answer["ticket"]


def code_of(message) -> str:
    return re.match(r"([0-9]{6}) ", message["Subject"])[1]


def _text(message) -> str:
    return message.get_body(("plain",)).get_content()


def _verify(site: Site, ticket: str, code: str) -> int:
    return _post(site, "email/verify", {"ticket": ticket, "code": code})[0]


def _wrong(code: str, number: int = 1) -> str:
    return f"{(int(code) + number) % 1_000_000:06}"


def _replay(site: Site, outbox: Outbox, report: Report) -> None:
    address = _address("replay")
    ticket = _ticket(site, address)
    message = outbox.next(address)
    code, link = code_of(message), re.search(r"token=(\S+)", _text(message))[1]
    other = _ticket(site, address)
    report.statuses("a code with another ticket", [("crossed", _verify(site, other, code))],
                    {400})
    opened = [site.send("GET", f"/sign-in?token={link}")[0] for _ in range(20)]
    findings = [f"{status}" for status in opened if status >= 500]
    report.row("a link that scanners open", len(opened), "uses nothing up", findings)
    statuses = at_once(50, lambda _: _verify(site, ticket, code))
    findings = [] if statuses.count(200) == 1 else [f"{statuses.count(200)} sessions"]
    report.row("one code fifty times at once", 50, "one session", findings)
    replayed = [("code", _verify(site, ticket, code)),
                ("link", _post(site, "email/verify", {"linkToken": link})[0])]
    report.statuses("code and link afterwards", replayed, {410})


def _last_try(site: Site, outbox: Outbox, report: Report) -> None:
    address = _address("last")
    ticket = _ticket(site, address)
    code = code_of(outbox.next(address))
    strangers = [_verify(site, "x" * 43, _wrong(code, number)) for number in range(20)]
    report.statuses("tries without the ticket",
                    [("made up", status) for status in strangers], {410})
    for number in range(1, 5):
        _verify(site, ticket, _wrong(code, number))
    statuses = at_once(
        50, lambda index: _verify(site, ticket, code if index % 2 else _wrong(code, 9)))
    looked = [status for status in statuses if status != 410]
    findings = [] if len(looked) == 1 and looked[0] in (200, 400) else [f"looked at: {looked}"]
    report.row("the last try fifty times at once", 50, "one is looked at", findings)


def _parked(site: Site, outbox: Outbox, report: Report) -> None:
    """An attacker chooses a password for an address before its owner signs up."""
    address = _address("parked")
    _, mine = _post(site, "sign-up", {
        "email": address, "password": PASSWORD, "fullName": "Mallory", "role": "parent"})
    unasked = outbox.next(address)
    findings = ["it has a link"] if "http" in _text(unasked) else []
    ticket = _ticket(site, address)
    code = code_of(outbox.next(address))
    crossed = _verify(site, mine["ticket"], code)
    status, owner = _post(site, "email/verify", {"ticket": ticket, "code": code})
    if status != 200 or owner["user"].get("fullName") == "Mallory":
        findings.append(f"the owner gets {status} {owner.get('user')}")
    entered = site.send("POST", "/api/auth/sign-in", body={
        "email": address, "password": PASSWORD})[0]
    if entered not in (401, 503) or crossed not in (400, 410):
        findings.append(f"the parked password gives {entered}, the ticket {crossed}")
    report.row("a password parked on an address", 3, "is worth nothing", findings)
    # The sender of a request can't choose a session either.
    fixed = fields.new_account()
    again = _ticket(site, address)
    _, told = _post(site, "email/verify", {
        "ticket": again, "code": code_of(outbox.next(address)), "session": fixed, "sid": fixed,
        "refresh_token": owner["refresh_token"]})
    findings = []
    if told.get("session", {}).get("id") in (fixed, owner["session"]["id"], None):
        findings.append(f"the session is {told}")
    report.row("a session that is named by others", 1, "is a new one", findings)


def _resets(site: Site, outbox: Outbox, report: Report) -> None:
    address = _address("reset")
    ticket = _ticket(site, address)
    _verify(site, ticket, code_of(outbox.next(address)))
    evil = "evil.example"
    hosts = [{"Host": evil}, {"X-Forwarded-Host": evil}, {"Forwarded": f"host={evil}"}]
    findings = []
    for headers in hosts:
        site.send("POST", "/api/auth/password/forgot", body={"email": address}, headers=headers)
        message = outbox.next(address)
        if evil in message.as_string() or f"http://{site.host}:" not in _text(message):
            findings.append(f"{headers}: {_text(message)}")
    report.row("reset links by another host", len(hosts), "lead to the own site", findings)
    link = re.search(r"reset-password\?token=(\S+)", _text(message))[1]
    statuses = at_once(50, lambda index: _post(site, "password/reset", {
        "token": link, "password": f"{PASSWORD} {index}"})[0])
    # Requests that a busy server refused may have been the only ones in time.
    findings = [] if statuses.count(200) <= 1 else [f"{statuses.count(200)} passwords were set"]
    report.row("one reset link fifty times at once", 50,
               f"{statuses.count(200)} password is set", findings)


def _injection(site: Site, outbox: Outbox, report: Report) -> None:
    evil = "thief@evil.example"
    addresses = [
        f"a@example.com\r\nBcc: {evil}", f"a@example.com,{evil}", f"a@example.com\n{evil}",
        f"a@example.com {evil}", f"a@example.com\u2028Bcc: {evil}", f"\"a\r\n\"@example.com",
        f"<{evil}>a@example.com", "a@example.com\0", f"a@example.com?cc={evil}\r\n",
    ]
    statuses = [(repr(address), _post(site, "email", {"email": address})[0])
                for address in addresses]
    report.statuses("addresses with line ends and more", statuses, {400})
    names = [f"Eve\r\nBcc: {evil}", f"<a href=\"http://{evil}\">Eve</a>", "\x1b[31mEve", "{{code}}"]
    findings = []
    for name in names:
        address = _address("names")
        status, answer = _post(site, "sign-up", {
            "email": address, "password": PASSWORD, "fullName": name, "role": "parent"})
        if status == 503:
            continue
        if status != 202:
            if status != 400:
                findings.append(f"{name!r}: {status}")
            continue
        code = code_of(outbox.next(address))
        _verify(site, answer["ticket"], code)
        _post(site, "password/forgot", {"email": address})
        message = outbox.next(address)
        page = message.get_body(("html",)).get_content()
        if message["Bcc"] or message["Cc"] or "<a href=\"http://thief" in page:
            findings.append(f"{name!r}: {message.as_string()}")
    report.row("names that write into e-mails", len(names), "stay text", findings)
