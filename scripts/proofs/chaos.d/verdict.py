"""Checks that everything acknowledged is stored, and measures outages of the service."""
import collections
import dataclasses
import json

from load import Answer
from stage import Stage

# Limit in seconds for the service's recovery after the database's return or a promotion.
BAR = 5.0


@dataclasses.dataclass
class Result:
    """A row of the table."""
    acknowledged: int = 0
    lost: int = 0
    # E-mails that arrived twice, and changes that took effect twice.
    duplicates: int = 0
    effects_twice: int = 0
    # The longest time until the API served every request again, and until the worker sent mail.
    api_seconds: float | None = None
    mail_seconds: float | None = None
    failures: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    # How much was looked up, by kind, and how much of it was found.
    wanted: dict[str, int] = dataclasses.field(default_factory=dict)
    found: dict[str, int] = dataclasses.field(default_factory=dict)

    @property
    def is_sound(self) -> bool:
        return self.lost == 0 and not self.failures

    def fail(self, words: str) -> None:
        self.failures.append(words)

    def count(self, kind: str, found: int, wanted: int) -> None:
        self.found[kind] = self.found.get(kind, 0) + found
        self.wanted[kind] = self.wanted.get(kind, 0) + wanted

    def expect(self, holds: bool, words: str) -> None:
        if not holds:
            self.fail(words)


def longest(before: float | None, now: float) -> float:
    return now if before is None else max(before, now)


def hold_back(result: Result, answers: list[Answer], back: float, until: float) -> None:
    """Records how long requests failed after `back`; `until` is the start of the next disturbance.

    The service is back when every new request succeeds.
    """
    after = [answer for answer in answers if back <= answer.began and answer.ended < until]
    done = [answer.ended for answer in after if answer.is_done]
    if not done:
        result.fail("no request was answered after the database's return")
        return
    failed = [answer.began for answer in after if answer.is_failure]
    seconds = max([min(done) - back] + [moment - back for moment in failed])
    result.api_seconds = longest(result.api_seconds, seconds)
    if seconds > BAR:
        result.fail(f"the API was back after {seconds:.1f} s")
        late = [a for a in after if a.is_failure and a.began - back > BAR]
        for answer in late[:5]:
            result.fail(f"{answer.kind} at {answer.began - back:.2f} s: {answer.status} "
                        f"{answer.body.get('code')} after {answer.ended - answer.began:.2f} s")


def hold_mail_back(result: Result, stage: Stage, back: float, bar: float = BAR) -> None:
    """Records the time from `back` until the first e-mail was sent and acknowledged."""
    found = stage.cluster.sql(
        f"SELECT extract(epoch FROM min(finished_at)) FROM jobs.history "
        f"WHERE queue = 'mail' AND finished_at > to_timestamp({back})")
    if not found:
        result.fail("no e-mail was sent after the database's return")
        return
    seconds = float(found) - back
    result.mail_seconds = longest(result.mail_seconds, seconds)
    if seconds > bar:
        result.fail(f"the worker was back after {seconds:.1f} s")


def hold_acknowledged(result: Result, stage: Stage, answers: list[Answer]) -> None:
    """Checks that every acknowledged change is stored."""
    cluster = stage.cluster
    families = {row[0] for row in cluster.rows("SELECT id FROM app.family_units")}
    members = {tuple(row) for row in cluster.rows(
        "SELECT family_unit_id, user_id FROM app.family_members WHERE status = 'active'")}
    invitations = {row[0] for row in cluster.rows("SELECT id FROM app.family_invitations")}
    there = {
        "create": lambda a: a.body["familyId"] in families
        and (a.body["familyId"], a.account) in members,
        "join": lambda a: (a.subject, a.account) in members,
        "invite": lambda a: a.body["invitationId"] in invitations,
    }
    done = [answer for answer in answers if answer.is_done]
    lost = [answer for answer in done if not there[answer.kind](answer)]
    result.acknowledged += len(done)
    result.lost += len(lost)
    result.count("changes", len(done) - len(lost), len(done))
    for answer in lost[:5]:
        result.fail(f"lost: {answer.kind} by {answer.account}")
    odd = [a for a in answers if not a.is_done and not a.is_failure]
    for answer in odd[:3]:
        result.fail(f"refused: {answer.kind} {answer.status} {answer.body.get('code')}")
    failed = sum(answer.is_failure for answer in answers)
    if failed:
        result.notes.append(f"{failed} requests failed meanwhile")


def hold_refusals(result: Result, answers: list[Answer]) -> None:
    """Checks that what could not be served got 503 with Retry-After, and nothing else."""
    refused = [a for a in answers if a.status is not None and a.status >= 500]
    wrong = [a for a in refused if a.status != 503]
    for answer in wrong[:5]:
        result.fail(f"{answer.kind}: {answer.status} {answer.body.get('code')}; expected 503")
    unsaid = [a for a in refused if a.status == 503 and not a.has_retry_after]
    for answer in unsaid[:5]:
        result.fail(f"{answer.kind}: 503 {answer.body.get('code')} without Retry-After")
    codes = collections.Counter(a.body.get("code") or str(a.status) for a in refused)
    result.notes += [f"{count} x {code}" for code, count in sorted(codes.items())]


def hold_mail(result: Result, answers: list[Answer], arrived: dict[str, list[str]]) -> None:
    """Checks that each acknowledged invitation's e-mail arrived, at most twice with the same id."""
    wanted = {a.subject for a in answers if a.kind == "invite" and a.is_done}
    missing = [to for to in wanted if to not in arrived]
    result.lost += len(missing)
    result.count("e-mails", len(wanted) - len(missing), len(wanted))
    if missing:
        result.fail(f"{len(missing)} e-mails never arrived, {missing[0]} for one")
    result.duplicates += sum(len(ids) - 1 for ids in arrived.values())
    most = max((len(ids) for ids in arrived.values()), default=0)
    result.expect(most <= 2, f"an e-mail arrived {most} times")
    result.expect(
        all(len(set(ids)) == 1 for ids in arrived.values()),
        "an e-mail arrived under two ids")


def hold_sound(result: Result, stage: Stage) -> None:
    """Checks that no job was discarded and no invariant is violated."""
    dead = stage.cluster.number("SELECT count(*) FROM jobs.dead")
    result.expect(dead == 0, f"{dead} jobs were discarded")
    examined = stage.admin("doctor", "--json")
    try:
        findings = json.loads(examined.stdout)["findings"]
    except (ValueError, KeyError):
        result.fail(f"doctor: {examined.stderr.strip()[-300:]}")
        return
    for finding in findings[:5]:
        result.fail(f"doctor: {finding['kind']}: {finding['message']}")


def hold_alive(result: Result, stage: Stage) -> None:
    """Checks that none of Hearth's programs had to be restarted."""
    for program in stage.programs:
        result.expect(program.is_alive, f"{program.log.stem} has ended")


def hold_all(result: Result, stage: Stage, answers: list[Answer]) -> Result:
    """Runs all checks, after the load has stopped and all mail was sent."""
    stage.drain()
    hold_acknowledged(result, stage, answers)
    hold_mail(result, answers, stage.mail.messages())
    hold_alive(result, stage)
    hold_sound(result, stage)
    return result
