"""Forms that are sent twice, and at once."""
from form_base import REFUSALS, Forms, Found, is_over
from form_table import FORMS
from sign_in import at_once


class Repetition(Forms):
    """Attacks in which the right person repeats a form."""

    def twice(self) -> None:
        findings, results, raced = [], [], []
        for found in self.chosen:
            form, expected = found.form, FORMS[found.form.kind]
            if form.method == "GET" or expected.needs_device:
                continue
            self.ledger.renew_sign_ins()
            base, recorded = self._counts(), expected.recorded
            self.ledger.forget_attempts()
            first = self.send(found, self.values(form))
            once, exactly = self._since(base, recorded), self.ledger.now()
            second = self.check(f"{form.kind} twice", self.send(found, self.values(form)))
            results.append(second.status)
            if not expected.repeats and self._since(base, recorded) != once:
                findings.append(f"{form.kind}: the second has another effect: "
                                f"{_difference(once, self._since(base, recorded))}")
            if expected.takes_key and self.ledger.now() != exactly:
                tables = {line.split("|")[0] for line in set(exactly) ^ set(self.ledger.now())}
                findings.append(f"{form.kind}: the second has changed {', '.join(sorted(tables))}")
            if expected.takes_key and second.status != first.status:
                findings.append(f"{form.kind}: {second.status}, the first got {first.status}")
            if second.status not in REFUSALS | {200, 303}:
                findings.append(f"{form.kind}, the second: {second.status}")
            if expected.takes_key:
                self._replayed(found, findings)
            self.ledger.put_back()
            self.ledger.forget_attempts()
            base = self._counts()
            answers = at_once(5, lambda _: self.send(found, self.values(form)))
            for answer in answers:
                if answer.status != 503:
                    self.check(f"{form.kind} five times at once", answer)
            statuses = [answer.status for answer in answers]
            raced += statuses
            if first.status not in statuses:
                findings.append(f"{form.kind}, five at once: {statuses}, alone {first.status}")
            now = self._since(base, recorded)
            if not expected.repeats and now != once:
                findings.append(f"{form.kind}, five at once have another effect than one: "
                                f"{_difference(once, now)} ({statuses})")
            # Few passwords are hashed at once; whoever comes then is asked to wait.
            usual = REFUSALS | {200, 303} | ({503} if form.has("password") else set()) | (
                {429} if expected.is_limited else set())
            for status in set(statuses) - usual:
                findings.append(f"{form.kind}, five at once: {status}")
            self.ledger.put_back()
        self.rows("forms that are sent twice", len(results), self.outcomes(results), findings)
        self.rows("forms that are sent five times at once", len(raced), self.outcomes(raced), [])

    def _replayed(self, found: Found, findings: list[str]) -> None:
        """A stranger sends a form with the key under which it has succeeded."""
        before = self.ledger.now()
        values = self.values(found.form, form_token=self.household.own_token("otto"))
        if FORMS[found.form.kind].is_own:
            return
        answer = self.send(found, values, browser=self.household.browsers["otto"])
        if answer.status not in (403, 404, 409) and not is_over(found.form, answer):
            findings.append(f"{found.form.kind} under another's key: {answer.status}")
        if self.ledger.now() != before:
            findings.append(f"{found.form.kind} under another's key: has changed something")

    def _counts(self) -> dict[str, int]:
        """Numbers of rows."""
        rows = (row.split("|") for row in self.ledger.now())
        return {name: int(count) for name, count, _ in rows}

    def _since(self, base: dict[str, int], recorded: frozenset) -> dict[str, int]:
        """How many rows were added and removed, apart from records of attempts."""
        return {name: count - base[name] for name, count in self._counts().items()
                if name not in recorded}


def _difference(one: dict[str, int], other: dict[str, int]) -> str:
    return ", ".join(f"{name}: {one.get(name)} and {count} rows"
                     for name, count in other.items() if one.get(name) != count)
