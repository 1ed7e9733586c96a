import { serverOperations } from "./api.js";
import { Hearth, requestIn } from "./client.js";
import { Refusal } from "./errors.js";
import { pause } from "./timing.js";
/**
 * A client for the server of an app, which calls with an API key. Never use it in a browser or an
 * app: whoever has the key reads every family.
 */
export class HearthServer {
    #hearth;
    constructor(options) {
        const { key, ...others } = options;
        this.#hearth = new Hearth({
            ...others, credentials: async () => typeof key === "function" ? await key() : key,
        });
    }
    /** Calls an operation and returns the body of its response. Throws a `HearthError`. */
    async call(name, ...[request, options]) {
        const entry = serverOperations[name];
        const parts = (request ?? {});
        const made = requestIn(entry, name, parts, {});
        const result = await this.#hearth.perform(made, entry[2], options ?? {});
        if (result.ok)
            return result.body;
        // Only a read with `If-None-Match` is not modified, and none is sent here.
        if (result.notModified === true)
            throw new TypeError("a response without a body");
        throw new Refusal(result.problem, result.headers);
    }
    /**
     * Yields pages of events for ever, without empty ones. Store each page's `nextCursor` when its
     * events are done, and pass it here after a restart.
     */
    async *events(cursor, options = {}) {
        let next = cursor ?? undefined;
        while (true) {
            const query = next === undefined ? {} : { cursor: next };
            const page = await this.call("listServerEvents", { query }, options);
            next = page.nextCursor ?? next;
            if (page.events.length > 0)
                yield page;
            else
                await pause(options.pauseMs ?? 5000, options.signal);
        }
    }
}
/** Creates a client for the server of an app. */
export function createHearthServer(options) {
    return new HearthServer(options);
}
