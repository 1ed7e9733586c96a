"""Opens pages in a headless Chromium, on several screens, each twice, and takes pictures.

usage: browse.py FOLDER NAME=URL...

Chromium is spoken to by the DevTools protocol over a pipe. Exits 1 when a page asked another origin
for something, when something was refused or went wrong on it, when it can be scrolled sideways, or
when it was not the same at the second opening.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

SCREENS = {
    "phone": {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
    "small-phone": {"width": 320, "height": 568, "deviceScaleFactor": 2, "mobile": True},
    "desktop": {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False},
}
SCHEMES = ["light", "dark"]


class Browser:
    def __init__(self, profile):
        to_it, self.requests = os.pipe()
        self.answers, from_it = os.pipe()
        command = [
            "chromium", "--headless=new", "--remote-debugging-pipe", "--no-first-run",
            "--disable-gpu", "--disable-background-networking", f"--user-data-dir={profile}",
        ]
        if os.getuid() == 0:
            command.append("--no-sandbox")

        # Chromium reads requests from descriptor 3 and writes answers to 4. Moved out of the way
        # first: either may be 3 or 4 already.
        def arrange():
            source, sink = os.dup2(to_it, 100), os.dup2(from_it, 101)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        self.process = subprocess.Popen(
            command, preexec_fn=arrange, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.rest = b""
        self.count = 0
        self.events = []

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, session=None, **parameters):
        self.count += 1
        number = self.count
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.requests, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def await_event(self, name):
        while not any(event.get("method") == name for event in self.events):
            self.events.append(self.read())

    def close(self):
        self.ask("Browser.close")
        self.process.wait(timeout=20)


def open_page(browser, url, screen, scheme):
    """Opens it in a window of its own; gives its text, a picture, and what was wrong."""
    context = browser.ask("Target.createBrowserContext")["browserContextId"]
    target = browser.ask(
        "Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
    session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(method, **parameters):
        return browser.ask(method, session, **parameters)

    ask("Emulation.setDeviceMetricsOverride", **screen)
    ask(
        "Emulation.setEmulatedMedia",
        features=[{"name": "prefers-color-scheme", "value": scheme}])
    for domain in ("Page", "Network", "Log", "Runtime", "Audits"):
        ask(domain + ".enable")
    browser.events.clear()
    ask("Page.navigate", url=url)
    browser.await_event("Page.loadEventFired")

    def value(expression):
        return ask("Runtime.evaluate", expression=expression)["result"].get("value")

    text = value("document.body.innerText")
    wrong = []
    if value("document.documentElement.scrollWidth > innerWidth"):
        wrong.append("can be scrolled sideways")
    if value("[...document.styleSheets].length") != 1:
        wrong.append("has no style")
    wrong += problems(browser.events, url)
    picture = ask("Page.captureScreenshot", captureBeyondViewport=screen["mobile"])["data"]
    browser.ask("Target.disposeBrowserContext", browserContextId=context)
    return text, base64.b64decode(picture), wrong


def problems(events, url):
    home = urlsplit(url)[:2]
    for event in events:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                asked = parameters["request"]["url"]
                if urlsplit(asked)[:2] != home and not asked.startswith("data:"):
                    yield f"asked for {asked}"
            case "Log.entryAdded" if not expected(parameters["entry"], url):
                yield parameters["entry"]["text"]
            case "Runtime.exceptionThrown":
                yield "an exception"
            case "Audits.issueAdded":
                yield json.dumps(parameters["issue"])


def expected(entry, url):
    """The page of a dead link is answered by a status of failure, which browsers note; and they
    look for an icon by themselves."""
    return "Failed to load resource" in entry["text"] and (
        entry.get("url") == url or entry.get("url", "").endswith("/favicon.ico"))


def main():
    folder = sys.argv[1]
    failed = False
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for page in sys.argv[2:]:
            name, url = page.split("=", 1)
            for screen, metrics in SCREENS.items():
                for scheme in SCHEMES:
                    first, picture, wrong = open_page(browser, url, metrics, scheme)
                    again, _, more = open_page(browser, url, metrics, scheme)
                    if first != again:
                        wrong.append("is another at the second opening")
                    with open(f"{folder}/{name}-{screen}-{scheme}.png", "wb") as file:
                        file.write(picture)
                    for what in wrong + more:
                        failed = True
                        print(f"  FAILED: {name}, {screen}, {scheme}: {what}", file=sys.stderr)
        browser.close()
    if not failed:
        print("  ok: nothing else was asked for, nothing refused", file=sys.stderr)
    sys.exit(1 if failed else 0)


main()
