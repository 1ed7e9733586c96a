"""Attacks on the sign-in pages: their cookie, their forms and their redirects."""
import http.client
import re
import urllib.parse

import fields
from tools import Report, Site

PASSWORD = "terns circle the 9 grey piers"
FORM = "application/x-www-form-urlencoded"


class Visitor:
    """A browser that keeps Hearth's cookie."""

    def __init__(self, site: Site):
        self.site, self.cookie = site, None

    def send(self, method: str, path: str, form=None, headers=None, cookie=None):
        """Status, headers and text of a response; redirects are not followed."""
        sent = dict(headers or {})
        cookie = cookie if cookie is not None else self.cookie
        if cookie:
            sent["Cookie"] = f"hearth={cookie}"
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            sent.setdefault("Content-Type", FORM)
        connection = http.client.HTTPConnection(self.site.host, self.site.port, timeout=40)
        try:
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            text = answer.read().decode()
            given = answer.getheader("Set-Cookie") or ""
            if given.startswith("hearth="):
                self.cookie = given[len("hearth="):].split(";")[0]
            return answer.status, answer.headers, text
        finally:
            connection.close()

    def token(self, path: str) -> str:
        """The token of a page's forms."""
        _, _, text = self.send("GET", path)
        return re.search(r'name="form_token" value="([^"]+)"', text).group(1)

    def sign_in(self, email: str, **more):
        form = {"form_token": self.token("/sign-in"), "action": "password", "email": email,
                "password": PASSWORD, **more}
        return self.send("POST", "/sign-in", form, {"Sec-Fetch-Site": "same-origin"})


def attack(site: Site, report: Report) -> None:
    email = _account(site)
    _fixation(site, report, email)
    member = Visitor(site)
    member.sign_in(email)
    _forged_cookies(site, report, member)
    _cookie_on_api(site, report, member)
    _foreign_forms(site, report, member)
    _redirects(site, report, email)
    _hosts(site, report)


def _account(site: Site) -> str:
    """The address of an account with a password."""
    claims = site.claims(fields.new_account())
    _, answer = site.send("POST", "/api/auth/exchange", body={"token": site.token(claims)})
    token = re.search(rb'"access_token":"([^"]+)"', answer).group(1).decode()
    status, answer = site.send("PUT", "/api/me/password", token, {"newPassword": PASSWORD})
    if status != 200:
        raise SystemExit(f"no password: {status} {answer!r}")
    return claims["email"]


def _fixation(site: Site, report: Report, email: str) -> None:
    """A cookie that the attacker has planted must be worthless after its victim signs in."""
    attacker, findings = Visitor(site), []
    attacker.token("/sign-in")
    planted = attacker.cookie
    victim = Visitor(site)
    victim.cookie = planted
    status, _, _ = victim.sign_in(email)
    if status != 303:
        findings.append(f"the victim could not sign in: {status}")
    if victim.cookie == planted:
        findings.append("the victim kept the planted cookie")
    status, headers, _ = Visitor(site).send("GET", "/account", cookie=planted)
    if status != 303:
        findings.append(f"the planted cookie shows the account: {status}")
    report.row("a planted cookie", 1, "worth nothing", findings)


def _forged_cookies(site: Site, report: Report, member: Visitor) -> None:
    results = []
    good = member.cookie
    for index in range(1, len(good), 3):
        changed = good[:index] + ("A" if good[index] != "A" else "B") + good[index + 1:]
        status, _, _ = Visitor(site).send("GET", "/account", cookie=changed)
        results.append((f"changed at {index}", status))
    for odd in ["s", "v" + good[1:], good[:-1], good + "A", "s" * 9000, '"' + good + '"',
                good + "; hearth=" + good]:
        status, _, _ = Visitor(site).send("GET", "/account", cookie=odd)
        results.append((odd[:20], status))
    report.statuses("forged cookies of pages", results, {303})


def _cookie_on_api(site: Site, report: Report, member: Visitor) -> None:
    results = []
    for method, path in [("GET", "/api/me"), ("GET", "/api/me/sessions"), ("DELETE", "/api/me"),
                         ("DELETE", "/api/me/sessions"), ("GET", "/api/me/export"),
                         ("POST", "/api/family/create")]:
        for name in ["hearth", "__Host-hearth"]:
            status, _ = site.send(
                method, path, body={} if method == "POST" else None,
                headers={"Cookie": f"{name}={member.cookie}"})
            results.append((f"{method} {path}", status))
        results.append(("as a token", site.send(method, path, member.cookie)[0]))
    report.statuses("the pages' cookie on the API", results, {401})


def _foreign_forms(site: Site, report: Report, member: Visitor) -> None:
    """Forms of other sites, with the victim's cookie and even with the right token."""
    token, own = member.token("/account"), f"http://{site.host}:{site.port}"
    elsewhere = [
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "same-site", "Origin": "https://other.example"},
        {"Sec-Fetch-Site": "cross-site", "Origin": own}, {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none", "Origin": "null"}, {"Origin": "https://evil.example"},
        {"Origin": "null"}, {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
        {"Origin": own + ".evil.example"}, {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
    ]
    tokens = [None, "", "A" * 43, Visitor(site).token("/sign-in")]
    results = []
    for action in ["name", "end-others", "export", "erase"]:
        form = {"action": action, "name": "Mallory", "sure": "yes"}
        for headers in elsewhere:
            status, _, _ = member.send("POST", "/account", {**form, "form_token": token}, headers)
            results.append((f"{action} with {headers}", status))
        for other in tokens:
            sent = form if other is None else {**form, "form_token": other}
            status, _, _ = member.send(
                "POST", "/account", sent, {"Sec-Fetch-Site": "same-origin", "Origin": own})
            results.append((f"{action} with the token {other}", status))
    findings = []
    status, _, text = member.send("GET", "/account")
    if status != 200 or "Mallory" in text:
        findings.append("a form has had an effect")
    report.statuses("forms of other sites", results, {403, 415})
    report.row("the account afterwards", 1, "as it was", findings)


def _redirects(site: Site, report: Report, email: str) -> None:
    findings, tries = [], 0
    for path in ["https://evil.example", "//evil.example", "/\\evil.example", "/%2F/evil.example",
                 "/join\r\nSet-Cookie: a=b", "javascript:alert(1)", "/join/../../evil", "/account@x",
                 "http:evil.example", "\t//evil.example", "/account?next=//evil.example\\@"]:
        tries += 2
        status, headers, _ = Visitor(site).sign_in(email, **{"return": path})
        if status != 303 or headers["Location"] != "account":
            findings.append(f"{path!r}: {status} {headers['Location']}")
        _, _, text = Visitor(site).send(
            "GET", "/sign-in?return=" + urllib.parse.quote(path, safe=""))
        if "evil" in text:
            findings.append(f"{path!r} is on the page")
    report.row("returns to elsewhere", tries, "to one's own account", findings)


def _hosts(site: Site, report: Report) -> None:
    """No request header may change the targets of pages, redirects or links."""
    findings, tries = [], 0
    for headers in [{"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"},
                    {"Forwarded": "host=evil.example"}, {"X-Original-URL": "//evil.example"}]:
        visitor = Visitor(site)
        for path in ["/account", "/sign-in", "/reset-password", "/join?code=FAM-ABCDEF"]:
            tries += 1
            _, answered, text = visitor.send("GET", path, headers=headers)
            if "evil" in text or "evil" in str(answered):
                findings.append(f"{path} with {headers}")
        tries += 1
        form = {"form_token": visitor.token("/reset-password"), "email": "nobody@example.com"}
        _, answered, text = visitor.send(
            "POST", "/reset-password", form, {**headers, "Sec-Fetch-Site": "same-origin"})
        if "evil" in text or "evil" in str(answered):
            findings.append(f"a reset with {headers}")
    report.row("hosts of somebody else", tries, "named nowhere", findings)
