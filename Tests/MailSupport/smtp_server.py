"""A mail server that misbehaves as it is told. Standard library only.

usage: smtp_server.py FOLDER [--at STAGE=REPLY]... [--auth USER:PASSWORD] [--tls CERTIFICATE KEY]
                      [--close-after-message] [--hold STAGE]... [--utf8 | --lax]
                      [--port PORT]

Prints its port. Each message that it takes is written to FOLDER, numbered, beneath two lines with
the sender and the recipient of its envelope.

STAGE is greeting, ehlo, auth, mail, rcpt, data or dot; REPLY is a line such as '451 later', or
'drop' (the connection is closed) or 'hang' (no reply ever comes). A recipient such as
dot=451@example.org asks for the same for itself alone, dot=554=5.7.1@example.org with that status.

At a stage to hold, the first reply waits until somebody has opened and closed the named pipe
STAGE.hold in FOLDER for writing. With --utf8 the server offers SMTPUTF8; without, it takes no
address beyond ASCII; with --lax it takes such addresses without offering that.
"""

import argparse
import base64
import itertools
import os
import socket
import ssl
import sys
import threading

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--at", action="append", default=[])
parser.add_argument("--auth")
parser.add_argument("--tls", nargs=2)
parser.add_argument("--close-after-message", action="store_true")
parser.add_argument("--hold", action="append", default=[])
parser.add_argument("--utf8", action="store_true")
parser.add_argument("--lax", action="store_true")
parser.add_argument("--port", type=int, default=0)
options = parser.parse_args()
faults = dict(fault.split("=", 1) for fault in options.at)
held = set(options.hold)
for stage in held:
    os.mkfifo(os.path.join(options.folder, stage + ".hold"))
numbers = itertools.count(1)
connections = itertools.count(1)


class Dropped(Exception):
    pass


class Conversation:
    def __init__(self, connection):
        self.number = next(connections)
        self.wrap(connection)
        self.sender = self.recipient = ""
        self.is_encrypted = self.is_known = False

    def wrap(self, connection):
        self.connection = connection
        self.input = connection.makefile("rb")

    def say(self, line):
        self.connection.sendall(line.encode() + b"\r\n")

    def reply(self, stage, usual):
        """Says what is usual at a stage, or what was asked for instead; true if it was usual."""
        if stage in held:
            held.discard(stage)
            with open(os.path.join(options.folder, stage + ".hold"), "rb") as gate:
                gate.read()
        line = faults.get(stage)
        place, at, _ = self.recipient.partition("@")
        wanted, equals, what = place.partition("=")
        if at and equals and wanted == stage:
            line = what.replace("=", " ")
            if what.isdigit():
                line = f"{what} {what[0]}.1.1 so it is"
        if line == "drop":
            raise Dropped
        if line == "hang":
            threading.Event().wait()
        self.say(line or usual)
        return line is None

    def run(self):
        self.reply("greeting", "220 ready")
        while line := self.input.readline():
            words = line.decode().strip().split(" ")
            if not self.command(words[0].upper(), words[1:], line.decode().strip()):
                return

    def command(self, verb, words, line):
        if verb in ("EHLO", "HELO"):
            offers = ["250-hello", "250-8BITMIME"]
            if options.tls and not self.is_encrypted:
                offers.append("250-STARTTLS")
            if options.auth:
                offers.append("250-AUTH PLAIN")
            if options.utf8:
                offers.append("250-SMTPUTF8")
            self.reply("ehlo", "\r\n".join(offers + ["250 SIZE 1000000"]))
        elif verb == "STARTTLS" and options.tls:
            self.say("220 go on")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*options.tls)
            self.wrap(context.wrap_socket(self.connection, server_side=True))
            self.is_encrypted = True
        elif verb == "AUTH":
            secret = words[1] if len(words) > 1 else None
            if secret is None:
                self.say("334 ")
                secret = self.input.readline().decode().strip()
            user, password = base64.b64decode(secret).decode().split("\0")[1:]
            self.is_known = options.auth == f"{user}:{password}"
            self.reply("auth", "235 welcome" if self.is_known else "535 5.7.8 unknown")
        elif verb == "MAIL":
            if options.auth and not self.is_known:
                self.say("530 5.7.0 who are you")
            elif self.reply("mail", "250 ok"):
                self.sender = line.partition(":")[2]
        elif verb == "RCPT":
            self.recipient = line.partition(":<")[2].partition(">")[0]
            if not options.utf8 and not options.lax and not line.isascii():
                self.say("500 5.5.2 not ASCII")
            else:
                self.reply("rcpt", "250 ok")
        elif verb == "DATA":
            return not self.reply("data", "354 go on") or self.message()
        elif verb == "QUIT":
            self.say("221 bye")
            return False
        else:
            self.say("250 ok")
        return True

    def message(self):
        content = b""
        while (line := self.input.readline()) != b".\r\n":
            if not line:
                return False
            content += line[1:] if line.startswith(b".") else line
        path = os.path.join(options.folder, f"{next(numbers):04}")
        with open(path + ".part", "wb") as file:
            head = f"{self.sender}\r\n<{self.recipient}> connection {self.number}\r\n"
            file.write(head.encode() + content)
        os.rename(path + ".part", path)
        self.reply("dot", "250 taken")
        self.recipient = ""
        return not options.close_after_message


def serve(connection):
    try:
        Conversation(connection).run()
    except (Dropped, OSError):
        pass
    finally:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()


listener = socket.create_server(("127.0.0.1", options.port), backlog=100)
print(listener.getsockname()[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
