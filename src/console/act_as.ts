/** Access of a caller to the tools, and calls and contents as another caller in development. */
import { decodeCallMeta } from "../core/call/call_meta.ts";
import type { Principal } from "../core/call/call.ts";
import { type CallResult, errorResult } from "../core/call/outcome.ts";
import type { ContentCall, ContentCatalog } from "../core/content/content_catalog.ts";
import { isVisibleTo } from "../core/tool/access.ts";
import type { MaybeFuture } from "../internal/future.ts";
import { asObject, isJsonObject, type Members } from "../internal/json.ts";
import { questionsToJson } from "../wires/framing/result/encode.ts";
import type { Head, Reply, WireHost } from "../wires/wire.ts";
import { ConsolePeer } from "./console_peer.ts";
import { type Answer, ok, refusal } from "./replies.ts";

/** Whether a caller may see a tool, and which of its scopes the caller lacks. */
interface ToolAccess {
  readonly tool: string;
  readonly isVisible: boolean;
  /** Scopes that the caller lacks. */
  readonly missing: readonly string[];
}

/** Answers a request to the console's API as `principal`, which {@link withCaller} has chosen. */
export type CallerAnswer = (input: Members, principal: Principal | undefined, head: Head) => MaybeFuture<Reply>;

/** Lets `answer` run as the caller of the request, or as the one that its member `as` names. Refuses `as` unless `canActAs`. */
export function withCaller(canActAs: boolean, answer: CallerAnswer): Answer {
  return (input, head) => {
    const { as } = input;
    if (as === undefined) return answer(input, head.principal, head);
    if (!canActAs) return notAllowed();
    const principal = readPrincipal(as);
    if (principal !== undefined) return answer(input, principal, head);
    return refusal(
      400,
      "invalid_request",
      "Send the caller to act as with an id, with its tenant if it has one, and with scopes as a list of texts",
    );
  };
}

function notAllowed(): Reply {
  const message =
    "This console does not act as other callers: choose consolePage({ key, actAs: true }), in development";
  return refusal(403, "permission_denied", message);
}

function readPrincipal(as: unknown): Principal | undefined {
  const { id, tenant, scopes = [] } = asObject(as);
  const areScopes = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  const isTenant = tenant === undefined || (typeof tenant === "string" && tenant !== "");
  if (typeof id !== "string" || id === "" || !isTenant || !areScopes) return undefined;
  return { id, ...(tenant !== undefined && { tenant }), scopes: scopes as string[] };
}

/** Which tools a caller may see, and which scopes the caller lacks for them. */
export interface CallerAccess {
  readonly tools: readonly ToolAccess[];
  /** Number of tools that the caller may not see, and that are not named. */
  readonly hidden: number;
}

/** Access of a caller to all tools. Hidden tools are counted, and named only if `namesHidden`. */
export function accessOf(host: WireHost, principal: Principal | undefined, namesHidden: boolean): CallerAccess {
  const { definitions } = host.allTools ?? host;
  const all = definitions.map((definition): ToolAccess => ({
    tool: definition.name,
    isVisible: isVisibleTo(definition, principal),
    missing: definition.scopes.filter((scope) => !principal?.scopes?.includes(scope)),
  }));
  const tools = all.filter(({ isVisible }) => isVisible || namesHidden);
  return { tools, hidden: all.length - tools.length };
}

/** Calls a tool as a caller, without a wire. Refused for the caller of the page itself, who has the wires. */
export function callAs(host: WireHost): CallerAnswer {
  return runAs(({ tool, args }, { meta, peer }) => host.dispatch.call({ tool: String(tool), args, meta, peer }));
}

/**
 * Answers the requests of MCP for resources and prompts as a caller, without a wire. The method `list` has all lists at once.
 * Refused for the caller of the page itself, who has the wire.
 */
export function contentAs({ catalog }: WireHost): CallerAnswer {
  return runAs(async ({ method, params }, call) => {
    if (method === "list") return await listAs(catalog, call);
    if (catalog === undefined) return errorResult("method_not_found", "This server has neither resources nor prompts");
    const { uri, name, arguments: args = {} } = asObject(params);
    if (method === "prompts/get") return await catalog.getPrompt(String(name), args, call);
    const isRead = method === "resources/read";
    if (!isRead && method !== "completion/complete") return errorResult("method_not_found", "There is no such method");
    const result =
      await (isRead ? catalog.readResource(String(uri), call) : completeAs(catalog, asObject(params), call));
    return result.kind === "answer"
      ? { ...result, value: { [isRead ? "contents" : "completion"]: result.value } }
      : result;
  });
}

async function listAs(catalog: ContentCatalog | undefined, call: ContentCall): Promise<CallResult> {
  if (catalog === undefined) return { kind: "answer", value: { resources: [], prompts: [], canComplete: false } };
  const { principal } = call.peer;
  const listed = await catalog.listResources(call);
  if (listed.kind !== "answer") return listed;
  const resources = [...listed.value, ...catalog.templatesFor(principal)];
  const { canComplete } = catalog;
  return { ...listed, value: { resources, prompts: catalog.promptsFor(principal), canComplete } };
}

function completeAs(catalog: ContentCatalog, { ref, argument, context }: Members, call: ContentCall) {
  const { name: prompt, uri } = asObject(ref);
  const { name, value } = asObject(argument);
  return catalog.complete({
    ...call,
    of: typeof prompt === "string" ? { prompt } : { resource: String(uri) },
    argument: String(name),
    value: String(value),
    otherArguments: asObject(asObject(context)["arguments"]) as Readonly<Record<string, string>>,
  });
}

/** Reads, lists or completes for the principal of a call. */
type Run = (input: Members, call: ContentCall) => MaybeFuture<CallResult>;

function runAs(run: Run): CallerAnswer {
  return async (input, principal, head) => {
    if (input["as"] === undefined) return notAllowed();
    const { meta: members } = input;
    const meta = isJsonObject(members) ? decodeCallMeta(members) : undefined;
    if (meta !== undefined && "kind" in meta) return ok(meta);
    const result = await run(input, { meta, peer: new ConsolePeer(head, principal, false) });
    // The cause of an error is for the log.
    return ok({ ...result, cause: undefined, ...("requests" in result && { requests: questionsToJson(result) }) });
  };
}
