"""Attacks on signing in with an identity provider on the pages: forged, replayed, mixed up and
injected responses, redirects, and a provider that hangs."""
import base64
import hashlib
import hmac
import http.client
import http.server
import json
import re
import secrets
import threading
import time
import urllib.parse

from tools import Report, Site, encoded

CLIENT, SECRET = "pages", "the secret of pages"


class Provider:
    """An OpenID provider on this machine, whose ID tokens are signed by HS256."""

    def __init__(self, port: int, secret_file: str, name: str):
        self.issuer, self.name = f"http://127.0.0.1:{port}", name
        with open(secret_file, "rb") as file:
            self.secret = file.read().rstrip(b"\r\n")
        self.codes: dict[str, dict] = {}
        self.asked = 0
        # What the next ID tokens have instead.
        self.claims: dict = {}
        self.header = {"alg": "HS256", "typ": "JWT"}
        self.signing_secret = self.secret
        self.released = threading.Event()
        self.released.set()
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def reply(self, status, value):
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.reply(200, {
                    "issuer": provider.issuer, "token_endpoint": provider.issuer + "/token",
                    "authorization_endpoint": provider.issuer + "/authorize",
                    "authorization_response_iss_parameter_supported": True})

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answer = provider.token(
                    dict(urllib.parse.parse_qsl(body)), self.headers.get("Authorization", ""))
                try:
                    self.reply(*answer)
                except OSError:  # the API has stopped waiting, as it must
                    pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def token(self, form: dict, authorization: str):
        self.asked += 1
        self.released.wait(30)
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        if [urllib.parse.unquote(part) for part in pair.split(":")] != [CLIENT, SECRET]:
            return 401, {"error": "invalid_client"}
        found = self.codes.pop(form.get("code", ""), None)
        proof = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if found is None or found["code_challenge"] != proof:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": found["subject"], "aud": CLIENT, "iat": now,
            "exp": now + 600, "nonce": found["nonce"], "email_verified": True,
            "email": f"{found['subject']}@example.com", **self.claims}
        text = encoded(json.dumps(self.header).encode()) + "."
        text += encoded(json.dumps(claims).encode())
        seal = hmac.new(self.signing_secret, text.encode(), hashlib.sha256).digest()
        return 200, {"access_token": "a", "token_type": "Bearer",
                     "id_token": text + "." + encoded(seal)}

    def await_start(self, browser, query: str = "") -> str:
        """Where a browser of this file, or of browse.py, is led to sign in, once the API has
        fetched the provider's description."""
        location = ""
        for _ in range(300):
            location = browser.begin(self, query)
            if location.startswith(self.issuer):
                return location
            time.sleep(0.1)
        raise SystemExit(f"no sign-in begins at the provider, but at {location!r}")

    def authorize(self, location: str, subject: str | None = None) -> dict:
        """The response to a request that Hearth has led to."""
        request = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        code = secrets.token_urlsafe(16)
        self.codes[code] = {"subject": subject or secrets.token_hex(8), **request}
        return {"code": code, "state": request["state"], "iss": self.issuer}


class Browser:
    """A browser that keeps cookies and follows no redirects."""

    def __init__(self, site: Site, network: int = 0):
        self.site, self.cookies = site, {}
        self.headers = {"X-Forwarded-For": f"10.7.{network}.1"}

    def send(self, method: str, path: str, form: dict | None = None, **headers):
        sent = {**self.headers, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(self.site.host, self.site.port, timeout=40)
        try:
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            text = answer.read().decode()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.split(";")[0].partition("=")
                if "Max-Age=0" in cookie:
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = value
            return answer.status, answer.getheader("Location") or "", text
        finally:
            connection.close()

    def begin(self, provider: Provider, query: str = "") -> str:
        return self.send("GET", f"/sign-in/with/{provider.name}{query}")[1]

    def back(self, response: dict, at: str = "Gull", **more):
        return self.send("GET", f"/sign-in/callback/{at}?" + urllib.parse.urlencode(
            {**response, **more}))

    @property
    def is_signed_in(self) -> bool:
        return "hearth" in self.cookies


def attack(site: Site, report: Report, providers: list[Provider]) -> None:
    gull, tern = providers
    gull.await_start(Browser(site))
    _responses(site, report, gull, tern)
    _tokens(site, report, gull)
    _redirects(site, report, gull)
    _parameters(site, report, gull)
    _hanging(site, report, gull)


def _responses(site: Site, report: Report, gull: Provider, tern: Provider) -> None:
    findings, tries = [], 0

    def refuses(what, browser, result):
        nonlocal tries
        tries += 1
        if result[0] != 400 or browser.is_signed_in:
            findings.append(f"{what}: {result[0]}")

    attacker, victim = Browser(site), Browser(site)
    response = gull.authorize(attacker.begin(gull))
    victim.begin(gull)
    asked = gull.asked
    refuses("state of another browser", victim, victim.back(response))
    own = next(name for name in victim.cookies if "-oidc-" in name)
    stolen = next(name for name in attacker.cookies if "-oidc-" in name)
    victim.cookies[own] = attacker.cookies[stolen]
    refuses("another browser's cookie under an own name", victim, victim.back(response))
    if gull.asked != asked:
        findings.append("a code of another browser was exchanged")
    honest = Browser(site)
    code = gull.authorize(honest.begin(gull))["code"]
    thief = Browser(site)
    refuses("an injected code", thief, thief.back(gull.authorize(thief.begin(gull)), code=code))
    # The code belongs to another request: only the verifier, or only the nonce, is another one.
    for what, name in (("a wrong code verifier", "code_challenge"), ("a replayed nonce", "nonce")):
        earlier, browser = Browser(site).begin(gull), Browser(site)
        led = _with_parameter_of(earlier, name, browser.begin(gull))
        refuses(what, browser, browser.back(gull.authorize(led)))
    for issuer in (tern.issuer, "", gull.issuer + "/"):
        mixed = Browser(site)
        refuses(f"iss {issuer!r}", mixed, mixed.back(
            gull.authorize(mixed.begin(gull)), iss=issuer))
    mixed = Browser(site)
    refuses("another provider's response", mixed, mixed.back(
        {**tern.authorize(mixed.begin(gull)), "iss": gull.issuer}))
    # A malicious provider leads on to an honest one, with the victim's state.
    crossed, own = Browser(site), Browser(site).begin(gull)
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(crossed.begin(tern)).query)["state"][0]
    led = re.sub(r"state=[^&]*", f"state={state}", own)
    refuses("a code that another provider led to", crossed, crossed.back(gull.authorize(led)))
    twice = Browser(site)
    response = gull.authorize(twice.begin(gull))
    copy = Browser(site)
    copy.cookies = dict(twice.cookies)
    if twice.back(response)[0] != 303 or not twice.is_signed_in:
        findings.append("an honest sign-in failed")
    refuses("a copy of a finished sign-in", copy, copy.back(response))
    form = Browser(site)
    refuses("a form instead of an address", form, form.send(
        "POST", f"/sign-in/callback/{gull.name}", gull.authorize(form.begin(gull)),
        Origin="https://evil.example", **{"Sec-Fetch-Site": "cross-site"}))
    report.row("responses of providers", tries, "refused", findings)


def _with_parameter_of(other: str, name: str, location: str) -> str:
    """The address of a provider's page with a parameter of another one."""
    path, _, query = location.partition("?")
    parameters = dict(urllib.parse.parse_qsl(query))
    parameters[name] = dict(urllib.parse.parse_qsl(other.partition("?")[2]))[name]
    return path + "?" + urllib.parse.urlencode(parameters)


def _tokens(site: Site, report: Report, gull: Provider) -> None:
    findings = []
    now = int(time.time())
    cases = [
        {"nonce": "an-earlier-one"}, {"nonce": None}, {"nonce": ["x"]}, {"aud": "hearth"},
        {"aud": ["pages", "other"]}, {"aud": [], "azp": "pages"}, {"azp": "other"},
        {"iss": "https://hearth.localhost/auth/v1"}, {"exp": now - 1}, {"at_hash": "AAAA"},
        {"sub": None}, {"iat": None}]
    for claims in cases:
        gull.claims = claims
        browser = Browser(site)
        status, _, _ = browser.back(gull.authorize(browser.begin(gull)))
        if status != 400 or browser.is_signed_in:
            findings.append(f"{claims}: {status}")
    gull.claims = {}
    for header in ({"alg": "none"}, {"alg": "RS256"}, {"alg": "HS256", "typ": "at+jwt"},
                   {"alg": "HS256", "jwk": {}}, {"alg": "HS256", "kid": "x", "crit": ["x"]}):
        gull.header = header
        browser = Browser(site)
        status, _, _ = browser.back(gull.authorize(browser.begin(gull)))
        if status != 400 or browser.is_signed_in:
            findings.append(f"{header}: {status}")
    gull.header = {"alg": "HS256", "typ": "JWT"}
    gull.signing_secret = SECRET.encode()
    browser = Browser(site)
    status, _, _ = browser.back(gull.authorize(browser.begin(gull)))
    if status != 400 or browser.is_signed_in:
        findings.append(f"signed with the client's secret: {status}")
    gull.signing_secret = gull.secret
    report.row("ID tokens of providers", len(cases) + 6, "refused", findings)


def _redirects(site: Site, report: Report, gull: Provider) -> None:
    targets = ["https://evil.example", "//evil.example", "/\\evil.example", "/account/../../x",
               "javascript:alert(1)", "/join?x=\r\nLocation: https://evil.example", "/sign-in"]
    findings = []
    for target in targets:
        browser = Browser(site)
        begun = browser.begin(gull, "?return=" + urllib.parse.quote(target, safe=""))
        if not begun.startswith(gull.issuer + "/authorize?"):
            findings.append(f"{target!r}: began at {begun!r}")
            continue
        _, location, _ = browser.back(
            gull.authorize(begun), **{"return": target, "redirect_uri": target, "next": target})
        callback = urllib.parse.urljoin("https://site.example/sign-in/callback/", gull.name)
        if urllib.parse.urljoin(callback, location) != "https://site.example/account":
            findings.append(f"{target!r}: {location!r}")
    report.row("redirects after a provider", len(targets), "to the account", findings)


def _parameters(site: Site, report: Report, gull: Provider) -> None:
    odd = ["", "\0", "x" * 9000, "é\u202e", "%", "'\"><script>", "{}", "[]"]
    results = []
    for name in ("state", "code", "iss", "error", "user", "return", "add"):
        for value in odd:
            query = "?" + urllib.parse.urlencode({name: value})
            browser = Browser(site)
            for path in (f"/sign-in/with/{gull.name}", f"/sign-in/callback/{gull.name}"):
                status, _, text = browser.send("GET", path + query)
                results.append((f"{path} {name}={value[:9]!r}", status))
                if "<script>" in text:
                    results.append((f"{path} {name}: repeated", "repeated"))
            status, _, _ = browser.send(
                "POST", f"/sign-in/callback/{gull.name}", {name: value})
            results.append((f"form {name}={value[:9]!r}", status))
    for mark in ("hearth-oidc-xxxxxxxx", "hearth-oidc-", "hearth-oidc-x y", "hearth-oidc-" + "y" * 99):
        browser = Browser(site)
        browser.cookies = {mark: "A" * 3000}
        results.append((mark, browser.send("GET", f"/sign-in/with/{gull.name}")[0]))
    report.statuses("parameters of providers", results, {303, 400, 403, 414, 431})


def _hanging(site: Site, report: Report, gull: Provider) -> None:
    """While the token endpoint hangs, everything else goes on, and sign-ins get 503 in time."""
    gull.released.clear()
    results, findings = [], []

    def sign_in(number):
        browser = Browser(site, number)
        response = gull.authorize(browser.begin(gull))
        begun = time.monotonic()
        status = browser.back(response)[0]
        results.append((status, time.monotonic() - begun))

    threads = [threading.Thread(target=sign_in, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    others = []
    while any(thread.is_alive() for thread in threads):
        begun = time.monotonic()
        status = Browser(site, 99).send("GET", "/sign-in")[0]
        others.append(time.monotonic() - begun)
        if status != 200:
            findings.append(f"/sign-in: {status}")
        time.sleep(0.05)
    gull.released.set()
    longest = max(seconds for _, seconds in results)
    if {status for status, _ in results} != {503}:
        findings.append(f"statuses {sorted(status for status, _ in results)}")
    if longest > 10:
        findings.append(f"a sign-in took {longest:.1f} s")
    if max(others) > 2:
        findings.append(f"another page took {max(others):.1f} s")
    report.row("a provider that hangs", len(results),
               f"503 in {longest:.1f} s, other pages in {max(others):.2f} s", findings)
