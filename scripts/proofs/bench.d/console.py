"""The clients of scripts/proofs/bench.d/console.

usage: console.py LINK FAMILIES ROUNDS TABS MINUTES POSTMASTER PSQL URL

  LINK         a one-time link of an admin
  POSTMASTER   the process id of PostgreSQL
  PSQL URL     the program, and the database as superuser
"""
import http.client
import os
import random
import re
import subprocess
import sys
import threading
import time
from urllib.parse import urlencode, urlsplit

LIMIT_MS, LIMIT_PROCESSOR = 100, 0.01
# Longer than the console shows the same state of the database.
FRESH_SECONDS = 2.2
IDLE_SECONDS = 30
CHANGE_SECONDS = 5
TICKS = os.sysconf("SC_CLK_TCK")
WEBHOOK = "00000000-0000-4000-8000-000000000000"
# Numbers of the operators of sql/bench/console.sql.
OPERATORS = range(1, 20, 2)
# The parts of the console that open pages follow, and their pages.
PARTS = [("overview", "/"), ("jobs", "/jobs"), ("webhooks", f"/webhooks/{WEBHOOK}"),
         ("doctor", "/doctor")]


class Browser:
    """A browser of an operator. Each request has a connection of its own."""

    def __init__(self, link: str):
        place = urlsplit(link)
        self.port, self.headers = place.port, {
            "Host": place.netloc, "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0",
            "Sec-Fetch-Site": "same-origin", "Origin": f"{place.scheme}://{place.netloc}"}
        page = self.open(f"{place.path}?{place.query}")
        token = re.search(r'name="token" value="([^"]*)"', page)
        if not token: sys.exit(f"the link shows no form: {page[:400]}")
        answer = self.request("POST", "/link", {"token": token[1]})
        cookie = answer.getheader("Set-Cookie") or ""
        answer.read()
        if answer.status != 303 or not cookie: sys.exit(f"the link returned {answer.status}")
        self.headers["Cookie"] = cookie.split(";")[0]
        self.form_token = re.search(r'name="form_token" value="([^"]*)"', self.open("/"))[1]

    def request(self, method: str, path: str, fields: dict[str, str] | None = None,
                seconds: float = 60) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        headers = dict(self.headers)
        if fields is not None: headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, urlencode(fields) if fields is not None else None, headers)
        return connection.getresponse()

    def open(self, path: str) -> str:
        return self.checked(self.request("GET", path), path, (200,))

    def search(self, text: str) -> str:
        fields = {"form_token": self.form_token, "q": text}
        sent = self.request("POST", "/search", fields)
        self.checked(sent, text, (303,))
        # A single result is a redirect to its page.
        results = self.request("GET", sent.getheader("Location") or "/")
        return self.checked(results, text, (200, 303))

    @staticmethod
    def checked(answer: http.client.HTTPResponse, what: str, expected: tuple[int, ...]) -> str:
        text = answer.read().decode()
        if answer.status not in expected:
            sys.exit(f"{what} returned {answer.status}: {text[:400]}")
        return text


def account(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def family(number: int) -> str:
    return f"00000000-0000-4000-9000-{number:012x}"


def code(number: int) -> str:
    """The code of a family, as sql/bench/fill.sql derives it from a small number."""
    return "FAM-" + f"{number:06x}".upper().translate(str.maketrans("01", "XY"))


def measure(browser: Browser, families: int, rounds: int) -> bool:
    """Prints the times of pages and searches; returns whether those with a limit are below it."""
    chance = random.Random(1)

    def any_family() -> int: return chance.randint(1, families)

    def next_page(path: str) -> str:
        found = re.search(r'rel="next" href="([^"]*)"', browser.open(path))
        if not found: sys.exit(f"{path} has no next page")
        return found[1].replace("&amp;", "&")

    by_name, people = next_page("/families?list=name"), next_page("/people")
    cases = [
        ("overview", True, True, lambda: browser.open("/")),
        ("family", True, False, lambda: browser.open(f"/families/{family(any_family())}")),
        ("person", True, False, lambda: browser.open(f"/people/{account(any_family())}")),
        ("search: code", True, False,
         lambda: browser.search(code(min(any_family(), 0xFFFFFF)))),
        ("search: id", True, False, lambda: browser.search(family(any_family()))),
        ("search: address", True, False,
         lambda: browser.search(f"user{any_family()}@example.com")),
        ("search: address begins", True, False,
         lambda: browser.search(f"user{chance.randint(1, 99)}")),
        ("search: name begins", True, False,
         lambda: browser.search(f"User {chance.randint(1, 99)}")),
        ("search: many of a name", True, False, lambda: browser.search("my fam")),
        ("search: nothing", True, False, lambda: browser.search(f"zebra {any_family()}")),
        ("search: a number", True, False, lambda: browser.search(str(any_family()))),
        ("families", False, False, lambda: browser.open("/families")),
        ("families by name, page 2", False, False, lambda: browser.open(by_name)),
        ("people, page 2", False, False, lambda: browser.open(people)),
        ("jobs", False, True, lambda: browser.open("/jobs")),
        ("dead jobs", False, False, lambda: browser.open("/jobs/list?state=dead")),
        ("audit log", False, False, lambda: browser.open("/audit")),
        ("audit log of a family", False, False,
         lambda: browser.open(f"/audit?family={family(any_family())}")),
        ("audit log of an operator", False, False,
         lambda: browser.open(f"/audit?label=user{chance.choice(OPERATORS)}@example.com")),
        ("audit log of an action", False, False,
         lambda: browser.open("/audit?action=user.block")),
        ("e-mail", False, False, lambda: browser.open("/mail")),
        ("system", False, False, lambda: browser.open("/system")),
    ]
    print(f"{'':26} {'median ms':>10} {'slowest ms':>10} {'limit ms':>9}")
    is_good = True
    for name, has_limit, waits, body in cases:
        times = []
        for _ in range(rounds):
            if waits: time.sleep(FRESH_SECONDS)
            began = time.monotonic()
            body()
            times.append((time.monotonic() - began) * 1000)
        times.sort()
        median = times[len(times) // 2]
        is_above = has_limit and median >= LIMIT_MS
        is_good = is_good and not is_above
        print(f"{name:26} {median:10.1f} {times[-1]:10.1f} {LIMIT_MS if has_limit else '':>9}"
              + (" above" if is_above else ""), flush=True)
    return is_good


def processor_seconds(postmaster: int) -> float:
    """Processor time of PostgreSQL so far, including that of processes that have ended."""
    ticks = 0
    for name in os.listdir("/proc"):
        if not name.isdigit(): continue
        try:
            with open(f"/proc/{name}/stat") as file:
                # The fields after the name begin with the state and the parent.
                fields = file.read().rsplit(") ", 1)[1].split()
        except OSError:
            continue
        if int(name) == postmaster:
            # Its own time, and that of children that have ended.
            ticks += sum(int(field) for field in fields[11:15])
        elif int(fields[1]) == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


class Tabs:
    """Pages that stay open, and load themselves again after a change."""

    def __init__(self, browser: Browser, count: int):
        self.browser, self.loads, self.problems = browser, 0, []
        self.lock = threading.Lock()
        self.opened = threading.Barrier(count + 1)
        for number in range(count):
            threading.Thread(target=self.follow, args=PARTS[number % len(PARTS)],
                             daemon=True).start()
        try:
            self.opened.wait(120)
        except threading.BrokenBarrierError:
            sys.exit(f"a page can't be opened: {self.problems}")

    def follow(self, part: str, page: str):
        try:
            self.browser.open(page)
            stream = self.browser.request("GET", f"/live?part={part}")
            if stream.status != 200: raise RuntimeError(f"the stream returned {stream.status}")
            self.opened.wait(120)
            while line := stream.readline():
                if line.startswith(b"event: change"):
                    self.browser.open(page)
                    with self.lock: self.loads += 1
            raise RuntimeError("the stream has ended")
        except (Exception, SystemExit) as error:
            with self.lock: self.problems.append(f"{part}: {error}")
            self.opened.abort()


def hold(browser: Browser, tabs: int, minutes: int, postmaster: int, psql: list[str]) -> bool:
    """Prints the cost of open pages; returns whether it is below the limit."""
    began = processor_seconds(postmaster)
    time.sleep(IDLE_SECONDS)
    idle = (processor_seconds(postmaster) - began) / IDLE_SECONDS
    pages = Tabs(browser, tabs)
    # One session for all changes, because a new one costs more than the change.
    writer = subprocess.Popen(psql, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    began, start = processor_seconds(postmaster), time.monotonic()
    while (passed := time.monotonic() - start) < minutes * 60:
        writer.stdin.write("SELECT jobs.enqueue('mail', 'mail.bench', NULL, '{}');\n")
        writer.stdin.flush()
        if pages.problems: sys.exit(f"a page is no longer renewed: {pages.problems[0]}")
        time.sleep(min(CHANGE_SECONDS, minutes * 60 - passed))
    passed = time.monotonic() - start
    spent = (processor_seconds(postmaster) - began) / passed
    writer.stdin.close()
    writer.wait()
    cost = spent - idle
    print(f"{tabs} pages open for {passed / 60:.1f} minutes, loaded {pages.loads} times: "
          f"{cost:.2%} of a processor of the database (limit {LIMIT_PROCESSOR:.0%}); "
          f"without pages {idle:.2%}")
    if pages.loads == 0: sys.exit("no page was loaded again, so this measures nothing")
    return cost < LIMIT_PROCESSOR


def main():
    link, families, rounds, tabs, minutes, postmaster, psql, url = sys.argv[1:]
    browser = Browser(link)
    is_quick = measure(browser, int(families), int(rounds))
    is_cheap = hold(browser, int(tabs), int(minutes), int(postmaster),
                    [psql, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", url])
    sys.exit(0 if is_quick and is_cheap else 1)


if __name__ == "__main__": main()
