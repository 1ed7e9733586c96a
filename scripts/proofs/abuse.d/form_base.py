"""The forms that people find on pages, how they are sent, and what every response must be."""
import re
from typing import NamedTuple

import fields
from browse import Answer, Browser, Form, Reader, crawl, encoded_form, forms_of
from form_table import FORMS, TYPED, TYPED_IN
from household import Household
from ledger import Ledger
from tools import Report

HEADERS = {
    "X-Content-Type-Options": ["nosniff"], "Referrer-Policy": ["no-referrer"],
    "Cache-Control": ["no-store"],
    "Content-Security-Policy": ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"],
}
REFUSALS = {400, 401, 403, 404, 409, 410, 413, 415, 422}
# What changes with somebody's own name.
PROFILE = {"audit_log", "user_changes", "user_versions", "users"}
# Where forms about something that no longer exists for their sender lead: the page says so.
OVER = {
    "/account end-session": "account?done=session-over",
    "/account remove-way": "account?done=way-gone",
    "/account withdraw": "account?done=request-over",
}
# The script of pages. Of an address that can't be read, a page knows no relative link.
SCRIPT = re.compile(r"(http://127\.0\.0\.1:\d+/|(\.\./)*)pages\.js")
# Where signing in with a provider leads.
AUTHORIZE = re.compile(r"leads to http://127\.0\.0\.1:\d+/authorize\?.*")


class Found(NamedTuple):
    """A form that somebody's browser shows."""
    name: str
    form: Form


class Forms:
    """All attacks, and what the answers had in common."""

    def __init__(self, household: Household, ledger: Ledger, report: Report, origin: str):
        self.household, self.ledger, self.report, self.origin = household, ledger, report, origin
        # Forms by what they do and by the names of their fields; all that somebody shows.
        self.found: dict[tuple, list[Found]] = {}
        self.offered: dict[str, set[tuple]] = {}
        self.pages: dict[str, dict[str, Answer]] = {}
        self.chosen: list[Found] = []
        # Complaints, with the first request of each.
        self.unsound: dict[str, str] = {}
        self.checked = 0
        self.words: dict[tuple[str, int], dict[str, str]] = {}

    # MARK: Checks

    def check(self, what: str, answer: Answer) -> Answer:
        """Every response must be sound, whatever was asked."""
        self.checked += 1
        for complaint in complaints(answer):
            if what.startswith("GET /sign-in/with/") and AUTHORIZE.fullmatch(complaint):
                continue
            kind = " ".join(what.split()[:2])
            self.unsound.setdefault(f"{kind}: {complaint}", what[:160])
        return answer

    def rows(self, name: str, tries: int, outcome: str, findings: list[str]) -> None:
        unique = list(dict.fromkeys(findings))
        more = [f"and {len(unique) - 40} more"] if len(unique) > 40 else []
        self.report.row(name, tries, outcome, unique[:40] + more)

    def outcomes(self, results: list[int]) -> str:
        return ", ".join(f"{status}: {results.count(status)}" for status in sorted(set(results)))

    # MARK: Sending

    def values(self, form: Form, **changes) -> list[tuple[str, object]]:
        """What a browser sends after somebody filled in the form."""
        values = []
        for field in form.fields:
            value = TYPED_IN.get((form.kind, field.name), TYPED.get(field.name, field.value))
            value = self.household.typed.get((form.page, field.name), value)
            if field.name in changes:
                value = changes[field.name]
            elif field.kind == "hidden":
                value = field.value
            elif field.kind in ("radio", "select"):
                others = [option for option in field.options if option]
                value = value if value in others else (others or [""])[0]
            elif field.kind == "checkbox":
                value = field.options[0] if field.is_required or field.value else None
            elif field.name == "email" and not field.value:
                value = (self.household.people["ben"].email if form.target.startswith(
                    ("/sign-in", "/reset")) and form.action != "sign-up"
                         else "somebody.new@example.com")
            if value is not None:
                values.append((field.name, value))
        return values

    def send(self, found: Found, values, headers=None, browser: Browser | None = None,
             target: str | None = None) -> Answer:
        browser = (browser or self.household.browsers[found.name]).twin()
        target = target or found.form.target
        if found.form.method == "GET":
            path, _, query = target.partition("?")
            return browser.request("GET", path + "?" + encoded_form(values).decode())
        return browser.post(target, values, headers)

    def unchanged(
            self, what: str, before: list[str], findings: list[str], form: Form | None = None
    ) -> None:
        """Adds a finding and puts everything back if something has changed."""
        now = self.ledger.now()
        if now == before:
            return
        changed = sorted({row.split("|")[0] for row in set(now) ^ set(before)})
        expected = FORMS[form.kind] if form is not None else None
        if expected is not None and expected.names_first and set(changed) <= PROFILE:
            self.ledger.put_back()
            return
        rows = [f"    {line}" for line in self.ledger.changes()[:2]]
        findings.append("\n    ".join([f"{what} has changed {', '.join(changed)}"] + rows))
        self.ledger.put_back()

    # MARK: Collecting

    def collect(self, seeds: list[str]) -> None:
        before, findings, count = self.ledger.now(), [], 0
        for name, browser in self.household.browsers.items():
            self.ledger.forget_attempts()
            pages = crawl(browser, seeds + self.household.seeds.get(name, []))
            self.pages[name], self.offered[name] = pages, set()
            count += len(pages)
            for path, answer in pages.items():
                self.check(f"GET {path} as {name}", answer)
                for form in forms_of(path, answer.text) if answer.is_page else []:
                    self.offered[name].add(form.subject)
                    self.found.setdefault(form.shape, []).append(Found(name, form))
        self.unchanged("opening pages", before, findings)
        people = len(self.household.browsers)
        self.rows(f"pages, as {people} people see them", count, "opening them changes nothing",
                  findings)
        kinds = {shape[0] for shape in self.found}
        shown = sum(len(forms) for forms in self.found.values())
        pages = {shape[0]: forms[0].form.page for shape, forms in self.found.items()}
        findings = [f"'{kind}' on {pages[kind]!r} is not in form_table.py: say there what it may do"
                    for kind in sorted(kinds - set(FORMS))]
        findings += [f"'{kind}' was found on no page" for kind in sorted(set(FORMS) - kinds)]
        self.rows("forms on them", shown,
                  f"{len(kinds)} kinds, {len(self.found)} with other fields", findings)

    def choose(self, words: list[str]) -> None:
        """Of each shape a form that has its effect, sent once by its owner; if there are words, only
        of kinds that contain one of them."""
        findings, results = [], []
        for shape, candidates in self.found.items():
            expected = FORMS.get(shape[0])
            if expected is None or (words and not any(word in shape[0] for word in words)):
                continue
            self.ledger.renew_sign_ins()
            before, chosen, last = self.ledger.now(), None, None
            for found in candidates[:12]:
                self.ledger.forget_attempts()
                answer = self.send(found, self.values(found.form))
                last = self.check(f"{found.form.kind} as {found.name}", answer)
                is_done = answer.status in (200, 303) and (
                    expected.is_quiet or self.ledger.now() != before)
                self.ledger.put_back()
                if is_done:
                    chosen = found
                    break
            if chosen is None and not expected.needs_device:
                findings.append(
                    f"{shape[0]} {shape[1]} has no effect for anybody: "
                    f"{last.status} {Reader(last.text).explanation[:100]!r}")
            results.append(last.status)
            self.chosen.append(chosen or candidates[0])
        self.rows("each form, by who has it", len(results), self.outcomes(results), findings)


def is_over(form: Form, answer: Answer) -> bool:
    """Whether the answer leads to a page that says that there is nothing left to do."""
    return answer.status == 303 and form.kind in OVER and (
        answer.header("Location").removeprefix("../") == OVER[form.kind])


def complaints(answer: Answer):
    """What is wrong with a response, whatever the request was."""
    if answer.status == 0:
        yield f"no answer ({answer.text})"
        return
    if answer.status >= 500:
        yield f"{answer.status}"
    for name, parts in HEADERS.items():
        for part in parts:
            if answer.status == 303 and name in ("Content-Security-Policy", "Referrer-Policy"):
                continue
            if not answer.is_page and name in ("Content-Security-Policy", "Referrer-Policy"):
                continue
            if part not in answer.header(name):
                yield f"{answer.status} without {name}: {part}"
    if "unsafe" in answer.header("Content-Security-Policy"):
        yield "an unsafe policy"
    for word in fields.LEAKS + ["Optional(", "Fatal error", "Traceback"]:
        if word in answer.text:
            yield f"{answer.status} tells {word!r}"
    if answer.status == 303:
        target = answer.header("Location")
        if re.search(r"^[a-z]+:|^/|\\|//|[\r\n]|evil", target.partition("?")[0], re.IGNORECASE):
            yield f"leads to {target[:60]}"
        return
    if not answer.is_page:
        if answer.status >= 400:
            yield f"{answer.status} as {answer.header('Content-Type')}, not as a page"
        return
    page = Reader(answer.text)
    if answer.status >= 400 and len(page.explanation) < 12:
        yield f"{answer.status} without a sentence"
    for tag, attributes in page.elements:
        if tag in ("hearthprobe", "iframe", "object", "embed", "img", "base", "style"):
            yield f"has the element {tag}"
        if tag == "script" and not SCRIPT.fullmatch(attributes.get("src", "")):
            yield "has a script"
        for name, value in attributes.items():
            if name.startswith("on") or name == "hearthodd" or name == "style":
                yield f"has the attribute {name}"
            if name in ("href", "src", "action", "formaction") and re.match(
                    r"\s*(javascript|data|vbscript):|//|\\", value, re.IGNORECASE):
                yield f"leads to {value[:60]}"
