// The hooks, in React itself.

import { deepEqual, equal } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createAccount, memoryBackend, memoryStorage, openStore, syncOnce } from "hearth-client";
import { createHooks } from "hearth-client/react";
import * as React from "react";
import { act, create } from "react-test-renderer";
import { Home, tokenOf, url } from "./support.js";

// React checks updates only where a test says so.
(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
const { useAccount, useEntities, useLoaded } = createHooks(React);

/** Shows a component that renders a text. */
function show(render: () => string) {
  return create(React.createElement(() => React.createElement(React.Fragment, null, render())));
}

/** Returns the text that is shown; empty if there is none. */
function text(shown: ReturnType<typeof create> | undefined): string {
  return String(shown?.toJSON() ?? "");
}

test("useAccount shows each state of signing in", async () => {
  const account = createAccount({ baseURL: url, storage: memoryStorage() });
  let shown: ReturnType<typeof create> | undefined;
  await act(async () => {
    shown = show(() => useAccount(account).status);
  });
  equal(text(shown), "signedOut");
  const token = tokenOf(randomUUID(), "ada@example.com", "Ada", "parent");
  await act(async () => void await account.exchange({ token }));
  equal(text(shown), "signedIn");
  await act(() => account.signOut());
  equal(text(shown), "signedOut");
  await act(() => shown?.unmount());
});

test("useEntities shows a store, and queued changes at once", async () => {
  const home = await Home.create();
  const store = await openStore(memoryBackend(), home.admin.id);
  let shown: ReturnType<typeof create> | undefined;
  await act(async () => {
    shown = show(() => useEntities(store, "family").map((family) => family.familyName).join());
  });
  equal(text(shown), "");
  await act(() => syncOnce(home.admin.hearth, store));
  equal(text(shown), "The Terns");
  await act(async () => void await store.enqueue(
    "updateFamily", { path: { id: home.id }, body: { familyName: "Gulls" } },
    [{ kind: "family", id: home.id, familyId: null, patch: { familyName: "Gulls" } }]));
  equal(text(shown), "Gulls");
  await act(() => shown?.unmount());
});

test("useEntities returns the same list until the store changes, so effects can depend on it",
  async () => {
    const store = await openStore(memoryBackend(), "u");
    const change = (theme: string) => store.enqueue(
      "patchAttributes", { path: { id: "f" }, body: { theme } },
      [{ kind: "attributes", id: "f", familyId: "f", patch: { theme } }]);
    await change("dark");
    const lists = new Set<readonly unknown[]>();
    let [shown, effects] = [undefined as ReturnType<typeof create> | undefined, 0];
    const Component = () => {
      const list = useEntities(store, "attributes");
      lists.add(list);
      React.useEffect(() => void (effects += 1), [list]);
      return React.createElement(React.Fragment, null, String(list[0]?.["theme"]));
    };
    await act(async () => {
      shown = create(React.createElement(Component));
    });
    await act(async () => shown?.update(React.createElement(Component)));
    deepEqual([text(shown), lists.size, effects], ["dark", 1, 1]);
    await act(async () => void await change("light"));
    deepEqual([text(shown), lists.size, effects], ["light", 2, 2]);
    await act(() => shown?.unmount());
  });

test("useLoaded shows a value or an error, and cancels the call of a component that is gone",
  async () => {
    const home = await Home.create();
    const seen: string[] = [];
    let signal: AbortSignal | undefined;
    let shown: ReturnType<typeof create> | undefined;
    await act(async () => {
      shown = show(() => {
        const loaded = useLoaded((aborted) => {
          signal = aborted;
          return home.admin.hearth.call("listMembers", {}, { signal: aborted });
        }, [home]);
        seen.push(loaded.isLoading ? "loading" : String(loaded.value?.count ?? loaded.error));
        return seen.at(-1) ?? "";
      });
    });
    while (text(shown) === "loading") await act(() => new Promise((end) => setTimeout(end)));
    equal(text(shown), "3");
    await act(() => shown?.unmount());
    equal(signal?.aborted, true);
    deepEqual([seen[0], seen.at(-1)], ["loading", "3"]);
  });

test("useLoaded shows the later of two loads, although the earlier one ends last", async () => {
  const ends = new Map<string, (value: string) => void>();
  let query = "earlier";
  const Component = () => {
    const loaded = useLoaded(() => new Promise<string>((end) => ends.set(query, end)), [query]);
    return React.createElement(React.Fragment, null, loaded.value ?? "loading");
  };
  let shown: ReturnType<typeof create> | undefined;
  await act(async () => {
    shown = create(React.createElement(Component));
  });
  query = "later";
  await act(async () => shown?.update(React.createElement(Component)));
  deepEqual([...ends.keys()], ["earlier", "later"]);
  for (const name of ["later", "earlier"]) await act(async () => ends.get(name)?.(name));
  equal(text(shown), "later");
  await act(() => shown?.unmount());
});
