import { operations } from "./api.js";
import { NetworkError, Refusal, retryAfter, UnexpectedResponse, wrappingSignIn, } from "./errors.js";
import { DeadlineExceeded, onNetwork, pause, pauseBefore, throwIfAborted, untilAborted, withDeadline, } from "./timing.js";
/** A client of a Hearth. `createHearth` makes one. */
export class Hearth {
    #options;
    #baseURL;
    #policy;
    #copies;
    #child;
    constructor(options, child, copies = new Copies()) {
        this.#options = options;
        this.#baseURL = String(options.baseURL).replace(/\/+$/, "");
        this.#policy = { attempts: 4, firstPauseMs: 400, longestPauseMs: 10000, ...options.retry };
        this.#child = child;
        this.#copies = copies;
    }
    /** Returns a client whose calls are made on behalf of a child, where operations allow it. */
    actingAs(child) {
        return new Hearth(this.#options, child, this.#copies);
    }
    /** Calls an operation and returns the body of its response. Throws a `HearthError`. */
    async call(name, ...given) {
        const result = await this.result(name, ...given);
        if (!result.ok)
            throw new Refusal(result.problem, result.headers);
        return result.body;
    }
    async result(name, request, options = {}) {
        const acting = options.actingAs ?? this.#child;
        const made = requestOf(name, request, { ...options, actingAs: acting });
        return this.perform(made, operations[name][2], options, acting);
    }
    /** Sends a request and returns its outcome. The letters are those of its operation. @internal */
    async perform(made, letters, options, acting) {
        const { method } = made;
        if (letters.includes("k"))
            made.headers["Idempotency-Key"] ??= newKey();
        const key = `${acting ?? ""} ${made.target}`;
        const copy = method === "GET" && !made.headers["If-None-Match"]
            ? this.#copies.find(key) : undefined;
        if (copy)
            made.headers["If-None-Match"] = copy.etag;
        const isRepeatable = options.retry
            ?? (method === "GET" || made.headers["Idempotency-Key"] !== undefined);
        const reading = letters.includes("b") ? "bytes" : letters.includes("x") ? "text" : "json";
        const isOpen = letters.includes("o");
        const response = await this.#send(made, options, isRepeatable, isOpen, reading === "bytes");
        const { status, headers } = response;
        if (status === 304 && !copy)
            return { ok: false, notModified: true, headers };
        if (status >= 400)
            return { ok: false, problem: problemOf(response), headers };
        const isCurrent = status === 304 && copy !== undefined;
        const body = isCurrent ? copy.body : response.body;
        const etag = headers.get("etag") ?? (isCurrent ? copy.etag : null);
        if (method === "GET")
            this.#copies.store(key, etag, body);
        const value = reading === "json" ? jsonOf(status, body) : body;
        return { ok: true, status: isCurrent ? 200 : status, headers, etag, body: value };
    }
    /** Sends a request until it has a response that a repetition would not change. */
    async #send(request, options, isRepeatable, isOpen, isBinary) {
        const { signal } = options;
        let token = await this.#token(request, isOpen, signal);
        let hasReplacedToken = false;
        for (let attempts = 1;; attempts += 1) {
            let response;
            let failure;
            try {
                response = await withDeadline(options.timeoutMs ?? this.#options.timeoutMs ?? 30000, signal, 
                // Some replacements of `fetch` ignore the signal.
                (limit) => untilAborted(this.#receive(request, token, limit, isBinary), limit));
            }
            catch (error) {
                throwIfAborted(signal);
                failure = networkError(error, attempts);
            }
            if (response?.status === 401 && token !== undefined && !hasReplacedToken) {
                hasReplacedToken = true;
                const other = await this.#replacement(token, signal);
                if (other !== undefined) {
                    token = other;
                    attempts -= 1;
                    continue;
                }
            }
            const asked = response && retryAfter(response.headers);
            const wait = isRepeatable && options.retry !== false
                && (response === undefined || canSucceedSoon(response))
                ? pauseBefore(this.#policy, attempts, asked) : undefined;
            if (wait === undefined) {
                if (response === undefined)
                    throw failure;
                return response;
            }
            await pauseOrNetwork(wait, asked === undefined, signal);
        }
    }
    async #receive(request, token, signal, isBinary) {
        const found = await this.#fetch(request, token, signal);
        const { status, headers } = found;
        const body = found.ok && isBinary ? await found.arrayBuffer() : await found.text();
        return { status, headers, body };
    }
    /** Opens a response whose body is read as it arrives. @internal */
    async open(request, signal) {
        const headers = this.#child === undefined ? request.headers
            : { ...request.headers, "X-Acting-As-Member": this.#child };
        const token = await this.#token(request, false, signal);
        const response = await this.#fetch({ ...request, headers }, token, signal);
        if (response.status !== 401 || token === undefined)
            return response;
        const other = await this.#replacement(token, signal);
        if (other === undefined)
            return response;
        await response.body?.cancel();
        return this.#fetch({ ...request, headers }, other, signal);
    }
    #fetch(request, token, signal) {
        const send = this.#options.fetch ?? fetch;
        const { method, target, headers, body } = request;
        return send(this.#baseURL + target, {
            method,
            headers: token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` },
            signal,
            // Hearth never redirects a call; cookies belong to its pages, not to the API.
            redirect: "error",
            credentials: "omit",
            ...(body === undefined ? {} : { body }),
        });
    }
    async #token(request, isOpen, signal) {
        const { credentials } = this.#options;
        // Requests that sign in carry no token.
        if (credentials === undefined || isOpen && request.target.startsWith("/api/auth/")) {
            return undefined;
        }
        try {
            return (await untilAborted(wrappingSignIn(() => typeof credentials === "function"
                ? credentials() : credentials.accessToken(signal)), signal)) ?? undefined;
        }
        catch (error) {
            throwIfAborted(signal);
            if (isOpen)
                return undefined;
            throw error;
        }
    }
    async #replacement(refused, signal) {
        const { credentials } = this.#options;
        if (credentials === undefined)
            return undefined;
        const token = (await untilAborted(wrappingSignIn(() => typeof credentials === "function"
            ? credentials() : credentials.replacement(refused, signal)), signal)) ?? undefined;
        return token === refused ? undefined : token;
    }
}
/** Creates a client of a Hearth. */
export function createHearth(options) {
    return new Hearth(options);
}
/** Returns the request of an operation. */
export function requestOf(name, request, options) {
    return requestIn(operations[name], name, request ?? {}, options);
}
/** Returns the request of an entry in a table of operations. */
export function requestIn([method, template, letters], name, parts, options) {
    const path = template.replace(/\{(\w+)\}/g, (_, part) => {
        const value = parts.path?.[part];
        // An empty segment would be another route.
        if (value === undefined || value === "")
            throw new TypeError(`${name} needs path.${part}`);
        return encodeURIComponent(String(value));
    });
    const search = Object.entries(parts.query ?? {})
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&");
    const headers = {};
    for (const [letter, option, header] of headerOptions) {
        const value = options[option];
        if (value === undefined || !letters.includes(letter))
            continue;
        headers[header] = value instanceof Date ? value.toISOString() : String(value);
    }
    const target = search === "" ? path : `${path}?${search}`;
    if (parts.body === undefined)
        return { method, target, headers };
    headers["Content-Type"] = "application/json";
    return { method, target, headers, body: JSON.stringify(parts.body) };
}
/** Letters in the table of operations, with options and headers. */
const headerOptions = [
    ["a", "actingAs", "X-Acting-As-Member"],
    ["k", "idempotencyKey", "Idempotency-Key"],
    ["m", "ifMatch", "If-Match"],
    ["n", "ifNoneMatch", "If-None-Match"],
    ["c", "confirmationCode", "X-Confirmation-Code"],
    ["t", "changedAt", "X-Changed-At"],
    ["v", "baseVersion", "X-Base-Version"],
];
/** Returns a new idempotency key. */
export function newKey() {
    // Pages over plain http, Node 18 and React Native have no `randomUUID`. A key only has to be
    // another one than the account's other keys.
    const part = () => Math.random().toString(36).slice(2);
    return globalThis.crypto?.randomUUID?.()
        ?? `${Date.now().toString(36)}-${part()}${part()}`;
}
/** The latest copies of values that have an `etag`, in memory. */
class Copies {
    #copies = new Map();
    find(key) {
        return this.#copies.get(key);
    }
    store(key, etag, body) {
        this.#copies.delete(key);
        if (etag === null)
            return;
        this.#copies.set(key, { etag, body });
        // A map lists its keys in the order in which they were added: the oldest first.
        const [oldest] = this.#copies.keys();
        if (this.#copies.size > 64 && oldest !== undefined)
            this.#copies.delete(oldest);
    }
}
/** Returns the error of an attempt that got no response. */
export function networkError(error, attempts) {
    const isOffline = globalThis.navigator?.onLine === false;
    const reason = error instanceof DeadlineExceeded ? "timeout"
        : isOffline ? "offline" : "connection";
    return new NetworkError(reason, attempts, error);
}
/** Returns whether the same request can succeed soon. */
function canSucceedSoon(response) {
    if ([502, 503, 504].includes(response.status))
        return true;
    if (response.status === 429)
        return retryAfter(response.headers) !== undefined;
    return response.status === 409 && codeOf(response) === "idempotency_key_in_use";
}
/** Waits for a pause, which ends early when the device reports a network again. */
async function pauseOrNetwork(ms, endsEarly, signal) {
    throwIfAborted(signal);
    if (!endsEarly)
        return pause(ms, signal);
    const controller = new AbortController();
    const stop = onNetwork(() => controller.abort());
    const abort = () => controller.abort();
    signal?.addEventListener("abort", abort);
    try {
        await pause(ms, controller.signal);
    }
    catch {
        throwIfAborted(signal);
    }
    finally {
        stop();
        signal?.removeEventListener("abort", abort);
    }
}
function jsonOf(status, body) {
    try {
        return JSON.parse(body);
    }
    catch {
        throw new UnexpectedResponse(status, String(body));
    }
}
function codeOf(response) {
    try {
        return JSON.parse(String(response.body))?.code;
    }
    catch {
        return undefined;
    }
}
/**
 * Returns the problem in a response. Throws `UnexpectedResponse` if it has none: the JSON of a
 * gateway may have a `code` as well.
 */
function problemOf(response) {
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/problem+json") && typeof codeOf(response) === "string") {
        return JSON.parse(String(response.body));
    }
    throw new UnexpectedResponse(response.status, String(response.body), response.headers);
}
