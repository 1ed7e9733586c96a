"""Odd values in the fields of forms and in the addresses of pages."""
import base64
import os
import re
import urllib.parse

import fields
from browse import Answer, Reader, encoded_form
from form_base import REFUSALS, Forms, Found
from form_table import FORMS, REFUSED
from household import SECRETS


# Those of the API, without names of tables, and more.
ODD = [odd.replace("app.", "") for odd in fields.NASTY] + [
    b"\xff\xfe", b"\xed\xa0\x80", b"\x00", b"\xc0\xaf", "x" * 300, "\"><hearthprobe hearthodd=1>",
    "' hearthodd='1", "</textarea></select><hearthprobe>", "<svg/onload=alert(1)>",
    "javascript:alert(1)", "//evil.example/", "/\\evil.example", "https://evil.example/",
    "\u202eevil\u2066", "e\u0301" * 400, "..%2f..%2fadmin", "2147483648", "-9223372036854775809",
    "0x10", "1e309", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "yes\n",
    "parent_admin", "managed_", "ffffffff-ffff-ffff-ffff-ffffffffffff",
]
ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class Values(Forms):
    """Attacks in which the right person sends something else than the page offers."""

    def odd_values(self) -> None:
        findings, results = [], []
        # Changes by odd values: the values, by form, field and changed tables.
        changes: dict[str, list[str]] = {}
        for found in self.chosen:
            form = found.form
            names = {name for name, _ in self.values(form)} | {field.name for field in form.fields}
            for name in sorted(names - {"form_token", "key"}):
                self._odd_field(found, name, findings, results, changes)
            self._unknown_fields(found, findings, results)
        findings += [f"{what}: by {len(values)} values: {', '.join(values[:4])}"
                     for what, values in changes.items()]
        self.rows("every field, odd or missing", len(results), self.outcomes(results), findings)
        findings, results = [], []
        for found in self.chosen:
            self._odd_target(found, findings, results)
        self.rows("every parameter of a form's address", len(results), self.outcomes(results),
                  findings)

    def _variants(self, found: Found, name: str):
        """What is wrong with the field, and the fields."""
        values = self.values(found.form, key=_fresh_key()) if found.form.has("key") \
            else self.values(found.form)
        rest = [pair for pair in values if pair[0] != name]
        own = dict(values).get(name, "")
        for odd in ODD:
            # Whoever keeps a role keeps everything.
            if odd not in (own, found.form.value("was")) and (found.form.method == "POST" or len(odd) < 5000):
                yield repr(odd)[:40], rest + [(name, odd)], odd
        if ID.fullmatch(str(own)):
            for what, other in self._foreign_ids():
                yield what, rest + [(name, other)], other
        yield "missing", rest, None
        yield "repeated", values + [(name, own)], None
        yield "repeated, odd first", [(name, "x")] + values, None
        yield f"as {name}[]", rest + [(name + "[]", own)], None
        yield f"as {name}[0]", rest + [(name + "[0]", own)], None
        yield "in capitals", rest + [(name.upper() + "_", own)], None

    def _foreign_ids(self):
        household = self.household
        return [
            ("another family", household.other_family),
            ("another's member", household.other_member),
            ("another's child", household.other_child),
            ("another's invitation", household.other_invitation),
            ("a removed member", household.members["rex"]),
        ]

    def _odd_field(
            self, found: Found, name: str, findings: list[str], results: list[int],
            changes: dict[str, list[str]]) -> None:
        form, expected = found.form, FORMS[found.form.kind]
        self.ledger.renew_sign_ins()
        before = self.ledger.now()
        for what, values, odd in self._variants(found, name):
            if form.has("key"):
                values = [(key, _fresh_key() if key == "key" else value) for key, value in values]
            self.ledger.forget_attempts()
            answer = self.send(found, values)
            asked = encoded_form(values).decode() if form.method == "GET" else f"{name} = {what}"
            self.check(f"{form.kind} {asked}", answer)
            results.append(answer.status)
            if answer.status not in REFUSALS | {200, 303}:
                findings.append(f"{form.kind} {name} = {what}: {answer.status}")
            if answer.status == 303 and answer.header("Location"):
                self._follow(found, answer)
            if answer.status >= 400:
                continue
            is_blank = odd is None or (isinstance(odd, str) and not odd.strip())
            may = (name in expected.free or name in expected.leading or expected.is_quiet
                   or (is_blank and name in expected.optional))
            now = self.ledger.now()
            if now != before:
                if not may:
                    changed = sorted({row.split("|")[0] for row in set(now) ^ set(before)})
                    key = f"{form.kind} with an odd {name} has changed {', '.join(changed)}"
                    if key not in changes:
                        results_of = self.ledger.changes()
                        changes[key] = [f"e.g. {results_of[:2]}"]
                    changes[key].append(what)
                self.ledger.put_back()
                before = self.ledger.now()
        self.unchanged(f"{form.kind} with an odd {name}, refused,", before, findings, form)

    def _follow(self, found: Found, answer: Answer) -> None:
        """The next page must be sound, too: it shows what was stored."""
        target = urllib.parse.urljoin(found.form.target, answer.header("Location"))
        target = target.partition("#")[0]
        if target.startswith("/") and not target.startswith("//"):
            page = self.household.browsers[found.name].twin().open(target)
            self.check(f"{found.form.kind} and then {target}", page)

    def _unknown_fields(self, found: Found, findings: list[str], results: list[int]) -> None:
        """Fields that the form does not have must not matter."""
        extra = [("status", "active"), ("householdRole", "parent_admin"), ("familyId", "x"),
                 ("userId", "x"), ("is_creator", "true"), ("__proto__", "x"), ("a[b][c]", "x"),
                 ("", "x"), ("<hearthprobe>", "<hearthprobe>")]
        self.ledger.renew_sign_ins()
        self.ledger.forget_attempts()
        answer = self.check(f"{found.form.kind} with unknown fields",
                            self.send(found, self.values(found.form) + extra))
        results.append(answer.status)
        if answer.status not in REFUSALS | {200, 303}:
            findings.append(f"{found.form.kind} with unknown fields: {answer.status}")
        elevated = [line for line in self.ledger.changes()
                    if line.startswith("family_members|new") and "parent_admin" in line]
        if elevated and found.form.kind not in ("/family seat", "/family transfer",
                                                "/family/new create", "/family role"):
            findings.append(f"{found.form.kind} with unknown fields: {elevated[0]}")
        self.ledger.put_back()

    def _odd_target(self, found: Found, findings: list[str], results: list[int]) -> None:
        """Odd parameters in the address to which a form is sent."""
        form = found.form
        path, _, query = form.target.partition("?")
        if form.method == "GET" or not query:
            return
        pairs = urllib.parse.parse_qsl(query)
        for name, _ in pairs:
            if name in FORMS[form.kind].leading:
                continue
            self.ledger.renew_sign_ins()
            before = self.ledger.now()
            for odd in ODD:
                if len(odd) > 5000:
                    continue
                rest = [(key, odd if key == name else value) for key, value in pairs]
                self.ledger.forget_attempts()
                answer = self.check(
                    f"{form.kind} ?{encoded_form(rest).decode()}", self.send(
                        found, self.values(form), target=path + "?" + encoded_form(rest).decode()))
                results.append(answer.status)
                if answer.status not in REFUSALS:
                    findings.append(f"{form.kind} ?{name} = {odd!r:.40}: {answer.status}")
            self.unchanged(f"{form.kind} with an odd ?{name}", before, findings)

    # MARK: What is kept

    def kept_values(self) -> None:
        """After a refusal, the page shows what was typed."""
        findings, results = [], []
        for found in self.chosen:
            form = found.form
            typed = [field for field in form.fields if field.kind in ("text", "email")
                     and field.name in REFUSED]
            if form.method == "GET" or FORMS[form.kind].needs_device:
                continue
            for wrong in typed:
                if wrong.name in FORMS[form.kind].leading:
                    continue
                self.ledger.renew_sign_ins()
                before = self.ledger.now()
                self.ledger.forget_attempts()
                values = self.values(form, **{wrong.name: REFUSED[wrong.name]})
                answer = self.check(f"{form.kind} with a wrong {wrong.name}",
                                    self.send(found, values))
                results.append(answer.status)
                page = Reader(answer.text)
                if answer.status not in (400, 422):
                    findings.append(f"{form.kind} with a wrong {wrong.name}: {answer.status}")
                is_named = self.ledger.now() != before
                self.unchanged(f"{form.kind} with a wrong {wrong.name}", before, findings, form)
                for field in typed:
                    sent = dict(values)[field.name]
                    if is_named and field.name == "name":
                        continue
                    if page.value(field.name) != sent:
                        findings.append(f"{form.kind} with a wrong {wrong.name}: the page shows "
                                        f"{page.value(field.name)!r:.60} as its {field.name}, typed"
                                        f" was {sent!r:.60}")
                if any(attributes.get("type") == "password" and attributes.get("value")
                       for _, attributes in page.elements):
                    findings.append(f"{form.kind}: a password is on the page")
        self.rows("fields that are typed wrong", len(results), self.outcomes(results), findings)

    # MARK: Addresses

    def odd_queries(self, parameters: dict[str, set[str]]) -> None:
        before, findings, results = self.ledger.now(), [], []
        for path, names in parameters.items():
            for name in sorted(names):
                for odd in ODD + [other for _, other in self._foreign_ids()]:
                    if len(odd) > 5000:
                        continue
                    query = encoded_form([(name, odd)]).decode()
                    for who in ("ada", "visitor", "otto"):
                        answer = self.household.browsers[who].twin().open(f"{path}?{query}")
                        self.check(f"GET {path} as {who}, ?{query[:80]}", answer)
                        results.append(answer.status)
                        if answer.status not in REFUSALS | {200, 303, 429}:
                            findings.append(f"{path}?{query[:80]} as {who}: {answer.status}")
                self.ledger.forget_attempts()
            self.unchanged(f"opening {path} with odd parameters", before, findings)
        self.rows("odd parameters of pages", len(results), self.outcomes(results), findings)

    def others_pages(self) -> None:
        """Every address of the family's pages, opened by those who are not in it."""
        before, findings, results = self.ledger.now(), [], []
        secrets = SECRETS + [self.household.code]
        paths = {path for name in ("ada", "ben") for path in self.pages[name]
                 if path.startswith("/family") or path.startswith("/account?")}
        for name in ("rex", "wes", "otto", "olga", "pam", "nia", "liz", "visitor"):
            for path in sorted(paths):
                self.ledger.forget_attempts()
                answer = self.household.browsers[name].twin().open(path)
                self.check(f"GET {path} as {name}", answer)
                results.append(answer.status)
                # Whoever waits knows the family's name.
                for secret in secrets[1:] if name == "wes" else secrets:
                    if secret in answer.text:
                        findings.append(
                            f"{path} shows {secret!r} to {self.household.standing(name)}")
        self.unchanged("opening others' pages", before, findings)
        self.rows("pages of another family", len(results), self.outcomes(results), findings)

    def wordings(self) -> None:
        findings = []
        for (kind, status), words in self.words.items():
            if words["en"] == words["es"] or len(words["es"]) < 12:
                findings.append(f"{kind}, {status}: {words}")
        self.rows("refusals in two languages", len(self.words), "a sentence in each", findings)
        self.rows("all pages and answers", self.checked, "headers, words and elements are sound",
                  [f"{complaint} (first: {what})" for complaint, what in self.unsound.items()])


def _fresh_key() -> str:
    return base64.urlsafe_b64encode(os.urandom(16)).rstrip(b"=").decode()
