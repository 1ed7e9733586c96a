"""Attacks on passkeys: replayed, forged, copied, foreign and malformed responses."""
import base64
import hashlib
import html
import json
import os
import re
import subprocess
import tempfile
import threading

import fields
from browse import Answer, Browser, Form, forms_of
from household import Person
from tools import Report, Site, encoded


class Passkey:
    """A passkey in software: an OpenSSL key, and the authenticator data about it."""

    def __init__(self, site: Site, folder: str):
        self.domain, self.origin = site.host, f"http://{site.host}:{site.port}"
        self.id, self.counter, self.flags = os.urandom(32), 1, 5
        self.key = os.path.join(folder, self.id.hex())
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-out", self.key], check=True, capture_output=True)
        public = subprocess.run(
            ["openssl", "pkey", "-in", self.key, "-pubout", "-outform", "DER"], check=True,
            capture_output=True).stdout
        x, y = public[-64:-32], public[-32:]
        self.cose = bytes.fromhex("a5010203262001215820") + x + bytes.fromhex("225820") + y

    def changed(self, **changes) -> "Passkey":
        other = object.__new__(Passkey)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps(
            {"type": kind, "challenge": challenge, "origin": self.origin,
             "crossOrigin": False}).encode()

    def _data(self, flags: int) -> bytes:
        return (hashlib.sha256(self.domain.encode()).digest() + bytes([flags])
                + self.counter.to_bytes(4, "big"))

    def registration(self, challenge: str) -> dict:
        data = (self._data(self.flags | 0x40) + bytes(16) + len(self.id).to_bytes(2, "big")
                + self.id + self.cose)
        attestation = (bytes.fromhex("a363666d74646e6f6e656761747453746d74a0")
                       + bytes.fromhex("686175746844617461") + b"\x59"
                       + len(data).to_bytes(2, "big") + data)
        return self._credential(self._client("webauthn.create", challenge),
                                attestationObject=encoded(attestation))

    def assertion(self, challenge: str, kind: str = "webauthn.get") -> dict:
        client, data = self._client(kind, challenge), self._data(self.flags)
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key], check=True, capture_output=True,
            input=data + hashlib.sha256(client).digest()).stdout
        return self._credential(client, authenticatorData=encoded(data),
                                signature=encoded(signature))

    def _credential(self, client: bytes, **response) -> dict:
        return {"id": encoded(self.id), "rawId": encoded(self.id), "type": "public-key",
                "response": {"clientDataJSON": encoded(client), **response}}


def attack(site: Site, proxied: Site, report: Report) -> None:
    """The second site is another process of the first one, and trusts X-Forwarded-For."""
    with tempfile.TemporaryDirectory() as folder:
        token = _signed_in(site)
        passkey, other = Passkey(site, folder), Passkey(site, folder)
        added = _register(site, token, passkey.registration(_challenge(site, "register", token)))
        used = _assert(site, passkey.changed(counter=2).assertion(_challenge(site, "assert")))
        report.statuses("a passkey of its owner", [("added", added), ("used", used)], {200})
        passkey.counter = 100
        _forged(site, report, passkey, other, token)
        _strangers(site, report, other, token)
        _bombs(site, report, token, passkey)
        FormAttack(site, proxied, folder).run(report)
        # Last, because it uses up the attempts of an address.
        _replay(site, report, passkey.changed(counter=200))


def _signed_in(site: Site) -> str:
    claims = site.claims(fields.new_account())
    _, answer = site.send("POST", "/api/auth/exchange", body={"token": site.token(claims)})
    return json.loads(answer)["access_token"]


def _challenge(site: Site, purpose: str, token: str | None = None) -> str:
    status, answer = site.send(
        "POST", "/api/auth/passkeys/options", token, {"purpose": purpose})
    if status != 200:
        raise SystemExit(f"no options: {status} {answer!r}")
    return json.loads(answer)["publicKey"]["challenge"]


def _register(site: Site, token: str, credential: dict) -> int:
    return site.send(
        "POST", "/api/auth/passkeys/register", token, {"credential": credential})[0]


def _assert(site: Site, credential: dict) -> int:
    return site.send("POST", "/api/auth/passkeys/assert", body={"credential": credential})[0]


def _replay(site: Site, report: Report, passkey: Passkey) -> None:
    """One response sent fifty times at once gives one session."""
    credential = passkey.assertion(_challenge(site, "assert"))
    results = [0] * 50

    def one(index):
        results[index] = _assert(site, credential)

    threads = [threading.Thread(target=one, args=(index,)) for index in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    findings = [] if results.count(200) == 1 else [f"{results.count(200)} sessions"]
    report.row("one answer fifty times at once", 50, f"{results.count(200)} session", findings)
    report.statuses("the same answer afterwards", [("again", _assert(site, credential))],
                    {410, 429})


def _forged(site: Site, report: Report, passkey: Passkey, other: Passkey, token: str) -> None:
    """Responses of another passkey, to another challenge, or of another origin."""
    def fresh() -> str:
        return _challenge(site, "assert")

    made_up = encoded(os.urandom(56))
    honest = passkey.assertion(fresh())
    unsigned = json.loads(json.dumps(honest))
    data = base64.urlsafe_b64decode(honest["response"]["authenticatorData"] + "==")
    unsigned["response"]["authenticatorData"] = encoded(data[:33] + b"\xff\xff\xff\xff")
    late = fresh()
    late = late[:24] + ("A" if late[24] != "A" else "B") + late[25:]
    forged = [
        ("another's key", other.changed(id=passkey.id, counter=100).assertion(fresh())),
        ("an unknown passkey", other.assertion(fresh())),
        ("a changed counter", unsigned),
        ("a lower counter", passkey.changed(counter=1).assertion(fresh())),
        ("no counter", passkey.changed(counter=0).assertion(fresh())),
        ("another origin", passkey.changed(origin="https://evil.example").assertion(fresh())),
        ("another site's passkey", passkey.changed(domain="evil.example").assertion(fresh())),
        ("nobody there", passkey.changed(flags=0).assertion(fresh())),
        ("an answer for registering", passkey.assertion(fresh(), "webauthn.create")),
        ("a made-up challenge", passkey.assertion(made_up)),
        ("a challenge with a later end", passkey.assertion(late)),
        ("a challenge to register", passkey.assertion(_challenge(site, "register", token))),
    ]
    results = [(what, _assert(site, credential)) for what, credential in forged]
    report.statuses("forged answers of passkeys", results, {400, 401, 410})


def _strangers(site: Site, report: Report, passkey: Passkey, token: str) -> None:
    """Attempts to add a passkey to another account, or to none."""
    stranger = _signed_in(site)
    mine = _challenge(site, "register", token)
    results = [
        ("another's challenge", _register(site, stranger, passkey.registration(mine))),
        ("a challenge to sign in",
         _register(site, stranger, passkey.registration(_challenge(site, "assert")))),
        ("nobody", site.send("POST", "/api/auth/passkeys/register",
                             body={"credential": passkey.registration(mine)})[0]),
        ("options of nobody", site.send("POST", "/api/auth/passkeys/options",
                                        body={"purpose": "register"})[0]),
    ]
    report.statuses("passkeys for another's account", results, {401, 410})


def _bombs(site: Site, report: Report, token: str, passkey: Passkey) -> None:
    """CBOR that is truncated, deeply nested, or endless."""
    heads = ["9b7fffffffffffffff", "bb7fffffffffffffff", "5b7fffffffffffffff",
             "9bffffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff", "9f" * 4000,
             "bf" * 4000, "81" * 8000, "a1" * 8000, "d9d9f7" * 2000, "5f" + "40" * 8000,
             "98ff" + "00" * 255, "", "ff", "fb7ff0000000000000"]
    results = []
    for head in heads:
        credential = passkey.registration(_challenge(site, "register", token))
        credential["response"]["attestationObject"] = encoded(bytes.fromhex(head))
        results.append((head[:18], _register(site, token, credential)))
    report.statuses("attestation objects that are none", results, {400})


class FormAttack:
    """The forms of pages that need a device, sent with valid passkeys. The attacks on all other
    forms are in forms.py."""

    SITES = [{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
             {"Sec-Fetch-Site": "same-site", "Origin": "https://other.example"},
             {"Sec-Fetch-Site": "cross-site", "Origin": "null"}]
    TOKENS = ["", "A" * 43]

    def __init__(self, site: Site, proxied: Site, folder: str):
        # Browsers use the process that trusts X-Forwarded-For: their attempts are not counted
        # together with the others.
        self.site, self.proxied, self.folder, self.count = site, proxied, folder, 1000
        self.findings: list[str] = []
        self.tries = 0
        self.owner = Person(proxied, "kay", "Kay Keyholder", "parent")
        self.stranger = Person(proxied, "len", "Len Lurker", "parent")
        for person in (self.owner, self.stranger):
            person.choose_password()
            person.browser = person.sign_in()

    def run(self, report: Report) -> None:
        passkey = self._additions()
        report.row("forms that add a passkey", self.tries, "the owner's only", self.findings)
        self.findings, self.tries = [], 0
        self._sign_ins(passkey)
        report.row("forms that sign in by a passkey", self.tries, "the owner's only, once",
                   self.findings)

    def _expect(self, what: str, is_right: bool, answer: Answer) -> None:
        self.tries += 1
        if not is_right:
            self.findings.append(f"{what}: {answer.status} {answer.header('Location')}")

    # MARK: Adding

    def _additions(self) -> Passkey:
        owner, stranger = self.owner.browser, self.stranger.browser
        for headers in self.SITES:
            self._refused(f"from {headers}", headers=headers)
        for token in self.TOKENS + [_value(stranger, "form_token")]:
            self._refused(f"with the token {token!r}", form_token=token)
        self._refused("a stranger's browser with the owner's form", sender=stranger)
        self._refused("a stranger's browser with the owner's options", sender=stranger,
                      form_token=_value(stranger, "form_token"))
        self._refused("a browser that is signed out", sender=Browser(self.proxied, "nobody"))
        for odd in ("", "{}", "[]", "null", "\0", "x" * 9000):
            self._refused(f"the credential {odd[:9]!r}", credential=odd)
        before = self._passkeys(self.owner)
        passkey, values = self._form()
        answer = owner.post("/account", values)
        is_added = answer.status == 303 and answer.header("Location").endswith("done=add-passkey")
        self._expect("the owner's form",
                     is_added and self._passkeys(self.owner) == before + 1, answer)
        again = owner.post("/account", values)
        self._expect("the owner's form again", self._passkeys(self.owner) == before + 1, again)
        return passkey

    def _form(self, **changes) -> tuple[Passkey, list[tuple[str, object]]]:
        """The form of the owner's page, with a new passkey."""
        text = self.owner.browser.open("/account").text
        options = json.loads(html.unescape(re.search(r'data-options="([^"]+)"', text).group(1)))
        passkey = Passkey(self.site, self.folder)
        credential = passkey.registration(options["publicKey"]["challenge"])
        form = _form_of("/account", text, "add-passkey")
        return passkey, _filled(form, **{"credential": json.dumps(credential), **changes})

    def _refused(self, what: str, sender: Browser | None = None, headers=None, **changes) -> None:
        people = (self.owner, self.stranger)
        before = [self._passkeys(person) for person in people]
        _, values = self._form(**changes)
        answer = (sender or self.owner.browser).twin().post("/account", values, headers)
        is_refused = answer.status in (400, 401, 403, 409, 410) or (
            answer.status == 303 and "sign-in" in answer.header("Location"))
        self._expect(what, is_refused and before == [self._passkeys(person) for person in people],
                     answer)

    def _passkeys(self, person: Person) -> int:
        return len(person.ask("GET", "/api/me/passkeys")["passkeys"])

    # MARK: Signing in

    def _sign_ins(self, passkey: Passkey) -> None:
        def send(what, is_allowed=False, headers=None, **changes) -> list[tuple[str, object]]:
            self.count += 1
            browser = Browser(self.proxied, "door")
            form = _form_of("/sign-in", browser.open("/sign-in").text, "passkey")
            credential = passkey.changed(counter=self.count).assertion(
                _challenge(self.site, "assert"))
            values = _filled(form, **{"credential": json.dumps(credential), **changes})
            answer = browser.post("/sign-in", values, headers)
            is_in = self._is_signed_in(browser)
            leads = answer.status == 303 and answer.header("Location") == "account"
            self._expect(what, leads and is_in if is_allowed
                         else answer.status in (400, 401, 403) and not is_in, answer)
            return values

        for headers in self.SITES:
            send(f"from {headers}", headers=headers)
        for token in self.TOKENS + [_value(self.stranger.browser, "form_token")]:
            send(f"with the token {token!r}", form_token=token)
        for odd in ("", "{}", "[]", "null", "\0"):
            send(f"the credential {odd!r}", credential=odd)
        values = send("the owner's form", is_allowed=True)
        for target in ("https://evil.example", "//evil.example", "/\\evil.example"):
            send(f"leading to {target}", is_allowed=True, **{"return": target})
        # Somebody has seen the response, and sends it in another browser.
        thief = Browser(self.proxied, "thief")
        form = _form_of("/sign-in", thief.open("/sign-in").text, "passkey")
        answer = thief.post("/sign-in", _filled(form, credential=dict(values)["credential"]))
        self._expect("a response that was used", answer.status in (400, 401, 410)
                     and not self._is_signed_in(thief), answer)

    def _is_signed_in(self, browser: Browser) -> bool:
        # Browsers that are not signed in have a cookie, too: for the tokens of forms.
        return browser.twin().open("/account").status == 200


def _form_of(page: str, text: str, action: str) -> Form:
    return next(form for form in forms_of(page, text) if form.action == action)


def _filled(form: Form, **changes) -> list[tuple[str, object]]:
    values = {field.name: field.value for field in form.fields}
    return list({**values, **changes}.items())


def _value(browser: Browser, name: str) -> str:
    text = browser.open("/account").text
    return next(form.value(name) for form in forms_of("/account", text) if form.has(name))
