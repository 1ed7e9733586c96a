"""Runs two OpenTelemetry collectors on free ports, which it prints on one line: one accepts every
request, the other accepts connections and never answers. Runs until it is terminated."""

import http.server
import signal
import socket
import threading


class Accepts(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *arguments):
        pass


def hold(listener, connections):
    while True:
        connections.append(listener.accept()[0])


accepting = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Accepts)
hanging = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accepting.serve_forever, daemon=True).start()
threading.Thread(target=hold, args=(hanging, []), daemon=True).start()
print(accepting.server_port, hanging.getsockname()[1], flush=True)
signal.pause()
