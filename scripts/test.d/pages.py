"""Uses Hearth's pages in a headless Chromium, as people do.

usage: pages.py FOLDER URL OUTBOX AXE INVITATIONS

  FOLDER       the folder for screenshots
  URL          the base URL of Hearth
  OUTBOX       the folder to which the worker writes e-mails
  AXE          the file axe.min.js; '' leaves out the checks by axe-core and the flows with
               providers, which then do not run
  INVITATIONS  a JSON file: for each round the invited addresses, with their links, the code of a
               family, and a link of a demonstration

Every flow runs four times: in English and Spanish, by keyboard and by pointer, on a phone and on a
desktop, and twice without any script. If scripts are enabled, each page is also checked on all
screens, light and dark: axe-core must find no fault, no page may scroll sideways, and links that
stand alone must be large enough to be touched. Every route of pages must have been looked at.
Prints the number of checks that were left out. Exits with 1 if a check fails.
"""

import email
import email.policy
import glob
import json
import os
import re
import sys
import tempfile
import time
import urllib.request
from functools import partial
from urllib.parse import urlsplit

from browser import SCHEMES, Browser, Window
from looks import Looks

PASSWORD, OTHER = "gull kettle north 88 moss", "terns circle the 9 grey piers"
# The providers from PyPI: oidc-provider-mock, and tern.py.
PROVIDERS = ["Gull", "Tern"]
# The table of pages, and its routes that lead elsewhere or are no pages.
ROUTES = "Sources/Family/API/Pages/PageRoutes.swift"
NO_PAGES = {"/family/live", "/sign-in/with/:provider", "/pages.css", "/pages.js", "/favicon.ico",
            "/logo"}
WORDS = {
    "en": {
        "joined": "You’re now a member of", "account": "Your account", "sign-in": "Sign in",
        "wrong": "That email address or password isn’t right.", "weak": "common password",
        "declined": "You declined", "erased": "Your account was deleted",
        "password-set": "Your password is set", "dead": "This link doesn’t work",
        "unreadable": "check that you copied all of it",
        "code": "Enter the code", "ended": "You were signed out there",
        "mailed": "Check your email", "mail": "is your code for",
        "passkey": "Your passkey was added.", "saved": "Saved.",
        "member": "already a member of this family", "stay": "Stay signed in as",
        "elsewhere": "This invitation was sent to",
        "no-family": "You’re not in a family", "family": "Family code",
        "child": "The child was added.", "invited": "Your link is ready.",
        "renew": "Renew the family code?", "settings": "Family settings",
        "continue": "Continue as", "over": "This link no longer works",
        "back": "Back to Gull", "opened": "opened from Gull",
        "cancelled": "You didn’t continue at", "added": "The way to sign in was added.",
        "add": "from now on", "away": "no response from",
        "too-late": "began in another browser", "mismatched": "doesn’t match this sign-in",
        "asked": "Your request was sent to", "refuse": "Stop invitations?",
        "refused": "No more invitations", "nothing": "Nothing to do here",
        "first": "Before you can delete your account",
    },
    "es": {
        "joined": "Ya formas parte de", "account": "Tu cuenta", "sign-in": "Iniciar sesión",
        "wrong": "no es correcta", "weak": "contraseña muy común",
        "declined": "Has rechazado", "erased": "Tu cuenta está borrada",
        "password-set": "Tu contraseña está guardada", "dead": "Este enlace no funciona",
        "unreadable": "comprueba que lo has copiado completo",
        "code": "Introduce el código", "ended": "se ha cerrado la sesión allí",
        "mailed": "Mira tu correo", "mail": "es tu código para",
        "passkey": "Se ha guardado tu llave de acceso.", "saved": "Guardado.",
        "member": "Ya formas parte de esta familia", "stay": "Seguir como",
        "elsewhere": "Esta invitación se envió a",
        "no-family": "No formas parte de ninguna familia", "family": "Código de la familia",
        "child": "Se ha añadido al menor.", "invited": "Tu enlace está listo.",
        "renew": "¿Renovar el código de la familia?", "settings": "Ajustes de la familia",
        "continue": "¿Continuar como", "over": "Este enlace ya no funciona",
        "back": "Volver a Gull", "opened": "abierta desde Gull",
        "cancelled": "No has continuado en", "added": "Se ha añadido la forma de iniciar sesión.",
        "add": "a partir de ahora", "away": "no se puede acceder a",
        "too-late": "empezó en otro navegador", "mismatched": "no corresponde a este inicio",
        "asked": "Tu solicitud se ha enviado a", "refuse": "¿No quieres más invitaciones?",
        "refused": "No recibirás más invitaciones", "nothing": "Aquí no hay nada que hacer",
        "first": "Antes de borrar tu cuenta",
    },
}


class Mailbox:
    def __init__(self, folder):
        self.folder = folder
        self.seen = set(glob.glob(f"{folder}/*.eml"))

    def next(self, address):
        """The next message to an address."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for path in sorted(glob.glob(f"{self.folder}/*.eml"), key=os.path.getmtime):
                if path in self.seen:
                    continue
                with open(path, "rb") as file:
                    message = email.message_from_binary_file(file, policy=email.policy.default)
                if address not in message["To"]:
                    continue
                self.seen.add(path)
                return message["Subject"], message.get_body(("plain",)).get_content()
            time.sleep(0.05)
        raise RuntimeError(f"no message to {address} came within a minute")

    def code(self, address):
        subject, text = self.next(address)
        return re.search(r"\b([0-9]{6})\b", subject + " " + text).group(1)

    def link(self, address, page):
        return re.search(rf"http\S*/{page}\?token=\S+", self.next(address)[1]).group(0)


def swapped(text):
    """The text with another last character."""
    return text[:-1] + ("A" if text[-1] != "A" else "B")


class Round:
    """All flows, once."""

    def __init__(self, place, browser, mailbox, name, language, screen, scheme, by_keyboard,
                 has_script, invitations):
        self.place, self.mailbox, self.name, self.language = place, mailbox, name, language
        self.words, self.invitations = WORDS[language], invitations
        self.screen, self.scheme = screen, scheme
        self.new_window = lambda: Window(
            browser, screen, scheme, language, by_keyboard, has_script)
        self.failures, self.shots, self.sessions = [], set(), {}

    def address(self, who):
        return f"{who}.{self.name}@example.com"

    def expect(self, window, words, what):
        if self.words[words] not in window.text():
            self.failures.append(
                f"{what}: '{self.words[words]}' is not on {window.url}: {window.text()[:400]}")
        self.look(window, what)

    def await_words(self, window, words):
        """Waits until a page that leads to another one by itself has done so."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if self.words[words] in window.text():
                    return
            except RuntimeError:  # between two pages
                pass
            time.sleep(0.05)

    def look(self, window, what):
        """Looks at a page once a round, if scripts are enabled."""
        if not window.has_script or what in self.shots:
            return
        self.shots.add(what)
        self.failures += self.place.looks.look(window, f"{what}-{self.language}", what)
        window.look(self.screen, self.scheme)

    def follow(self, window, selector, what):
        """Looks at the page behind a link, without the dialog that a script would show."""
        window.open(window.value(f"document.querySelector({json.dumps(selector)}).href"))
        self.look(window, what)

    def run(self):
        flows = [self.invitation, self.family_code, self.stranger, self.declining, self.password,
                 self.mailed_link, self.link_elsewhere, self.account, self.family, self.from_app,
                 self.two_browsers, self.dialogs, self.copying, self.sheet, self.typed_code,
                 self.sent_once, self.offline, self.speed, self.passkey, self.dead_ends,
                 self.questions, self.account_questions]
        with_providers = [
            partial(flow, provider=provider) for provider in PROVIDERS
            for flow in (self.provider, self.provider_tabs, self.forged, self.rotated)
        ] + [self.apple]
        if self.place.has_providers:
            flows += with_providers
        else:
            self.place.untried += len(with_providers)
        for flow in flows:
            window = self.new_window()
            try:
                flow(window)
            except Exception as error:  # told with the rest
                name = getattr(flow, "func", flow).__name__
                more = "".join(f" at {value}" for value in getattr(flow, "keywords", {}).values())
                self.failures.append(f"{name}{more}: {error}")
            self.failures += (self.problems_of_hearth(window)
                              if flow in with_providers
                              else window.problems)
            window.close()
        return [f"{self.name}: {failure}" for failure in self.failures]

    # Flows.

    def join_family_by_code(self, window, address):
        window.fill("email", address)
        window.press("[name=action][value=code]" if window.find("button[value=code]")
                     else "form[action=sign-in] button")
        self.expect(window, "code", "code")
        window.fill("code", self.mailbox.code(address))
        window.press("form button[type=submit]")

    def invitation(self, window):
        address = self.address("guest")
        window.open(self.invitations["guest"])
        self.look(window, "invitation")
        self.join_family_by_code(window, address)
        self.look(window, "invitation-signed-in")
        window.fill("name", "Aunt North")
        window.tick("[name=role][value=parent]")
        window.press("button[value=accept]")
        self.expect(window, "joined", "joined")

    def declining(self, window):
        window.open(self.invitations["decliner"])
        self.join_family_by_code(window, self.address("decliner"))
        window.press("button[value=decline]")
        self.expect(window, "declined", "declined")

    def family_code(self, window):
        window.open(f"{self.place.url}/join?code={self.invitations['code']}")
        self.look(window, "family-code")
        self.join_family_by_code(window, self.address("joiner"))
        self.look(window, "family-code-signed-in")
        window.fill("name", "Uncle North")
        window.tick("[name=role][value=parent]")
        window.press("button[value=join]")
        self.expect(window, "joined", "joined")
        window.open(f"{self.place.url}/join?code={self.invitations['code']}")
        self.expect(window, "member", "family-code-member")

    def stranger(self, window):
        """A person who is signed in with another address than the invited one."""
        window.open(f"{self.place.url}/sign-in")
        self.join_family_by_code(window, self.address("stranger"))
        window.open(self.invitations["decliner"])
        self.expect(window, "elsewhere", "invitation-of-another")
        if window.find("button[value=accept]"):
            self.failures.append("an invitation to another address can be accepted")

    def password(self, window):
        address = self.address("newcomer")
        window.open(f"{self.place.url}/sign-in")
        self.look(window, "sign-in")
        window.press("a[href^='sign-in?new']")
        self.look(window, "sign-up")
        window.fill("name", "New Comer")
        window.fill("email", address)
        window.fill("password", "password1")
        window.tick("[name=role][value=parent]")
        window.press("form button[type=submit]")
        self.expect(window, "weak", "sign-up-weak")
        window.fill("password", PASSWORD)
        window.press("form button[type=submit]")
        self.expect(window, "code", "code")
        window.fill("code", self.mailbox.code(address))
        window.press("form button[type=submit]")
        self.expect(window, "account", "account-new")
        window.press("form[action=sign-in] button")
        window.fill("email", address)
        window.fill("password", "quite another one 7")
        window.press("button[value=password]")
        self.expect(window, "wrong", "sign-in-wrong")
        window.fill("password", PASSWORD)
        window.press("button[value=password]")
        self.expect(window, "account", "account-new")
        self.reset(address)

    def reset(self, address):
        window = self.new_window()
        window.open(f"{self.place.url}/sign-in")
        window.press("a[href^=reset-password]")
        self.look(window, "reset-ask")
        window.fill("email", address)
        window.press("form button[type=submit]")
        self.expect(window, "mailed", "reset-asked")
        window.open(self.mailbox.link(address, "reset-password"))
        self.look(window, "reset")
        window.fill("password", OTHER)
        window.press("form button[type=submit]")
        self.expect(window, "password-set", "reset-done")
        self.mailbox.next(address)
        window.press("a.button")
        window.fill("email", address)
        window.fill("password", OTHER)
        window.press("button[value=password]")
        self.expect(window, "account", "account-new")
        self.failures += window.problems
        window.close()

    def mailed_link(self, window):
        address = self.address("reader")
        window.open(f"{self.place.url}/sign-in")
        window.fill("email", address)
        window.press("button[value=code]")
        subject, text = self.mailbox.next(address)
        if self.words["mail"] not in subject:
            self.failures.append(f"link: the e-mail's subject is '{subject}'")
        window.open(re.search(r"http\S*/sign-in\?token=\S+", text).group(0))
        self.look(window, "link")
        window.press("form button[type=submit]")
        self.expect(window, "account", "account-unnamed")
        window.fill("name", "Rae Der")
        window.tick("[name=role][value=parent]")
        window.press("#your-name button")
        self.expect(window, "saved", "account-named")
        other = self.new_window()
        other.open(f"{self.place.url}/sign-in")
        other.fill("email", self.address("other"))
        other.press("button[value=code]")
        self.failures += other.problems
        other.close()
        window.open(self.mailbox.link(self.address("other"), "sign-in"))
        self.expect(window, "stay", "link-of-another")
        window.press("a[href=account]")
        self.expect(window, "account", "account-named")

    def link_elsewhere(self, window):
        """A mailed link that is opened in another browser leads to the first browser's target."""
        address = self.address("wanderer")
        code = self.invitations["code"]
        window.open(f"{self.place.url}/sign-in?return=/join%3Fcode%3D{code}")
        window.fill("email", address)
        window.press("button[value=code]")
        other = self.new_window()
        other.open(self.mailbox.link(address, "sign-in"))
        other.press("form button[type=submit]")
        if not other.url.endswith(f"/join?code={code}"):
            self.failures.append(f"link: it led to {other.url}")
        self.failures += other.problems
        other.close()

    def account(self, window):
        address = self.address("guest")
        other = self.new_window()
        for each in (other, window):
            each.open(f"{self.place.url}/account")
            self.join_family_by_code(each, address)
        self.expect(window, "account", "account")
        other.close()
        window.press("#sessions .inline button")
        self.expect(window, "ended", "account-ended")
        window.unfold("details:has(input[name=password]) summary")
        window.fill("password", PASSWORD)
        window.press("details:has(input[name=password]) button[type=submit]")
        self.expect(window, "password-set", "account-password")
        self.mailbox.next(address)
        window.unfold("#erase summary")
        self.look(window, "account-erase")
        window.tick("#erase [name=sure]")
        window.press("#erase button")
        self.expect(window, "erased", "erased")

    def family(self, window):
        """Creates a family, and goes through its pages."""
        window.open(f"{self.place.url}/")
        self.look(window, "welcome")
        window.press("a[href^='sign-in?return']")
        self.join_family_by_code(window, self.address("founder"))
        self.expect(window, "no-family", "family-none")
        window.fill("family_name", "North")
        window.fill("name", "Ada North")
        window.tick("[name=role][value=parent]")
        window.press("form[action='family/new'] button")
        self.expect(window, "family", "family")
        window.press("a[href*='ask=code']")
        self.look(window, "family-sheet")
        window.open(f"{self.place.url}/family?ask=renew")
        self.expect(window, "renew", "family-renew")
        window.open(f"{self.place.url}/family/child")
        window.fill("child_name", "Robin North")
        window.press("form[action='../family/child'] button")
        self.expect(window, "child", "family-child")
        window.open(f"{self.place.url}/family/invite")
        window.tick("[name=role][value=parent]")
        window.press("button[value=link]")
        self.expect(window, "invited", "family-invite")
        window.open(f"{self.place.url}/family/settings")
        self.expect(window, "settings", "family-settings")
        for page in ("activity", "join", "new"):
            window.open(f"{self.place.url}/family/{page}")
            self.look(window, f"family-{page}")
        window.open(f"{self.place.url}/family")
        self.look(window, "family-filled")

    def call(self, path, body, token=None):
        """Sends a request as an app does."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(
            self.place.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def from_app(self, window):
        """An app opens pages as who is signed in to it, and a button leads back to the app."""
        address = self.address("apper")
        ticket = self.call("/api/auth/email", {"email": address})["ticket"]
        token = self.call("/api/auth/email/verify", {
            "ticket": ticket, "code": self.mailbox.code(address), "device": "Ada's phone",
        })["access_token"]
        opening = self.call("/api/auth/page-ticket", {
            "path": "/family/new", "return": "gulls://family?tab=2"}, token)
        window.open(opening["url"])
        self.expect(window, "continue", "continue")
        window.press("form[action=continue] button")
        if not window.url.endswith("/family/new"):
            self.failures.append(f"continue: it led to {window.url}")
        self.expect(window, "back", "family-new-from-app")
        if not window.find("a[href='gulls://family?tab=2']"):
            self.failures.append(f"continue: no link leads back from {window.url}")
        window.open(f"{self.place.url}/account")
        self.expect(window, "opened", "account-from-app")
        window.open(opening["url"])
        self.expect(window, "over", "continue-over")

    def enter(self, window, who):
        """Signs in, and opens the person's family. An address gets only a few codes an hour, so
        from the third time on, the window continues a session."""
        sessions = self.sessions.setdefault(who, [])
        if len(sessions) > 1:
            window.ask("Network.setCookies", cookies=sessions[0])
            window.open(f"{self.place.url}/family")
            return
        window.open(f"{self.place.url}/sign-in?return=/family")
        self.join_family_by_code(window, self.address(who))
        sessions.append([
            {name: cookie[name] for name in ("name", "value", "domain", "path", "httpOnly")}
            for cookie in window.ask("Network.getCookies")["cookies"]])

    def rename(self, window, name):
        window.open(f"{self.place.url}/family/settings")
        window.empty("name")
        window.fill("name", name)
        window.press("[data-part=settings] button[type=submit]")

    def two_browsers(self, window):
        """What one browser changes stands in the other within a second, but not where somebody is at
        work; a hidden page has no stream, and is renewed when it is shown."""
        if not window.has_script:
            return
        other = self.new_window()
        for each in (window, other):
            self.enter(each, "founder")
        # The fastest of three counts: the machine may be busy with other tests.
        seconds = []
        for name in ("Norths", "Northerns", "Northmen"):
            self.rename(window, name)
            seconds.append(other.await_value("document.querySelector('h1').textContent", name))
        if min(seconds) > 1:
            self.failures.append(f"another browser's change took {min(seconds):.2f} s")
        other.open(f"{self.place.url}/family/settings")
        other.value("typed = document.getElementById('name'); typed.value = 'Half'; 0")
        self.rename(window, "Northlings")
        other.await_value("/settings|ajustes/i.test(document.title)", True)
        other.await_value("document.querySelector('.eyebrow') !== null", True)
        if other.value("typed.isConnected && typed.value") != "Half":
            self.failures.append("a field in which somebody types was replaced")
        other.open(f"{self.place.url}/family")
        tab = other.browser.ask("Target.createTarget", url="about:blank",
                                browserContextId=other.context)["targetId"]
        other.await_value("document.hidden", True)
        self.rename(window, "Norths again")
        if other.value("document.querySelector('h1').textContent") != "Northlings":
            self.failures.append("a hidden page was renewed")
        other.browser.ask("Target.closeTarget", targetId=tab)
        other.ask("Page.bringToFront")
        other.await_value("document.hidden", False)
        shown = other.await_value("document.querySelector('h1').textContent", "Norths again")
        if shown > 3:
            self.failures.append(f"a page that is shown again took {shown:.2f} s")
        self.failures += other.problems
        other.close()

    def dialogs(self, window):
        """A question is asked in a dialog, which can be closed; its answer counts."""
        if not window.has_script:
            return
        self.enter(window, "founder")
        code = window.value("document.querySelector('[data-copy]').dataset.copy")
        for closing in (True, False):
            window.unfold("a[href*='ask=renew']")
            window.await_value("document.querySelector('dialog[open] h1') !== null", True)
            self.look(window, "family-dialog")
            if self.words["renew"] not in window.text():
                self.failures.append("the dialog has no question")
            if closing:
                window.unfold("dialog .back a")
                window.await_value("document.querySelector('dialog') === null", True)
        if window.value("document.querySelector('[data-copy]').dataset.copy") != code:
            self.failures.append("asking has renewed the code")
        window.press("dialog button[type=submit]")
        if window.value("document.querySelector('[data-copy]').dataset.copy") == code:
            self.failures.append("the dialog's button has not renewed the code")

    def copying(self, window):
        """The code is copied and shared; without a script there is no button for it."""
        window.browser.ask("Browser.grantPermissions", browserContextId=window.context,
                           permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        # A headless Chromium has no apps to share with.
        window.ask("Page.addScriptToEvaluateOnNewDocument", source=(
            "navigator.share = (what) => { shared = what; return Promise.resolve(); }"))
        self.enter(window, "founder")
        if not window.has_script:
            if not window.find("[data-copy][hidden]") or not window.find("[data-share][hidden]"):
                self.failures.append("a button that needs a script is shown without one")
            return
        code = window.value("document.querySelector('[data-copy]').dataset.copy")
        window.unfold("[data-copy]")
        window.await_value("document.querySelector('.actions [role=status]').textContent !== ''",
                           True)
        window.ask("Page.bringToFront")
        if window.value("navigator.clipboard.readText()", waits=True) != code:
            self.failures.append("the code was not copied")
        window.unfold("[data-share]")
        window.await_value("shared.url.endsWith('/join?code=' + document.querySelector("
                           "'[data-copy]').dataset.copy)", True)

    def sheet(self, window):
        """The sheet with the code, as it is printed: the code, a QR code, three sentences."""
        if not window.has_script:
            return
        self.enter(window, "founder")
        window.press("a[href*='ask=code']")
        for scheme in SCHEMES:
            window.ask("Emulation.setDeviceMetricsOverride", width=794, height=1123,
                       deviceScaleFactor=1, mobile=False)
            window.ask("Emulation.setEmulatedMedia", media="print",
                       features=[{"name": "prefers-color-scheme", "value": scheme}])
            with open(f"{self.place.folder}/family-sheet-{self.language}-printed-{scheme}.png",
                      "wb") as file:
                file.write(window.picture())
            shown = window.value("[...document.querySelectorAll('main *')].filter("
                                 "e => e.offsetParent && ['A', 'BUTTON'].includes(e.tagName)).length")
            if shown:
                self.failures.append(f"{shown} links or buttons are printed")
        window.ask("Emulation.setEmulatedMedia", media="", features=[])
        window.look(self.screen, self.scheme)

    def typed_code(self, window):
        """The field for a code shows capital letters, and refuses what can't be one unsent."""
        if not window.has_script:
            return
        window.open(f"{self.place.url}/family/join")
        window.fill("code", "fam-1")
        style = window.value("getComputedStyle(document.getElementById('code')).textTransform")
        if style != "uppercase" or window.value("document.getElementById('code').checkValidity()"):
            self.failures.append("the field takes what can't be a code")
        window.empty("code")
        window.fill("code", "fam-abcdef")
        if not window.value("document.getElementById('code').checkValidity()"):
            self.failures.append("the field refuses a code")

    def sent_once(self, window):
        """A form is sent once however often its button is pressed, which shows that it is busy."""
        if not window.has_script:
            return
        window.open(f"{self.place.url}/family/join")
        window.value(
            "press = () => { const button = document.querySelector('form button');"
            "const isSent = button.form.dispatchEvent(new SubmitEvent('submit', {bubbles: true,"
            "cancelable: true, submitter: button}));"
            "return `${isSent} ${button.ariaBusy}`; }; 0")
        found = [window.value("press()") for _ in range(3)]
        window.value("dispatchEvent(new Event('pageshow')); 0")
        found.append(window.value("press()"))
        if found != ["true true", "false true", "false true", "true true"]:
            self.failures.append(f"a form that is pressed again is sent or not marked: {found}")

    def offline(self, window):
        """A page stays as it is while the network is away, and catches up afterwards."""
        if not window.has_script:
            return
        other = self.new_window()
        for each in (window, other):
            self.enter(each, "founder")
        online = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        other.ask("Network.emulateNetworkConditions", offline=True, **online)
        heading = other.value("document.querySelector('h1').textContent")
        self.rename(window, "Norths ashore")
        if other.value("document.querySelector('h1').textContent") != heading:
            self.failures.append("a page without a network was renewed")
        other.ask("Network.emulateNetworkConditions", offline=False, **online)
        other.open(f"{self.place.url}/family")
        other.await_value("document.querySelector('h1').textContent", "Norths ashore")
        other.close()

    def speed(self, window):
        """The page of a family loads within two seconds on 4G, scrolls without a break, and leaves
        nothing behind."""
        if not window.has_script:
            return
        self.enter(window, "founder")
        # 4G as browsers' tools simulate it: 9 Mbit/s, 170 ms.
        window.ask("Network.setCacheDisabled", cacheDisabled=True)
        window.ask("Network.emulateNetworkConditions", offline=False, latency=170,
                   downloadThroughput=9e6 / 8, uploadThroughput=1.5e6 / 8)
        loads = []
        for _ in range(3):
            window.open(f"{self.place.url}/family")
            loads.append(window.value(
                "performance.getEntriesByType('navigation')[0].domComplete") / 1000)
        if min(loads) > 2:
            self.failures.append(f"the page took {min(loads):.2f} s on 4G")
        window.ask("Network.emulateNetworkConditions", offline=False, latency=0,
                   downloadThroughput=-1, uploadThroughput=-1)
        slow = window.value(
            "new Promise(done => { let longest = 0, last = performance.now(), frames = 0;"
            "const step = now => { longest = Math.max(longest, now - last); last = now;"
            "scrollBy(0, 40); frames += 1; frames < 60 ? requestAnimationFrame(step)"
            ": done(longest); }; requestAnimationFrame(step); })", waits=True)
        if slow > 500:
            self.failures.append(f"scrolling stood still for {slow:.0f} ms")
        counts = []
        for number in range(24):
            window.open(f"{self.place.url}/family/join" if number % 2 else
                        f"{self.place.url}/family")
            if number in (11, 23):
                window.ask("HeapProfiler.collectGarbage")
                counts.append(window.ask("Memory.getDOMCounters"))
        if counts[1]["documents"] > counts[0]["documents"] + 4:
            self.failures.append(f"pages stay in memory: {counts}")

    def passkey(self, window):
        if not window.has_script:
            return
        window.ask("WebAuthn.enable")
        window.ask("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True})
        window.open(f"{self.place.url}/account")
        self.join_family_by_code(window, self.address("keyholder"))
        window.press("form[data-passkey=create] button[type=submit]")
        self.expect(window, "passkey", "passkey-added")
        # By the button, in a browser without autofill of passkeys; then by autofill.
        without = window.ask("Page.addScriptToEvaluateOnNewDocument", source=(
            "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)"))
        window.press("form[action=sign-in] button")
        window.press("form[data-passkey=get] button[type=submit]")
        self.expect(window, "account", "passkey-signed-in")
        window.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=without["identifier"])
        try:
            window.press("form[action=sign-in] button")
        except RuntimeError:  # it was led on before its page had been read
            pass
        self.await_words(window, "account")
        self.expect(window, "account", "passkey-autofilled")

    def sign_in_at(self, window, provider, choice="yes"):
        """Follows Hearth's link to a provider from PyPI, signs in there, and agrees or refuses."""
        window.press(f"a[href*='with/{provider}']")
        self.at(window, provider, choice)

    def at(self, window, provider, choice="yes"):
        """Signs in at a provider from PyPI, on whose page the window is."""
        name = f"{provider.lower()}-{self.name}"
        if provider == "Gull":
            if choice == "yes":
                window.fill("sub", name)
            window.press("form[style] button[type=submit]" if choice == "yes"
                         else "button[value=deny]")
            return
        # Tern knows the browser after the first time.
        if window.find("[name=username]"):
            window.fill("username", name)
            window.fill("password", "tern-password")
            window.press("button[type=submit]")
        window.press("input[name=allow]" if choice == "yes"
                     else "input[type=submit]:not([name])")

    def problems_of_hearth(self, window):
        """Problems without those that were noted while the window was at a provider."""
        return [problem for problem in window.problems
                if not set(re.findall(r"http://localhost:\d+", problem)) - {self.place.url}]

    def provider(self, window, provider):
        """Joins a family by a provider: the code survives the way there and back."""
        code = self.invitations["code"]
        window.open(f"{self.place.url}/join?code={code}")
        self.sign_in_at(window, provider, "no")
        # Gull's error does not say to which sign-in it belongs, and Tern's not whose it is.
        self.expect(window, "cancelled", "provider-cancelled")
        window.press("a.button")
        self.look(window, "sign-in-with-providers")
        window.open(f"{self.place.url}/join?code={code}")
        self.sign_in_at(window, provider)
        if not window.url.endswith(f"/join?code={code}"):
            self.failures.append(f"provider: it led to {window.url}")
        if window.find("[name=name]"):
            self.failures.append("provider: the name has not come along")
        window.tick("[name=role][value=parent]")
        window.press("button[value=join]")
        self.expect(window, "joined", "joined")

    def provider_tabs(self, window, provider):
        """Signs in again in two tabs, the second one first; then goes back to the provider's page.
        It is the account that has joined the family."""
        window.open(f"{self.place.url}/sign-in")
        window.press(f"a[href*='with/{provider}']")
        first = window.url
        window.open(f"{self.place.url}/sign-in")
        window.press(f"a[href*='with/{provider}']")
        second = window.url
        self.at(window, provider)
        self.expect(window, "account", "account-of-provider")
        for page in (first, second):
            window.open(page)
            self.at(window, provider)
            self.expect(window, "account", "account-of-provider")
        window.open(f"{self.place.url}/join?code={self.invitations['code']}")
        self.expect(window, "member", "family-code-member")

    def forged(self, window, provider):
        """A provider's response for another state, nonce or code verifier than this browser's signs
        nobody in."""
        cases = [("state", "too-late"), ("nonce", "mismatched")]
        if provider == "Tern":  # Gull does not check the verifier
            cases.append(("code_challenge", "too-late"))
        for parameter, words in cases:
            window.open(f"{self.place.url}/sign-in")
            window.press(f"a[href*='with/{provider}']")
            # Tern's sign-in page has the request in a parameter.
            changed, count = re.subn(
                rf"([?&]|%3F|%26)({parameter})(=|%3D)([\w-]+)",
                lambda found: "".join(found.group(1, 2, 3)) + swapped(found.group(4)), window.url)
            if count != 1:
                raise RuntimeError(f"{parameter} is {count} times in {window.url}")
            window.open(changed)
            self.at(window, provider)
            self.expect(window, words, f"provider-{words}")
            window.open(f"{self.place.url}/account")
            self.expect(window, "sign-in", "sign-in")

    def rotated(self, window, provider):
        """After a provider has replaced its signing key, people sign in as before."""
        # Hearth fetches keys at most every 30 seconds, so once is enough. Gull can't do it.
        if provider != "Tern" or self.name != "four":
            return
        window.open(f"{self.place.url}/sign-in")
        window.press(f"a[href*='with/{provider}']")
        tern = "{0.scheme}://{0.netloc}".format(urlsplit(window.url))
        with urllib.request.urlopen(
                urllib.request.Request(f"{tern}/rotate", b"", method="POST"), timeout=30):
            pass
        end = time.monotonic() + 60
        self.at(window, provider)
        while self.words["away"] in window.text() and time.monotonic() < end:
            time.sleep(2)
            window.open(f"{self.place.url}/sign-in")
            self.sign_in_at(window, provider)
        self.expect(window, "account", "account-of-provider")

    def apple(self, window):
        """Signs in with Apple's form, adds the other provider, and signs in with that."""
        window.open(f"{self.place.url}/sign-in")
        window.press("a[href*='with/Apple']")
        window.fill("sub", f"apple-{self.name}")
        window.press("button")
        try:
            window.press("button")
        except RuntimeError:  # the page led on before it had been read
            pass
        self.await_words(window, "account")
        self.expect(window, "account", "account-of-apple")
        if "Ada North" not in window.text():
            self.failures.append("apple: the name has not come along")
        window.press("a[href*='with/Gull']")
        window.fill("sub", f"second-{self.name}")
        window.press("form[style] button[type=submit]")
        self.expect(window, "add", "provider-question")
        window.press("button[type=submit]")
        self.expect(window, "added", "provider-added")
        if window.has_script:
            account = window.url
            self.follow(window, "a[href*='remove=']", "account-remove")
            window.open(account)
        window.press("form[action=sign-in] button")
        window.press("a[href*='with/Gull']")
        window.fill("sub", f"second-{self.name}")
        window.press("form[style] button[type=submit]")
        self.expect(window, "account", "account-of-apple")
        if "Ada North" not in window.text():
            self.failures.append("apple: the added sign-in leads to another account")

    def dead_ends(self, window):
        window.open(f"{self.place.url}/join?token={'A' * 43}")
        self.expect(window, "dead", "dead-link")
        window.open(f"{self.place.url}/join")
        self.look(window, "incomplete")
        # The server refuses these before it knows the page.
        window.open(f"{self.place.url}/family/child?id=%ZZ")
        self.expect(window, "unreadable", "unreadable-link")


    # Pages that are alike in all languages and screens: looked at in Spanish only, whose words are
    # longer.

    def questions(self, window):
        """What is asked before something happens to members, invitations and children; a question
        that has been answered; a person who waits for approval; what prevents an erasure; and the
        page that stops invitations."""
        if self.name != "four":
            return
        self.enter(window, "mother")
        self.approve(window, "yes")
        self.look(window, "family-settings-saved")
        other = self.new_window()
        other.open(f"{self.place.url}/join?code={self.invitations['code']}")
        self.join_family_by_code(other, self.address("waiter"))
        other.fill("name", "Cousin North")
        other.tick("[name=role][value=parent]")
        other.press("button[value=join]")
        self.expect(other, "asked", "join-asked")
        other.open(f"{self.place.url}/account")
        self.look(other, "account-waiting")
        self.failures += other.problems
        other.close()
        window.open(f"{self.place.url}/family")
        self.look(window, "family-waiting")
        self.follow(window, "a[href*='ask=reject']", "family-reject")
        question = window.url
        window.press("main form button[type=submit]")
        window.open(question)
        self.expect(window, "nothing", "family-answered")
        if window.find("[role=alert]"):
            self.failures.append("a question that has been answered is shown as an error")
        self.approve(window, "no")
        window.open(f"{self.place.url}/account")
        window.value("document.getElementById('erase').open = true; 0")
        self.expect(window, "first", "account-obstacles")
        self.member_questions(window)
        self.child_questions(window)
        self.invitation_questions(window)
        window.open(f"{self.place.url}/nothing")
        self.look(window, "not-found")
        window.open(self.invitations["demo"])
        self.look(window, "demo")

    def member_questions(self, window):
        """What is asked about members, of whom the first one is the person herself."""
        for selector, what in (("a[href*='ask=leave']", "leave"),
                               ("a[href*='ask=member']", "own-role"),
                               ("ul.members li:last-child a[href*='ask=member']", "member")):
            window.open(f"{self.place.url}/family")
            self.follow(window, selector, f"family-{what}")
        member = window.url
        for question in ("transfer", "remove"):
            window.open(member)
            self.follow(window, f"main a[href*='ask={question}']", f"family-{question}")

    def invitation_questions(self, window):
        """An invitation, and the page on which its receiver wants no more of them."""
        window.open(f"{self.place.url}/family/invite")
        window.fill("email", self.address("refuser"))
        window.tick("[name=role][value=parent]")
        window.press("button[value=send]")
        self.look(window, "family-invite-sent")
        self.follow(window, "a[href*='ask=revoke']", "family-invite-revoke")
        window.open(self.mailbox.link(self.address("refuser"), "refuse-invitations"))
        self.expect(window, "refuse", "refuse-invitations")
        window.press("main form button")
        self.expect(window, "refused", "refuse-invitations-done")
        window.open(f"{self.place.url}/refuse-invitations?token={'A' * 43}")
        self.look(window, "refuse-invitations-dead")

    def approve(self, window, choice):
        """Lets people join only if somebody approves, or not. With the keyboard, only the chosen
        button of several could be reached by the tab key."""
        window.open(f"{self.place.url}/family/settings")
        window.value(f"document.querySelector('[name=approval][value={choice}]').checked = true")
        window.press("[data-part=settings] button[type=submit]")

    def child_questions(self, window):
        """A child with two guardians and consents, and what is asked about it."""
        window.open(f"{self.place.url}/family/child")
        self.look(window, "family-child-add")
        window.fill("child_name", "Wren North")
        window.press("form[action='../family/child'] button")
        window.press("form:has([name=guardian]) button[type=submit]")
        child = window.url
        window.press("form:has([value=consent]):has([value=photos]) button")
        self.look(window, "family-child-guardians")
        window.press("form:has([value=consent-code]) button")
        self.look(window, "family-child-consent-code")
        for question in ("withdraw", "remove-guardian", "preferences", "grow", "remove"):
            window.open(child)
            self.follow(window, f"main a[href*='ask={question}']:not([href*='ask={question}-'])",
                        f"family-child-{question}")
        window.press("main form button[type=submit]")

    def account_questions(self, window):
        """What is asked before a way to sign in is removed, or the address is changed."""
        if self.name != "four":
            return
        window.open(f"{self.place.url}/sign-in?return=/account")
        self.join_family_by_code(window, self.address("mover"))
        self.look(window, "account-unnamed")
        window.value("document.querySelector('details:has([name=email])').open = true; 0")
        window.fill("email", self.address("moved"))
        window.press("form:has([name=email]) button[type=submit]")
        self.look(window, "account-address")


def portrait(place, browser, mailbox):
    """Takes the picture of the README: the family of the first round, on a phone."""
    window = Window(browser, "phone", "light", "en", False, False)
    address = "mother.one@example.com"
    window.open(f"{place.url}/sign-in?return=/family")
    window.fill("email", address)
    window.press("button[value=code]")
    window.fill("code", mailbox.code(address))
    window.press("form button[type=submit]")
    window.open(f"{place.url}/family/child")
    window.fill("child_name", "Robin North")
    window.press("form[action='../family/child'] button")
    window.open(f"{place.url}/family")
    with open(f"{place.folder}/family-on-a-phone.webp", "wb") as file:
        file.write(window.portrait(1_180))
    window.close()


class Place:
    def __init__(self, folder, url, axe):
        self.folder, self.url = folder, url
        self.looks = Looks(folder, axe, ".note > a, .rows strong a, footer a")
        # The providers come with axe-core, in one file of requirements.
        self.has_providers = bool(axe)
        # Number of flows that were not tried.
        self.untried = 0

    def unseen(self):
        """The routes of pages that no flow has looked at."""
        with open(ROUTES, encoding="utf-8") as file:
            routes = re.findall(r'(?:opening\(|Endpoint\(\.get, )"([^"]+)"', file.read())
        wanted = set(routes) - NO_PAGES | {"/refuse-invitations"}
        if not self.has_providers:
            wanted.discard("/sign-in/callback/:provider")
        return sorted(
            route for route in wanted
            if not any(re.fullmatch(re.sub(":[a-z]+", "[^/]+", route), path)
                       for path in self.looks.paths))


def main():
    folder, url, outbox, axe, invitations = sys.argv[1:]
    with open(invitations, encoding="utf-8") as file:
        invitations = json.load(file)
    place, mailbox = Place(folder, url, axe), Mailbox(outbox)
    rounds = [
        ("one", "en", "desktop", "light", True, False),
        ("two", "es", "phone", "dark", False, False),
        ("three", "en", "phone", "light", False, True),
        ("four", "es", "desktop", "dark", True, True),
    ]
    failures = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for name, *how in rounds:
            found = Round(place, browser, mailbox, name, *how, invitations[name]).run()
            print(f"  {'FAILED' if found else 'ok'}: round {name}: {how}", file=sys.stderr)
            failures += found
        portrait(place, browser, mailbox)
        browser.close()
    failures += [f"no flow looks at {route}" for route in place.unseen()]
    if not axe:
        print(f"  left out: {place.looks.unchecked} checks by axe-core, {place.untried} flows with"
              " providers", file=sys.stderr)
    for failure in failures:
        print(f"  FAILED: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
