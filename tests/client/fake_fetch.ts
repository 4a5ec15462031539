/** A `fetch` that answers from a script, and keeps what it was asked. */
export interface Asked {
  readonly url: string;
  readonly init: RequestInit;
  readonly endpoint: string;
  readonly headers: Headers;
  readonly body: {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

/** What answers one request; what it throws is a network that fails. */
export type Answerer = (asked: Asked) => Response | Promise<Response>;

/** See {@link Asked}. */
export class FakeFetch {
  readonly asked: Asked[] = [];
  /** What `/listtools` lists. */
  tools: unknown = { tools: [{ name: "t", annotations: { readOnlyHint: true } }] };
  readonly #answers: Answerer[];

  /** The last answer is given for ever. */
  constructor(...answers: readonly Answerer[]) {
    this.#answers = [...answers];
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const asked = {
      url,
      init,
      endpoint: new URL(url).pathname.split("/").at(-1) ?? "",
      headers: new Headers(init.headers),
      body: JSON.parse(String(init.body)),
    };
    this.asked.push(asked);
    await Promise.resolve();
    if (init.signal?.aborted) throw init.signal.reason;
    if (asked.endpoint === "listtools") return json(this.tools);
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    if (answer === undefined) throw new TypeError("No answer is scripted");
    return await answer(asked);
  };

  /** How often a tool was called. */
  get calls(): number {
    return this.asked.filter(({ endpoint }) => endpoint === "calltools").length;
  }
}

/** A response of JSON. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...headers } });
}

/** Answers with a JSON-RPC result. */
export function result(value: unknown, status = 200): Answerer {
  return ({ body }) => json({ jsonrpc: "2.0", id: body.id, result: value }, status);
}

/** Answers with a JSON-RPC error. */
export function error(value: unknown, status: number, headers?: Readonly<Record<string, string>>): Answerer {
  return ({ body }) => json({ jsonrpc: "2.0", id: body.id, error: value }, status, headers);
}

/** A refusal as our servers write it. */
export function refusal(
  code: string,
  number: number,
  status: number,
  headers?: Readonly<Record<string, string>>,
  data: object = {},
): Answerer {
  return error({ code: number, message: `It is ${code}`, data: { ...data, code } }, status, headers);
}

/** A stream that is sent in these pieces; it reports when it was cancelled. */
export class FakeStream {
  isCancelled = false;
  pulled = 0;
  readonly #pieces: readonly (string | Error)[];
  readonly #isEndless: boolean;

  /** An endless one stays open after its last piece. */
  constructor(pieces: readonly (string | Error)[], options: { readonly isEndless?: boolean } = {}) {
    this.#pieces = pieces;
    this.#isEndless = options.isEndless ?? false;
  }

  readonly answer: Answerer = ({ init }) => {
    const queue = [...this.#pieces];
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        init.signal?.addEventListener("abort", () => {
          try {
            controller.error(init.signal?.reason);
          } catch {
            // It had ended.
          }
        });
      },
      pull: (controller) => {
        const piece = queue.shift();
        this.pulled++;
        if (piece instanceof Error) controller.error(piece);
        else if (piece !== undefined) controller.enqueue(encoder.encode(piece));
        else if (!this.#isEndless) controller.close();
        else return new Promise<void>(() => {});
        return undefined;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** One event. */
export function sse(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A partial. */
export function partial(value: unknown): string {
  return sse("message", { partial: value });
}

/** The end of a stream that was answered. */
export function done(content?: unknown): string {
  return sse("done", { content, _meta: { response_type: "answer" } });
}

/** Waits in real time, which the client's timers run in. */
export function wait(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
