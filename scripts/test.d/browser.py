"""A headless Chromium, controlled by the DevTools protocol over a pipe, and its windows.

A window is used without any script in the page: its content is read from the document, and fields and
buttons are found by selectors and used by keyboard or pointer.
"""

import base64
import json
import os
import random
import re
import subprocess
import time
from urllib.parse import urlsplit

SCREENS = {
    "phone": {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
    "small-phone": {"width": 320, "height": 568, "deviceScaleFactor": 2, "mobile": True},
    "desktop": {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False},
}
SCHEMES = ["light", "dark"]
KEYS = {"Tab": (9, None), "Enter": (13, "\r"), " ": (32, " ")}


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


class Window:
    """A window with cookies of its own.

    by_keyboard: If true, elements are reached with the tab key; otherwise with the pointer.
    """

    def __init__(self, browser, screen, scheme, language, by_keyboard, has_script):
        self.browser, self.by_keyboard, self.has_script = browser, by_keyboard, has_script
        self.context = browser.ask("Target.createBrowserContext")["browserContextId"]
        target = browser.ask(
            "Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.ask(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.look(screen, scheme)
        for domain in ("Page", "Network", "Log", "Runtime", "Audits", "DOM"):
            self.ask(domain + ".enable")
        # Attempts are counted by network, so each window seems to be in a network of its own.
        network = ".".join(str(random.randint(1, 254)) for _ in range(3))
        self.ask("Network.setExtraHTTPHeaders", headers={
            "Accept-Language": language, "X-Forwarded-For": f"10.{network}"})
        self.ask("Emulation.setScriptExecutionDisabled", value=not has_script)
        self.problems = []

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def look(self, screen, scheme):
        self.ask("Emulation.setDeviceMetricsOverride", **SCREENS[screen])
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        self.browser.ask("Target.disposeBrowserContext", browserContextId=self.context)

    # Going somewhere.

    def open(self, url):
        self._load(lambda: self.ask("Page.navigate", url=url))

    def _load(self, act):
        self.browser.events.clear()
        act()
        self.browser.await_event("Page.loadEventFired")
        self.url = self.ask("Page.getNavigationHistory")["entries"][-1]["url"]
        self.problems += list(problems(self.browser.events, self.url))
        # No name in these flows has an angle bracket.
        self.problems += [f"{self.url} shows '{sign}': {self.text()[:400]}"
                          for sign in ("HTML(", "Optional(", "&lt;") if sign in self.html()]

    # What is on the page.

    def _root(self):
        return self.ask("DOM.getDocument", depth=0)["root"]["nodeId"]

    def find(self, selector):
        node = self.ask("DOM.querySelector", nodeId=self._root(), selector=selector)["nodeId"]
        return node or None

    def html(self):
        return self.ask("DOM.getOuterHTML", nodeId=self._root())["outerHTML"]

    def text(self):
        body = self.html().split("<body", 1)[-1]
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body))

    def heading(self):
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.html(), re.S)
        return re.sub(r"<[^>]*>", "", found.group(1)) if found else ""

    # Using it.

    def key(self, key):
        code, text = KEYS[key]
        pressed = {"key": key, "code": "Space" if key == " " else key,
                   "windowsVirtualKeyCode": code}
        if text:
            pressed["text"] = text
        self.ask("Input.dispatchKeyEvent", type="keyDown", **pressed)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **{
            name: value for name, value in pressed.items() if name != "text"})

    def reach(self, selector):
        """Moves the focus to an element with the keyboard only."""
        if not self.find(selector):
            raise RuntimeError(f"there is no {selector} on {self.url}: {self.text()[:500]}")
        for _ in range(80):
            if self.find(f"{selector}:focus"):
                return
            self.key("Tab")
        raise RuntimeError(f"{selector} on {self.url} can't be reached by the keyboard")

    def click(self, selector):
        node = self.find(selector)
        if not node:
            raise RuntimeError(f"there is no {selector} on {self.url}: {self.text()[:500]}")
        self.ask("DOM.scrollIntoViewIfNeeded", nodeId=node)
        box = self.ask("DOM.getBoxModel", nodeId=node)["model"]["border"]
        place = {"x": (box[0] + box[4]) / 2, "y": (box[1] + box[5]) / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def fill(self, name, text):
        selector = f"[name={name}]"
        if self.by_keyboard:
            self.reach(selector)
        else:
            self.click(selector)
        self.ask("Input.insertText", text=text)

    def empty(self, name):
        """Selects the text of a field, so that what is typed next replaces it."""
        node = self.find(f"[name={name}]")
        self.ask("DOM.focus", nodeId=node)
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key="a", code="KeyA",
                     windowsVirtualKeyCode=65, modifiers=2, commands=["selectAll"])
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key="Delete", code="Delete",
                     windowsVirtualKeyCode=46)

    def tick(self, selector):
        if self.by_keyboard:
            self.reach(selector)
            self.key(" ")
        else:
            self.click(selector)

    def press(self, selector):
        """Presses a button or follows a link, and waits for the next page."""
        if self.by_keyboard:
            self.reach(selector)
            self._load(lambda: self.key("Enter"))
        else:
            self._load(lambda: self.click(selector))

    def unfold(self, selector):
        if self.by_keyboard:
            self.reach(selector)
            self.key("Enter")
        else:
            self.click(selector)

    # Looking at it; needs scripts.

    def value(self, expression, waits=False):
        answer = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=waits)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def await_value(self, expression, wanted):
        """Waits until an expression has a value; returns the seconds that it took."""
        began = time.monotonic()
        while (found := self.value(expression)) != wanted:
            if time.monotonic() - began > 60:
                raise RuntimeError(f"{expression} is {found!r}, not {wanted!r}, on {self.url}")
            time.sleep(0.02)
        return time.monotonic() - began

    def picture(self):
        return base64.b64decode(
            self.ask("Page.captureScreenshot", captureBeyondViewport=True, optimizeForSpeed=True)[
                "data"])

    def portrait(self, height, screen="phone"):
        """The top of the page, as a small file."""
        return base64.b64decode(self.ask(
            "Page.captureScreenshot", format="webp", quality=80, captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": SCREENS[screen]["width"], "height": height,
                  "scale": 1})["data"])


def problems(events, url):
    """Requests to other origins, and requests or scripts that failed."""
    home = urlsplit(url)[:2]
    for event in events:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                asked = parameters["request"]["url"]
                if urlsplit(asked)[:2] != home and not asked.startswith("data:"):
                    yield f"{url} asked for {asked}"
            case "Log.entryAdded" if not expected(parameters["entry"]):
                yield f"{url}: {parameters['entry']['text']}"
            case "Runtime.exceptionThrown":
                yield f"{url}: an exception"
            case "Audits.issueAdded":
                yield f"{url}: {json.dumps(parameters['issue'])}"


def expected(entry):
    """Pages that tell what went wrong have a status that says so, which browsers note; and they
    look for an icon by themselves. What they only recommend is no fault. Nor is it that this
    program clicked into a page before the browser had put the focus where the page asks for it."""
    return entry["level"] == "verbose" or any(
        note in entry["text"]
        for note in ("Failed to load resource", "Autofocus processing was blocked"))
