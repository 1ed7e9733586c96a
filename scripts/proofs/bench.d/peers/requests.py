"""Prints requests for wrk, one per line: method, path, token and body, separated by tabs.

usage: requests.py ISSUER SECRET_FILE KIND FIRST COUNT FAMILIES [STRIDE]

Accounts and families are those of sql/bench/fill.sql and write-accounts.sql: account n has an id
made from n and the address user<n>@example.com.

Reads, for the Parent Admins of COUNT families from FIRST on, STRIDE (1) apart: `members` reads the
family's members, `families` the person's families, `profile` the person's profile, `invitations` the
family's invitations, `family` the family itself, `audit` its audit log. After the last family they
begin again, with other tokens.

Sign-ins, for the same people: `exchange` opens a session with a token of the provider.

Writes: `create`, `join` and `accept` take the accounts from FIRST on, each once; `invite` lets the
Parent Admins of all families invite in turn, beginning with that of family FIRST modulo FAMILIES + 1.
"""
import base64
import hashlib
import hmac
import json
import sys
import time


def encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(issuer: str, secret: bytes, account: int, now: int) -> str:
    claims = {
        "iss": issuer, "sub": f"00000000-0000-4000-8000-{account:012x}", "aud": "authenticated",
        "role": "authenticated", "is_anonymous": False, "iat": now, "exp": now + 86400,
        "email": f"user{account}@example.com",
    }
    signed = encoded(b'{"alg":"HS256","typ":"JWT"}') + b"." + encoded(json.dumps(claims).encode())
    signature = hmac.new(secret, signed, hashlib.sha256).digest()
    return (signed + b"." + encoded(signature)).decode()


def family_id(number: int) -> str:
    return f"00000000-0000-4000-9000-{number:012x}"


# The path for the Parent Admin of a family.
READS = {
    "members": lambda family: f"/api/family/members?familyId={family_id(family)}",
    "families": lambda family: "/api/family",
    "profile": lambda family: "/api/me",
    "invitations": lambda family: f"/api/family/invitations?familyId={family_id(family)}",
    "family": lambda family: f"/api/family/{family_id(family)}",
    "audit": lambda family: f"/api/family/audit?familyId={family_id(family)}",
}


def write(kind: str, number: int, families: int) -> tuple[int, str, dict]:
    """The account, path and body of a write."""
    if kind == "create":
        return number, "/api/family/create", {}
    if kind == "join":
        code = f"{number % families + 1:06X}".translate(str.maketrans("01", "XY"))
        return number, "/api/family/code/join", {"familyCode": f"FAM-{code}"}
    if kind == "accept":
        invitation = f"00000000-0000-4000-b000-{number:012x}"
        return number, f"/api/me/invitations/{invitation}/accept", {}
    if kind == "invite":
        family = number % families + 1
        body = {"role": "parent", "delivery": "link", "familyId": family_id(family)}
        return 3 * family - 1, "/api/family/invite", body
    raise SystemExit(f"there is no kind '{kind}'")


def main() -> None:
    issuer, secret_file, kind = sys.argv[1:4]
    first, count, families = (int(word) for word in sys.argv[4:7])
    stride = int(sys.argv[7]) if len(sys.argv) > 7 else 1
    with open(secret_file, "rb") as file:
        secret = file.read().rstrip(b"\r\n")
    now = int(time.time())
    for number in range(first, first + count * stride, stride):
        if kind in READS or kind == "exchange":
            rounds, family = divmod(number - 1, families)
            sent = token(issuer, secret, 3 * family + 2, now - rounds)
            if kind == "exchange":
                line = ("POST", "/api/auth/exchange", "", json.dumps({"token": sent}))
            else:
                line = ("GET", READS[kind](family + 1), sent, "")
        else:
            account, path, body = write(kind, number, families)
            line = ("POST", path, token(issuer, secret, account, now), json.dumps(body))
        print("\t".join(line))


main()
