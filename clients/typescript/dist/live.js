import { networkError } from "./client.js";
import { HearthError, NetworkError, Refusal, UnexpectedResponse } from "./errors.js";
import { DeadlineExceeded, onNetwork, pauseAfter, untilAborted, WakeUp } from "./timing.js";
/**
 * Follows the changes of the caller's families. After a broken connection the stream is opened
 * again and continues after the last event, with pauses that grow up to a minute and end when the
 * network returns.
 *
 * The iteration ends when `signal` aborts or the loop is left. It throws if nobody is signed in any
 * more, or if Hearth refuses the stream.
 */
export async function* live(hearth, options = {}) {
    const { signal } = options;
    const wakeUp = new WakeUp();
    const stop = onNetwork(() => wakeUp.call());
    let lastId;
    let failures = 0;
    try {
        while (!hasAborted(signal)) {
            let failure;
            let [openedAt, hasBytes, isExpired] = [Infinity, false, false];
            const controller = new AbortController();
            const abort = () => controller.abort(signal?.reason);
            signal?.addEventListener("abort", abort);
            try {
                const headers = { Accept: "text/event-stream" };
                if (lastId !== undefined)
                    headers["Last-Event-ID"] = lastId;
                const request = { method: "GET", target: "/api/live", headers };
                const timer = setTimeout(() => controller.abort(new DeadlineExceeded()), 30000);
                const body = await untilAborted(hearth.open(request, controller.signal).then(streamOf), controller.signal).finally(() => clearTimeout(timer));
                openedAt = Date.now();
                yield { type: "open" };
                const received = () => {
                    hasBytes = true;
                };
                for await (const event of eventsOf(body, controller, options.idleMs ?? 60000, received)) {
                    if (event.id !== undefined)
                        lastId = event.id;
                    isExpired = event.name === "expired";
                    if (isExpired)
                        break;
                    const made = liveEvent(event);
                    if (made !== undefined)
                        yield made;
                }
            }
            catch (error) {
                if (hasAborted(signal))
                    return;
                failure = error instanceof HearthError ? error : networkError(error, 1);
                if (isFinal(failure))
                    throw failure;
            }
            finally {
                signal?.removeEventListener("abort", abort);
                controller.abort();
            }
            // A proxy that ends each stream at once, or passes nothing on, must not be retried for ever.
            const wasSteady = hasBytes && Date.now() - openedAt >= 5000;
            failures = (wasSteady ? 0 : failures) + 1;
            if (!wasSteady && !isExpired)
                failure ??= new NetworkError("connection", 1);
            if (failure !== undefined) {
                if (failures >= (options.maximumFailures ?? Infinity))
                    throw failure;
                options.onFailure?.(failure);
            }
            await wakeUp.wait(pauseAfter(failures, options.firstPauseMs ?? 1000, failure?.retryAfterSeconds), signal);
        }
    }
    finally {
        stop();
    }
}
function hasAborted(signal) {
    return signal?.aborted === true;
}
/** Returns whether the stream can't be opened by repeating the request. */
function isFinal(error) {
    if (error.nextStep === "signIn")
        return true;
    return error instanceof Refusal && error.status < 500 && ![408, 425, 429].includes(error.status);
}
async function streamOf(response) {
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && type.startsWith("text/event-stream")) {
        if (response.body)
            return response.body;
        // React Native reads no streams, and the text would never be complete.
        throw new UnexpectedResponse(response.status, "this fetch can't read streams");
    }
    const text = await response.text();
    if (type.startsWith("application/problem+json")) {
        throw new Refusal(JSON.parse(text), response.headers);
    }
    throw new UnexpectedResponse(response.status, text, response.headers);
}
function liveEvent(event) {
    if (event.name === "reset")
        return { type: "reset" };
    if (event.name !== "change")
        return undefined;
    const data = JSON.parse(event.data);
    return { type: "change", families: data.families ?? [], self: data.self === true };
}
/** Reads events as they arrive. Aborts the stream if no byte comes for `idleMs`. */
async function* eventsOf(stream, controller, idleMs, received) {
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    const parse = eventParser();
    try {
        for (;;) {
            const timer = setTimeout(() => controller.abort(new DeadlineExceeded()), idleMs);
            const { done, value } = await untilAborted(reader.read(), controller.signal)
                .finally(() => clearTimeout(timer));
            if (done)
                return;
            received();
            for (const event of parse(decoder.decode(value, { stream: true })))
                yield event;
        }
    }
    finally {
        // Closes the connection even if the loop was left.
        reader.cancel().catch(() => { });
    }
}
/** Returns an incremental parser of `text/event-stream`. */
export function eventParser() {
    let [rest, name, id] = ["", "", undefined];
    let data = [];
    let length = 0;
    return (chunk) => {
        const events = [];
        rest += chunk;
        // A carriage return at the end may be the first half of a line's end.
        for (let end = lineEnd.exec(rest); end !== null; end = lineEnd.exec(rest)) {
            const line = rest.slice(0, end.index).replace(/^\uFEFF/, "");
            rest = rest.slice(end.index + (end[0] ?? "").length);
            if (line === "") {
                if (data.length > 0 || name !== "") {
                    events.push({ name: name || "message", data: data.join("\n"), id });
                }
                else if (id !== undefined) {
                    events.push({ name: "", data: "", id });
                }
                [name, data, length] = ["", [], 0];
                continue;
            }
            const [, field = "", value = ""] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
            if (field === "event")
                name = value;
            else if (field === "data") {
                data.push(value);
                length += value.length;
            }
            else if (field === "id" && !value.includes("\0"))
                id = value;
        }
        // Hearth sends no long events, so the stream is not Hearth's.
        if (rest.length + length > 65536)
            throw new UnexpectedResponse(200, rest || String(data[0]));
        return events;
    };
}
const lineEnd = /\r\n|\n|\r(?!$)/;
