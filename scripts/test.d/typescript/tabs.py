"""Uses the TypeScript client in tabs of a headless Chromium: sessions and a store that tabs share.

usage: tabs.py URL PORT DIST TOKEN CODE

  URL     the base URL of a Hearth whose HEARTH_CORS_ORIGINS has http://localhost:PORT
  DIST    the folder with the client's modules
  TOKEN   a token of an identity provider, for a person without a family
  CODE    the code of a family
"""

import functools
import http.server
import json
import os
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from browser import Browser  # noqa: E402

url, port, dist, token, code = sys.argv[1:]

PAGE = """<!doctype html><title>Tab</title><script type="module">
import * as client from "/index.js";
let [offset, refreshes, mode] = [0, 0, ""];
const account = client.createAccount({
  baseURL: URL, now: () => Date.now() + offset,
  fetch: (address, init) => {
    if (String(address).endsWith("/api/auth/refresh")) refreshes += 1;
    return fetch(address, init);
  },
});
const hearth = client.createHearth({ baseURL: URL, credentials: account });
const until = (subject, holds) => new Promise((resolve) => {
  const check = () => holds() && (stop(), resolve(true));
  const stop = subject.subscribe(check);
  if (holds()) check();
});
const state = (status) => until(account, () => account.state.status === status);
const tab = {
  client, account, hearth, until, state,
  age: (minutes) => { offset = minutes * 60000; },
  calls: async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => hearth.call("listFamilies")));
    return { calls: all.length, refreshes };
  },
  open: async () => {
    const { userId } = account.state;
    tab.store = await client.openStore(client.indexedDBBackend(`hearth-${userId}`), userId);
    tab.modes = { listeners: new Set(), subscribe: (listener) => {
      tab.modes.listeners.add(listener);
      return () => tab.modes.listeners.delete(listener);
    } };
    client.sync(hearth, tab.store, { firstPauseMs: 50, onMode: (next) => {
      mode = next;
      tab.modes.listeners.forEach((listener) => listener());
    } });
    return mode;
  },
  mode: (wanted) => until(tab.modes, () => mode === wanted),
};
account.restore().then(() => { window.tab = tab; document.title = "Ready"; });
window.addEventListener("unhandledrejection", (event) => {
  window.unhandled = String(event.reason);
});
</script>""".replace("URL,", json.dumps(url) + ",")


class Files(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *words):
        pass


class Tab:
    def __init__(self, browser):
        self.browser = browser
        self.target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask(
            "Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.ask("Page.enable", self.session)
        browser.events.clear()
        browser.ask("Page.navigate", self.session, url=f"http://localhost:{port}/")
        browser.await_event("Page.loadEventFired")
        # The module restores the session after the page has loaded.
        self.run("new Promise((resolve) => { const wait = () => window.tab ? resolve(true)"
                 " : setTimeout(wait); wait(); })")

    def run(self, script):
        """Runs a script, and returns the value of its promise."""
        answer = self.browser.ask(
            "Runtime.evaluate", self.session, expression=f"Promise.resolve({script})",
            awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", str(details)))
        return answer["result"].get("value")

    def start(self, script):
        self.run(f"(window.started = {script}, true)")

    def finish(self):
        return self.run("window.started")

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)


def check(is_met, words):
    if not is_met:
        sys.exit(f"tabs.py: {words}")
    print(f"  ok: {words}", file=sys.stderr)


server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", int(port)), functools.partial(Files, directory=dist))
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as profile:
    browser = Browser(profile)
    try:
        first, second = Tab(browser), Tab(browser)
        second.start("tab.state('signedIn')")
        first.run(f"tab.account.exchange({{ token: {json.dumps(token)} }})")
        check(second.finish(), "a sign-in in one tab is known in the other")
        first.run(f"tab.hearth.call('joinFamily', {{ body: {{ familyCode: '{code}' }} }})")

        for tab in (first, second):
            tab.run("tab.age(9.5)")
        for tab in (first, second):
            tab.start("tab.calls()")
        made = [tab.finish() for tab in (first, second)]
        check(sum(tab["calls"] for tab in made) == 40
              and sum(tab["refreshes"] for tab in made) == 1,
              f"forty calls in two tabs with an expiring token cause one refresh: {made}")

        first.run("tab.open()")
        first.run("tab.mode('streaming')")
        check(second.run("tab.open()") == "otherTab", "one tab syncs the store for both")
        family = first.run("tab.store.entities('family')[0].id")
        members = "tab.store.entities('member').length"
        first.run(f"tab.until(tab.store, () => {members} > 1)")
        count = first.run(members)
        check(second.run(members) == count,
              f"the other tab reads the same store: {count} members, {second.run(members)}")
        patch = (f"tab.store.enqueue('writePreferences', {{ path: {{ id: '{family}' }},"
                 " body: { genres: ['comedy'] } })")
        second.run(patch)
        second.run("tab.until(tab.store, () => tab.store.queue.length === 0)")
        stored = f"tab.hearth.call('readPreferences', {{ path: {{ id: '{family}' }} }})"
        check(second.run(stored)["preferences"] == {"genres": ["comedy"]},
              "a change that is queued in one tab is sent by the other")
        first.close()
        check(second.run("tab.mode('streaming')"), "when that tab closes, another one syncs")
        third = Tab(browser)
        third.run("tab.open()")
        check(third.run(members) == count, "a new tab reads the store from IndexedDB")

        third.start("tab.state('signedOut')")
        second.run("tab.account.signOut()")
        check(third.finish(), "signing out in one tab signs out the other")
        unhandled = [tab.run("window.unhandled ?? null") for tab in (second, third)]
        check(unhandled == [None, None], f"no rejection is unhandled: {unhandled}")
    finally:
        browser.close()
