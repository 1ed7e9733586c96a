"""A receiver of webhooks that answers as it is told. Standard library only.

usage: webhook_receiver.py FOLDER [--port PORT] [--tls CERTIFICATE KEY]

Prints its port. Each request that it reads whole is one line of JSON in FOLDER/requests: path,
headers (lower case), body, the status that it answers, and when, in seconds since 1970.

How it answers stands in FOLDER/mode, read with each request: a status such as '200' or '410';
'flaky' (every third request only gets 200); 'drop' (the connection is closed); 'hang' (no answer
ever comes); 'hold' (the answer, 200, comes once the mode is another); 'flood' (an answer without
end, of status 200); 'redirect URL' (307).
"""

import argparse
import http.server
import itertools
import json
import os
import ssl
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--tls", nargs=2)
options = parser.parse_args()
numbers = itertools.count(1)
lock = threading.Lock()


def mode():
    try:
        with open(os.path.join(options.folder, "mode")) as file:
            return file.read().strip()
    except FileNotFoundError:
        return "200"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
        how = mode()
        if how == "flaky":
            how = "200" if next(numbers) % 3 == 0 else ("500" if next(numbers) % 2 else "drop")
        status = int(how) if how.isdigit() else {"flood": 200, "hold": 200}.get(how, 0)
        if how.startswith("redirect "):
            status = 307
        self.record(body, status)
        if how == "drop":
            self.close_connection = True
        elif how == "hang":
            threading.Event().wait()
        else:
            while how == "hold" and mode() == "hold":
                time.sleep(0.01)
            self.send_response(status)
            if status == 307:
                self.send_header("Location", how.split(" ", 1)[1])
            if how == "flood":
                self.end_headers()
                while True:
                    self.wfile.write(b"x" * 65536)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def record(self, body, status):
        line = {
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": body,
            "status": status,
            "at": time.time(),
        }
        with lock, open(os.path.join(options.folder, "requests"), "a") as file:
            file.write(json.dumps(line) + "\n")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100
    allow_reuse_address = True

    def handle_error(self, *_):
        pass


def drop_incomplete_line():
    """Removes what a receiver that was killed had written of its last line."""
    path = os.path.join(options.folder, "requests")
    if not os.path.exists(path):
        return
    with open(path, "rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


drop_incomplete_line()
server = Server(("127.0.0.1", options.port), Handler)
if options.tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*options.tls)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
