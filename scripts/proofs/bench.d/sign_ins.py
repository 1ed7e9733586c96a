"""Clients that sign in, for scripts/proofs/bench.d/sign-in.

usage: sign_ins.py sessions LISTEN REQUESTS
       sign_ins.py flood LISTEN REQUESTS OUTBOX RATE SECONDS ROUND

`sessions` prints the lines of REQUESTS with tokens of new sessions instead, and gives the first
account a password. `flood` signs in RATE times a second, in another ROUND with other accounts, and
prints the outcomes; exits with 1 if a response was neither the requested one nor 503. Accounts are those
of sql/bench/fill.sql.
"""
import http.client
import json
import os
import pathlib
import queue
import random
import re
import sys
import threading
import time

PASSWORD = "gull kettle north 88 moss"
# Repeated in this order; the numbers are those in the help of the command.
KINDS = ["password", "code", "password", "refresh", "password"]
CONNECTIONS = 64
PATIENCE = 10.0


def lines(path: str) -> list[list[str]]:
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file]


class Line:
    """One connection, reopened after it was closed."""

    def __init__(self, listen: str):
        self.connection = http.client.HTTPConnection(listen, timeout=PATIENCE)

    def send(self, method: str, path: str, body: dict, token: str = "") -> tuple[int, dict]:
        headers = {
            "Content-Type": "application/json",
            "X-Forwarded-For": f"10.{random.randrange(256)}.{random.randrange(256)}.7"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        for attempt in (1, 2):
            try:
                self.connection.request(method, path, json.dumps(body), headers)
                answer = self.connection.getresponse()
                content = answer.read()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # An idle connection may be closed while the request is on its way.
                self.connection.close()
                if attempt == 2:
                    raise
        return answer.status, json.loads(content) if content else {}


def sessions(listen: str, path: str) -> None:
    line = Line(listen)
    for number, (method, target, token, _) in enumerate(lines(path)):
        status, answer = line.send("POST", "/api/auth/exchange", {"token": token})
        if status != 200:
            sys.exit(f"no session: {status} {answer}")
        if number == 0:
            status, told = line.send(
                "PUT", "/api/me/password", {"newPassword": PASSWORD}, answer["access_token"])
            if status != 200:
                sys.exit(f"no password: {status} {told}")
        print("\t".join([method, target, answer["access_token"], ""]))
        # After the fields that wrk reads.
        print(answer["refresh_token"], file=REFRESH)


class Flood:
    def __init__(self, listen: str, path: str, outbox: str, number: int):
        self.listen, self.outbox = listen, pathlib.Path(outbox)
        self.refresh = [token for token, in lines(path + ".refresh")]
        self.accounts = 3 * len(self.refresh)
        self.number = number
        self.tickets: dict[str, str] = {}
        self.seen: set[str] = set()
        self.mailed: queue.SimpleQueue = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.results: list[tuple[str, int | str, float]] = []
        self.is_over = threading.Event()

    def note(self, kind: str, status, since: float) -> None:
        with self.lock:
            self.results.append((kind, status, time.monotonic() - since))

    def sign_in(self, line: Line, kind: str, index: int, due: float) -> None:
        """Sends the next request of a kind, which was due at the given time."""
        try:
            if kind == "password":
                status, _ = line.send("POST", "/api/auth/sign-in", {
                    "email": f"user{index % self.accounts + 1}@example.com",
                    "password": PASSWORD})
            elif kind == "refresh":
                place = index % len(self.refresh)
                status, answer = line.send(
                    "POST", "/api/auth/refresh", {"refresh_token": self.refresh[place]})
                if status == 200:
                    self.refresh[place] = answer["refresh_token"]
            elif kind == "verify":
                # It has the number of the ticket, and is due as soon as the e-mail has arrived.
                ticket, code = index
                status, _ = line.send(
                    "POST", "/api/auth/email/verify", {"ticket": ticket, "code": code})
            else:
                address = f"user{(self.number * 7919 + index) % self.accounts + 1}@example.com"
                status, answer = line.send("POST", "/api/auth/email", {"email": address})
                if status == 202:
                    with self.lock:
                        self.tickets[address] = answer["ticket"]
        except OSError as error:
            status = type(error).__name__
            line.connection.close()
        self.note(kind, status, due)

    def read_mail(self, work: queue.SimpleQueue) -> None:
        """Sends codes in as their e-mails arrive."""
        while not self.is_over.wait(0.1):
            names = set(os.listdir(self.outbox)) - self.seen
            for name in names:
                if not name.endswith(".eml"):
                    continue
                head = (self.outbox / name).read_text().split("\n\n", 1)[0].replace("\r", "")
                self.seen.add(name)
                code = re.search(r"^Subject: ([0-9]{6}) ", head, re.MULTILINE)
                address = re.search(r"^To: (\S+)", head, re.MULTILINE)
                with self.lock:
                    ticket = self.tickets.pop(address[1], None) if address else None
                if code and ticket:
                    work.put(("verify", (ticket, code[1]), time.monotonic()))

    def run(self, rate: int, seconds: float) -> None:
        work: queue.SimpleQueue = queue.SimpleQueue()

        def serve() -> None:
            line = Line(self.listen)
            while (job := work.get()) is not None:
                self.sign_in(line, *job)

        threads = [threading.Thread(target=serve) for _ in range(CONNECTIONS)]
        reader = threading.Thread(target=self.read_mail, args=(work,))
        for thread in threads + [reader]:
            thread.start()
        began, counts = time.monotonic(), dict.fromkeys(KINDS, 0)
        for number in range(int(rate * seconds)):
            due = began + number / rate
            time.sleep(max(0.0, due - time.monotonic()))
            kind = KINDS[number % len(KINDS)]
            counts[kind] += 1
            work.put((kind, counts[kind], due))
        self.is_over.set()
        reader.join()
        for _ in threads:
            work.put(None)
        for thread in threads:
            thread.join()

    def tell(self) -> bool:
        """Whether all requests succeeded or got 503."""
        good = True
        for kind in ["password", "code", "verify", "refresh"]:
            own = [result for result in self.results if result[0] == kind]
            right = 202 if kind == "code" else 200
            done = sorted(seconds for _, status, seconds in own if status == right)
            busy = sum(status == 503 for _, status, _ in own)
            others = sorted({str(status) for _, status, _ in own if status not in (right, 503)})
            good = good and bool(done) and not others
            times = (f"p50 {done[len(done) // 2] * 1000:.0f} ms, "
                     f"p99 {done[int(len(done) * 0.99)] * 1000:.0f} ms" if done else "")
            print(f"{kind:<10} {len(own):>6} sent, {len(done)} done, {busy} told 503"
                  f"{', others: ' + ' '.join(others) if others else ''}; {times}")
        return good


def flood(listen: str, path: str, outbox: str, rate: int, seconds: float, number: int) -> None:
    crowd = Flood(listen, path, outbox, number)
    crowd.run(rate, seconds)
    with open(path + ".refresh", "w") as file:
        file.writelines(token + "\n" for token in crowd.refresh)
    if not crowd.tell():
        sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1] == "sessions":
        # Apart from the file for standard output.
        beside = os.path.join(os.path.dirname(sys.argv[3]), "own.refresh")
        with open(beside, "w") as REFRESH:
            sessions(*sys.argv[2:4])
    else:
        flood(*sys.argv[2:5], int(sys.argv[5]), float(sys.argv[6]), int(sys.argv[7]))
