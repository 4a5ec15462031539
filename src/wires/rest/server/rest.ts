/**
 * REST: tools as resources of HTTP.
 *
 * Source: RFC 9110, RFC 9457 (problem documents), RFC 7240 (preferences); docs/rest.md.
 *
 * @module
 */
import { readPromise } from "../../../core/dispatch/deferral.ts";
import type { ListName } from "../../../core/dispatch/list_admission.ts";
import type { Call } from "../../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isVisibleTo } from "../../../core/tool/access.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import { canPromise } from "../../../core/tool/registry.ts";
import { chain, type MaybeFuture } from "../../../internal/future.ts";
import { Deadlines } from "../../../internal/deadlines.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { ObjectCache } from "../../../internal/object_cache.ts";
import { checkOptions, PATH } from "../../../internal/options.ts";
import { mountPath, publicPath } from "../../framing/http.ts";
import { DocumentCache, documentReply, openApiDocument } from "../../framing/openapi.ts";
import {
  type Body,
  type Head,
  HeadPeer,
  type MountedWire,
  type OpenApiParts,
  type Reply,
  type RequestWire,
  type WireHost,
} from "../../wire.ts";
import { misplacedAnswer, misplacedMember } from "./answer_help.ts";
import { bodyTypeError, decodeBody, decodeMeta, decodePath, type ToolPath } from "./decode.ts";
import { errorProblemReply, resultReply } from "./encode.ts";
import { Exchange, type ExchangeHost, WIRE_NAME } from "./exchange.ts";
import { describePaths } from "./openapi.ts";
import { parsePreferences, type Preferences, withPreferences } from "./prefer.ts";
import { decodeQuery } from "./query.ts";
import { normalizePath } from "../../../internal/http.ts";

/** Options of {@link rest}. */
export interface RestOptions {
  /** Path of the endpoints. Default: `/rest`. `/` gives `/tools` and `/openapi.json`. */
  readonly path?: string | undefined;
}

/**
 * Creates the REST wire, for `createServer({ wires: [rest()] })`.
 *
 * `POST /rest/tools/{name}` calls a tool: the body has the arguments, the response has the output. `GET` calls a tool with
 * `readOnlyHint`, with the arguments as query parameters. Errors and failures are problem documents (RFC 9457) with their statuses.
 * A promise is 202 with `Location`, where `GET` redeems and `DELETE` cancels it. With `Accept: text/event-stream` the response is a
 * stream. `GET /rest/tools` lists the tools, `GET /rest/openapi.json` describes them for generators of clients.
 *
 * @example Call a tool
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { rest } from "jsr:@toolwire/toolwire/rest";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const add = defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.number() }))
 *   .annotate({ readOnlyHint: true }).handle(({ a, b }) => a + b);
 * const server = createServer({ tools: [add], wires: [rest()] });
 *
 * const response = await server.fetch(new Request("http://localhost/rest/tools/add?a=1&b=2"));
 * console.log(await response.json()); // → 3
 * ```
 * @throws {TypeError} If the path is invalid, or an option is unknown.
 */
export function rest(options: RestOptions = {}): RequestWire {
  checkOptions<RestOptions>("serve REST", options, { path: PATH });
  const base = normalizePath(options.path ?? "/rest");
  return { name: WIRE_NAME, mount: (host) => new Rest(host, base) };
}

/** Serves tools and promises as resources of HTTP, and the document that describes them. */
class Rest implements MountedWire {
  readonly paths: readonly string[];
  readonly methods: readonly string[] = ["GET", "HEAD", "POST", "DELETE"];
  readonly exposedHeaders: readonly string[] = ["etag", "location", "preference-applied"];
  readonly describe: (tools: WireHost["tools"]) => OpenApiParts;
  readonly #host: WireHost;
  readonly #base: string;
  readonly #exchangeHost: ExchangeHost;
  readonly #documents = new DocumentCache();
  readonly #texts = new ObjectCache<WireHost["tools"], string>((tools) => JSON.stringify({ tools }));
  /** Definitions of the host that `#byName` was made of. */
  #cached: WireHost["definitions"] = [];
  #byName: ReadonlyMap<string, ToolDefinition> = new Map();

  constructor(host: WireHost, base: string) {
    const { dispatch, challenge, clock } = host;
    const toolsPath = `${base}/tools`;
    this.#host = host;
    this.#base = base;
    this.#exchangeHost = { dispatch, challenge, clock, toolsPath, heartbeats: new Deadlines(clock) };
    this.describe = (tools) => describePaths(host, toolsPath, tools);
    this.paths = [toolsPath, `${toolsPath}/*`, `${base}/openapi.json`];
  }

  errorReply(head: Head, error: ErrorResult, status?: number): Reply {
    const reply = errorProblemReply(error, publicPath(head), status);
    return head.method === "HEAD" ? withoutBody(reply) : reply;
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    if (head.method !== "HEAD") return this.#answer(head, body);
    const reply = this.#answer(head, body);
    return chain(reply, withoutBody);
  }

  #answer(head: Head, body: Body): MaybeFuture<Reply> {
    const resource = decodePath(head.path.slice(this.#base.length));
    if (resource === undefined) return this.#document(head);
    if (resource.token !== undefined) return this.#promise(head, resource.tool, resource.token);
    if (head.method === "POST" && resource.tool !== "") return this.#post(head, body, resource);
    if (head.method !== "GET" && head.method !== "HEAD") return notAllowed(head, this.#methodsOf(head, resource));
    return resource.tool === "" ? this.#list(head) : this.#get(head, resource);
  }

  #document(head: Head): MaybeFuture<Reply> {
    if (head.method !== "GET" && head.method !== "HEAD") return notAllowed(head, "GET, HEAD");
    return this.#admit(head, "list:document", () => this.#describe(head));
  }

  #describe(head: Head): MaybeFuture<Reply> {
    const { info, definitions, allTools = this.#host } = this.#host;
    const tools = allTools.toolsFor(head.principal);
    const mount = mountPath(head);
    const document = this.#documents.get(
      definitions,
      tools,
      mount,
      () => JSON.stringify(openApiDocument(info, [this.describe(tools)], mount)),
    );
    return documentReply(head, document, definitions.some(({ isVisible }) => isVisible !== undefined));
  }

  #list(head: Head): MaybeFuture<Reply> {
    return this.#admit(head, "list:tools", () => {
      return resultReply(200, this.#texts.get(this.#host.toolsFor(head.principal)));
    });
  }

  /** Sends a list, unless its limits refuse it. */
  #admit(head: Head, name: ListName, list: () => MaybeFuture<Reply>): MaybeFuture<Reply> {
    const admitted = this.#host.admitList(name, new HeadPeer(head, WIRE_NAME, undefined, false));
    return chain(admitted, (error) => error === undefined ? list() : fail(head, error));
  }

  #post(head: Head, body: Body, { tool }: ToolPath): MaybeFuture<Reply> {
    const { metadata } = head;
    const typeError = bodyTypeError(metadata);
    // Without arguments there is no body, and no type of it.
    if (typeError !== undefined && metadata.get("content-type") !== null) return fail(head, typeError, 415);
    return body.text().map((text) => {
      if (typeof text !== "string") return fail(head, text);
      if (text !== "" && typeError !== undefined) return fail(head, typeError, 415);
      const decoded = decodeBody(text, metadata, this.#host.limits.depth);
      if ("kind" in decoded) return fail(head, decoded);
      const { args, meta } = decoded;
      const misplaced = meta === undefined ? misplacedMember(args) : undefined;
      if (misplaced !== undefined && !this.#declares(head, tool, misplaced)) {
        return fail(head, misplacedAnswer(misplaced));
      }
      return this.#call(head, tool, args, meta);
    });
  }

  /** Calls a read-only tool by the query. An unknown tool is reported by dispatch. */
  #get(head: Head, { tool }: ToolPath): MaybeFuture<Reply> {
    const definition = this.#visible(head, tool);
    if (definition === undefined) return this.#call(head, tool, {}, undefined);
    if (!isReadOnly(definition)) return notAllowed(head, "POST");
    const query = decodeQuery(head.target, definition.inputSchema, this.#host.limits.depth);
    return "kind" in query ? fail(head, query) : this.#call(head, tool, query.args, undefined);
  }

  #promise(head: Head, tool: string, token: string): MaybeFuture<Reply> {
    const isCancel = head.method === "DELETE";
    if (!isCancel && head.method !== "GET" && head.method !== "HEAD") return notAllowed(head, "GET, HEAD, DELETE");
    const terms = readPromise(this.#host.dispatch, token, new HeadPeer(head, WIRE_NAME, undefined, false));
    if ("kind" in terms) return fail(head, terms);
    if (terms.tool !== tool) {
      return fail(
        head,
        errorResult("invalid_promise", "Not a promise of this tool: use the Location of the answer that promised"),
      );
    }
    const preferences = parsePreferences(head.metadata.get("prefer"));
    const waitMs = preferences?.waitMs;
    const wait = { ...(waitMs !== undefined && { wait_ms: waitMs }), after: afterOf(head.target) };
    const args = { promise: token, ...(!isCancel && wait) };
    return this.#run(
      head,
      { tool: isCancel ? "cancel" : "redeem", args, meta: undefined },
      isCancel ? undefined : preferences,
    );
  }

  #call(head: Head, tool: string, args: unknown, bodyMeta: Members | undefined): MaybeFuture<Reply> {
    const meta = decodeMeta(head.metadata, bodyMeta);
    if (meta !== undefined && "kind" in meta) return fail(head, meta);
    const preferences = parsePreferences(head.metadata.get("prefer"));
    const definition = preferences && this.#definition(this.#host.targetOf?.(tool, args) ?? tool);
    if (preferences === undefined || definition === undefined || !canPromise(definition)) {
      return this.#run(head, { tool, args, meta }, undefined);
    }
    return this.#run(head, { tool, args, meta: withPreferences(meta, preferences) }, preferences);
  }

  #run(head: Head, call: Omit<Call, "peer">, preferences: Preferences | undefined): MaybeFuture<Reply> {
    return new Exchange(this.#exchangeHost, head, call, preferences).run();
  }

  #methodsOf(head: Head, { tool }: ToolPath): string {
    if (tool === "") return "GET, HEAD";
    const definition = this.#visible(head, tool);
    return definition !== undefined && isReadOnly(definition) ? "GET, HEAD, POST" : "POST";
  }

  /** Whether a tool has an argument of this name. */
  #declares(head: Head, tool: string, name: string): boolean {
    return Object.hasOwn(asObject(this.#visible(head, tool)?.inputSchema["properties"]), name);
  }

  #visible({ principal }: Head, tool: string): ToolDefinition | undefined {
    const definition = this.#definition(tool);
    return definition !== undefined && isVisibleTo(definition, principal) ? definition : undefined;
  }

  #definition(tool: string): ToolDefinition | undefined {
    const { definitions } = this.#host;
    if (definitions !== this.#cached) {
      this.#byName = new Map(definitions.map((definition) => [definition.name, definition]));
      this.#cached = definitions;
    }
    return this.#byName.get(tool);
  }
}

/** Number of pieces that the caller of a stream has, `?after=3`. Dispatch refuses one that is not a number. */
function afterOf(target: string): number {
  const at = target.indexOf("?");
  return Number(at < 0 ? 0 : new URLSearchParams(target.slice(at)).get("after") ?? 0);
}

function isReadOnly({ annotations }: ToolDefinition): boolean {
  return annotations?.readOnlyHint === true;
}

function fail(head: Head, error: ErrorResult, status?: number): Reply {
  return errorProblemReply(error, publicPath(head), status);
}

function notAllowed(head: Head, allow: string): Reply {
  const error = errorResult("invalid_request", `${head.method.slice(0, 32)} is not allowed here: use ${allow}`);
  return errorProblemReply(error, publicPath(head), 405, { allow });
}

function withoutBody(reply: Reply): Reply {
  return { ...reply, body: null };
}
