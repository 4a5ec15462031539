/** An MCP server that is a script: what each method is answered with. */
import { createClient, type UntypedClient } from "../../../../mod.ts";
import { type McpTransport, mcpTransport, type McpTransportOptions } from "../../../../src/entries/mcp.ts";

/** A request, as the server got it. */
export interface Asked {
  readonly verb: string;
  readonly url: string;
  readonly headers: Headers;
  readonly id: number | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The members of `params._meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | null | undefined;
  /** What the client answers, if it is that. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
}

/** What a method is answered with: a result, an error, or a whole response. */
export type Answer = (asked: Asked) => unknown;

/** Answers with an error. */
export class RpcFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: Readonly<Record<string, unknown>>;

  constructor(code: number, status = 200, data?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.headers = headers;
    this.error = { code, message: `It is ${code}`, ...(data !== undefined && { data }) };
  }
}

/** What a server of 2026-07-28 says of itself. */
export const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
};

/** What an older server says to be greeted. */
export const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "scripted", version: "1" },
};

/** A tool that takes anything. */
export const TOOL = { name: "t", inputSchema: { type: "object" } };

/** Text as a result. */
export const text = (reply: string) => ({ content: [{ type: "text", text: reply }] });

/** A script that runs. */
export class Scripted {
  /** Everything that was asked, in order. */
  readonly asked: Asked[] = [];
  readonly #answers: Readonly<Record<string, Answer>>;

  /** @param answers By method; by HTTP method for requests other than POST. */
  constructor(answers: Readonly<Record<string, Answer>>) {
    this.#answers = answers;
  }

  /** What was asked by this method. */
  by(method: string): Asked[] {
    return this.asked.filter((one) => one.method === method);
  }

  /** The methods, in order. */
  get methods(): string[] {
    return this.asked.map(({ method }) => method);
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const message = typeof init.body === "string" ? JSON.parse(init.body) : {};
    const { id, method = init.method, params = {}, result } = message;
    const verb = init.method ?? "GET";
    const headers = new Headers(init.headers);
    const asked = { verb, url, headers, id, method, params, meta: params._meta ?? {}, signal: init.signal, result };
    this.asked.push(asked);
    const answer = this.#answers[method] ?? (() => new RpcFailure(-32601, 404));
    const answered = await answer(asked);
    init.signal?.throwIfAborted();
    if (answered instanceof Response) return answered;
    if (id === undefined || message.method === undefined) {
      return new Response(null, { status: verb === "POST" ? 202 : 405 });
    }
    if (!(answered instanceof RpcFailure)) return Response.json({ jsonrpc: "2.0", id, result: answered });
    const { error, status, headers: reply } = answered;
    return Response.json({ jsonrpc: "2.0", id, error }, { status, headers: { ...reply } });
  };

  /** A transport to it. */
  transport(options: McpTransportOptions = {}): McpTransport {
    return mcpTransport("http://localhost/mcp", { fetch: this.fetch, ...options });
  }

  /** A client of it. */
  client(options: McpTransportOptions = {}): UntypedClient {
    return createClient(this.transport(options), { retry: { attempts: 0 } });
  }
}

/** A server of 2026-07-28 with these answers beside the usual. */
export function modern(answers: Readonly<Record<string, Answer>>): Scripted {
  return new Scripted({ "server/discover": () => DISCOVERED, "tools/list": () => ({ tools: [TOOL] }), ...answers });
}

/** A server of 2025-11-25 with these answers beside the usual. */
export function legacy(answers: Readonly<Record<string, Answer>>): Scripted {
  return new Scripted({
    initialize: () => INITIALIZED,
    "notifications/initialized": () => undefined,
    "tools/list": () => ({ tools: [TOOL] }),
    ...answers,
  });
}

/** A stream of messages, or of text as it is. */
export function events(...messages: readonly unknown[]): Response {
  const blocks = messages.map((message) =>
    typeof message === "string" ? message : `event: message\ndata: ${JSON.stringify(message)}\n\n`
  );
  return new Response(blocks.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** A stream that is written to while it is read. */
export class OpenStream {
  readonly response: Response;
  isCancelled = false;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;

  constructor(headers: Readonly<Record<string, string>> = {}) {
    let opened: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (opened = controller),
      cancel: () => void (this.isCancelled = true),
    });
    this.#controller = opened as unknown as ReadableStreamDefaultController<Uint8Array>;
    this.response = new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
  }

  /** Writes text as it is. */
  write(block: string): void {
    this.#controller.enqueue(new TextEncoder().encode(block));
  }

  /** Writes a message. */
  send(message: unknown): void {
    this.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n\n`);
  }

  /** Ends it. */
  end(): void {
    this.#controller.close();
  }
}

/** Waits for what happens elsewhere, a bounded number of times. */
