"""Attacks an API that runs on this machine, and prints what came of it as a table.

usage: attack.py HOST PORT ISSUER SECRET_FILE KEYS_PORT PUBLISHED_ISSUER SECOND_PORT OUTBOX

The second port is that of another process of the same API, which believes X-Forwarded-For. The
outbox is the folder that the worker writes e-mails to.

Waits for a line on the standard input before the first attack, so that whoever starts it can start
the API after the listener that publishes keys; the line is the API's process id. Exits with 1 if
there is a finding.
"""
import json
import sys

import fields
import mailed
import pages
import passkeys
import sign_in
import spread
import tokens
import wire
from tools import Report, Site


def main() -> int:
    host, port, issuer, secret_file, keys_port, published_issuer = sys.argv[1:7]
    second_port, outbox = sys.argv[7:9]
    with open(secret_file, "rb") as file:
        secret = file.read().rstrip(b"\r\n")
    listener = tokens.Listener(int(keys_port))
    process = int(sys.stdin.readline())
    site = Site(host, int(port), issuer, secret)
    report = Report()

    victim, attacker = fields.new_account(), fields.new_account()
    victim_token = site.token(site.claims(victim))
    _, answer = site.send("POST", "/api/family/create", victim_token, {"familyName": "Victims"})
    family = json.loads(answer)["familyId"]
    members = f"/api/family/members?familyId={family}"
    _, answer = site.send("GET", members, victim_token)
    member = json.loads(answer)["members"][0]["id"]
    ids = {"id": family, "memberId": member, "member": member, "code": "FAM-QQQQQQ",
           "token": "x" * 43}

    def seen_by_victim():
        return [site.send("GET", path, victim_token) for path in [members, f"/api/family/{family}"]]

    before = seen_by_victim()
    _, answer = site.send("GET", "/openapi.json")
    description = json.loads(answer)

    tokens.attack(site, report, listener, published_issuer)
    # First: what follows uses up how often an address may try.
    passkeys.attack(site, report)
    sign_in.attack(site, report)
    behind_proxy = Site(host, int(second_port), issuer, secret)
    mailed.attack(behind_proxy, mailed.Outbox(outbox), report)
    spread.attack([site, behind_proxy], report)
    pages.attack(site, report)
    attacker_token = site.token(site.claims(attacker))
    fields.stranger(site, report, description, attacker_token, ids)
    fields.attack(site, report, description, attacker_token, ids)
    fields.brute_force(site, report, site.token(site.claims(fields.new_account())))
    wire.attack(site, report, victim_token, members)
    wire.slow_readers(site, report, process)
    report.row("the victims' family", 1, "as it was" if seen_by_victim() == before else "changed",
               [] if seen_by_victim() == before else ["it has changed"])
    print(f"{len(report.findings)} findings")
    return 1 if report.findings else 0


sys.exit(main())
