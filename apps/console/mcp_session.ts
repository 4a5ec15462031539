/** What MCP 2025-11-25 has beside its calls: a handshake, sessions, and questions that the server sends while a call runs. */
import { signal } from "@preact/signals";
import { hello, token } from "./api.ts";
import { asSchema } from "./json_schema.ts";
import { type Answered, type Asked, readInputRequests, toInputResult } from "./questions.ts";
import type { Exchange, WireRequest } from "./exchange.ts";
import { CLIENT_CAPABILITIES, mcp2025Request } from "./wires.ts";

const SESSION = "mcp-session-id";
/** Status of a request whose session has ended. */
const GONE = 404;
/** Code by which a client declines a request that has no action. */
const DECLINED = -1;

/** Headers that the server gave this page, for one process and one caller. */
let opened: { readonly of: string; readonly headers: Promise<Readonly<Record<string, string>>> } | undefined;

/** The ids of questions that were answered. */
const answeredIds = signal<ReadonlySet<unknown>>(new Set());

/** Adds the header of the session to a call. The first call makes the handshake; most servers keep no session. */
export async function inSession(request: WireRequest, signal: AbortSignal): Promise<WireRequest> {
  const of = JSON.stringify([hello.value?.instance, token.value]);
  if (opened?.of !== of) opened = { of, headers: handshake(signal) };
  return { ...request, headers: { ...request.headers, ...await opened.headers } };
}

/** Whether the session of a call had ended, so that the call is to be sent again in another one. */
export function hasLostSession({ status, request }: Exchange): boolean {
  if (status !== GONE || request.headers[SESSION] === undefined) return false;
  opened = undefined;
  return true;
}

async function handshake(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  try {
    const clientInfo = { name: "toolwire-console", version: hello.value?.toolwire ?? "0" };
    const params = { protocolVersion: "2025-11-25", capabilities: CLIENT_CAPABILITIES, clientInfo };
    const response = await post({ id: 0, method: "initialize", params }, {}, signal);
    await response.body?.cancel();
    const id = response.headers.get(SESSION);
    const headers = id === null ? {} : { [SESSION]: id };
    if (response.ok) await post({ method: "notifications/initialized" }, headers, signal);
    else opened = undefined;
    return headers;
  } catch {
    // The call itself shows what is wrong.
    opened = undefined;
    return {};
  }
}

/** Ends a call of a session, which does not end with its connection. */
export function cancelInSession({ headers, body }: WireRequest): void {
  const { [SESSION]: id } = headers;
  if (id === undefined) return;
  const { id: requestId } = asSchema(JSON.parse(String(body)));
  void post({ method: "notifications/cancelled", params: { requestId } }, { [SESSION]: id }).catch(() => {});
}

/** The questions of a call that runs, which have no answer yet. Their ids are by their keys. */
export function openQuestions({ events, isDone }: Exchange): { readonly asked: Asked; readonly ids: Ids } | undefined {
  const open = events.map(({ data }) => asSchema(data)).filter(({ id, method }) =>
    id !== undefined && method !== undefined && !answeredIds.value.has(id)
  );
  if (isDone || open.length === 0) return undefined;
  const keyed = open.map((request) => {
    const { key = request["id"] } = asSchema(asSchema(asSchema(request["params"])["_meta"])["question"]);
    return [String(key), request] as const;
  });
  return {
    asked: readInputRequests({ inputRequests: Object.fromEntries(keyed) }),
    ids: Object.fromEntries(keyed.map(([key, { id }]) => [key, id])),
  };
}

/** Ids of questions, by their keys. */
export type Ids = Readonly<Record<string, unknown>>;

/** Sends each answer as the response to its question. The call then continues. */
export async function answerOpen({ request }: Exchange, ids: Ids, { asked, responses }: Answered): Promise<void> {
  const { [SESSION]: session } = request.headers;
  answeredIds.value = new Set([...answeredIds.value, ...Object.values(ids)]);
  await Promise.all(asked.questions.map(async ({ key, kind }) => {
    const { action, content } = responses[key] ?? { action: "cancel" };
    const isDeclined = action !== "accept" && (kind === "sampling" || kind === "roots");
    const end = isDeclined
      ? { error: { code: DECLINED, message: "Declined" } }
      : { result: toInputResult(kind, { action, ...(content !== undefined && { content }) }) };
    const response = await post({ id: ids[key], ...end }, session === undefined ? {} : { [SESSION]: session });
    if (!response.ok) throw new Error(`the server answered ${response.status} to the answer of ${key}`);
  }));
}

/** Sends a message that is not a call. */
async function post(message: object, more: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
  const { url = "", headers = {}, body = "" } = mcp2025Request(message) ?? {};
  const init = { method: "POST", headers: { ...headers, ...more }, body };
  return await fetch(url, signal === undefined ? init : { ...init, signal });
}
