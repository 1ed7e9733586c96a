"""Malformed, oversized and slow HTTP requests."""
import socket
import threading
import time

from tools import Report, Site, percentile


def malformed() -> list[tuple[str, bytes]]:
    def get(fields: bytes = b"", line: bytes = b"GET /healthz HTTP/1.1") -> bytes:
        return line + b"\r\nHost: x\r\n" + fields + b"\r\n"

    smuggled = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST /api/family/create HTTP/1.1"
    return [
        ("double header block", b"GET /\r\n\r\nHost: x\r\n\r\n"),
        ("length and chunks", get(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", post) + smuggled),
        ("chunks and length", get(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", post) + smuggled),
        ("two lengths", get(b"Content-Length: 5\r\nContent-Length: 6\r\n", post) + smuggled),
        ("same length twice", get(b"Content-Length: 5\r\nContent-Length: 5\r\n", post) + smuggled),
        ("list of lengths", get(b"Content-Length: 5, 5\r\n", post) + smuggled),
        ("negative length", get(b"Content-Length: -1\r\n", post) + smuggled),
        ("hexadecimal length", get(b"Content-Length: 0x5\r\n", post) + smuggled),
        ("huge length", get(b"Content-Length: 99999999999999999999\r\n", post) + smuggled),
        ("unknown coding", get(b"Transfer-Encoding: xchunked\r\n", post) + smuggled),
        ("coding twice", get(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", post) + smuggled),
        ("coding with a blank", get(b"Transfer-Encoding : chunked\r\n", post) + smuggled),
        ("coding of 1.0", post[:-1] + b"0\r\nTransfer-Encoding: chunked\r\n\r\n" + smuggled),
        ("bare line feeds", b"GET /healthz HTTP/1.1\nHost: x\n\n"),
        ("one bare line feed", get(b"X: a\nY: b\r\n")),
        ("bare carriage return", get(b"X: a\rY: b\r\n")),
        ("folded line", get(b"X: a\r\n b\r\n")), ("folded first line", b"GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
        ("NUL in a value", get(b"X: a\0b\r\n")), ("NUL in a name", get(b"X\0: a\r\n")),
        ("NUL in the target", get(line=b"GET /\0 HTTP/1.1")), ("no Host", b"GET /healthz HTTP/1.1\r\n\r\n"),
        ("two Hosts", get(b"Host: y\r\n")), ("no colon", get(b"nothing\r\n")), ("no name", get(b": a\r\n")),
        ("blank in a name", get(b"X y: a\r\n")), ("two blanks", get(line=b"GET  /healthz HTTP/1.1")),
        ("no version", b"GET /healthz\r\nHost: x\r\n\r\n"), ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("HTTP/9.9", get(line=b"GET / HTTP/9.9")), ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        ("bad escape", get(b"Connection: close\r\n", b"GET /%zz HTTP/1.1")),
        ("escaped NUL", get(b"Connection: close\r\n", b"GET /%00 HTTP/1.1")),
        ("not UTF-8", get(b"Connection: close\r\n", b"GET /%ff HTTP/1.1")),
        ("bad chunk size", get(b"Transfer-Encoding: chunked\r\n", post) + b"zz\r\n"),
        ("negative chunk", get(b"Transfer-Encoding: chunked\r\n", post) + b"-1\r\n"),
        ("huge chunk", get(b"Transfer-Encoding: chunked\r\n", post) + b"FFFFFFFFFFFFFFFF\r\n"),
        ("chunk too long", get(b"Transfer-Encoding: chunked\r\n", post) + b"1\r\nabc\r\n0\r\n\r\n"),
        ("trailer that is no field", get(b"Transfer-Encoding: chunked\r\n", post) + b"0\r\nnothing\r\n\r\n"),
        ("request as a trailer", get(b"Transfer-Encoding: chunked\r\n", post) + b"0\r\nGET /smuggled HTTP/1.1\r\n\r\n"),
        ("folded trailer", get(b"Transfer-Encoding: chunked\r\n", post) + b"0\r\nX: a\r\n b\r\n\r\n"),
        ("length as a trailer", get(b"Transfer-Encoding: chunked\r\n", post) + b"0\r\nContent-Length: 5\r\n\r\n"),
        ("Host with a path", b"GET /healthz HTTP/1.1\r\nHost: x/y\r\n\r\n"),
        ("Host with a user", b"GET /healthz HTTP/1.1\r\nHost: a@x\r\n\r\n"),
        ("Host with a bad port", b"GET /healthz HTTP/1.1\r\nHost: x:99999\r\n\r\n"),
        ("Host with an open bracket", b"GET /healthz HTTP/1.1\r\nHost: [::1\r\n\r\n"),
        ("two names as a Host", b"GET /healthz HTTP/1.1\r\nHost: x y\r\n\r\n"),
        ("target without a host", get(b"Connection: close\r\n", b"GET http:///healthz HTTP/1.1")),
        ("target with a user", get(b"Connection: close\r\n", b"GET http://a@x/healthz HTTP/1.1")),
        ("line feed after chunk", get(b"Transfer-Encoding: chunked\r\n", post) + b"1\r\na\n0\r\n\r\n"),
    ]


def oversized() -> list[tuple[str, bytes, set]]:
    def post(fields: str, body: bytes) -> bytes:
        head = f"POST /api/family/create HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}\r\n"
        return head.encode() + body

    long = b"x" * 100_000
    chunk = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
    return [
        ("body over 64 KiB", post("Content-Length: 65537\r\n", b" " * 65537), {413}),
        ("body of 1 MiB", post("Content-Length: 1048576\r\n", b" " * 1048576), {413}),
        ("body of 10 GB announced", post("Content-Length: 10000000000\r\n", b""), {413}),
        ("chunks of 2 MiB", post("Transfer-Encoding: chunked\r\n", chunk * 512), {413, None}),
        ("headers over 32 KiB", b"GET / HTTP/1.1\r\nHost: x\r\nX: " + long[:33_000] + b"\r\n\r\n", {431}),
        ("header of 100 KB", b"GET / HTTP/1.1\r\nHost: x\r\nX: " + long + b"\r\n\r\n", {431}),
        ("101 headers", b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 100 + b"\r\n", {431}),
        ("101 trailers", post("Transfer-Encoding: chunked\r\n", b"0\r\n" + b"a: b\r\n" * 101 + b"\r\n"), {431}),
        ("8,000 headers", b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 8000 + b"\r\n", {431}),
        ("target of 100 KB", b"GET /" + long + b" HTTP/1.1\r\nHost: x\r\n\r\n", {431}),
        ("1,000 parameters", b"GET /healthz?" + b"a=1&" * 1000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", {200, 400}),
        ("8,000 parameters", b"GET /healthz?" + b"a&" * 8000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", {200, 400}),
    ]


def latencies(site: Site, token: str, path: str, count: int) -> tuple[list[float], int]:
    """Durations of requests on one connection, in milliseconds, and the number of failures."""
    import http.client
    times, failures = [], 0
    connection = http.client.HTTPConnection(site.host, site.port, timeout=40)
    for _ in range(count):
        began = time.monotonic()
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            failures += answer.status != 200
        except OSError:
            failures += 1
            connection.close()
            connection = http.client.HTTPConnection(site.host, site.port, timeout=40)
        times.append((time.monotonic() - began) * 1000)
    connection.close()
    return times, failures


def crowd(site: Site, report: Report, name: str, count: int, token: str, path: str, keep_up) -> None:
    before, _ = latencies(site, token, path, 300)
    slow = []
    for _ in range(count):
        connection = site.connect()
        connection.sendall(b"POST /api/family/create HTTP/1.1\r\nHost: x\r\nContent-Le")
        slow.append(connection)
    done = threading.Event()
    thread = threading.Thread(target=keep_up, args=(slow, done))
    thread.start()
    during, failures = latencies(site, token, path, 1000)
    done.set()
    thread.join()
    for connection in slow:
        connection.close()
    p99 = percentile(during, 0.99)
    outcome = (f"p99 of others {p99:.1f} ms, p50 {percentile(during, 0.5):.1f} ms "
               f"(before: {percentile(before, 0.99):.1f}, {percentile(before, 0.5):.1f})")
    findings = [f"{failures} of the others' requests failed"] if failures else []
    if p99 > max(1000, 20 * percentile(before, 0.99)):
        findings.append("the others had to wait")
    report.row(name, count, outcome, findings)


def trickle(slow, done) -> None:
    while not done.wait(0.2):
        for connection in slow:
            try:
                connection.send(b"n")
            except OSError:
                pass


def attack(site: Site, report: Report, token: str, path: str) -> None:
    results = [(what, site.raw(data)) for what, data in malformed()]
    report.statuses("malformed requests", [(what, result[0]) for what, result in results], {400})
    open_still = [what for what, result in results if not result[1] and result[0] != "hung"]
    report.row("connections left open by them", len(results), str(len(open_still)), open_still)
    bad = []
    for what, data, allowed in oversized():
        status, _ = site.raw(data)
        if status not in allowed:
            bad.append(f"{what}: {status}")
    report.row("oversized requests", len(oversized()), "413, 431 or refused", bad)
    crowd(site, report, "slow, half-open connections", 200, token, path, trickle)
    crowd(site, report, "more of them than one may have", 1024, token, path, trickle)
    pipeline = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 20_000

    def greedy(slow, done):
        with site.connect() as connection:
            connection.settimeout(0.5)
            threading.Thread(target=lambda: _send(connection, pipeline), daemon=True).start()
            while not done.is_set():
                try:
                    if not connection.recv(1 << 20):
                        return
                except OSError:
                    return

    crowd(site, report, "20,000 requests at once", 1, token, path, greedy)


def resident(process: int) -> float:
    """Resident memory of the API, in MiB."""
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


def slow_readers(site: Site, report: Report, process: int, count: int = 1000, most: float = 32) -> None:
    """Memory for a number of clients that request the largest document and don't read it."""
    status, document = site.send("GET", "/openapi.json")
    before = resident(process)
    readers, unanswered = [], 0
    try:
        for number in range(count):
            # From several addresses, because one address may have only 256 connections.
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            reader.settimeout(20)
            reader.bind((f"127.0.1.{1 + number // 100}", 0))
            reader.connect((site.host, site.port))
            reader.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
            readers.append(reader)
        for reader in readers:
            # When the first bytes arrive, the response is complete; the rest of it waits.
            try:
                unanswered += not reader.recv(1, socket.MSG_PEEK)
            except OSError:
                unanswered += 1
        taken = resident(process) - before
    finally:
        for reader in readers:
            reader.close()
    findings = [f"{unanswered} were not answered"] if unanswered or status != 200 else []
    if taken > most:
        findings.append(f"more than {most} MB")
    report.row("slow readers of one document", count,
               f"{taken:.1f} MB more than the {before:.1f} before, for {len(document) / 1024:.0f} KiB each",
               findings)


def _send(connection, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        pass
