"""The table of the drills on a cluster, as Markdown, and its place in docs/measurements.md."""
import dataclasses
import datetime
import os
import pathlib
import re

from drills import ALL
from running import MEMBERS, Running
from verdict import Result

PAGE = "docs/measurements.md"
HEADING = "## Drills on a cluster"
HEAD = ["| drill | runs | changes found | entries in the audit log | e-mails found | sent twice "
        "| second effects | longest gap of writes | of reads |", "|" + "---|" * 9]
CONDITIONS = "Last written on "


@dataclasses.dataclass
class Row:
    """The runs of one drill."""
    runs: int = 0
    broken: int = 0
    mails_twice: int = 0
    effects_twice: int = 0
    found: dict[str, int] = dataclasses.field(default_factory=dict)
    wanted: dict[str, int] = dataclasses.field(default_factory=dict)
    writes: list[float] = dataclasses.field(default_factory=list)
    reads: list[float] = dataclasses.field(default_factory=list)

    def add(self, result: Result, writes: float, reads: float) -> None:
        self.runs += 1
        self.broken += not result.is_sound
        self.mails_twice += result.duplicates
        self.effects_twice += result.effects_twice
        for total, of_run in ((self.found, result.found), (self.wanted, result.wanted)):
            for kind, number in of_run.items():
                total[kind] = total.get(kind, 0) + number
        self.writes.append(writes)
        self.reads.append(reads)

    def add_failure(self) -> None:
        """Adds a run that ended before anything could be counted."""
        self.runs += 1
        self.broken += 1

    def text(self, name: str) -> str:
        def of(kind: str) -> str:
            return f"{self.found.get(kind, 0):,} of {self.wanted.get(kind, 0):,}"
        drill = ALL[name]
        runs = f"{self.runs}, {self.broken} failed" if self.broken else f"{self.runs}"
        cells = [
            f"`{name}`: {drill.words}", runs, of("changes"), of("audit log"), of("e-mails"),
            f"{self.mails_twice}", f"{self.effects_twice}",
            gap(self.writes, drill.writes), gap(self.reads, drill.reads)]
        return f"| {' | '.join(cells)} |"


def gap(found: list[float], most: float) -> str:
    return f"{max(found):.1f} s of {most:.0f}" if found else "not measured"


def table(rows: dict[str, Row]) -> list[str]:
    return HEAD + [row.text(name) for name, row in rows.items() if row.runs]


def conditions(running: Running) -> str:
    """The versions and the machine, as a sentence."""
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%-d %B %Y")
    versions = running.sql("SHOW server_version").split(" ")[0]
    return (f"{CONDITIONS}{today}: PostgreSQL {versions}, Patroni "
            f"{running.patroni_version(MEMBERS[0])}, {os.cpu_count()} processors, at a load of "
            f"{os.getloadavg()[2]:.1f} in the last fifteen minutes.")


def written(page: str, lines: list[str], sentence: str) -> str:
    """The page with these rows and this sentence.

    Rows of drills that were not run stay, unless the table has other columns.
    """
    before, heading, section = page.partition(f"{HEADING}\n")
    section, following, after = section.partition("\n## ")
    found = re.search(r"(?m)(?:^\|.*\n)+", section)
    if not heading or not found:
        raise RuntimeError(f"{PAGE} has no table below '{HEADING}'")
    former = found[0].splitlines()
    rows = {}
    for line in (former if former[:2] == HEAD else []) + lines:
        name = re.match(r"\| `([a-z-]+)`", line)
        if name: rows[name[1]] = line
    kept = [rows[name] for name in ALL if name in rows]
    section = section[:found.start()] + "\n".join(HEAD + kept) + "\n" + section[found.end():]
    paragraphs = [one for one in section.split("\n\n") if not one.startswith(CONDITIONS)]
    place = next(n for n, one in enumerate(paragraphs) if one.lstrip("\n").startswith("|")) + 1
    paragraphs.insert(place, sentence)
    return before + heading + "\n\n".join(paragraphs) + following + after


def write(checkout: pathlib.Path, lines: list[str], sentence: str) -> None:
    path = checkout / PAGE
    path.write_text(written(path.read_text(encoding="utf-8"), lines, sentence), encoding="utf-8")
