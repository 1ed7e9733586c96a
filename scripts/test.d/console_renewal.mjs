// Tests how the console's script renews a page: what it does after errors, while somebody types,
// and while the page is hidden or paused; and how the key / leads to the search. The script is the
// one in ConsoleScript.swift; the browser's objects that it uses are stand-ins, whose time this
// program sets.
//
// usage: node scripts/test.d/console_renewal.mjs

import assert from "node:assert/strict";
import fs from "node:fs";

const file = fs.readFileSync("Sources/Family/Console/Pages/ConsoleScript.swift", "utf8");
const [source, searchSource] = ["renewal", "search"].map((name) =>
  file.match(new RegExp(`static let ${name} = #"""\\n([\\s\\S]*?)"""#`))[1]);

// Adds listeners to an object, which `fire` calls with an event.
function target(object) {
  const listeners = {};
  object.addEventListener = (name, body) => { (listeners[name] ??= []).push(body); };
  object.fire = async (name, event = {}) => {
    for (const body of listeners[name] ?? []) { body(event); }
    await settled();
  };
  return object;
}

// Waits until all promises that can be settled are.
async function settled() {
  for (let round = 0; round < 20; round++) { await null; }
  await new Promise((done) => { setImmediate(done); });
}

function open() {
  const page = { streams: [], fetches: 0, replaced: 0, outcome: "ok", gate: null };
  let [now, timers] = [0, []];
  class EventSource {
    static CLOSED = 2;

    constructor(url) {
      target(this);
      this.url = url;
      this.readyState = 0;
      page.streams.push(this);
    }

    close() { this.readyState = 2; }

    async connect() {
      this.readyState = 1;
      await this.fire("open");
    }

    // The server refuses: browsers do not connect again.
    async refuse() {
      this.readyState = 2;
      await this.fire("error");
    }

    // The connection breaks: the browser connects again by itself.
    async lose() {
      this.readyState = 0;
      await this.fire("error");
    }
  }
  page.main = target({
    dataset: { live: "jobs" }, querySelectorAll: () => [], contains: (one) => one?.isInside,
    replaceChildren() { page.replaced += 1; },
  });
  page.button = target({});
  page.state = {};
  page.window = target({ EventSource });
  page.document = target({
    hidden: false, activeElement: null, querySelector: () => page.main,
    getElementById: (id) => ({ "renewal": page.button, "renewal-state": page.state })[id],
  });
  page.location = { href: "http://localhost/jobs", reloads: 0, reload() { this.reloads += 1; } };
  const stored = {};
  const storage = {
    getItem: (name) => stored[name] ?? null, setItem: (name, value) => { stored[name] = value; },
  };
  const fetch = async () => {
    page.fetches += 1;
    await page.gate;
    if (page.outcome === "broken") { throw new TypeError("no network"); }
    return { ok: page.outcome === "ok", text: async () => "" };
  };
  class DOMParser {
    parseFromString() { return { querySelector: () => ({ childNodes: [] }) }; }
  }
  const setTimeout = (body, milliseconds = 0) => {
    timers.push({ body, at: now + milliseconds });
    return timers.length;
  };
  page.advance = async (seconds) => {
    now += seconds * 1000;
    const due = timers.filter((timer) => timer.at <= now);
    timers = timers.filter((timer) => timer.at > now);
    for (const timer of due) { timer.body(); }
    await settled();
  };
  const names = ["document", "sessionStorage", "location", "fetch", "DOMParser", "EventSource",
    "setTimeout", "window", "addEventListener"];
  new Function(...names, source)(
    page.document, storage, page.location, fetch, DOMParser, EventSource, setTimeout, page.window,
    page.window.addEventListener);
  return page;
}

// The elements in which text is typed, as selectors.
const typed = ["input", "select", "textarea", "[contenteditable]"];

// Opens a page with the search field, or without it, as before the sign-in.
function openWithKeys(hasField = true) {
  const page = { focused: 0, selected: 0 };
  const field = { focus() { page.focused += 1; }, select() { page.selected += 1; } };
  const document = target({ getElementById: (id) => (hasField && id === "q" ? field : null) });
  // Presses a key in an element with this selector, and with other keys held. Returns whether the
  // page keeps the browser from typing it.
  page.press = async (key, place = "body", held = {}) => {
    let isKept = false;
    await document.fire("keydown", {
      key, ctrlKey: false, metaKey: false, altKey: false, ...held,
      target: { closest: (list) => (list.split(/, */).includes(place) ? {} : null) },
      preventDefault() { isKept = true; },
    });
    return isKept;
  };
  new Function("document", searchSource)(document);
  return page;
}

const tests = {
  async "connects for its part, and renews after a change"() {
    const page = open();
    assert.equal(page.streams[0].url, "/live?part=jobs");
    await page.streams[0].connect();
    assert.equal(page.fetches, 0);
    await page.streams[0].fire("change");
    assert.deepEqual([page.fetches, page.replaced, page.state.textContent], [1, 1, ""]);
  },

  async "connects again after a refusal, with pauses that grow to a minute"() {
    const page = open();
    for (const pause of [5, 10, 20, 40, 60, 60]) {
      const count = page.streams.length;
      await page.streams.at(-1).refuse();
      assert.equal(page.state.textContent, "Not refreshed");
      await page.advance(pause - 1);
      assert.equal(page.streams.length, count, `before ${pause} s`);
      await page.advance(1);
      assert.equal(page.streams.length, count + 1, `after ${pause} s`);
    }
    const before = page.fetches;
    await page.streams.at(-1).connect();
    assert.equal(page.state.textContent, "");
    assert.equal(page.fetches, before + 1, "what changed meanwhile");
  },

  async "leaves a broken connection to the browser, and renews after it is back"() {
    const page = open();
    await page.streams[0].connect();
    await page.streams[0].lose();
    assert.equal(page.state.textContent, "Not refreshed");
    await page.advance(100);
    assert.equal(page.streams.length, 1);
    await page.streams[0].connect();
    assert.deepEqual([page.fetches, page.state.textContent], [1, ""]);
  },

  async "renews once more after changes during a renewal"() {
    const page = open();
    await page.streams[0].connect();
    let release;
    page.gate = new Promise((done) => { release = done; });
    for (let count = 0; count < 3; count++) { await page.streams[0].fire("change"); }
    assert.equal(page.fetches, 1);
    page.gate = null;
    release();
    await settled();
    assert.deepEqual([page.fetches, page.replaced], [2, 2]);
  },

  async "tries again after a failed renewal, after a pause"() {
    for (const outcome of ["broken", "error"]) {
      const page = open();
      await page.streams[0].connect();
      page.outcome = outcome;
      await page.streams[0].fire("change");
      await page.streams[0].fire("change");
      assert.deepEqual([page.fetches, page.state.textContent], [1, "Not refreshed"]);
      page.outcome = "ok";
      await page.advance(5);
      assert.deepEqual([page.fetches, page.replaced, page.state.textContent], [2, 1, ""]);
    }
  },

  async "waits while somebody types, and renews afterwards"() {
    const page = open();
    await page.streams[0].connect();
    page.document.activeElement = { isInside: true, matches: () => true };
    await page.streams[0].fire("change");
    await page.main.fire("focusout");
    await page.advance(0);
    assert.equal(page.fetches, 0, "the next field has the focus");
    page.document.activeElement = null;
    await page.main.fire("focusout");
    await page.advance(0);
    assert.deepEqual([page.fetches, page.replaced], [1, 1]);
  },

  async "disconnects while it is hidden or paused, and renews afterwards"() {
    const page = open();
    await page.streams[0].connect();
    const hide = async (isHidden) => {
      page.document.hidden = isHidden;
      await page.document.fire("visibilitychange");
    };
    for (const [leave, comeBack] of [
      [() => hide(true), () => hide(false)],
      [() => page.button.fire("click"), () => page.button.fire("click")],
    ]) {
      const [count, before] = [page.streams.length, page.fetches];
      await leave();
      assert.equal(page.streams.at(-1).readyState, 2);
      await page.advance(100);
      assert.deepEqual([page.streams.length, page.fetches], [count, before]);
      assert.equal(page.state.textContent, "");
      await comeBack();
      await page.streams.at(-1).connect();
      assert.equal(page.streams.length, count + 1);
      assert.ok(page.fetches > before);
    }
  },

  async "loads the page again after the session has ended"() {
    const page = open();
    await page.streams[0].connect();
    await page.streams[0].fire("ended");
    assert.equal(page.location.reloads, 1);
  },

  async "moves the focus into the search on the key /, and selects the text that is there"() {
    const page = openWithKeys();
    // Otherwise the browser would type the key into the field.
    assert.equal(await page.press("/"), true);
    assert.deepEqual([page.focused, page.selected], [1, 1]);
    assert.equal(await page.press("/", "a"), true);
    assert.equal(page.focused, 2);
  },

  async "leaves the key / to a field in which somebody types"() {
    for (const place of typed) {
      const page = openWithKeys();
      assert.equal(await page.press("/", place), false, place);
      assert.equal(page.focused, 0, place);
    }
  },

  async "leaves other keys, shortcuts, and pages without a search to the browser"() {
    const page = openWithKeys();
    for (const key of ["s", "Enter", "?"]) { assert.equal(await page.press(key), false, key); }
    for (const held of ["ctrlKey", "metaKey", "altKey"]) {
      assert.equal(await page.press("/", "body", { [held]: true }), false, held);
    }
    assert.equal(page.focused, 0);
    assert.equal(await openWithKeys(false).press("/"), false);
  },
};

for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
  } catch (error) {
    console.log(`A page of the console ${name}: ${error.message}`);
    process.exitCode = 1;
  }
}
