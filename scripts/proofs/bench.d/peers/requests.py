"""Prints requests for wrk, one a line: method, path, token, body, between tabs.

usage: requests.py ISSUER SECRET_FILE members|families|create|join FIRST COUNT FAMILIES [STRIDE]

Accounts and families are those of sql/bench/fill.sql and write-accounts.sql: account n has an id
made from n and the address user<n>@example.com. `members` lets the Parent Admin of family k read it,
`families` list its families, for COUNT k from FIRST, STRIDE (1) apart; after the last family they
begin again, with other tokens. `create` and `join` take the accounts from FIRST on, each once.
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


def main() -> None:
    issuer, secret_file, kind = sys.argv[1:4]
    first, count, families = (int(word) for word in sys.argv[4:7])
    stride = int(sys.argv[7]) if len(sys.argv) > 7 else 1
    with open(secret_file, "rb") as file:
        secret = file.read().rstrip(b"\r\n")
    now = int(time.time())
    for number in range(first, first + count * stride, stride):
        if kind in ("members", "families"):
            rounds, number = divmod(number - 1, families)
            number += 1
            account = 3 * number - 1
            path = "/api/family"
            if kind == "members":
                path += f"/members?familyId=00000000-0000-4000-9000-{number:012x}"
            line = ("GET", path, token(issuer, secret, account, now - rounds), "")
        elif kind == "create":
            line = ("POST", "/api/family/create", token(issuer, secret, number, now), "{}")
        else:
            code = f"{number % families + 1:06X}".translate(str.maketrans("01", "XY"))
            body = json.dumps({"familyCode": f"FAM-{code}"})
            line = ("POST", "/api/family/code/join", token(issuer, secret, number, now), body)
        print("\t".join(line))


main()
