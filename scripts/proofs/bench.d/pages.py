"""The clients of scripts/proofs/bench.d/pages.

usage: pages.py LISTEN FOLDER READS SECONDS PID POSTMASTER

  FOLDER   the folder with tokens and outbox
"""
import glob
import http.client
import json
import re
import socket
import sys
import threading
import time
from urllib.parse import urlencode, urljoin

from sync_streams import processor_seconds

MOST_TIMES, MOST_BYTES = 1.5, 30_000


class Client:
    """A connection that stays open, with the headers of one person."""

    def __init__(self, listen: str, headers: dict[str, str]):
        self.connection = http.client.HTTPConnection(listen)
        self.headers = headers

    def send(self, method: str, path: str, body: str | None = None, status: int = 200,
             more: dict[str, str] | None = None) -> tuple[str, http.client.HTTPResponse]:
        self.connection.request(method, path, body, {**self.headers, **(more or {})})
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status != status:
            sys.exit(f"{method} {path} returned {answer.status}: {text[:400]}")
        return text, answer

    def json(self, method: str, path: str, body: dict | None = None, status: int = 200) -> dict:
        text, _ = self.send(method, path, json.dumps(body) if body is not None else None, status,
                            {"Content-Type": "application/json"})
        return json.loads(text)


def cookie(listen: str, folder: str, address: str) -> str:
    """Signs a browser in by a mailed code; returns its cookie."""
    client = Client(listen, {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"})
    cookies: dict[str, str] = {}
    path = "/sign-in"

    def call(method: str, fields: dict[str, str] | None = None) -> str:
        nonlocal path
        client.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        text, answer = client.send(
            method, path, urlencode(fields) if fields else None, 303 if fields else 200,
            {"Content-Type": "application/x-www-form-urlencoded"} if fields else None)
        for field in answer.headers.get_all("Set-Cookie") or []:
            name, value = field.split(";")[0].split("=", 1)
            cookies[name] = value
        # The page with the field for the code.
        path = urljoin(path, answer.headers.get("Location") or "")
        return text

    def token(page: str) -> str:
        return re.search(r'name="form_token" value="([^"]*)"', page).group(1)

    call("POST", {"action": "code", "email": address, "form_token": token(call("GET"))})
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for mail in glob.glob(f"{folder}/outbox/*.eml"):
            text = open(mail, encoding="utf-8", errors="replace").read()
            if address in text and (code := re.search(r"^Subject:.*?\b([0-9]{6})\b", text, re.M)):
                page = call("GET")
                form = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page))
                call("POST", {**form, "action": "verify", "code": code.group(1),
                              "form_token": token(page)})
                return "; ".join(f"{name}={value}" for name, value in cookies.items())
        time.sleep(0.05)
    sys.exit(f"no code came to {address}")


def found(people: list[Client]) -> str:
    """Makes a family of these people; returns its id."""
    created = people[0].json("POST", "/api/family/create", {"familyName": "The Norths"})
    for person in people[1:]:
        person.json("POST", "/api/family/code/join", {"familyCode": created["familyCode"]})
    return created["familyId"]


def fill(people: list[Client]) -> str:
    """Makes a family of 8 with invitations; returns its id."""
    family = found(people)
    for name in ("Robin", "Wren"):
        people[0].json(
            "POST", "/api/family/managed", {"familyId": family, "displayName": name}, 201)
    for number in range(4):
        people[0].json("POST", "/api/family/invite", {
            "familyUnitId": family, "role": "parent", "email": f"guest.{number}@example.com"})
    return family


class Streams:
    """Streams that are held, and the number of events that came."""

    def __init__(self, listen: str, path: str, headers: list[dict[str, str]]):
        host, port = listen.rsplit(":", 1)
        self.sockets, self.events = [], 0
        for fields in headers:
            stream = socket.create_connection((host, int(port)))
            lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            stream.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
            begun = b""
            while begun.count(b"\n\n") < 1:
                begun += stream.recv(4096)
            if b" 200 " not in begun:
                sys.exit(f"{path}: {begun!r}")
            self.sockets.append(stream)
            threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream: socket.socket) -> None:
        while part := stream.recv(65536):
            self.events += part.count(b"event: change")

    def close(self) -> None:
        for stream in self.sockets:
            stream.shutdown(socket.SHUT_RDWR)
            stream.close()


def main() -> None:
    listen, folder, reads, seconds, pid, postmaster = sys.argv[1:]
    with open(f"{folder}/tokens", encoding="utf-8") as file:
        tokens = file.read().split()
    people = [Client(listen, {"Authorization": f"Bearer {token}"}) for token in tokens]
    family, other = fill(people[:6]), found(people[6:])
    page = Client(listen, {"Cookie": cookie(listen, folder, "person.0@example.com"),
                           "Accept": "text/html"})
    text, _ = page.send("GET", "/family")
    if "Robin" not in text or "guest.3@example.com" not in text:
        sys.exit(f"/family does not show the family with its children and invitations: {text}")
    size = len(text.encode())
    print(f"the page has {size:,} bytes (at most {MOST_BYTES:,})")
    paths = ["/api/me", f"/api/family/{family}", f"/api/family/members?familyId={family}",
             f"/api/family/invitations?familyId={family}"]

    def spent() -> float:
        return processor_seconds(int(pid)) + processor_seconds(int(postmaster))

    def window(act) -> float:
        before = spent()
        for _ in range(int(reads)):
            act()
        return (spent() - before) / int(reads) * 1000

    def read_all() -> None:
        for path in paths:
            people[0].send("GET", path)

    def open_page() -> None:
        page.send("GET", "/family")

    for act in (read_all, open_page):
        window(act)
    pairs = [(window(open_page), window(read_all)) for _ in range(5)]
    pages, answers = (sorted(one[side] for one in pairs)[2] for side in (0, 1))
    times = sorted(one[0] / one[1] for one in pairs)[2]
    print(f"processor time: page {pages:.2f} ms, its reads {answers:.2f} ms, {times:.2f} times "
          f"(at most {MOST_TIMES})")

    cookies = [page.headers["Cookie"]] + [
        cookie(listen, folder, f"person.{number}@example.com") for number in range(1, 10)]
    kinds = {
        "/family/live": [{"Cookie": one, "Sec-Fetch-Site": "same-origin"} for one in cookies],
        "/api/live": [{"Authorization": f"Bearer {token}"} for token in tokens],
    }
    for path, headers in kinds.items():
        streams = Streams(listen, path, headers * 10)
        before, began = spent(), time.monotonic()
        for number in range(int(float(seconds) * 5)):
            time.sleep(max(0.0, began + number / 5 - time.monotonic()))
            changed, by = ((family, people[0]), (other, people[6]))[number % 2]
            by.json("PATCH", f"/api/family/{changed}", {"familyName": f"Norths {path} {number}"})
        used, took = spent() - before, time.monotonic() - began
        print(f"{len(headers) * 10} streams of {path}: {used / took * 1000:.0f} ms of processor time a second, "
              f"{streams.events} events")
        streams.close()
    if times > MOST_TIMES or size >= MOST_BYTES:
        sys.exit("the page costs too much")


main()
