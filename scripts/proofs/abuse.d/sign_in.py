"""Attacks on signing in: stolen and forged tokens, guessed passwords, revealing responses."""
import base64
import json
import statistics
import subprocess
import tempfile
import threading
import time

import fields
from tools import Report, Site, encoded

PASSWORD = "gull kettle north 88 moss"


def attack(site: Site, report: Report) -> None:
    account = fields.new_account()
    claims = site.claims(account)
    session = _session(site, site.token(claims))
    _forged(site, report, session)
    _cookies(site, report, session)
    _replay(site, report, site.token(claims))
    _passwords(site, report, session, claims["email"])


def _session(site: Site, token: str) -> dict:
    status, answer = site.send("POST", "/api/auth/exchange", body={"token": token})
    if status != 200:
        raise SystemExit(f"no session: {status} {answer!r}")
    return json.loads(answer)


def at_once(count: int, ask) -> list:
    """Responses to a number of simultaneous calls."""
    results = [None] * count

    def one(index):
        results[index] = ask(index)

    threads = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _forged(site: Site, report: Report, session: dict) -> None:
    """The session's own token, changed in every way that needs no key."""
    head, body, signature = session["access_token"].split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    payload = json.loads(base64.urlsafe_b64decode(body + "=="))
    _, answer = site.send("GET", "/.well-known/jwks.json")
    key = json.loads(answer)["keys"][0]

    def sealed(header: dict, payload: dict, secret: bytes) -> str:
        return site.sealed(json.dumps(header).encode(), json.dumps(payload).encode(), secret)

    def changed(**claims) -> str:
        return ".".join([head, encoded(json.dumps({**payload, **claims}).encode()), signature])

    forged = [
        ("another subject", changed(sub=fields.new_account())),
        ("another session", changed(sid=fields.new_account())),
        ("a later end", changed(exp=payload["exp"] + 9999)),
        ("no algorithm", encoded(json.dumps({**header, "alg": "none"}).encode()) + f".{body}."),
        ("the public key as a secret",
         sealed({**header, "alg": "HS256"}, payload, (key["x"] + key["y"]).encode())),
        ("another issuer's secret", sealed({**header, "alg": "HS256"}, payload, site.secret)),
        ("the session in another issuer's token",
         site.token({**site.claims(fields.new_account()), "sid": payload["sid"],
                     "iss": payload["iss"]})),
        ("the refresh token", session["refresh_token"]),
        ("another key under its name", _signed_by_another_key(header, payload)),
        ("a key of its own",
         _signed_by_another_key({**header, "kid": "mine", "jwk": key}, payload)),
        ("a key from elsewhere",
         _signed_by_another_key({**header, "jku": "https://evil.example/keys"}, payload)),
    ]
    results = [(what, site.send("GET", "/api/me", token)[0]) for what, token in forged]
    results.append(
        ("its own token to exchange",
         site.send("POST", "/api/auth/exchange", body={"token": session["access_token"]})[0]))
    report.statuses("forged tokens of a session", results, {401})


def _signed_by_another_key(header: dict, payload: dict) -> str:
    """A token that is valid except for its key."""
    signed = encoded(json.dumps(header).encode()) + "." + encoded(json.dumps(payload).encode())
    with tempfile.NamedTemporaryFile() as key:
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-out", key.name], check=True, capture_output=True)
        der = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", key.name], input=signed.encode(), check=True,
            capture_output=True).stdout
    first = der[4:4 + der[3]]
    second = der[6 + der[3]:]
    signature = b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (first, second))
    return signed + "." + encoded(signature)


def _cookies(site: Site, report: Report, session: dict) -> None:
    """The API never accepts a cookie."""
    names = ["hearth", "__Host-hearth", "session", "access_token"]
    results = []
    for name in names:
        for value in [session["access_token"], session["refresh_token"]]:
            status, _ = site.send("GET", "/api/me", headers={"Cookie": f"{name}={value}"})
            results.append((name, status))
    report.statuses("tokens as cookies", results, {401})


def _replay(site: Site, report: Report, token: str) -> None:
    """A stolen refresh token, used at the same time as its owner's and afterwards."""
    start = _session(site, token)["refresh_token"]

    def refresh(token):
        status, answer = site.send("POST", "/api/auth/refresh", body={"refresh_token": token})
        return status, json.loads(answer)

    answers = at_once(50, lambda _: refresh(start))
    following = {answer.get("refresh_token") for status, answer in answers if status == 200}
    findings = [] if len(following) == 1 else [f"{len(following)} tokens followed"]
    report.row("fifty refresh at once", 50, "one token follows", findings)
    latest = refresh(following.pop())[1]
    for _ in range(2):
        latest = refresh(latest["refresh_token"])[1]
    thief = at_once(50, lambda _: refresh(start)[0])
    report.statuses(
        "a stolen refresh token", [("used again", status) for status in thief], {401})
    owner = site.send("GET", "/api/me", latest["access_token"])[0]
    report.statuses("its session afterwards", [("the owner's token", owner)], {401})


def _passwords(site: Site, report: Report, session: dict, email: str) -> None:
    status, _ = site.send(
        "PUT", "/api/me/password", session["access_token"], {"newPassword": PASSWORD})
    report.statuses("a first password", [("set", status)], {200})

    def sign_in(address, password):
        begun = time.monotonic()
        status, answer = site.send(
            "POST", "/api/auth/sign-in", body={"email": address, "password": password})
        return status, answer, time.monotonic() - begun

    known, unknown = [], []
    for number in range(9):
        known.append(sign_in(email, f"wrong password {number}"))
        unknown.append(sign_in(f"nobody{number}-{email}", f"wrong password {number}"))
    told = {(status, len(answer)) for status, answer, _ in known + unknown}
    findings = [] if len(told) == 1 else [f"answers differ: {told}"]
    medians = [statistics.median(seconds for _, _, seconds in part) for part in (known, unknown)]
    if max(medians) > 2 * min(medians):
        findings.append(f"medians of {medians[0]:.3f} s and {medians[1]:.3f} s")
    report.row("known and unknown addresses", 18,
               f"{medians[0] * 1000:.0f} ms and {medians[1] * 1000:.0f} ms", findings)
    guesses = at_once(40, lambda number: sign_in(email, f"guess {number}")[0])
    report.statuses("forty passwords at once", [("guess", status) for status in guesses],
                    {401, 429, 503})
    looked = len([status for status in guesses if status == 401])
    if looked > 1:
        report.row("passwords looked at", 40, str(looked), ["more than ten in all"])
    mails = [site.send("POST", "/api/auth/email", body={"email": email})[0] for _ in range(8)]
    report.statuses("a flood of codes to one address",
                    [("mail", status) for status in mails], {202, 429})
    if mails.count(202) > 5:
        report.row("mails to one address", 8, str(mails.count(202)), ["more than five"])
