"""Opens every screen of the operators' console in a headless Chromium, and takes the README's
pictures of it: the overview, and a family.

usage: console.py FOLDER AXE ADMIN SUPPORT VIEWER

  FOLDER                  the folder for the pictures
  AXE                     the file axe.min.js; '' leaves out the checks by axe-core
  ADMIN SUPPORT VIEWER    a one-time link of an operator of each role

Follows the links of each screen as an operator of each role. One page of each route is looked at,
on all screens, light and dark: axe-core must find no fault, and no page may scroll sideways. A
route that no link leads to is a fault, and so is a link to a page that the role may not open. The
admin adds a passkey and signs in with it. Exits with 1 if there is any fault.
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
# Pages before the sign-in, which are the same for all roles, and screens for admins only.
SIGN_IN = {"/sign-in", "/sign-in/code", "/link"}
ADMIN_ONLY = {"/mail/test", "/system/token"}
# Operations that support has on pages of their own. Those on members are offered only while
# somebody waits for approval, so no link needs to lead to them.
SUPPORT = {"/people/:id/:operation", "/invitations/:id/:operation"}
# Routes to which no link needs to lead, by role. For an admin, what a button does at once.
UNLINKED = {
    "admin": {"/schedules/:name/:operation", "/addresses/:operation"},
    "support": SIGN_IN | ADMIN_ONLY | set(OPERATIONS) - SUPPORT,
    "viewer": SIGN_IN | ADMIN_ONLY | set(OPERATIONS),
}
# Files, and the source of an e-mail, which is no page of the console.
NO_PAGES = {"/audit.json", "/audit.csv", "/mail/texts/:language/:kind/html"}
# Routes of which several pages are looked at until one has operations: an operator has none on its
# own account, and a finished job has none. And the maximum number of these pages.
SEVERAL, MOST = ["/people/:id", "/jobs/:number"], 6
# A whole list, to which only a list that is cut off leads.
WHOLE_LIST = r"(/[a-z]+/:id)(/[a-z-]+)"
# Pages that nothing links to, and parameters with which a page has other parts.
SEEDS = ["/", "/?period=week", "/jobs/list", "/families?list=newest",
         "/confirm?return=%2Fpasskeys", "/search", "/nothing"]
# The heading of a page that refuses.
REFUSED = "Not possible"


def routes():
    """The patterns of all screens, those without parameters first."""
    found = list(OPERATIONS)
    for path in glob.glob(SCREENS):
        with open(path, encoding="utf-8") as file:
            found += re.findall(r'(?:\.page\(|method: \.get, pattern: )"([^"]+)"', file.read())
    return sorted(found, key=lambda pattern: (pattern.count(":"), pattern))


class Console:
    """The console as an operator sees it."""

    def __init__(self, window, looks, base, role):
        self.window, self.looks, self.base, self.role = window, looks, base, role
        self.routes, self.seen, self.faults = routes(), set(), []
        self.tried = {route: set() for route in SEVERAL}

    def route(self, path):
        for pattern in self.routes:
            if re.fullmatch(re.sub(r":[a-z]+", "[^/]+", pattern), path):
                return pattern
        return None

    def look(self, name):
        path = urlsplit(self.window.url).path
        self.seen.add(self.route(path))
        name = f"console-{name}" if self.role == "admin" else f"console-{self.role}-{name}"
        self.faults += self.looks.look(self.window, name, f"console, {self.role}, {path}")
        self.window.look("desktop", "light")

    def open(self, path, name):
        self.window.open(self.base + path)
        self.look(name)

    def expect(self, selector, what):
        if not self.window.find(selector):
            self.faults.append(f"{what}: there is no {selector} on {self.window.url}: "
                               f"{self.window.text()[:400]}")

    def is_needed(self, route, path):
        """Whether a linked page is looked at: one of each route, and of some routes several until
        one of them has operations, if the role has any there."""
        operations = f"{route}/:operation"
        if route in self.tried and operations not in self.seen | UNLINKED[self.role]:
            self.tried[route].add(path)
            return len(self.tried[route]) <= MOST
        return route not in self.seen

    def whole_lists(self, route, path):
        """The paths of the whole lists of which a page shows the beginning."""
        found = [re.fullmatch(WHOLE_LIST, pattern) for pattern in self.routes]
        return [path + match[2] for match in found if match and match[1] == route]

    def follow_links(self):
        """Looks at a page of each route that links lead to, and at all seeds."""
        waiting, opened = list(SEEDS), set()
        while waiting:
            path = waiting.pop(0)
            if path in opened:
                continue
            place = urlsplit(path).path
            route = self.route(place)
            if path not in SEEDS:
                if route is None:
                    self.faults.append(f"{path} is linked, and no route")
                if route is None or route in NO_PAGES or not self.is_needed(route, path):
                    continue
            opened.add(path)
            name = f"{route or path} {path.partition('?')[2]}"
            self.open(path, re.sub(r"[^a-z]+", "-", name).strip("-") or "overview")
            if path not in SEEDS and self.window.heading() == REFUSED:
                self.faults.append(f"console, {self.role}: {path} is linked, and refused")
            waiting += self.whole_lists(route, place) + self.window.value(
                "[...document.querySelectorAll('a[href]')].filter(a => a.origin == origin)"
                ".map(a => a.pathname + a.search)")

    def search(self):
        self.window.fill("q", "Norths")
        self.window.press("[role=search] button, form[action='/search'] button")
        self.look("search-results")

    def use_passkey(self):
        """Adds a passkey, signs out, and signs in with it."""
        window = self.window
        window.ask("WebAuthn.enable")
        window.ask("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True})
        window.open(f"{self.base}/passkeys")
        window.press("form[data-passkey=create] button[type=submit]")
        self.expect("form[action^='/passkeys/'][action$='/remove']", "a passkey is added")
        window.press("form[action='/sign-out'] button")
        window.press("form[data-passkey=get] button[type=submit]")
        self.expect("form[action='/sign-out']", "the passkey signs in")

    def send_refused_form(self):
        """Looks at a form that is shown again with the reason of its refusal."""
        self.window.open(f"{self.base}/mail/unsuppress")
        self.window.fill("email", "nobody@example.org")
        self.window.press("main form button[type=submit]")
        self.expect("main [role=alert]", "a refused form tells why")
        self.expect("main [name=email]", "a refused form is shown again")
        self.look("refused-form")

    def open_refused(self):
        """Looks at a page in place of a screen that the role may not open."""
        self.open("/system/token", "refused")
        if self.window.heading() != REFUSED:
            self.faults.append(f"console, {self.role}: /system/token is not refused")

    def unseen(self):
        return [f"console, {self.role}: no link leads to {route}" for route in self.routes
                if route not in self.seen | UNLINKED[self.role] | NO_PAGES]


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


def walk_as_admin(console, link, folder):
    window = console.window
    console.open("/sign-in", "sign-in")
    window.fill("email", "admin@example.com")
    window.press("form[action='/sign-in/code'] button[type=submit]")
    console.look("sign-in-code")
    window.open(link)
    console.look("link")
    window.press("main button[type=submit]")
    store_pictures(window, console.base, folder)
    console.use_passkey()
    console.follow_links()
    console.search()
    console.send_refused_form()


def walk(console, link):
    """The walk of another operator, who has no passkey yet."""
    console.window.open(link)
    console.window.press("main button[type=submit]")
    console.look("welcome")
    console.follow_links()
    console.search()
    console.open_refused()


def main():
    folder, axe, *links = sys.argv[1:]
    base = "{0.scheme}://{0.netloc}".format(urlsplit(links[0]))
    looks = Looks(folder, axe)
    faults, count = [], 0
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for role, link in zip(["admin", "support", "viewer"], links, strict=True):
            window = Window(browser, "desktop", "light", "en", False, True)
            console = Console(window, looks, base, role)
            if role == "admin":
                walk_as_admin(console, link, folder)
            else:
                walk(console, link)
            # The texts of e-mails are shown with their marks.
            faults += console.faults + console.unseen() + [
                problem for problem in window.problems if "/mail/texts/" not in problem]
            count += len(console.seen)
            window.close()
        browser.close()
    print(f"  {'FAILED' if faults else 'ok'}: the console, {count} routes of three roles",
          file=sys.stderr)
    if not axe:
        print(f"  left out: {looks.unchecked} checks by axe-core", file=sys.stderr)
    for fault in faults:
        print(f"  FAILED: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__": main()
