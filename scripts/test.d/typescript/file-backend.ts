// Records of a store in a file, for processes that tests kill.

import { existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import type { StoreBackend, StoreWrite } from "hearth-client";

/** A backend that appends each commit as a line and waits until it is on disk. */
export function fileBackend(path: string): StoreBackend {
  let file: number | undefined;
  return {
    name: undefined,
    async load() {
      const records = new Map<string, unknown>();
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      // The last line of a killed process may be incomplete.
      for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
        for (const [key, value] of (line === "" ? [] : JSON.parse(line)) as StoreWrite[]) {
          if (value === null || value === undefined) records.delete(key);
          else records.set(key, value);
        }
      }
      file = openSync(path, "a");
      if (text !== "" && !text.endsWith("\n")) throw new Error("an incomplete commit");
      return [...records];
    },
    async commit(writes) {
      if (file === undefined) throw new Error("not loaded");
      writeSync(file, `${JSON.stringify(writes)}\n`);
      fdatasyncSync(file);
    },
  };
}
