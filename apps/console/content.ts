/** Resources and prompts of the server: over MCP 2026-07-28, or in process as the caller that the page acts as. */
import { signal } from "@preact/signals";
import { ACTING, actingRequest } from "./acting_wire.ts";
import { actingAs } from "./api.ts";
import { asSchema, type Schema } from "./json_schema.ts";
import { type Answered, inputResponses } from "./questions.ts";
import { readEvents } from "./sse.ts";
import { mcpAnswer, type Outcome } from "./outcome.ts";
import type { WireReader } from "./reading.ts";
import { mcpRequest, send } from "./wires.ts";

/** A resource or a template. */
export interface PageResource {
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A prompt, as the page lists it. */
export interface PagePrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/** What the server lists. */
export interface Contents {
  /** Resources first, templates after them. */
  readonly resources: readonly PageResource[];
  readonly prompts: readonly PagePrompt[];
  readonly canComplete: boolean;
  readonly canSubscribe: boolean;
}

/** The lists; `undefined` until they have been read. */
export const contents = signal<Contents | undefined>(undefined);
/** The reason why there are no lists. */
export const contentsProblem = signal("");

/** Pages of one list that are read. */
const MAX_PAGES = 20;

/** Results of MCP as they are, but for questions and errors. */
const MCP: WireReader = {
  id: "mcp",
  answer(body) {
    const outcome = mcpAnswer(body);
    return outcome.kind === "answer" ? { kind: "answer", value: asSchema(body)["result"] } : outcome;
  },
};

/** Sends one request, with the answers to its questions. `undefined` if the server has no wire for it. */
export async function requestContent(
  method: string,
  name: string | undefined,
  params: Readonly<Record<string, unknown>>,
  answered?: Answered,
): Promise<Outcome | undefined> {
  const acting = actingRequest("content", { method, params }, answered);
  const request = acting ?? mcpRequest(method, name, { ...params, ...(answered && inputResponses(answered)) });
  if (request === undefined) return undefined;
  try {
    return (await send(acting === undefined ? MCP : ACTING, request, new AbortController().signal, () => {})).outcome;
  } catch (thrown) {
    return { kind: "error", value: { message: (thrown as Error).message } };
  }
}

/** Text of an error of JSON-RPC. */
export function messageOf({ value }: Outcome): string {
  const { message } = asSchema(value);
  return typeof message === "string" ? message : JSON.stringify(value);
}

/** Reads the lists, as the caller that the page is or acts as. */
export async function loadContents(): Promise<void> {
  const as = actingAs.value;
  const [listed, problem] = as === undefined ? await readLists() : await readActingLists();
  // The lists of an earlier caller came late.
  if (as !== actingAs.value) return;
  contentsProblem.value = problem;
  contents.value = listed;
}

/** Lists of a server, and what went wrong with one of them. */
type Lists = readonly [listed: Contents | undefined, problem: string];

/** The server reports no changes to another caller than the page. */
async function readActingLists(): Promise<Lists> {
  const found = await requestContent("list", undefined, {});
  if (found?.kind !== "answer") return [undefined, found === undefined ? "" : messageOf(found)];
  return [{ ...found.value as Omit<Contents, "canSubscribe">, canSubscribe: false }, ""];
}

/** A list that the server does not offer is empty. */
async function readLists(): Promise<Lists> {
  const found = await requestContent("server/discover", undefined, {});
  if (found?.kind !== "answer") {
    const noWire = "Resources and prompts are read over MCP, and this server does not have the wire mcp().";
    return [undefined, found === undefined ? noWire : messageOf(found)];
  }
  const { resources, prompts, completions } = asSchema(asSchema(found.value)["capabilities"]);
  const [listed, templates, prompted] = await Promise.all([
    resources === undefined ? [] : readList<PageResource>("resources/list", "resources"),
    resources === undefined ? [] : readList<PageResource>("resources/templates/list", "resourceTemplates"),
    prompts === undefined ? [] : readList<PagePrompt>("prompts/list", "prompts"),
  ]);
  const read: Contents = {
    resources: [...listed, ...templates],
    prompts: prompted,
    canComplete: completions !== undefined,
    canSubscribe: asSchema(resources)["subscribe"] === true,
  };
  return [read, ""];
}

async function readList<Item>(method: string, member: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const outcome = await requestContent(method, undefined, cursor === undefined ? {} : { cursor });
    const result = asSchema(outcome?.value);
    if (outcome?.kind !== "answer" || !Array.isArray(result[member])) break;
    items.push(...result[member] as Item[]);
    cursor = result["nextCursor"];
    if (cursor === undefined) break;
  }
  return items;
}

/** Proposals for an argument of a prompt, or a variable of a template. */
export async function complete(ref: Schema, name: string, value: string, given: Schema): Promise<readonly string[]> {
  const { [name]: _, ...others } = given;
  const context = Object.keys(others).length === 0 ? {} : { context: { arguments: others } };
  const outcome = await requestContent("completion/complete", undefined, {
    ref,
    argument: { name, value },
    ...context,
  });
  const { values } = asSchema(asSchema(outcome?.value)["completion"]);
  return Array.isArray(values) ? values.map(String) : [];
}

/** Calls `onChange` for each change of a resource, until the signal aborts. `onLive` reports whether the server sends them. */
export async function followResource(
  uri: string,
  signal: AbortSignal,
  onLive: (isLive: boolean) => void,
  onChange: () => void,
): Promise<void> {
  const notifications = { resourceSubscriptions: [uri] };
  const request = mcpRequest("subscriptions/listen", undefined, { notifications });
  if (request === undefined) return;
  const { url, method, headers, body } = request;
  try {
    await readEvents(await fetch(url, { method, headers, body, signal }), (data) => {
      const message = asSchema(JSON.parse(data));
      if (message["method"] === "notifications/subscriptions/acknowledged") onLive(true);
      if (message["method"] === "notifications/resources/updated") onChange();
    });
  } catch {
    // The resource is left, or the server restarts.
  }
  onLive(false);
}
