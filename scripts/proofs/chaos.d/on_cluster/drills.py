"""What each drill breaks and repairs. Names are those of the functions, with '-' for '_'."""
import dataclasses
import os
import pathlib
import signal
import time

from restored import point_in_time
from running import MEMBERS, Running
from traffic import Record
from verdict import Result

# Seconds without a successful write, or read, that a failover may take: Patroni's ttl, and five.
FAILOVER = 25.0
# The same where the primary stays.
UNDISTURBED = 2.0


@dataclasses.dataclass
class Drill:
    act: object
    words: str
    writes: float
    reads: float
    # Whether a gap counts only if no process of the API serves.
    is_shared: bool = False


def switchover(running: Running) -> None:
    running.call("switchover")
    time.sleep(10)


def kill_leader(running: Running) -> None:
    """The machine of the primary is lost."""
    leader = running.leader()
    running.call("kill", leader)
    new_primary(running, leader)
    time.sleep(5)
    forget_old_wal(running)
    running.call("start", leader)


def kill_server(running: Running) -> None:
    """PostgreSQL dies; its Patroni lives and restarts it, or gives the lease away."""
    leader = running.leader()
    running.call("kill", f"{leader}/server")
    time.sleep(30)


def kill_agent(running: Running):
    """Patroni dies; its PostgreSQL still accepts writes."""
    leader = running.leader()
    running.call("kill", f"{leader}/agent")
    new_primary(running, leader)
    inspect = leave_former(running)
    running.call("start", leader)
    return inspect


def frozen_agent(running: Running):
    """Patroni hangs; its PostgreSQL still accepts writes, and one API is connected to it."""
    leader = running.leader()
    running.call("freeze", f"{leader}/agent")
    new_primary(running, leader)
    inspect = leave_former(running)
    forget_old_wal(running)
    running.call("thaw", f"{leader}/agent")
    return inspect


def forget_old_wal(running: Running) -> None:
    """The primary removes the WAL that it does not keep for a primary that returns."""
    for _ in range(3):
        running.sql("SELECT pg_switch_wal()")
        running.sql("CHECKPOINT")


def leave_former(running: Running):
    """Gives the API without HAProxy time to find the primary, while the former one still serves.

    It learns that from a write that nobody confirms, after ten seconds. What the function returns
    checks that it has.
    """
    began = time.time()
    time.sleep(25)
    ended = time.time()

    def inspect(result: Result, record: Record) -> None:
        moved = [a for a in record.of_others if a.is_done and began < a.began and a.ended < ended]
        result.expect(bool(moved), "the API without HAProxy stayed with the former primary")
    return inspect


def etcd_minority(running: Running) -> None:
    running.call("kill", "etcd-1")
    time.sleep(25)
    running.call("start", "etcd-1")


def etcd_majority(running: Running) -> None:
    """Without a majority the primary steps down: nobody may write."""
    leader = running.leader()
    try:
        for name in ("etcd-1", "etcd-2"):
            running.call("freeze", name)
        running.eventually("the primary has stepped down", lambda: is_standby(running, leader))
    finally:
        for name in ("etcd-1", "etcd-2"):
            running.call("thaw", name)
    running.leader()


def is_standby(running: Running, member: str) -> bool:
    return running.member_sql(member, "SELECT pg_is_in_recovery()") == "t"


def partition(running: Running) -> None:
    """The primary loses etcd and both standbys; clients that are connected still reach it."""
    leader = running.leader()
    frozen = running.walsenders(leader)
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    running.call("freeze", f"{leader}/agent")
    try:
        new_primary(running, leader)
        time.sleep(5)
    finally:
        for pid in frozen:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
        running.call("thaw", f"{leader}/agent")


def lagging_standby(running: Running) -> None:
    """One standby does not replay, so that it shows nothing new."""
    replica = running.eventually("there is a standby", lambda: running.with_role("replica"))
    running.member_sql(replica, "SELECT pg_wal_replay_pause()")
    try:
        time.sleep(15)
    finally:
        running.member_sql(replica, "SELECT pg_wal_replay_resume()")
    time.sleep(3)


def hanging_standby(running: Running) -> None:
    """The synchronous standby hangs with its Patroni; the other one takes its place."""
    standby = running.standby()

    def replaced() -> bool:
        return running.with_role("sync_standby") not in (None, standby)
    running.call("freeze", standby)
    try:
        running.eventually("another standby is synchronous", replaced)
        time.sleep(5)
    finally:
        running.call("thaw", standby)


def restart_all(running: Running) -> None:
    """All three machines are lost at the same moment and start again."""
    for member in MEMBERS:
        running.call("kill", member)
    for member in MEMBERS:
        running.call("start", member)
    running.leader()
    time.sleep(5)


def rolling_upgrade(running: Running) -> None:
    """API and workers are replaced one after the other, while the primary is switched over."""
    if running.before:
        # The database has the newer schema already, as in an upgrade.
        for name in ("api-1", "worker-1", "api-2", "worker-2"):
            replace(running, name, running.before)
        time.sleep(3)
    for number, name in enumerate(("api-1", "worker-1", "api-2", "worker-2")):
        replace(running, name, running.programs)
        if number == 1:
            running.call("switchover")


def replace(running: Running, name: str, programs: pathlib.Path) -> None:
    running.call("stop", name)
    running.call("start", name, "--bin", str(programs))
    running.eventually(f"{name} is ready", lambda: running.is_part_ready(name))


def minor_upgrade(running: Running) -> None:
    """Each PostgreSQL is restarted: the standbys, then, after a switchover, the primary."""
    leader = running.leader()
    for member in MEMBERS:
        if member != leader:
            running.call("restart", member)
            running.eventually("all follow", running.is_whole, 90)
    running.call("switchover")
    running.eventually("all follow", running.is_whole, 90)
    running.call("restart", leader)


def new_primary(running: Running, former: str) -> str:
    """Waits until another member is the primary."""
    def found():
        leader = running.with_role("leader")
        return leader if leader != former else None
    return running.eventually("another member is the primary", found, 90)


ALL = {
    "switchover": Drill(switchover, "the primary's role moves, without a failure", FAILOVER, FAILOVER),
    "kill-leader": Drill(kill_leader, "kill -9 of the primary and its Patroni", FAILOVER, FAILOVER),
    "kill-server": Drill(kill_server, "kill -9 of the primary alone", FAILOVER, FAILOVER),
    "kill-agent": Drill(kill_agent, "kill -9 of the primary's Patroni alone", FAILOVER, FAILOVER),
    "frozen-agent": Drill(frozen_agent, "the primary's Patroni hangs", FAILOVER, FAILOVER),
    # Writes wait for the standby as usual; on a busy machine, that alone may take seconds.
    "etcd-minority": Drill(etcd_minority, "one etcd is lost", 5.0, UNDISTURBED),
    # The primary steps down within a lease's time; then Patroni promotes within a few seconds.
    "etcd-majority": Drill(
        etcd_majority, "two etcd hang until the primary steps down", 20 + 15, 20 + 15),
    "partition": Drill(
        partition, "the primary loses etcd and its standbys", FAILOVER, FAILOVER),
    "lagging-standby": Drill(
        lagging_standby, "a standby does not replay for 15 s", 5.0, UNDISTURBED),
    # A commit waits for ten seconds at most; Patroni needs a lease's time to replace the standby.
    "hanging-standby": Drill(
        hanging_standby, "the synchronous standby hangs", FAILOVER, UNDISTURBED),
    "restart-all": Drill(restart_all, "kill -9 of all three, then started", 60, 60),
    "rolling-upgrade": Drill(
        rolling_upgrade, "each program replaced, and a switchover", FAILOVER, FAILOVER, True),
    # A backup of a small database takes seconds; the mistake locks each family for a moment.
    "point-in-time": Drill(
        point_in_time, "a mistake, and a restore to the moment before", 5.0, UNDISTURBED),
    "minor-upgrade": Drill(
        minor_upgrade, "each PostgreSQL restarted, and a switchover", FAILOVER, FAILOVER),
}
