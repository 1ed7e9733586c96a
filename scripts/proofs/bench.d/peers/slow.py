"""Slow clients: they send requests and read responses a few bytes at a time, until they are stopped.

usage: slow.py PORT REQUESTS COUNT

REQUESTS: a file as requests.py prints it. COUNT connections, each a thread: 16 bytes of the request
every ten milliseconds, then 256 bytes of the response every ten milliseconds. Prints "ready" when all
are connected.
"""
import itertools
import socket
import sys
import threading
import time

PAUSE = 0.01


def send(connection: socket.socket, request: bytes) -> None:
    for start in range(0, len(request), 16):
        connection.sendall(request[start:start + 16])
        time.sleep(PAUSE)


def fetch(connection: socket.socket) -> None:
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += some(connection)
    head, body = answer.split(b"\r\n\r\n", 1)
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(fields[b"content-length"]):
        body += some(connection)


def some(connection: socket.socket) -> bytes:
    time.sleep(PAUSE)
    part = connection.recv(256)
    if not part:
        raise SystemExit("the server has closed a slow connection")
    return part


def go_slowly(connection: socket.socket, lines: list[list[str]]) -> None:
    for method, path, token, _ in itertools.cycle(lines):
        send(connection, (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\n\r\n").encode())
        fetch(connection)


def main() -> None:
    port, file, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with open(file) as requests:
        lines = [line.rstrip("\n").split("\t") for line in itertools.islice(requests, 100)]
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    threads = [
        threading.Thread(target=go_slowly, args=(connection, lines)) for connection in connections]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    for thread in threads:
        thread.join()


main()
