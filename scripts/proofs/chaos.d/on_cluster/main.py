"""Runs the drills on a cluster and prints a table. Started by 'scripts/proofs/chaos cluster'."""
import argparse
import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

from running import CHECKOUT, ISSUER, Running
from drills import ALL, Drill
from keyed import hold_one_effect
from load import Client, Site
from stage import Program, free_port
from traffic import Record, Traffic
from verdict import Result, hold_acknowledged, hold_mail, hold_sound


@dataclasses.dataclass
class Row:
    """The runs of one drill."""
    runs: int = 0
    broken: int = 0
    acknowledged: int = 0
    lost: int = 0
    twice: int = 0
    writes: list[float] = dataclasses.field(default_factory=list)
    reads: list[float] = dataclasses.field(default_factory=list)


def perform(name: str, drill: Drill, running: Running, is_sabotaged: bool) -> tuple[Result, Record]:
    """Runs a drill under load, and checks everything that was acknowledged."""
    result = Result()
    direct = start_direct(running) if name in ("frozen-agent", "partition", "kill-agent") else None
    try:
        traffic = Traffic(running.sites, [direct[1]] if direct else [])
        try:
            time.sleep(5)
            # What it returns checks more, once the traffic has stopped.
            inspect = drill.act(running)
            running.await_whole(not is_sabotaged)
            time.sleep(3)
        finally:
            record = traffic.stop()
    finally:
        if direct:
            direct[0].kill()
    running.await_whole(not is_sabotaged)
    running.drain()
    answers = record.answers
    hold_acknowledged(result, running, answers)
    hold_one_effect(result, running, record.requests)
    wanted = [a for a in answers if a.kind == "invite"]
    hold_mail(result, wanted, {to: ids for to, ids in running.messages().items()
                               if to in {a.subject for a in wanted}})
    hold_audit_log(result, running, record)
    hold_sound(result, running)
    if inspect:
        inspect(result, record)
    return result, record


def start_direct(running: Running) -> tuple[Program, Site]:
    """A process of the API that finds the primary without HAProxy, by a list of hosts.

    It stays with a primary that was fenced and does not know it.
    """
    site = Site(free_port(), ISSUER, running.sites[0].secret)
    settings = {}
    for line in (running.folder / "hearth.conf").read_text().splitlines():
        if line.startswith("HEARTH_"):
            key, _, value = line.partition("=")
            settings[key] = value
    settings["HEARTH_DATABASE_URL"] = (
        settings.pop("HEARTH_READ_DATABASE_URL")
        + " target_session_attrs=read-write connect_timeout=2")
    settings["HEARTH_LISTEN"] = f"127.0.0.1:{site.port}"
    for key in ("HEARTH_WORKER_DATABASE_URL", "HEARTH_ADMIN_DATABASE_URL",
                "HEARTH_MIGRATE_DATABASE_URL", "HEARTH_OUTBOX_DIR"):
        settings.pop(key)
    program = Program(running.programs / "hearth-api", settings | {"PATH": os.environ["PATH"]},
                      running.folder / "log/direct.log")
    client = Client(site)
    running.eventually(
        "the API without HAProxy is ready",
        lambda: client.send("ready", "GET", "/readyz", None).is_done)
    client.close()
    return program, site


def hold_audit_log(result: Result, running: Running, record: Record) -> None:
    """Checks that each acknowledged change is in the audit log once."""
    counted = {(action, target): int(count) for action, target, count in running.rows(
        "SELECT action, CASE action WHEN 'family.create' THEN family_unit_id ELSE target_id END, "
        "count(*) FROM app.audit_log WHERE action IN ('family.create', 'invitation.create') "
        "GROUP BY 1, 2")}
    wanted = {("family.create", a.body["familyId"]) for a in record.answers
              if a.kind == "create" and a.is_done}
    wanted |= {("family.create", r.final[0].body["familyId"]) for r in record.requests
               if r.final and r.final[0].is_done}
    wanted |= {("invitation.create", a.body["invitationId"]) for a in record.answers
               if a.kind == "invite" and a.is_done}
    missing = [one for one in wanted if one not in counted]
    twice = [one for one in wanted if counted.get(one, 0) > 1]
    result.expect(not missing, f"{len(missing)} changes are not in the audit log: {missing[:2]}")
    result.expect(not twice, f"{len(twice)} changes are in the audit log twice: {twice[:2]}")


def judge(name: str, drill: Drill, result: Result, record: Record, row: Row) -> None:
    writes, reads = record.write_gap(drill.is_shared), record.read_gap(drill.is_shared)
    result.expect(writes <= drill.writes, f"no write for {writes:.1f} s; at most {drill.writes:.0f}")
    result.expect(reads <= drill.reads, f"no read for {reads:.1f} s; at most {drill.reads:.0f}")
    row.runs += 1
    row.broken += not result.is_sound
    row.acknowledged += result.acknowledged
    row.lost += result.lost
    row.twice += result.duplicates
    row.writes.append(writes)
    row.reads.append(reads)
    verdict = "sound" if result.is_sound else "BROKEN"
    print(f"{name:<16} {result.acknowledged:>6} {result.lost:>5} {result.duplicates:>6} "
          f"{writes:>7.1f} {reads:>7.1f}  {'; '.join([verdict] + result.notes)}", flush=True)
    for failure in result.failures:
        print(f"    {failure}", flush=True)


def table(rows: dict[str, Row]) -> str:
    lines = ["| drill | runs | acknowledged | lost | e-mails twice | longest gap of writes | of reads |",
             "|---|---|---|---|---|---|---|"]
    for name, row in rows.items():
        if row.runs:
            lines.append(
                f"| `{name}`: {ALL[name].words} | {row.runs} | {row.acknowledged:,} | {row.lost} "
                f"| {row.twice} | {max(row.writes):.1f} s | {max(row.reads):.1f} s |")
    return "\n".join(lines)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--sabotage", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.repeat < 1:
        print(f"--repeat: expected a number above 0, not {options.repeat}", file=sys.stderr)
        return 64
    for name in options.names:
        if name not in ALL:
            print(f"there is no drill '{name}'; expected: {', '.join(ALL)}", file=sys.stderr)
            return 64
    names = options.names or list(ALL)
    running = Running(options.bin)
    rows = {name: Row() for name in names}
    code = 0
    began = time.monotonic()
    try:
        running.start()
        running.await_whole()
        if options.sabotage:
            running.call("synchronous", "off")
        print(f"{'drill':<16} {'acked':>6} {'lost':>5} {'twice':>6} {'writes':>7} {'reads':>7}  verdict",
              flush=True)
        for _ in range(options.repeat):
            for name in names:
                try:
                    result, record = perform(name, ALL[name], running, options.sabotage)
                    judge(name, ALL[name], result, record, rows[name])
                    code |= not result.is_sound
                except Exception as error:  # One drill's failure is a line; the others still run.
                    traceback.print_exc()
                    print(f"{name:<16} BROKEN: {error}", flush=True)
                    code = 1
                    recover(running)
        print(f"\n{table(rows)}\n\n{sum(row.runs for row in rows.values())} runs in "
              f"{time.monotonic() - began:.0f} s, load of the machine {os.getloadavg()[1]:.1f}")
    except KeyboardInterrupt:
        code = 130
    finally:
        if options.keep:
            print(f"the cluster still runs: {CHECKOUT}/scripts/cluster --name drills status",
                  file=sys.stderr)
        else:
            running.call("destroy", fails=True)
    return code


def recover(running: Running) -> None:
    """Starts what a failed drill has left down or suspended."""
    for name in ("etcd-1", "etcd-2", "etcd-3", "postgres-1", "postgres-2", "postgres-3"):
        running.call("thaw", name, fails=True)
    try:
        running.start()
        running.await_whole()
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"the cluster does not recover: {error}", file=sys.stderr)
        raise SystemExit(1) from error


sys.exit(main())
