"""Opens every screen of the operators' console in a headless Chromium, and takes the README's
pictures of it: the overview, and a family.

usage: console.py FOLDER LINK AXE

  FOLDER   the folder for the pictures
  LINK     a one-time link of an operator
  AXE      the file axe.min.js; '' leaves out the checks by axe-core

Follows the links of each screen. One page of each route is looked at, on all screens, light and
dark: axe-core must find no fault, and no page may scroll sideways. A route that no link leads to is
a fault. Exits with 1 if there is any.
"""

import glob
import re
import sys
import tempfile
from urllib.parse import urlsplit

from browser import Browser, Window
from looks import Looks

HEIGHT = 900
SCREENS = "Sources/Family/Console/Screens/*.swift"
# Routes of OperationScreens, which it assembles.
OPERATIONS = [
    "/people/:id/:operation", "/families/:id/:operation", "/members/:id/:operation",
    "/invitations/:id/:operation", "/jobs/:number/:operation", "/queues/:name/:operation",
    "/schedules/:name/:operation", "/webhooks/:id/:operation", "/doctor/:operation",
    "/issuers/:operation",
    "/dead-jobs/:operation", "/addresses/:operation", "/mail/:operation",
]
# What a button does at once, and the pages of dead jobs, refused addresses and jobs that can still
# be changed, of which there are none here.
UNLINKED = {"/schedules/:name/:operation", "/addresses/:operation", "/dead-jobs/:operation",
            "/jobs/:number/:operation"}
# Files, and the source of an e-mail, which is no page of the console.
NO_PAGES = {"/audit.json", "/audit.csv", "/mail/texts/:language/:kind/html"}
# Maximum number of people's pages.
MOST_PEOPLE = 6
# Pages that nothing links to, and parameters with which a page has other parts.
SEEDS = ["/", "/?period=week", "/jobs/list", "/families?list=newest",
         "/confirm?return=%2Fpasskeys", "/search", "/nothing"]


def routes():
    """The patterns of all screens, those without parameters first."""
    found = list(OPERATIONS)
    for path in glob.glob(SCREENS):
        with open(path, encoding="utf-8") as file:
            found += re.findall(r'(?:\.page\(|method: \.get, pattern: )"([^"]+)"', file.read())
    return sorted(found, key=lambda pattern: (pattern.count(":"), pattern))


class Console:
    def __init__(self, window, looks, base):
        self.window, self.looks, self.base = window, looks, base
        self.routes, self.seen, self.faults = routes(), set(), []
        self.people = set()

    def route(self, path):
        for pattern in self.routes:
            if re.fullmatch(re.sub(r":[a-z]+", "[^/]+", pattern), path):
                return pattern
        return None

    def look(self, name):
        path = urlsplit(self.window.url).path
        self.seen.add(self.route(path))
        self.faults += self.looks.look(self.window, f"console-{name}", f"console, {path}")
        self.window.look("desktop", "light")

    def open(self, path, name):
        self.window.open(self.base + path)
        self.look(name)

    def is_needed(self, route, path):
        """Whether a linked page is looked at: one of each route, but more people until one of them
        has operations, which the signed-in operator has not."""
        if route == "/people/:id" and "/people/:id/:operation" not in self.seen:
            self.people.add(path)
            return len(self.people) <= MOST_PEOPLE
        return route not in self.seen

    def follow_links(self):
        """Looks at a page of each route that links lead to, and at all seeds."""
        waiting, opened = list(SEEDS), set()
        while waiting:
            path = waiting.pop(0)
            if path in opened:
                continue
            route = self.route(urlsplit(path).path)
            if path not in SEEDS:
                if route is None:
                    self.faults.append(f"{path} is linked, and no route")
                if route is None or route in NO_PAGES or not self.is_needed(route, path):
                    continue
            opened.add(path)
            name = f"{route or path} {path.partition('?')[2]}"
            self.open(path, re.sub(r"[^a-z]+", "-", name).strip("-") or "overview")
            waiting += self.window.value(
                "[...document.querySelectorAll('a[href]')].filter(a => a.origin == origin)"
                ".map(a => a.pathname + a.search)")

    def unseen(self):
        return [f"no link leads to {route}" for route in self.routes
                if route not in self.seen | UNLINKED | NO_PAGES]


def store_pictures(window, base, folder):
    """The pictures show pages as they are without a script."""
    def store(name):
        with open(f"{folder}/{name}.webp", "wb") as file:
            file.write(window.portrait(HEIGHT, "desktop"))

    window.ask("Emulation.setScriptExecutionDisabled", value=True)
    window.open(f"{base}/")
    store("console-overview")
    window.open(f"{base}/families?list=oldest")
    window.press("main td a[href^='/families/']")
    store("console-family")
    window.ask("Emulation.setScriptExecutionDisabled", value=False)


def main():
    folder, link, axe = sys.argv[1:]
    base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
    looks = Looks(folder, axe)
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        window = Window(browser, "desktop", "light", "en", False, True)
        console = Console(window, looks, base)
        console.open("/sign-in", "sign-in")
        window.fill("email", "operator@example.com")
        window.press("form[action='/sign-in/code'] button[type=submit]")
        console.look("sign-in-code")
        window.open(link)
        console.look("link")
        window.press("main button[type=submit]")
        store_pictures(window, base, folder)
        console.follow_links()
        window.fill("q", "Norths")
        window.press("[role=search] button, form[action='/search'] button")
        console.look("search-results")
        browser.close()
    # The texts of e-mails are shown with their marks.
    faults = console.faults + console.unseen() + [
        problem for problem in window.problems if "/mail/texts/" not in problem]
    print(f"  {'FAILED' if faults else 'ok'}: the console, {len(console.seen)} routes",
          file=sys.stderr)
    if not axe:
        print(f"  left out: {looks.unchecked} checks by axe-core", file=sys.stderr)
    for fault in faults:
        print(f"  FAILED: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__": main()
