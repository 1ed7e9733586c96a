"""Attacks an API that runs on this machine, and prints the results as a table.

usage: attack.py HOST PORT ISSUER SECRET_FILE KEYS_PORT PUBLISHED_ISSUER BEHIND_PROXY OUTBOX PSQL
                 DATABASE_URL PARTS ACCOUNTS PROVIDER_PORTS DEMO_LINKS FORMS

BEHIND_PROXY are the ports of two more processes of the same API, which trust X-Forwarded-For,
separated by a comma. OUTBOX is the folder to which the worker writes e-mails, and DATABASE_URL the
superuser's URL. PARTS are the attacks to run, separated by commas, or all. ACCOUNTS is the number
of known addresses to test. PROVIDER_PORTS are those of two identity providers, separated by a comma.
DEMO_LINKS is the file with the API's sign-in links of a demonstration. FORMS are words of the forms
to try, separated by commas; empty for all forms.

Waits for a line on the standard input before the first attack, so that the caller can start the
API after the listener that publishes keys; the line is the API's process id. Exits with 1 if
there is a finding.
"""
import json
import sys

import alike
import fields
import forms
import guesses
import mailed
import pages
import providers
import passkeys
import servers
import sign_in
import spread
import tokens
import wire
from stage import Database
from tools import Report, Site


class Victims:
    """A family that no attack may change."""

    def __init__(self, site: Site):
        self.site, self.account = site, fields.new_account()
        _, answer = site.send("POST", "/api/family/create", self.token, {"familyName": "Victims"})
        family = json.loads(answer)["familyId"]
        self.members = f"/api/family/members?familyId={family}"
        self.paths = [self.members, f"/api/family/{family}"]
        member = json.loads(self.seen()[0][1])["members"][0]["id"]
        self.ids = {"id": family, "memberId": member, "member": member, "code": "FAM-QQQQQQ",
                    "token": "x" * 43}

    @property
    def token(self) -> str:
        """A new token, because a whole run takes longer than a token is valid."""
        return self.site.token(self.site.claims(self.account))

    def seen(self):
        return [self.site.send("GET", path, self.token) for path in self.paths]


def main() -> int:
    host, port, issuer, secret_file, keys_port, published_issuer = sys.argv[1:7]
    behind_proxy, outbox_folder, psql, url, parts = sys.argv[7:12]
    accounts = int(sys.argv[12])
    with open(secret_file, "rb") as file:
        secret = file.read().rstrip(b"\r\n")
    listener = tokens.Listener(int(keys_port))
    provider_secret = secret_file.replace("local.secret", "provider.secret")
    stand_ins = [
        providers.Provider(int(number), provider_secret, name)
        for number, name in zip(sys.argv[13].split(","), ("Gull", "Tern"))]
    process = int(sys.stdin.readline())
    site = Site(host, int(port), issuer, secret)
    proxied = [Site(host, int(number), issuer, secret) for number in behind_proxy.split(",")]
    database = Database(psql, url)
    # The database must be empty.
    database.fill(2 * accounts, issuer)
    outbox, report, victims = mailed.Outbox(outbox_folder), Report(), Victims(site)
    before = victims.seen()

    def fill_fields():
        _, answer = site.send("GET", "/openapi.json")
        description = json.loads(answer)
        token = site.token(site.claims(fields.new_account()))
        fields.stranger(site, report, description, token, victims.ids)
        fields.attack(site, report, description, token, victims.ids)
        fields.brute_force(site, report, site.token(site.claims(fields.new_account())))

    def use_pages():
        pages.attack(site, report)
        forms.attack(proxied[0], site, database, outbox, report, sys.argv[14], stand_ins[0],
                     list(filter(None, sys.argv[15].split(","))))

    def misuse_connections():
        wire.attack(site, report, victims.token, victims.members)
        wire.slow_readers(site, report, process)

    attacks = {
        "tokens": lambda: tokens.attack(site, report, listener, published_issuer),
        # Before the attacks that use up the attempts of an address.
        "passkeys": lambda: passkeys.attack(site, proxied[0], report),
        "sign_in": lambda: sign_in.attack(site, report),
        "mailed": lambda: mailed.attack(proxied[0], outbox, report),
        "spread": lambda: spread.attack(proxied, outbox, report),
        "guesses": lambda: guesses.attack(proxied, database, report),
        "pages": use_pages,
        "providers": lambda: providers.attack(proxied[0], report, stand_ins),
        "servers": lambda: servers.attack(site, database, report, victims.ids["id"]),
        "fields": fill_fields,
        "wire": misuse_connections,
        # Last, because it enqueues thousands of e-mails for the worker.
        "alike": lambda: alike.attack(proxied[0], database, accounts, report),
    }
    for part in list(attacks) if parts == "all" else filter(None, parts.split(",")):
        if part not in attacks:
            raise SystemExit(f"there is no '{part}'; expected some of: {', '.join(attacks)}")
        attacks[part]()
    after = victims.seen()
    findings = [f"{path}: {old}, then {new}"
                for path, old, new in zip(victims.paths, before, after) if old != new]
    report.row("the victims' family", 1, "changed" if findings else "as it was", findings)
    print(f"{len(report.findings)} findings")
    return 1 if report.findings else 0


sys.exit(main())
