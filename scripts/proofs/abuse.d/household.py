"""Families for the attacks on forms, with people of every standing, who are signed in on pages."""
import base64
import json
import re
import time
import urllib.parse

import fields
from browse import Browser, forms_of
from mailed import Outbox, code_of
from pages import PASSWORD
from providers import Provider
from stage import Database
from tools import Site

# Distinctive texts of the family, which nobody outside may read.
SECRETS = ["The Avocets", "Adaora Avocet", "Benedikt Avocet", "Cosima Avocet", "ivana-invited"]


class Person:
    """Somebody with an account, and a browser that is signed in."""

    def __init__(self, site: Site, name: str, full_name: str | None, role: str | None):
        self.site, self.name, self.account = site, name, fields.new_account()
        self.email = f"{name}-{self.account[:8]}@example.com"
        described = {"full_name": full_name, "role": role} if full_name else None
        self.claims = site.claims(self.account, email=self.email, user_metadata=described)
        self.token = site.token(self.claims)
        self.browser = Browser(site, name)

    def ask(self, method: str, path: str, body=None):
        """The response of a request to the API, which must succeed."""
        status, answer = self.site.send(method, path, self.token, body)
        if status >= 300:
            raise SystemExit(f"{self.name}: {method} {path}: {status} {answer!r}")
        return json.loads(answer) if answer else None

    def choose_password(self) -> None:
        _, answer = self.site.send("POST", "/api/auth/exchange", body={"token": self.token})
        session = json.loads(answer)["access_token"]
        status, answer = self.site.send(
            "PUT", "/api/me/password", session, {"newPassword": PASSWORD})
        if status != 200:
            raise SystemExit(f"no password: {status} {answer!r}")

    def sign_in(self) -> Browser:
        """Another browser in which the person is signed in."""
        browser = Browser(self.site, self.name)
        form = next(form for form in forms_of("/sign-in", browser.open("/sign-in").text)
                    if form.action == "password")
        answer = browser.post("/sign-in", [
            ("form_token", form.value("form_token")), ("action", "password"),
            ("email", self.email), ("password", PASSWORD)])
        if answer.status != 303:
            raise SystemExit(f"{self.name} could not sign in: {answer.status} {answer.text[:500]}")
        return browser


class Household:
    """The family of Ada, who is its Parent Admin, and two others."""

    def __init__(self, site: Site, database: Database, outbox: Outbox, demo_links: str,
                 provider: Provider):
        """The site trusts X-Forwarded-For, and reads the sign-in links of a demonstration from the
        file. People can sign in with the provider."""
        self.site, self.outbox = site, outbox
        self.people: dict[str, Person] = {}
        self.form_tokens: dict[str, str] = {}
        # Pages with a parameter that nothing links to, by person.
        self.seeds: dict[str, list[str]] = {}
        # What somebody types into a page's field: mailed codes.
        self.typed: dict[tuple[str, str], str] = {}
        self._people()
        self._families()
        for person in self.people.values():
            person.choose_password()
        # A second session, which the first one can end.
        self.other_session = self.people["ada"].sign_in()
        for person in self.people.values():
            person.browser = person.sign_in()
        self.browsers = {name: person.browser for name, person in self.people.items()}
        self._visitors()
        # The page on which the mailed code is entered that confirms an erasure.
        self.browsers["liz"].cookies["hearth-mail"] = base64.urlsafe_b64encode(
            b"\n\nerasure").rstrip(b"=").decode()
        self.people["liz"].ask("POST", "/api/me/deletion-code")
        code = code_of_letter(outbox, self.people["liz"].email)
        for page in ("/account?erase=account", "/account?erase=children"):
            self.seeds["liz"].append(page)
            self.typed[page, "code"] = code
        self.typed["/family/join", "code"] = self.code
        self._new_address()
        self._conflict()
        self._further_sign_in(provider)
        # A ticket lives for a minute, which is shorter than the attacks take.
        database.run(
            "CREATE OR REPLACE FUNCTION app.page_ticket_time() RETURNS interval"
            " LANGUAGE sql IMMUTABLE RETURN interval '1 hour'")
        self._links(demo_links)
        # Invitations can be sent again only after a while.
        database.run(
            "UPDATE app.family_invitations SET created_at = created_at - interval '1 hour',"
            " last_sent_at = last_sent_at - interval '1 hour'")

    def _people(self) -> None:
        for name, full_name, role in [
                ("ada", "Adaora Avocet", "parent"), ("ben", "Benedikt Avocet", "parent"),
                ("pia", "Pia Avocet", "player"), ("kim", "Kim Avocet", "parent"),
                ("vic", "Vic Avocet", "parent"), ("rex", "Rex Former", "parent"),
                ("wes", "Wes Waiting", "parent"), ("ivy", "Ivy Invited", "parent"),
                ("otto", "Otto Other", "parent"), ("olga", "Olga Other", "player"),
                ("pam", "Pam Player", "player"), ("cal", "Cal Adult", "parent"),
                ("nia", None, None), ("liz", "Liz Linked", "player"),
                ("mae", "Mae Mover", "parent"), ("dot", "Dot Doubled", "parent"),
                ("gus", "Gus Gull", "parent")]:
            self.people[name] = Person(self.site, name, full_name, role)

    def _member(self, name: str) -> str:
        """The id of a person's membership in the only family."""
        return self.people[name].ask("GET", "/api/me")["families"][0]["memberId"]

    def _join(self, name: str, code: str) -> None:
        self.people[name].ask("POST", "/api/family/code/join", {"familyCode": code})

    def _families(self) -> None:
        ada, otto, pam = (self.people[name] for name in ("ada", "otto", "pam"))
        made = ada.ask("POST", "/api/family/create", {"familyName": "The Avocets"})
        self.family, self.code = made["familyId"], made["familyCode"]
        for name in ("ben", "pia", "kim", "vic", "rex"):
            self._join(name, self.code)
        self.members = {name: self._member(name)
                        for name in ("ada", "ben", "pia", "kim", "vic", "rex")}
        for name, role in (("kim", "kid"), ("vic", "visitor")):
            ada.ask("PATCH", f"/api/family/members/{self.members[name]}", {"householdRole": role})
        ada.ask("DELETE", f"/api/family/members/{self.members['rex']}")
        self.children = []
        for name in ("Cosima Avocet", "Corin Avocet"):
            child = ada.ask(
                "POST", "/api/family/managed", {"familyId": self.family, "displayName": name})
            self.children.append(child["id"].removeprefix("managed_"))
        child = f"/api/family/managed/{self.children[0]}"
        ada.ask("POST", f"{child}/guardians", {"memberId": self.members["ben"]})
        ada.ask("PUT", f"{child}/consents/photos", {"version": "1", "method": "signed_in"})
        ada.ask("PUT", "/api/me/consents/letters", {"version": "1", "method": "self"})
        ada.ask("PATCH", f"/api/family/{self.family}", {
            "approvalRequired": True, "homeLatitude": 52.5, "homeLongitude": 13.4})
        self._join("wes", self.code)
        self._invite()
        # Other families: of a stranger, of a player with an adult, and Ada's second one.
        made = otto.ask("POST", "/api/family/create", {"familyName": "The Others"})
        self.other_family, self.other_code = made["familyId"], made["familyCode"]
        self._join("olga", self.other_code)
        self._join("dot", self.other_code)
        self.other_member = self._member("olga")
        child = otto.ask("POST", "/api/family/managed", {
            "familyId": self.other_family, "displayName": "Oskar Other"})
        self.other_child = child["id"].removeprefix("managed_")
        made = otto.ask("POST", "/api/family/invite", {
            "familyUnitId": self.other_family, "role": "parent", "delivery": "link"})
        self.other_invitation = made["invitationId"]
        made = pam.ask("POST", "/api/family/create", {"familyName": "The Players"})
        self.players_code = made["familyCode"]
        self._join("cal", self.players_code)
        ada.ask("POST", "/api/families", {"familyName": "The Seconds"})
        self.seeds["nia"] = [f"/join?code={self.other_code}"]
        self.seeds["liz"] = [f"/join?token={self.link_token}", f"/join?code={self.other_code}"]
        self.seeds["cal"] = [f"/join?code={self.other_code}"]

    def _invite(self) -> None:
        ada, answers = self.people["ada"], {}
        # Whoever is invited by e-mail must have an account to see it on the page.
        self.people["ivy"].ask("GET", "/api/me")
        for name, more in [("account", {"email": self.people["ivy"].email, "role": "parent"}),
                           ("stranger", {"email": "ivana-invited@example.com", "role": "parent"}),
                           ("link", {"role": "player", "delivery": "link"})]:
            answers[name] = ada.ask(
                "POST", "/api/family/invite", {"familyUnitId": self.family, **more})
        self.invitation = answers["stranger"]["invitationId"]
        link = json.dumps(answers["link"])
        self.link_token = re.search(r"token=([A-Za-z0-9_-]+)", link).group(1)
        _, self.email_token = token_of_letter(self.outbox, self.people["ivy"].email, "join")
        _, self.refusal_token = token_of_letter(
            self.outbox, "ivana-invited@example.com", "refuse-invitations")
        self.seeds["ivy"] = [f"/join?token={self.email_token}"]

    def _visitors(self) -> None:
        """Browsers that are signed out, in the midst of signing in, of signing up, of resetting."""
        self.browsers["visitor"] = Browser(self.site, "visitor")
        self.seeds["visitor"] = [
            f"/join?code={self.code}", f"/join?token={self.link_token}", "/sign-in?new",
            f"/refuse-invitations?token={self.refusal_token}"]
        email = self.people["ben"].email
        for name, page, action, more in [
                ("code", "/sign-in", "code", {}),
                ("sign-up", "/sign-in?new", "sign-up",
                 {"name": "New Comer", "role": "parent", "password": PASSWORD,
                  "email": f"new-{fields.new_account()[:8]}@example.com"}),
                ("reset", "/reset-password", "", {})]:
            browser = Browser(self.site, name)
            form = next(form for form in forms_of(page, browser.open(page).text)
                        if form.action == action)
            values = {"email": email, **more, "form_token": form.value("form_token"),
                      **({"action": action} if action else {})}
            answer = browser.post(form.target, list(values.items()))
            if answer.status != 303:
                raise SystemExit(f"{name}: {answer.status} {answer.text[:500]}")
            self.browsers[name] = browser
            if name == "sign-up":
                # Its address differs from that of the other one, so that each has its own code.
                self.seeds[name] = ["/sign-in?code&sign-up"]
                self.typed["/sign-in?code&sign-up", "code"] = code_of_letter(
                    self.outbox, values["email"])
                continue
            path = "/sign-in" if name == "code" else "/reset-password"
            message, token = token_of_letter(self.outbox, email, path)
            self.seeds[name] = [f"{path}?token={token}"]
            if name == "code":
                self.seeds[name].append("/sign-in?code&sign-in")
                self.typed["/sign-in?code&sign-in", "code"] = code_of(message)

    def _new_address(self) -> None:
        """The page on which the code is entered that a new address got."""
        browser = self.browsers["mae"]
        form = next(form for form in forms_of("/account", browser.open("/account").text)
                    if form.action == "address")
        address = f"moved-{fields.new_account()[:8]}@example.com"
        answer = browser.post(form.target, [
            ("form_token", form.value("form_token")), ("action", "address"), ("email", address)])
        if answer.status != 303:
            raise SystemExit(f"no new address: {answer.status} {answer.text[:500]}")
        self.seeds["mae"] = ["/account?address"]
        self.typed["/account?address", "code"] = code_of_letter(self.outbox, address)

    def _conflict(self) -> None:
        """Dot changes her household role on a page that does not show Otto's change yet, so a banner
        tells Otto that his was undone."""
        member, browser = self._member("dot"), self.browsers["dot"]
        page = f"/family?ask=member&member={member}"
        form = next(form for form in forms_of(page, browser.open(page).text)
                    if form.action == "role")
        self.people["otto"].ask(
            "PATCH", f"/api/family/members/{member}", {"householdRole": "kid"})
        answer = browser.post(form.target, [
            (field.name, "visitor" if field.name == "role" else field.value)
            for field in form.fields])
        if answer.status != 303 or "overwrote=kid" not in answer.header("Location"):
            raise SystemExit(f"no conflict: {answer.status} {answer.header('Location')}")

    def _further_sign_in(self, provider: Provider) -> None:
        """The page that asks whether to add a provider's sign-in to the account."""
        browser = self.browsers["gus"]
        location = provider.await_start(browser, "?add")
        # The attacks take longer than the usual ten minutes.
        provider.claims = {"exp": int(time.time()) + 6 * 3600}
        self.seeds["gus"] = [f"/sign-in/callback/{provider.name}?" + urllib.parse.urlencode(
            provider.authorize(location))]

    def _links(self, demo_links: str) -> None:
        """Browsers that are signed out, with the ticket of an app and a link of a demonstration."""
        ben = self.people["ben"]
        _, answer = self.site.send("POST", "/api/auth/exchange", body={"token": ben.token})
        session = json.loads(answer)["access_token"]
        status, answer = self.site.send(
            "POST", "/api/auth/page-ticket", session, {"path": "/family"})
        if status >= 300:
            raise SystemExit(f"no ticket: {status} {answer!r}")
        ticket = re.search(r"/continue\?ticket=[A-Za-z0-9_-]+", answer.decode()).group()
        key = fields.new_account().replace("-", "")
        with open(demo_links, "w", encoding="utf-8") as file:
            file.write(f"{key}\t{ben.token}\tBenedikt Avocet\n")
        for name, page in ("ticket", ticket), ("demo", f"/demo?key={key}"):
            self.browsers[name] = Browser(self.site, name)
            self.seeds[name] = [page]

    def standing(self, name: str) -> str:
        return {
            "ada": "Parent Admin", "ben": "adult", "pia": "player", "kim": "parent as kid",
            "vic": "visitor of the family", "rex": "removed member", "wes": "waiting person",
            "ivy": "invited person", "otto": "admin of another family",
            "olga": "player of another family", "pam": "player who created a family",
            "cal": "adult of a player's family", "nia": "newcomer", "liz": "player with a link",
            "mae": "person without a family", "dot": "visitor of another family",
            "gus": "person who adds a sign-in",
        }.get(name, f"browser that is signed out ({name})")

    def own_token(self, name: str) -> str:
        """The token of the forms of somebody's browser."""
        if name not in self.form_tokens:
            page = "/account" if name in self.people else "/sign-in"
            text = self.browsers[name].open(page).text
            self.form_tokens[name] = next(
                form.value("form_token") for form in forms_of(page, text) if form.has("form_token"))
        return self.form_tokens[name]


def token_of_letter(outbox: Outbox, address: str, page: str):
    """The next message to an address that has a link to a page, and the link's token."""
    while True:
        message = outbox.next(address)
        for text in (message.get_body(("plain",)).get_content(), str(message["List-Unsubscribe"])):
            found = re.search(page + r"\?(?:\S*&)?token=([A-Za-z0-9_-]{20,})", text)
            if found:
                return message, found.group(1)


def code_of_letter(outbox: Outbox, address: str) -> str:
    """The code in the next message to an address that has one."""
    while True:
        message = outbox.next(address)
        found = re.search(r"(?<![0-9])[0-9]{6}(?![0-9])", message["Subject"] + " "
                          + message.get_body(("plain",)).get_content())
        if found and "code" in message["Subject"]:
            return found.group()
