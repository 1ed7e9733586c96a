"""The clients of scripts/proofs/bench.d/sync.

usage: sync_streams.py latency LISTEN REQUESTS STREAMS SECONDS PID
       sync_streams.py hold LISTEN REQUESTS STREAMS
       sync_streams.py stalled LISTEN REQUESTS SECONDS PID
       sync_streams.py reads LISTEN REQUESTS SECONDS PID POSTMASTER
       sync_streams.py tags LISTEN REQUESTS      prints the lines with their entity tags
"""
import http.client
import json
import os
import resource
import selectors
import signal
import socket
import sys
import threading
import time

def requests(path: str) -> list[tuple[str, str]]:
    """Path and token of each line."""
    with open(path) as file:
        return [tuple(line.split("\t")[1:3]) for line in file]


def resident(pid: int) -> int:
    """Resident memory of a process, in bytes."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(pid: int) -> float:
    """Processor time of the running threads of a process and its children."""
    nanoseconds = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rsplit(") ", 1)[1].split()[1])
            if pid not in (int(name), parent):
                continue
            for thread in os.listdir(f"/proc/{name}/task"):
                with open(f"/proc/{name}/task/{thread}/schedstat") as file:
                    nanoseconds += int(file.read().split()[0])
        except OSError:
            continue
    return nanoseconds / 1e9


class Streams:
    """Streams of GET /api/live, ten per account."""

    def __init__(self, listen: str, tokens: list[str], count: int, buffer: int = 0):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count + 100:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 100), hard))
        host, port = listen.rsplit(":", 1)
        self.selector = selectors.DefaultSelector()
        self.account: dict[socket.socket, int] = {}
        self.last: dict[socket.socket, bytes] = {}
        for number in range(count):
            stream = socket.socket()
            if buffer:
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            stream.connect((host, int(port)))
            account = number // 10
            stream.sendall(f"GET /api/live HTTP/1.1\r\nHost: x\r\n"
                           f"Authorization: Bearer {tokens[account]}\r\n\r\n".encode())
            begun = b""
            while b"\n\n" not in begun:
                part = stream.recv(4096)
                if not part:
                    sys.exit(f"stream {number} was not opened: {begun!r}")
                begun += part
            if not begun.startswith(b"HTTP/1.1 200"):
                sys.exit(f"stream {number} was not opened: {begun!r}")
            stream.setblocking(False)
            self.account[stream] = account
            self.last[stream] = begun
            self.selector.register(stream, selectors.EVENT_READ)

    def events(self, deadline: float):
        """Account and time of each change event until the deadline."""
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in self.selector.select(min(left, 60)):
                part = key.fileobj.recv(65536)
                now = time.monotonic()
                if not part:
                    sys.exit(f"a stream of account {self.account[key.fileobj]} has ended; it sent "
                             f"last: {self.last[key.fileobj]!r}")
                self.last[key.fileobj] = part
                if b"event: change" in part:
                    yield self.account[key.fileobj], now


def latency(listen: str, path: str, count: int, seconds: float, pid: int) -> None:
    tokens = [token for _, token in requests(path)]
    before = resident(pid)
    streams = Streams(listen, tokens, count)
    print(f"{count} streams: {(resident(pid) - before) / count / 1024:.1f} KiB each (at most 16)")
    written: dict[int, float] = {}
    accounts = max(1, count // 10)
    began = time.monotonic()
    total = int(100 * seconds)

    def write(part: int) -> None:
        connection = http.client.HTTPConnection(listen)
        for number in range(part, total, 4):
            time.sleep(max(0.0, began + number / 100 - time.monotonic()))
            # All accounts in turn.
            account = number % accounts
            written[account] = time.monotonic()
            connection.request("PATCH", "/api/me", f'{{"fullName": "Name {number}"}}', {
                "Authorization": f"Bearer {tokens[account]}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                print(f"a write returned {answer.status}", file=sys.stderr)

    threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    delays = sorted(
        (now - written[account]) * 1000
        for account, now in streams.events(began + seconds + 2) if account in written)
    for thread in threads:
        thread.join()
    if not delays:
        sys.exit("no event has arrived")
    print(f"{total} writes at 100 a second, {len(delays)} events: "
          f"p50 {delays[len(delays) // 2]:.0f} ms (at most 100), "
          f"p99 {delays[int(len(delays) * 0.99)]:.0f} ms (at most 500)")


def stalled(listen: str, path: str, seconds: float, pid: int) -> None:
    """Streams of one account, whose clients read nothing after the first event."""
    count = 10
    (_, token) = requests(path)[0]
    before = resident(pid)
    streams = Streams(listen, [token], count, buffer=4096)
    connection = http.client.HTTPConnection(listen)
    delays = []
    end = time.monotonic() + max(seconds, 5)
    number = 0
    while time.monotonic() < end:
        number += 1
        began = time.monotonic()
        connection.request("PATCH", "/api/me", f'{{"fullName": "Stalled {number}"}}', {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        connection.getresponse().read()
        delays.append((time.monotonic() - began) * 1000)
    print(f"{count} stalled readers, and {number} writes for them: "
          f"{(resident(pid) - before) / 1024:+.0f} KiB, the writes' p99 "
          f"{sorted(delays)[int(len(delays) * 0.99)]:.0f} ms")
    # The waiting changes become one event when the clients read again.
    unread = 0
    quiet = time.monotonic() + 1
    while (left := quiet - time.monotonic()) > 0:
        for key, _ in streams.selector.select(left):
            part = key.fileobj.recv(65536)
            if not part:
                streams.selector.unregister(key.fileobj)
                continue
            unread += len(part)
    print(f"{unread / count / 1024:.1f} KiB had been sent to each")


def hold(listen: str, path: str, count: int) -> None:
    """Prints the number of received events on each SIGUSR1."""
    streams = Streams(listen, [token for _, token in requests(path)], count)
    events = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGUSR1, lambda *_: print(events, flush=True))
    print("ready", flush=True)
    while True:
        # Reads many events at once, because the clients are not measured.
        time.sleep(0.05)
        for key, _ in streams.selector.select(60):
            part = key.fileobj.recv(65536)
            if not part:
                sys.exit(f"a stream of account {streams.account[key.fileobj]} has ended")
            events += part.count(b"event: change")


def reads(listen: str, path: str, seconds: float, pid: int, postmaster: int) -> None:
    members, token = requests(path)[0]
    head = {"Authorization": f"Bearer {token}"}
    connection = http.client.HTTPConnection(listen)

    def get(target: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        answer.body = answer.read()
        return answer

    def costs(*kinds: tuple[str, dict[str, str], int]) -> list[float]:
        """Milliseconds of processor time for one request of each kind: target, headers, status. The
        kinds alternate, because the load of the machine changes."""
        spent, counts = [0.0] * len(kinds), [0] * len(kinds)
        for target, headers, _ in kinds:
            get(target, headers)
        end = time.monotonic() + seconds * len(kinds)
        while time.monotonic() < end:
            for number, (target, headers, status) in enumerate(kinds):
                before = processor_seconds(pid) + processor_seconds(postmaster)
                for _ in range(200):
                    answer = get(target, headers)
                    if answer.status != status:
                        sys.exit(f"{target} returned {answer.status}")
                spent[number] += processor_seconds(pid) + processor_seconds(postmaster) - before
                counts[number] += 200
        return [time * 1000 / count for time, count in zip(spent, counts)]

    family = members.split("familyId=")[1]
    for name, target in [("members", members), ("families", "/api/family"),
                         ("group", f"/groups/{family}"), ("profile", "/api/me")]:
        tag = get(target, head).headers["ETag"]
        whole, same = costs((target, head, 200), (target, {**head, "If-None-Match": tag}, 304))
        print(f"{name}: {whole:.3f} ms in full, {same:.3f} ms for 304 ({same / whole * 100:.0f} %)")
    answer = get("/api/sync", head)
    page = json.loads(answer.body)
    while page["hasMore"]:
        page = json.loads(get("/api/sync?cursor=" + page["cursor"], head).body)
    poll = "/api/sync?cursor=" + page["cursor"]
    [each], size = costs((poll, head, 200)), len(get(poll, head).body)
    print(f"a poll that finds nothing: {each:.3f} ms, {size} bytes of body; each 30 s that is "
          f"{each * 2880 / 1000:.1f} s of processor time and {size * 2880 / 1024:.0f} KiB a day")


def tags(listen: str, path: str) -> None:
    connection = http.client.HTTPConnection(listen)
    with open(path) as file:
        for line in file:
            _, target, token, _ = line.rstrip("\n").split("\t")
            headers, tag = {"Authorization": f"Bearer {token}"}, None
            for status in 200, 304:
                connection.request("GET", target, headers=headers)
                answer = connection.getresponse()
                answer.read()
                if answer.status != status:
                    sys.exit(f"{target} returned {answer.status}")
                headers["If-None-Match"] = tag = answer.headers["ETag"]
            print(line.rstrip("\n"), tag, sep="\t")


if __name__ == "__main__":
    name, listen, path = sys.argv[1:4]
    rest = sys.argv[4:]
    if name == "latency":
        latency(listen, path, int(rest[0]), float(rest[1]), int(rest[2]))
    elif name == "stalled":
        stalled(listen, path, float(rest[0]), int(rest[1]))
    elif name == "hold":
        hold(listen, path, int(rest[0]))
    elif name == "tags":
        tags(listen, path)
    else:
        reads(listen, path, float(rest[0]), int(rest[1]), int(rest[2]))
