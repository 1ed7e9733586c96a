"""Checks that the numbers of the cluster, of its drills and of the documents agree.

usage: cluster_drills.py

The timeouts of deploy/patroni and deploy/haproxy must depend on each other as their comments say,
deploy/compose must change none of them and have the parts of scripts/cluster, and the drills must
expect what follows from them. Documents must have the right numbers of drills, and the table of
docs/measurements.md drills that exist; --write of the drills must change nothing but that table.
`scripts/cluster url` must know the members and the restored server, and nothing else.
Prints the faults and exits with 1 if there are any.
"""

import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRILLS = ROOT / "scripts/proofs/chaos.d"
sys.dont_write_bytecode = True
sys.path[:0] = [str(DRILLS / "on_cluster"), str(DRILLS)]

import drills  # noqa: E402
import report  # noqa: E402
from controls import CONTROLS  # noqa: E402

problems = []


def expect(holds, words):
    if not holds: problems.append(words)


def text(path): return (ROOT / path).read_text(encoding="utf-8")


def seconds(number):
    value, unit = re.fullmatch(r"(\d+)(ms|s|m)", number).groups()
    return int(value) * {"ms": 0.001, "s": 1, "m": 60}[unit]


def document(path):
    """A template of Patroni's settings, with a number for each word that is filled in."""
    return yaml.safe_load(re.sub(r"\$\{\w+\}", "1", text(path)))


def check_timeouts():
    dcs = document("deploy/patroni/patroni.yml")["bootstrap"]["dcs"]
    ttl = dcs["ttl"]
    least = dcs["loop_wait"] + 2 * dcs["retry_timeout"]
    expect(ttl >= least, f"patroni.yml: ttl is {ttl}, less than {least}, which Patroni refuses")
    expect(dcs["synchronous_mode"] is True, "patroni.yml: commits wait for no standby")
    expect(dcs["maximum_lag_on_failover"] > 0, "patroni.yml: any standby may be promoted")
    expect(dcs["postgresql"]["use_pg_rewind"] is True, "patroni.yml: pg_rewind is not used")
    expect(drills.FAILOVER == ttl + 5,
           f"drills.py: a failover may take {drills.FAILOVER} s, ttl {ttl}")
    proxy = text("deploy/haproxy/haproxy.cfg")
    connect = seconds(re.search(r"timeout connect (\w+)", proxy)[1])
    settings = text("Sources/Base/Postgres/ConnectionSettings.swift")
    of_hearth = int(re.search(r"connectTimeoutSeconds = (\d+)", settings)[1])
    expect(connect < of_hearth,
           f"haproxy.cfg: connects within {connect:.0f} s, Hearth waits for {of_hearth}")
    check = seconds(re.search(r"timeout check (\w+)", proxy)[1])
    servers = re.findall(r"default-server inter (\w+) fall (\d+) .*on-marked-down (\S+)", proxy)
    expect(len(servers) == 2, f"haproxy.cfg: {len(servers)} lists of servers are checked, not 2")
    for inter, fall, action in servers:
        away = seconds(inter) * int(fall)
        expect(away < ttl, f"haproxy.cfg: inter * fall is {away:.0f} s, ttl {ttl}")
        expect(f"inter * fall ({away:.0f} s) < ttl" in text("deploy/patroni/patroni.yml"),
               f"patroni.yml: its comment does not say that inter * fall is {away:.0f} s")
        expect(action == "shutdown-sessions", "haproxy.cfg: sessions of a former primary stay")
        expect(away + check == 6 and "within six seconds" in text("docs/availability.md"),
               f"docs/availability.md: a former primary is left within {away + check:.0f} s")


def check_compose():
    """The settings that the containers add leave the shared ones as they are."""
    own, shared = document("deploy/compose/patroni.yml"), document("deploy/patroni/patroni.yml")
    for part in sorted(set(own) & {"bootstrap", "watchdog", "scope", "etcd3"}):
        problems.append(f"deploy/compose/patroni.yml: {part} differs from scripts/cluster")
    known = {"listen", "callbacks"}
    for key in sorted(set(own["postgresql"]) - known):
        problems.append(f"deploy/compose/patroni.yml: postgresql.{key} differs")
    expect("parameters" in shared["postgresql"], "patroni.yml: has no parameters")
    expect("listen primary" not in text("deploy/compose/resolvers.cfg")
           and "defaults" not in text("deploy/compose/resolvers.cfg"),
           "deploy/compose/resolvers.cfg: changes more than name servers")
    script = text("scripts/cluster")
    members = re.search(r"(?m)^members=\((.*)\)", script)[1]
    parts = re.search(r"(?m)^parts=\((.*)\)", script)[1].replace('"${members[@]}"', members).split()
    services = yaml.safe_load(text("deploy/compose/docker-compose.yml"))["services"]
    numbered = {name for name in services if re.search(r"-\d$", name)} | {"haproxy"}
    expect(set(parts) == numbered,
           f"scripts/cluster and deploy/compose differ in {sorted(set(parts) ^ numbered)}")


def check_urls():
    for name, code in (("postgres-1", 3), ("restored", 3), ("etcd-1", 64)):
        found = subprocess.run(
            ["scripts/cluster", "--name", "nonesuch", "url", name], cwd=ROOT, timeout=60,
            capture_output=True).returncode
        expect(found == code, f"scripts/cluster url {name}, without a cluster: exits with {found}")
    (ROOT / ".local/cluster-nonesuch").rmdir()


def check_documents():
    guide = text("scripts/proofs/README.md")
    single = len(list((DRILLS / "drills").glob("*.py")))
    expect(f"| `chaos` | {single} drills" in guide, f"proofs/README.md: there are {single} drills")
    expect(f"| `chaos cluster` | {len(drills.ALL)} drills" in guide,
           f"proofs/README.md: there are {len(drills.ALL)} drills on a cluster")
    for name, control in CONTROLS.items():
        expect(control.drill in drills.ALL, f"control {name}: there is no drill {control.drill}")
    page = text(report.PAGE)
    section = page.split(f"{report.HEADING}\n")[1].split("\n## ")[0]
    for name in re.findall(r"(?m)^\| `([a-z-]+)`", section):
        expect(name in drills.ALL, f"{report.PAGE}: there is no drill {name}")
    check_writing(page)


def check_writing(page):
    row = report.Row()
    row.runs, row.writes, row.reads = 3, [1.0, 2.5, 2.0], [0.5]
    row.found, row.wanted = {"changes": 11}, {"changes": 12}
    lines = report.table({"switchover": row, "kill-leader": report.Row()})
    expect(lines[2:] == [
        "| `switchover`: the primary's role moves, without a failure | 3 | 11 of 12 | 0 of 0 "
        "| 0 of 0 | 0 | 0 | 2.5 s of 25 | 0.5 s of 25 |"], f"report.py: the rows are {lines[2:]}")
    sentence = f"{report.CONDITIONS}1 May 2026: on a machine."
    once = report.written(page, lines, sentence)
    expect(once.count(sentence) == 1, "report.py: the conditions are not there once")
    expect(once.count(f"\n{lines[2]}\n") == 1, "report.py: the row is not there once")
    expect(report.written(once, lines, sentence) == once,
           "report.py: writing again changes the page")
    row.writes = [9.0]
    replaced = report.table({"kill-server": row})
    other = report.written(once, replaced, sentence)
    expect(replaced[2] in other, "report.py: the row of a drill that was run again is not written")
    kept = [one for one in re.findall(r"(?m)^\| `.*", once.partition(f"{report.HEADING}\n")[2])
            if not one.startswith("| `kill-server`")]
    expect(lines[2] in kept and all(f"\n{one}\n" in other for one in kept),
           "report.py: rows of other drills are lost")
    heading = f"{report.HEADING}\n"
    for of_page in (page, once):
        before, _, after = of_page.partition(heading)
        expect(before == page.partition(heading)[0], "report.py: changes what is before")
        expect(after.partition("\n## ")[2] == page.partition(heading)[2].partition("\n## ")[2],
               "report.py: changes what follows")


def main():
    check_timeouts()
    check_compose()
    check_urls()
    check_documents()
    for problem in problems: print(problem)
    return 1 if problems else 0


sys.exit(main())
