import type { Principal } from "../core/call/call.ts";
import { assertSupported } from "../internal/supported.ts";
import type { Resolution } from "../core/handler/waits.ts";
import { memoryBus } from "../core/call/changes.ts";
import type { ContentCatalog, Prompt, Resource, RunDefinition } from "../core/content/content_catalog.ts";
import type { Deferral } from "../core/dispatch/deferral.ts";
import { Dispatcher, type DispatchOptions } from "../core/dispatch/dispatcher.ts";
import { createListLimits } from "../core/dispatch/list_admission.ts";
import { toLogger } from "../core/dispatch/error_masking.ts";
import { assertMiddleware } from "../core/handler/middleware.ts";
import type { AnyTool } from "../core/tool/definition.ts";
import type { ToolListing } from "../core/tool/listing.ts";
import { ToolRegistry } from "../core/tool/registry.ts";
import type { EngineWorker, WorkOptions } from "../core/dispatch/engine.ts";
import type { Transport } from "../core/call/transport.ts";
import { chain, Future, isPending, type MaybeFuture } from "../internal/future.ts";
import { omitUndefined, type Optional } from "../internal/json.ts";
import { systemClock } from "../internal/time.ts";
import { mcpLite } from "../wires/mcp_lite/server/mcp_lite.ts";
import { isUnauthenticated } from "../wires/wire.ts";
import type { Body, Head, Limits, MountedPaths, MountedWire, Reply, ServerInfo, WireHost } from "../wires/wire.ts";
import { answerIdentified, describeAuth, type MountedAuth } from "./auth.ts";
import { closeAll, holdResources } from "./close_all.ts";
import { FetchRequest } from "./fetch_request.ts";
import { type AnyServerOptions, assertCoreOptions, assertOriginRules, type CoreServerOptions } from "./options.ts";
import { OriginGuard } from "./origin_guard.ts";
import type { OriginRules } from "./origin_policy.ts";
import type { AllTools, MergedParts, OriginPolicy, ServerContents, ServerPart } from "./server_options.ts";
import { createMountedResume } from "./mounted_resume.ts";
import { guardChanges } from "./guarded_changes.ts";
import { createNotify, type Notify } from "./notify.ts";
import { viewPage } from "./view_page.ts";
import { brokenReply } from "./reply_sender.ts";
import { mountWire, notFound, routeOf, type Routes } from "./routes.ts";

/** Access to a server for runtimes, transports and stdio. */
export interface ServerInternals {
  /** Services for wires. */
  readonly host: WireHost;
  /**
   * Answers a request that is not a `Request`. Never throws; rejects if a wire does. A `ReplySender` takes the reply.
   * A head that has a principal is not authenticated again.
   */
  readonly handle: (head: Head, body: Body) => MaybeFuture<Reply>;
  /** Whether a wire answers requests to this path, which includes the base path. */
  readonly answers: (path: string) => boolean;
  /** Whether anyone may request this path, which includes the base path. */
  readonly isPublic: (path: string) => boolean;
  /** Takes up due jobs and schedules, if this server has a worker; called when a server starts to listen. */
  resume(): void;
  /** Does the same after the current module has run, which may start another worker; not in a process that only looks at modules. */
  resumeMounted(): void;
}

/**
 * A server: one `fetch` function, with its tools and its lifecycle.
 *
 * @typeParam Tools The tools, as a tuple; `createClient<typeof server>` reads them.
 */
export interface Server<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** Types only; never present at run time. */
  readonly "~tools"?: Tools | undefined;
  /** Name, version, and what else the server states about itself, such as title and instructions. */
  readonly info: ServerInfo;
  /** The tools, as they are listed to callers that may see all of them. */
  readonly tools: readonly ToolListing[];
  /** The tools that are visible to a caller. */
  toolsFor(principal: Principal | undefined, session?: string): readonly ToolListing[];
  /** Names of its wires, such as `mcp-lite`. That of `grpc()` is `connect`. */
  readonly wires: readonly string[];
  /** Limits on requests and results, those of the options or their defaults. */
  readonly limits: Limits;
  /** Host names under which it may be reached; `undefined` for any. */
  readonly hosts: readonly string[] | undefined;
  /** Whether it was closed; it stays closed. */
  readonly isClosed: boolean;
  /** Notifies callers, over wires that have notifications, that a list or a resource has changed. */
  readonly notify: Notify;
  /**
   * Answers a request: for `Deno.serve`, `Bun.serve`, Workers and frameworks. Never rejects.
   *
   * Reading it counts as serving: the server then takes up due jobs and schedules, if it has any.
   *
   * @param request The request.
   * @param host The second argument that the runtime passes; for handlers it is `ctx.env`. A program that has identified the caller
   * passes `{ principal, host }`, as {@link IdentifiedHost}, in its place: `server.fetch(request, { principal: { id: user.id } })`. A
   * principal of `undefined` or `null` refuses the request, unless the server has `auth`, which decides, or `allowAnonymous: true` is
   * passed too.
   * @param context The third argument of Workers, whose `waitUntil` keeps work running after the response.
   */
  readonly fetch: (request: Request, host?: unknown, context?: unknown) => Promise<Response>;
  /**
   * The same server with another policy of hosts, origins and CORS. Members that are left out stay. A server of `./core` without the
   * option `originPolicy` takes what `originPolicy()` gives.
   */
  withOriginPolicy(policy: OriginPolicy): Server<Tools>;
  /**
   * Starts a worker that runs deferred work as it comes due, for a process without callers, or with another concurrency. A server
   * that is served starts one by itself, unless it has the option `work: false`.
   *
   * @throws {TypeError} If the server has no engine.
   */
  work(options?: Optional<WorkOptions>): EngineWorker;
  /**
   * Resolves a wait of a handler, `ctx.waitFor`, by the token of its resolver. Any replica can do it, before, during and after the
   * run that waits. The first value counts.
   *
   * @param value JSON, of at most 262,144 characters.
   * @throws {TypeError} If the server has no engine.
   * @throws {ToolError} `invalid_promise` if it is not a resolver of this server, `invalid_input` if the value does not fit,
   * `payload_too_large`, `unavailable` if the engine does not answer.
   */
  resolve(token: string, value: unknown): Promise<Resolution>;
  /**
   * Ends a wait of a handler with a refusal. Otherwise like {@link Server.resolve}.
   *
   * @throws {ToolError} As {@link Server.resolve}.
   */
  decline(token: string, reason?: string): Promise<Resolution>;
  /**
   * Access for runtimes, transports and stdio.
   *
   * @internal
   */
  readonly "~server": ServerInternals;
  /**
   * Creates a transport to the server, for `createClient(server)`; `undefined` for servers of `./core`.
   *
   * @internal
   */
  readonly "~transport"?: (() => Transport) | undefined;
  /**
   * Contents of the server, for another server that it is a part of.
   *
   * @internal
   */
  readonly "~contents": ServerContents;
  /**
   * Stops taking calls, waits for calls under way, ends those that are left after the grace period, and closes gateways and what the
   * server was given: the engine, the change bus, session stores, and stores of rate limits. What several servers of a process were
   * given is closed with the last of them.
   *
   * @param graceMs The grace period, in milliseconds. Default: 10,000.
   * @throws The error of a step that fails, after all others were tried: several as one `AggregateError`.
   */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_GRACE_MS = 10_000;
const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1_048_576,
  depth: 512,
  answerChars: 8_388_608,
  resultChars: 4_194_304,
};

/**
 * Creates a server of tools, without promises, questions and caller state until the options bring them: `engine:
 * memoryEngine()` of `./engines` brings promises, `keys: keyRing(…)` of `./keys` brings questions and caller state.
 *
 * @example One `fetch` function
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire/core";
 *
 * const greet = defineTool("greet").describe("Greet someone").handle(({ name }) => `Hello, ${name}!`);
 * const server = createServer({ name: "greeter", version: "1.0.0", tools: [greet] });
 *
 * const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}',
 * }));
 * console.log(JSON.parse(await response.text()).result.content); // → Hello, Ada!
 * ```
 * @throws {TypeError} If an option is unknown, a value does not bring what its option needs, two tools have the same name, a tool has a reserved name, a tool gives promises and there is no engine, a part has `auth` and the whole has none, or two wires share a path. Other types are left to TypeScript.
 * @throws {RangeError} If `timeoutMs`, `work.concurrency` or one of `limits` is not positive.
 */
export function createCoreServer<
  const Tools extends readonly AnyTool[],
  const Parts extends readonly ServerPart[] = readonly [],
>(options: CoreServerOptions<Tools, Parts>): Server<AllTools<Tools, Parts>> {
  assertCoreOptions(options);
  return createServerOf(options);
}

/** Creates a server of options that were validated. `features` are what its wires need beside them, such as those of MCP. */
export function createServerOf<const Tools extends readonly AnyTool[], const Parts extends readonly ServerPart[]>(
  options: CoreServerOptions<Tools, Parts>,
  features?: WireHost["features"],
): Server<AllTools<Tools, Parts>> {
  assertSupported("create server");
  const { middleware = [], jobMiddleware = [], changes: ownChanges = memoryBus(), parts: [first] = [] } = options;
  for (const chain of [middleware, jobMiddleware]) assertMiddleware(chain, "the server");
  const parts = first?.["~join"](options, ownChanges);
  const registry = createRegistry(options, parts);
  const limits = { ...DEFAULT_LIMITS, ...omitUndefined(options.limits ?? {}) };
  const dispatcher = createDispatcher({ ...options, middleware, jobMiddleware }, registry, limits);
  const run: RunDefinition = (definition, call, sink) => dispatcher.run(definition, call, sink);
  parts?.onDefinitionsChanged(() => registry.refresh());
  const { resources = [], prompts = [] } = parts ?? options;
  const ofTools = registry.definitions().flatMap(viewPage);
  const { wires = [mcpLite()] } = options;
  const routes = new Map<string, MountedWire>();
  const mounted: MountedPaths[] = [];
  const { path: basePath } = options.basePath ?? { path: "" };
  const ownHost: WireHost = {
    wires,
    mounted,
    dispatch: dispatcher,
    get tools() {
      return registry.listings();
    },
    get definitions() {
      return registry.definitions();
    },
    toolsFor: (principal, session) => registry.listingsFor(principal, session),
    admitList: createListLimits(dispatcher, middleware),
    addToolset: (added) => added["~attach"](dispatcher),
    catalog: createContentCatalog([...resources, ...ofTools], prompts, run),
    changes: guardChanges(parts?.changes ?? ownChanges, dispatcher),
    info: infoOf(options),
    limits,
    clock: dispatcher.clock,
    challenge: (error, path) => auth?.challenge(error, basePath + path),
    basePath,
    features,
    get security() {
      return auth && describeAuth(auth);
    },
  };
  const host = options.discovery?.["~view"](ownHost, run) ?? ownHost;
  const auth = options.auth?.mount(host, routes);
  for (const wire of wires) mounted.push(mountWire(wire, host, routes));
  holdResources(dispatcher, options.engine, ownChanges, routes);
  const offer: ServerContents = { options, parts, changes: host.changes, definitions: () => registry.definitions() };
  return serverOf({
    host,
    offer,
    dispatcher,
    routes,
    auth,
    options,
  }, options.originPolicy);
}

function createRegistry(
  { tools, engine, unknownArguments, logger }: CoreServerOptions<readonly AnyTool[], readonly ServerPart[]>,
  parts: MergedParts | undefined,
): ToolRegistry {
  const guard = unknownArguments?.["~guard"](toLogger(logger));
  return new ToolRegistry(tools, engine?.["~deferral"].systemTools, parts, guard);
}

function createDispatcher(
  options: AnyServerOptions & Pick<DispatchOptions, "middleware" | "jobMiddleware">,
  registry: ToolRegistry,
  limits: Limits,
): Dispatcher {
  const { clock = systemClock, middleware, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const logger = toLogger(options.logger);
  return new Dispatcher({
    ...options,
    logger,
    registry,
    clock,
    middleware: logger?.calls === undefined ? middleware : [logger.calls, ...middleware],
    timeoutMs,
    waitEndpoint: options.wires?.find((wire) => wire["~waitEndpoint"])?.["~waitEndpoint"],
    limits,
  });
}

/**
 * Creates the catalog of a server; `undefined` if it has neither resources nor prompts, which bring its code.
 *
 * @throws {TypeError} If a definition is not finished, or two have the same name or URI.
 */
function createContentCatalog(
  resources: readonly Resource[],
  prompts: readonly Prompt[],
  run: RunDefinition,
): ContentCatalog | undefined {
  const [first] = [...resources, ...prompts];
  return first?.["~catalog"](resources, prompts, run);
}

function infoOf(options: AnyServerOptions): ServerInfo {
  const { name = "toolwire", version = "0.0.0", title, description, websiteUrl, icons, instructions } = options;
  return { name, version, ...omitUndefined({ title, description, websiteUrl, icons, instructions }) };
}

/** The parts of a server that do not depend on its origin policy. */
interface ServerParts {
  readonly host: WireHost;
  readonly offer: ServerContents;
  readonly dispatcher: Dispatcher;
  readonly routes: Routes;
  readonly auth: MountedAuth | undefined;
  readonly options: Pick<AnyServerOptions, "basePath">;
}

function serverOf<Tools extends readonly AnyTool[]>(
  parts: ServerParts,
  policy: OriginRules | undefined,
): Server<Tools> {
  const { host, offer, dispatcher } = parts;
  const handle = createHandler(parts, policy);
  const resumeMounted = createMountedResume(dispatcher);
  const fetch: Server["fetch"] = (request, runtime, context) => {
    const { limits, dispatch } = host;
    const incoming = new FetchRequest(request, runtime, context, limits.bodyBytes, dispatch);
    const reply = handle(incoming, incoming);
    // Answered without reading the body. Over HTTP/2 the answer may be lost when the stream of an unread body is reset.
    return incoming.respond(isPending(reply) ? Future.of(reply) : incoming.text().map(() => reply));
  };
  return {
    info: host.info,
    get tools() {
      return host.tools;
    },
    toolsFor: host.toolsFor,
    wires: host.mounted.map(({ wire }) => wire),
    limits: host.limits,
    hosts: policy?.hosts,
    get isClosed() {
      return dispatcher.isClosed;
    },
    notify: createNotify(host),
    get fetch() {
      // Reading it counts as serving: `Deno.serve(server.fetch)`, `export default { fetch: server.fetch }`, or a request.
      resumeMounted();
      return fetch;
    },
    withOriginPolicy(changed) {
      const other = { ...policy, ...changed };
      assertOriginRules(other);
      return serverOf(parts, other);
    },
    "~server": {
      host,
      handle,
      answers: (path) => findWire(parts, { path }) !== undefined,
      isPublic: (path) => {
        const head = { path };
        return isUnauthenticated(findWire(parts, head), head.path);
      },
      resume: () => dispatcher.deferral?.resume(),
      resumeMounted,
    },
    "~contents": offer,
    ...createWaitMethods(dispatcher),
    work: (options) => dispatcher.deferralOr("Cannot run deferred work").work(options),
    async close(graceMs = DEFAULT_GRACE_MS) {
      await closeAll({
        wires: new Set(parts.routes.values()),
        dispatcher,
        parts: offer.parts,
      }, graceMs);
    },
  };
}

function createWaitMethods(dispatcher: Dispatcher): Pick<Server, "resolve" | "decline"> {
  const settleWait: Deferral["settleWait"] = (token, resolution) =>
    dispatcher.deferralOr("Cannot resolve a wait").settleWait(token, resolution);
  return {
    resolve: async (token, content) => await settleWait(token, { done: "accept", content }),
    decline: async (token, reason) =>
      await settleWait(token, { done: "decline", ...(reason !== undefined && { reason }) }),
  };
}

function findWire({ options: { basePath }, routes }: ServerParts, head: Pick<Head, "path">): MountedWire | undefined {
  return basePath === undefined ? routeOf(head.path, routes) : basePath["~find"](head, routes);
}

function createHandler(parts: ServerParts, policy: OriginRules | undefined): ServerInternals["handle"] {
  const { host, routes, auth } = parts;
  const guard = policy?.["~origins"](policy, host.dispatch, routes) ?? new OriginGuard(host.dispatch);
  const { decorate } = guard;
  const answer = (head: Head, body: Body, wire: MountedWire | undefined): MaybeFuture<Reply> => {
    if (wire === undefined) return notFound(head.path, routes, host.basePath);
    if (head.principal !== undefined || head.refusal !== undefined) return answerIdentified(head, body, wire, parts);
    return auth === undefined ? wire.handle(head, body) : auth.answer(head, body, wire);
  };
  return (head, body) => {
    try {
      const wire = findWire(parts, head);
      const isPublic = isUnauthenticated(wire, head.path);
      const reply = guard.check(head, wire, isPublic) ?? answer(head, body, wire);
      if (decorate === undefined || isPublic) return reply;
      return chain<Reply, Reply>(reply, (later) => decorate(head, later));
    } catch (thrown) {
      return brokenReply(host.dispatch, thrown, head.path);
    }
  };
}
