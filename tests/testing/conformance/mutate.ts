/** Makes wrong servers of a correct one: functions that change its responses. */
import { asObject, type Members } from "../../../src/internal/json.ts";
import type { Fetch } from "./server.ts";

/** A wrong server, made of the correct one. */
export type Mutant = (fetch: Fetch) => Fetch;

/** A request, as far as mutants look at it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly json: unknown;
}

/** A response that a mutant changes. */
export interface Changed {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

function see(url: string, init: RequestInit): Seen {
  const { method = "GET", headers, body } = init;
  return { method, path: new URL(url).pathname, headers: new Headers(headers as HeadersInit), json: parse(body) };
}

/** Changes any response. The function returns what is different. */
export function onReply(change: (seen: Seen, reply: Changed) => Partial<Changed> | undefined): Mutant {
  return (fetch) => async (url, init) => {
    const seen = see(url, init);
    const response = await fetch(url, init);
    const reply = { status: response.status, headers: new Headers(response.headers), text: await response.text() };
    const { status, headers, text } = { ...reply, ...change(seen, reply) };
    return new Response(text, { status, headers });
  };
}

/** Changes requests before the server receives them. */
export function onRequest(change: (seen: Seen, init: RequestInit) => RequestInit | undefined): Mutant {
  return (fetch) => (url, init) => fetch(url, change(see(url, init), init) ?? init);
}

/** Changes the list of tools, in both of its forms. */
export function onTools(change: (tools: Members[]) => unknown[]): Mutant {
  return onReply(({ path }, { text }) => {
    if (path.endsWith("/listtools")) return { text: JSON.stringify(change(parse(text) as Members[])) };
    if (!path.endsWith("/tools")) return undefined;
    const { tools } = asObject(parse(text)) as { readonly tools: Members[] };
    return { text: JSON.stringify({ tools: change(tools) }) };
  });
}

/** Changes one tool of the list. */
export function onTool(name: string, change: (tool: Members) => Members): Mutant {
  return onTools((tools) => tools.map((tool) => (tool["name"] === name ? change(tool) : tool)));
}

/** The name of the tool that a request calls. */
export function toolOf({ json }: Seen): unknown {
  return asObject(asObject(json)["params"])["name"];
}

/** Changes JSON responses to calls; with a name, to those of one tool. */
export function onCall(change: (message: Members, seen: Seen) => unknown, tool?: string): Mutant {
  return onReply((seen, { text }) => {
    const message = parse(text);
    if (message === undefined || !seen.path.endsWith("/calltools")) return undefined;
    if (tool !== undefined && toolOf(seen) !== tool) return undefined;
    return { text: JSON.stringify(change(asObject(message), seen)) };
  });
}

/** Changes `_meta` of the result of one tool. */
export function onMeta(tool: string, change: (meta: Members) => Members | undefined): Mutant {
  return onCall((message) => {
    const result = asObject(message["result"]);
    return { ...message, result: { ...result, _meta: change(asObject(result["_meta"])) } };
  }, tool);
}

/** Changes the error of a response. */
export function onError(change: (error: Members) => Members, tool?: string): Mutant {
  return onCall((message) => {
    return "error" in message ? { ...message, error: change(asObject(message["error"])) } : message;
  }, tool);
}

/** Changes streams of events, as text. */
export function onEvents(change: (text: string) => string): Mutant {
  return onReply((_, { headers, text }) => {
    return headers.get("content-type")?.startsWith("text/event-stream") ? { text: change(text) } : undefined;
  });
}

/** Answers a call as if it had succeeded. */
export function succeed({ json }: Seen): Pick<Changed, "status" | "text"> {
  const result = { content: null, _meta: { response_type: "answer" } };
  return { status: 200, text: JSON.stringify({ jsonrpc: "2.0", id: asObject(json)["id"] ?? null, result }) };
}
