"""Runs the drills on a cluster and prints a table. Started by 'scripts/proofs/chaos cluster'."""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

from running import CHECKOUT, ISSUER, Running
from controls import CONTROLS, Control
from drills import ALL, Drill
from follower import hold_converged
from keyed import hold_one_effect
from load import Client, Site
from stage import Program, free_port
from report import Row, conditions, table, write
from traffic import Record, Traffic
from verdict import Result, hold_acknowledged, hold_mail, hold_refusals, hold_sound


# What is counted, in the order of the columns.
KINDS = ["changes", "audit log", "e-mails"]


def perform(name: str, drill: Drill, running: Running,
            is_synchronous: bool = True) -> tuple[Result, Record]:
    """Runs a drill under load, and checks everything that was acknowledged."""
    result = Result()
    direct = traffic = None
    try:
        if name in ("frozen-agent", "partition", "kill-agent"):
            direct = start_direct(running)
        traffic = Traffic(running.sites, [direct[1]] if direct else [])
        try:
            time.sleep(5)
            # What it returns checks more, once the traffic has stopped.
            inspect = drill.act(running)
            running.await_whole(is_synchronous)
            time.sleep(3)
        finally:
            record = traffic.stop()
        running.await_whole(is_synchronous)
        hold_converged(result, traffic.copies.followers)
    finally:
        if traffic:
            traffic.copies.stop()
        if direct:
            direct[0].kill()
    running.drain()
    answers = record.answers
    hold_acknowledged(result, running, answers)
    hold_one_effect(result, running, record.requests)
    hold_refusals(result, record.everything)
    hold_fresh(result, record)
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
    try:
        running.eventually(
            "the API without HAProxy is ready",
            lambda: client.send("ready", "GET", "/readyz", None).is_done)
    except RuntimeError:
        program.kill()
        raise
    finally:
        client.close()
    return program, site


def hold_fresh(result: Result, record: Record) -> None:
    """Checks that no read showed an older name than was acknowledged before it began."""
    stale = [one for watcher in record.watchers for one in watcher.stale]
    result.expect(not stale, f"{len(stale)} stale reads, one of them {stale[:1]}")
    result.expect(all(watcher.fresh for watcher in record.watchers), "no read showed a new name")


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
    result.count("audit log", len(wanted) - len(missing), len(wanted))
    result.expect(not missing, f"{len(missing)} changes are not in the audit log: {missing[:2]}")
    result.expect(not twice, f"{len(twice)} changes are in the audit log twice: {twice[:2]}")


def judge(name: str, drill: Drill, result: Result, record: Record, row: Row) -> None:
    writes, reads = record.write_gap(drill.is_shared), record.read_gap(drill.is_shared)
    result.expect(writes <= drill.writes, f"no write for {writes:.1f} s; at most {drill.writes:.0f}")
    result.expect(reads <= drill.reads, f"no read for {reads:.1f} s; at most {drill.reads:.0f}")
    row.add(result, writes, reads)
    show(name, result, "sound" if result.is_sound else "BROKEN", f"{writes:>7.1f} {reads:>7.1f}")
    for failure in result.failures:
        print(f"    {failure}", flush=True)


def show(name: str, result: Result, verdict: str, gaps: str) -> None:
    numbers = " ".join(
        f"{result.found.get(kind, 0):>6}/{result.wanted.get(kind, 0):<6}" for kind in KINDS)
    print(f"{name:<20} {numbers} {result.duplicates:>5} {result.effects_twice:>7} {gaps}  "
          f"{'; '.join([verdict] + result.notes)}", flush=True)


def control(name: str, one: Control, running: Running) -> bool:
    """Runs a drill with a mechanism disabled. Returns whether the drill noticed a loss."""
    one.disable(running)
    try:
        result, record = perform(one.drill, ALL[one.drill], running, one.is_synchronous)
    finally:
        one.enable(running)
    is_noticed = result.lost > 0
    gaps = f"{record.write_gap(False):>7.1f} {record.read_gap(False):>7.1f}"
    show(name, result, f"{'noticed' if is_noticed else 'NOT NOTICED'}: {one.words}, "
         f"{result.lost} lost", gaps)
    return is_noticed


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--before-bin", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--sabotage", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.repeat < 1:
        print(f"--repeat: expected a number above 0, not {options.repeat}", file=sys.stderr)
        return 64
    if options.write and options.sabotage:
        print("--write: a sabotaged drill has no place in the table", file=sys.stderr)
        return 64
    known = CONTROLS if options.sabotage else ALL
    for name in options.names:
        if name not in known:
            kind = "control" if options.sabotage else "drill"
            print(f"there is no {kind} '{name}'; expected: {', '.join(known)}", file=sys.stderr)
            return 64
    names = options.names or list(known)
    running = Running(options.bin, options.before_bin)
    rows = {name: Row() for name in ALL}
    code = 0
    began = time.monotonic()
    try:
        running.start()
        running.await_whole()
        columns = " ".join(f"{kind:>13}" for kind in KINDS)
        print(f"{'drill':<20} {columns} {'twice':>5} {'effects':>7} {'writes':>7} {'reads':>7}  "
              "verdict", flush=True)
        for _ in range(options.repeat):
            for name in names:
                code |= not attempt(name, running, rows, options.sabotage)
        if not options.sabotage:
            lines, sentence = table(rows), conditions(running)
            print("\n" + "\n".join([*lines, "", sentence]))
            if options.write:
                write(CHECKOUT, lines, sentence)
        print(f"\n{len(names) * options.repeat} runs in {time.monotonic() - began:.0f} s, "
              f"load of the machine {os.getloadavg()[1]:.1f}")
    except KeyboardInterrupt:
        code = 130
    finally:
        if options.keep:
            print(f"the cluster still runs: {CHECKOUT}/scripts/cluster --name drills status",
                  file=sys.stderr)
        else:
            try:
                running.call("destroy", seconds=900)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"the cluster is not destroyed: {error}", file=sys.stderr)
                code = code or 70
    return code


def attempt(name: str, running: Running, rows: dict[str, Row], is_sabotaged: bool) -> bool:
    """Runs a drill or a control, and returns whether it ended as it must."""
    try:
        if is_sabotaged:
            return control(name, CONTROLS[name], running)
        result, record = perform(name, ALL[name], running)
        judge(name, ALL[name], result, record, rows[name])
        return result.is_sound
    except Exception as error:  # One drill's failure is a line; the others still run.
        traceback.print_exc()
        print(f"{name:<20} BROKEN: {error}", flush=True)
        if not is_sabotaged:
            rows[name].add_failure()
        recover(running)
        return False


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
