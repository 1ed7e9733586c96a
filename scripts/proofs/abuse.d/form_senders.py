"""Forms that somebody else sends: other sites, other people, and people who lost the right."""
import json
import re
from typing import Callable

from browse import FORM, OWN, Answer, Browser, Form, Reader, encoded_form, forms_of
from form_base import Forms, is_over
from form_table import FORMS


class Senders(Forms):
    """Attacks in which the values are right, and the sender is not."""

    def others_sites(self) -> None:
        elsewhere = [
            {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
            {"Sec-Fetch-Site": "same-site", "Origin": "https://other.example"},
            {"Sec-Fetch-Site": "cross-site", "Origin": self.origin},
            {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
            {"Sec-Fetch-Site": "none", "Origin": "null"},
            {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
            {"Sec-Fetch-Site": "same-origin", "Origin": self.origin + ".evil.example"},
            {"Sec-Fetch-Site": "same-origin, cross-site", "Origin": self.origin},
        ]
        self._refused("forms of other sites", [
            (f"from {headers}", lambda values: values, headers) for headers in elsewhere])

    def types(self) -> None:
        def typed(media: str, body: Callable) -> tuple:
            return f"as {media[:60]}", body, {"Content-Type": media}

        def multipart(values) -> bytes:
            return b"".join(
                f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode(
                    "utf-8", "surrogatepass") for name, value in values) + b"--x--\r\n"

        self._refused("forms of other types", [
            typed("application/json", lambda values: json.dumps(dict(values)).encode()),
            typed("multipart/form-data; boundary=x", multipart),
            typed("text/plain", encoded_form), typed("", encoded_form),
            typed("application/x-www-form-urlencoded-too", encoded_form),
            typed("text/html", encoded_form),
        ])
        self._refused("malformed and large forms", [
            ("cut off", lambda values: encoded_form(values) + b"&a=%f", {}),
            ("with a wrong escape", lambda values: encoded_form(values) + b"&a=%zz", {}),
            ("not UTF-8", lambda values: encoded_form(values) + b"&a=%ff%fe", {}),
            ("with raw bytes", lambda values: encoded_form(values) + b"&a=\xff\xed\xa0\x80", {}),
            ("with 200 fields", lambda values: encoded_form(values) + b"&a=1" * 200, {}),
            ("with 2 MB", lambda values: encoded_form(values) + b"&a=" + b"1" * (2 << 20), {}),
            ("empty", lambda values: b"", {}),
            ("with semicolons", lambda values: encoded_form(values).replace(b"&", b";"), {}),
        ])

    def tokens(self) -> None:
        def without(name: str):
            return lambda values: [pair for pair in values if pair[0] != name]

        def instead(name: str, text):
            return lambda values: [(key, text if key == name else value) for key, value in values]

        def twice(name: str):
            return lambda values: values + [pair for pair in values if pair[0] == name]

        token = "form_token"
        other = Browser(self.household.site, "nobody")
        foreign = next(form.value(token) for form in
                       forms_of("/sign-in", other.open("/sign-in").text))
        attempts = [(f"the token {text!r}", instead(token, text), {}) for text in (
            "", "A" * 43, "A" * 9000, foreign, "\x00", "null", b"\xff")]
        self._refused("forms with other tokens", attempts + [
            ("no token", without(token), {}), ("two tokens", twice(token), {}),
            ("another person's token",
             lambda values: instead(token, self._token_of_another(values))(values), {}),
            ("the token of the other session", lambda values: instead(
                token, self._token_of_other_session())(values), {}),
        ])
        keyed = lambda found: FORMS[found.form.kind].takes_key
        attempts = [(f"the key {text!r}", instead("key", text), {}) for text in (
            "", "A", "A" * 21, "A" * 23, "A" * 9000, "\u00e9" * 22, "page-x", b"\xff" * 16)]
        self._refused("forms with other keys", attempts + [
            ("no key", without("key"), {}), ("two keys", twice("key"), {})], keyed)

    def _token_of_other_session(self) -> str:
        text = self.household.other_session.open("/account").text
        return next(form.value("form_token") for form in forms_of("/account", text)
                    if form.has("form_token"))

    def _token_of_another(self, values: list) -> str:
        """The token of somebody who has not sent the form."""
        tokens = [self.household.own_token(name) for name in ("otto", "ben")]
        return next(token for token in tokens if ("form_token", token) not in values)

    def _refused(self, name: str, attempts: list, applies=lambda found: True) -> None:
        """Sends valid forms that the attempts have spoiled: they must have no effect."""
        findings, results = [], []
        for found in self.chosen:
            form = found.form
            if form.method == "GET" or FORMS[form.kind].has_secret_link or not applies(found):
                continue
            self.ledger.renew_sign_ins()
            before = self.ledger.now()
            self.ledger.forget_attempts()
            for what, spoil, headers in attempts:
                spoiled = spoil(self.values(form))
                browser = self.household.browsers[found.name].twin()
                body = spoiled if isinstance(spoiled, bytes) else encoded_form(spoiled)
                answer = browser.request(
                    "POST", form.target, body, {"Content-Type": FORM, **OWN, **headers})
                self.check(f"{form.kind} {what}", answer)
                results.append(answer.status)
                if answer.status not in (400, 403, 413, 415):
                    findings.append(f"{form.kind} as {found.name}, {what}: {answer.status} "
                                    + answer.header("Location"))
            self.unchanged(f"{form.kind} ({name})", before, findings)
        self.rows(name, len(results), self.outcomes(results), findings)

    # MARK: Attacks by other people

    def other_people(self) -> None:
        """Everybody sends the forms that others have, each with a token of its own."""
        findings, results = [], []
        for found in self.chosen:
            form, expected = found.form, FORMS[found.form.kind]
            if expected.is_own or expected.has_secret_link or form.method == "GET":
                continue
            self.ledger.renew_sign_ins()
            before = self.ledger.now()
            for name, browser in self.household.browsers.items():
                if form.subject in self.offered[name] or self._has_right(form, name):
                    continue
                self.ledger.forget_attempts()
                values = self.values(form, form_token=self.household.own_token(name))
                answer = self.send(found, values, browser=browser)
                self.judge(form, name, answer, findings, "has another's form")
                self.explain(form, answer, browser, values)
                results.append(answer.status)
            self.unchanged(f"{form.kind} by others", before, findings)
        self.rows("forms of other people", len(results), self.outcomes(results), findings)

    def _has_right(self, form: Form, name: str) -> bool:
        """Whether somebody may do it otherwise: by the link of an invitation, because the form is
        about a membership or guardianship of their own, or because leaving a family also withdraws
        one's own request to join it."""
        household = self.household
        if form.kind == "/family leave" and name == "wes":
            return form.value("family") == household.family
        return form.value("token") == household.link_token or any(
            field.value == household.members.get(name) for field in form.fields)

    def judge(self, form: Form, name: str, answer: Answer, findings: list[str], what: str) -> None:
        """The answer to somebody who has no right to a form: a refusal, or the way to sign in or to
        the page as it is now."""
        self.check(f"{form.kind} as {name}, who {what}", answer)
        leads = r"(\.\./)*(sign-in(\?return=.*)?|account(\?done=[a-z]+-(over|gone)|\?remove=.*)?)"
        if form.kind.startswith("/join"):
            # The page asks again, or offers to decline.
            leads += r"|join\?(declined|(invitation|token|code)=.*)"
        elif form.kind == "/sign-in sign-out":
            # Whoever signs out on the page of an invitation stays there.
            leads += r"|join\?(invitation|token|code)=.*"
        is_led = is_over(form, answer) or (
            answer.status == 303 and re.fullmatch(leads, answer.header("Location")))
        # Visitors have nothing to accept on /join: the page says so itself.
        is_refused = answer.status in (403, 404, 409, 410) or (
            answer.status == 401 and form.kind.startswith("/join"))
        if not is_refused and not is_led:
            findings.append(f"{form.kind} by {self.household.standing(name)}, who {what}: "
                            f"{answer.status} {answer.header('Location')}")

    def explain(self, form: Form, answer: Answer, browser: Browser, values) -> None:
        """Collects the words of a refusal, in both languages."""
        key = form.kind, answer.status
        if answer.status < 400 or key in self.words:
            return
        other = browser.twin().post(form.target, values, {"Accept-Language": "es"})
        self.words[key] = {"en": Reader(answer.text).explanation,
                           "es": Reader(other.text).explanation}

    LOSSES = {
        "was removed": (
            "UPDATE app.family_members SET status = 'removed', removed_at = now(), slot = NULL"
            " WHERE user_id = '{user}' AND status <> 'removed'"),
        "became a visitor": (
            "UPDATE app.family_members SET household_role = 'visitor'"
            " WHERE user_id = '{user}' AND status = 'active'"),
        "was signed out": (
            "UPDATE app.sessions SET ended_at = now(), end_reason = 'revoked'"
            " WHERE user_id = '{user}' AND ended_at IS NULL"),
    }
    HEIR = (
        "UPDATE app.family_members SET parent_user_id = '{heir}' WHERE parent_user_id = '{user}';"
        " INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot)"
        " SELECT g.member_id, '{heir}', g.family_unit_id, 4 FROM app.guardianships AS g"
        " WHERE g.guardian_user_id = '{user}' AND NOT EXISTS (SELECT FROM app.guardianships AS o"
        " WHERE o.member_id = g.member_id AND o.guardian_user_id = '{heir}');"
        " DELETE FROM app.guardianships WHERE guardian_user_id = '{user}'")

    def lost_rights(self) -> None:
        """Somebody opens a page, loses the right to its form, and sends it."""
        findings, results, kept = [], [], 0
        users = {name: self.ledger.run(
            f"SELECT user_id FROM app.user_identities WHERE user_id = (SELECT id FROM app.users"
            f" WHERE email = '{person.email}') LIMIT 1")[0]
                 for name, person in self.household.people.items()}
        for found in self.chosen:
            form = found.form
            expected = FORMS[form.kind]
            if (found.name not in users or form.method == "GET" or expected.needs_device
                    or form.kind == "/family choose"):
                continue
            for what, statement in self.LOSSES.items():
                # What concerns only oneself needs no family, but a session.
                if expected.is_own and "signed" not in what:
                    continue
                self.ledger.forget_attempts()
                heir = self.HEIR if "signed" not in what and found.name in ("ada", "ben") else ""
                loss = f"{statement}; {heir}".format(
                    user=users[found.name], heir=users["ben" if found.name == "ada" else "ada"])
                self.ledger.run(
                    f"SET session_replication_role = replica; {loss};"
                    " RESET session_replication_role")
                page = self.household.browsers[found.name].twin().open(form.page)
                self.check(f"GET {form.page} as {found.name}, who {what}", page)
                still = {other.subject for other in forms_of(form.page, page.text)}
                if form.subject in still:
                    kept += 1
                else:
                    before = self.ledger.now()
                    answer = self.send(found, self.values(form))
                    self.judge(form, found.name, answer, findings, what)
                    results.append(answer.status)
                    now = self.ledger.now()
                    if now != before:
                        changed = sorted({row.split("|")[0] for row in set(now) ^ set(before)})
                        findings.append(f"{form.kind} by {found.name}, who {what}: has changed "
                                        + ", ".join(changed))
                self.ledger.put_back()
        self.rows("forms of a right that was lost", len(results),
                  f"{self.outcomes(results)}; {kept} may be sent still", findings)
