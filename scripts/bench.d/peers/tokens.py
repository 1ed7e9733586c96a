"""Prints one HS256 token a line for accounts of sql/bench/fill.sql.

usage: tokens.py ISSUER SECRET_FILE FIRST COUNT STEP [new]

Account n has the id that fill.sql gives it and the address user<n>@example.com. With `new` the
tokens are for people whom the database has not seen yet.
"""
import base64
import hashlib
import hmac
import json
import sys
import time
import uuid


def encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def main() -> None:
    issuer, secret_file, first, count, step = sys.argv[1:6]
    new = sys.argv[6:] == ["new"]
    with open(secret_file, "rb") as file:
        secret = file.read().rstrip(b"\r\n")
    now = int(time.time())
    head = encoded(b'{"alg":"HS256","typ":"JWT"}')
    for index in range(int(count)):
        number = int(first) + index * int(step)
        subject = f"00000000-0000-4000-8000-{number:012x}"
        if new:
            subject = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{now}-{number}"))
        claims = {
            "iss": issuer, "sub": subject, "aud": "authenticated", "role": "authenticated",
            "is_anonymous": False, "iat": now, "exp": now + 86400,
            "email": f"{'new' + str(now) + '-' if new else 'user'}{number}@example.com",
            "user_metadata": {"full_name": f"User {number}", "role": "parent"},
        }
        signed = head + b"." + encoded(json.dumps(claims).encode())
        signature = hmac.new(secret, signed, hashlib.sha256).digest()
        print((signed + b"." + encoded(signature)).decode())


main()
