extension TypeScriptClient {
    /// The part of the file that does not depend on the routes.
    static let client = """
        export type OperationName = keyof Operations;
        /** The union of all problems: `code` tells them apart, `status` narrows the codes. */
        export type AnyProblem = Operations[OperationName]["problem"];

        /** The outcome of a call: a success or a problem. */
        export type Result<Name extends OperationName> =
          | ({ ok: true; headers: Headers } & Operations[Name]["success"])
          | { ok: false; headers: Headers; problem: Operations[Name]["problem"] };

        /** The error that `call` throws for a refusal. */
        export class HearthError<P extends AnyProblem = AnyProblem> extends Error {
          constructor(readonly problem: P, readonly headers: Headers) {
            super(problem.message);
            this.name = "HearthError";
          }
          /** The machine-readable code of the problem. */
          get code(): P["code"] {
            return this.problem.code;
          }
          get status(): number {
            return this.problem.status;
          }
          /** Seconds to wait before a retry; undefined if the server names none. */
          get retryAfterSeconds(): number | undefined {
            const text = this.headers.get("retry-after");
            return text === null ? undefined : Number(text);
          }
        }

        /** A response that is neither a success nor a problem, for example a proxy's. */
        export class UnexpectedAnswer extends Error {
          constructor(readonly status: number, readonly body: string) {
            super(`unexpected answer with status ${status}`);
            this.name = "UnexpectedAnswer";
          }
        }

        export interface Options {
          /** The base URL of Hearth, such as `https://family.example.org`. */
          baseURL: string;
          /** Returns the caller's token; called before each request. */
          token?: () => string | undefined | Promise<string | undefined>;
          /** A replacement for the global `fetch`. */
          fetch?: typeof fetch;
        }

        export interface CallOptions {
          /** The child that the caller acts for: `managed_` and its id. */
          actingAs?: string;
          /** Requests with the same key have one effect: repeat one without a response. */
          idempotencyKey?: string;
          signal?: AbortSignal;
        }

        type Arguments<Name extends OperationName> = {} extends Operations[Name]["request"]
          ? [request?: Operations[Name]["request"], options?: CallOptions]
          : [request: Operations[Name]["request"], options?: CallOptions];

        type Values = Record<string, string | number | boolean | null | undefined>;

        /** A client of the API. */
        export class Hearth {
          constructor(private readonly options: Options) {}

          /** Calls an operation and returns the body. Throws `HearthError` for a refusal. */
          async call<Name extends OperationName>(
            name: Name, ...given: Arguments<Name>
          ): Promise<Operations[Name]["success"]["body"]> {
            const result: Result<Name> = await this.result(name, ...given);
            if (!result.ok) throw new HearthError(result.problem, result.headers);
            return result.body;
          }

          /** Calls an operation and returns its outcome, even if it is a refusal. */
          async result<Name extends OperationName>(
            name: Name, ...given: Arguments<Name>
          ): Promise<Result<Name>> {
            const [request, options] = given;
            const [method, template, reading] = operations[name];
            const parts: { path?: Values; query?: Values; body?: unknown } = request ?? {};
            const path = template.replace(/\\{(\\w+)\\}/g, (_, part: string) =>
              encodeURIComponent(String(parts.path?.[part])));
            const query = new URLSearchParams();
            for (const [key, value] of Object.entries(parts.query ?? {})) {
              if (value !== undefined && value !== null) query.set(key, String(value));
            }
            const headers: Record<string, string> = {};
            const token = await this.options.token?.();
            if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
            if (parts.body !== undefined) headers["Content-Type"] = "application/json";
            if (options?.actingAs !== undefined) {
              headers["X-Acting-As-Member"] = options.actingAs;
            }
            if (options?.idempotencyKey !== undefined) {
              headers["Idempotency-Key"] = options.idempotencyKey;
            }
            const send = this.options.fetch ?? fetch;
            const address = this.options.baseURL.replace(/\\/+$/, "") + path;
            const search = query.toString();
            const response = await send(search === "" ? address : `${address}?${search}`, {
              method, headers,
              body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
              signal: options?.signal,
            });
            return (await read(response, reading)) as Result<Name>;
          }
        }

        async function read(response: Response, reading: string): Promise<unknown> {
          const { status, headers } = response;
          const type = headers.get("content-type") ?? "";
          if (!response.ok) {
            if (!type.startsWith("application/problem+json")) {
              throw new UnexpectedAnswer(status, await response.text());
            }
            return { ok: false, headers, problem: await response.json() };
          }
          if (reading === "json" && !type.startsWith("application/json")) {
            throw new UnexpectedAnswer(status, await response.text());
          }
          const body = reading === "json" ? await response.json()
            : reading === "text" ? await response.text() : await response.arrayBuffer();
          return { ok: true, headers, status, body };
        }

        """
}
