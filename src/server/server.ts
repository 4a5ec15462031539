import type { Principal } from "../core/call/call.ts";
import { type Change, type ChangingList, memoryBus } from "../core/call/changes.ts";
import { type Dispatch, Dispatcher } from "../core/dispatch/dispatcher.ts";
import type { Engine, EngineWorker, WorkOptions } from "../engine/engine.ts";
import { memoryEngine } from "../engine/memory.ts";
import { systemClock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";
import { omitUndefined } from "../internal/json.ts";
import { listTool, type ToolListing } from "../core/tool/listing.ts";
import { ToolRegistry } from "../core/tool/registry.ts";
import { assertMiddleware } from "../core/handler/middleware.ts";
import type { AnyTool } from "../core/tool/definition.ts";
import { mcpLite } from "../wires/mcp_lite/server/mcp_lite.ts";
import type { Body, Head, Limits, MountedPaths, MountedWire, Reply, ServerInfo, WireHost } from "../wires/wire.ts";
import type { MountedAuth } from "./auth.ts";
import { makeCatalog } from "./catalog.ts";
import { FetchRequest, toResponse } from "./fetch_request.ts";
import { checkServerOptions, checkWork, type ServerOptions } from "./options.ts";
import { Gate, type GateOptions } from "./origin_guard.ts";
import { resolveKeys } from "./keys.ts";
import { mount, notFound, routeOf, type Routes } from "./routes.ts";
import type { AllTools, Part, ServerOffer } from "./part.ts";

/** Tells callers that listen what has changed. Nothing is thrown: what goes wrong is logged. */
export interface Notify {
  /** What a resource holds has changed. */
  resourceUpdated(uri: string): void;
  /** What is listed has changed. */
  listChanged(list: ChangingList): void;
}

/**
 * A server: one `fetch` function, and what adapters need.
 *
 * @typeParam Tools The tools, as a tuple; `createClient<typeof server>` reads them.
 */
export interface Server<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** Types only; never present at run time. */
  readonly "~tools"?: Tools | undefined;
  /** Name and version. */
  readonly info: ServerInfo;
  /** The tools, as they are listed to callers. */
  readonly tools: readonly ToolListing[];
  /** Those of them that a caller may know of. */
  toolsFor(principal: Principal | undefined): readonly ToolListing[];
  /** Names of its wires. */
  readonly wires: readonly string[];
  /** Limits on what callers send and get. */
  readonly limits: Limits;
  /** Host names under which it may be reached; `undefined` for any. */
  readonly hosts: readonly string[] | undefined;
  /** Whether it was closed; it stays so. */
  readonly isClosed: boolean;
  /** Runs calls without any encoding. */
  readonly dispatch: Dispatch;
  /** Tells callers what has changed. */
  readonly notify: Notify;
  /**
   * Answers a request: for `Deno.serve`, `Bun.serve`, Workers and frameworks. Never rejects.
   *
   * @param request The request.
   * @param host What the runtime passes beside it.
   */
  readonly fetch: (request: Request, host?: unknown) => Promise<Response>;
  /** Answers a request that is not a `Request`: for adapters. Never throws, never rejects. */
  readonly handle: (head: Head, body: Body) => MaybePromise<Reply>;
  /** The same server, held to other hosts, origins or CORS. */
  guarded(options: GateOptions): Server<Tools>;
  /**
   * Takes deferred work as it comes due, also while nobody calls: for a process that only works, and after a start. Otherwise
   * a server begins with the first call that has to do with promises.
   */
  work(options?: Partial<WorkOptions>): EngineWorker;
  /**
   * Goes on with what was promised before a restart, if this server may: what listening begins with.
   *
   * @internal
   */
  "~resume"(): void;
  /**
   * What it is made of: for another that it is to be a part of.
   *
   * @internal
   */
  readonly "~offer": ServerOffer;
  /**
   * What its wires got: for one that is not reached by requests, such as stdio.
   *
   * @internal
   */
  readonly "~host": WireHost;
  /**
   * Takes no more calls, lets those under way end, ends what is left after the grace, and closes the engine.
   *
   * @param graceMs How long calls may go on, in milliseconds. Default: 10,000.
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
const DEFAULT_CONCURRENCY = 10;

/**
 * Makes a server of tools.
 *
 * @example One `fetch` function
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { strictEqual } from "node:assert/strict";
 *
 * const greet = defineTool("greet").describe("Greet someone").handle(({ name }) => `Hello, ${name}!`);
 * const server = createServer({ name: "greeter", version: "1.0.0", tools: [greet] });
 *
 * const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}',
 * }));
 * strictEqual((await response.json()).result.content, "Hello, Ada!");
 * ```
 * @throws {TypeError} If `hosts`, `origins`, `keys`, `auth`, `middleware`, `jobMiddleware` or `parts` are not what they should be, two tools have the same name, a tool has a reserved name, a part has `auth` and the whole has none, or two wires share a path.
 * @throws {RangeError} If `timeoutMs`, `work.concurrency` or one of `limits` is not positive.
 */
export function createServer<const Tools extends readonly AnyTool[], const Parts extends readonly Part[] = readonly []>(
  options: ServerOptions<Tools, Parts>,
): Server<AllTools<Tools, Parts>> {
  checkServerOptions(options);
  const { middleware = [], jobMiddleware = [] } = options;
  for (const chain of [middleware, jobMiddleware]) assertMiddleware(chain, "the server");
  const { changes: own = memoryBus(), parts: [first] = [], resources = [], prompts = [] } = options;
  const parts = first?.["~join"](options, own);
  const offered = parts ?? { changes: own, resources, prompts };
  const registry = new ToolRegistry(options.tools, parts);
  const { clock = systemClock, work, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const engine = options.engine ?? memoryEngine({ clock });
  const dispatcher = new Dispatcher({
    registry,
    clock,
    middleware,
    jobMiddleware,
    onError: options.onError,
    timeoutMs,
    logger: options.logger,
    keys: resolveKeys(options.keys, options.logger),
    engine,
    concurrency: work === false ? 0 : work?.concurrency ?? DEFAULT_CONCURRENCY,
    resultChars: limits.resultChars,
    answerLimits: limits,
    config: options.config,
  });
  parts?.onPlans(() => registry.refresh());
  const wires = options.wires ?? [mcpLite()];
  const routes = new Map<string, MountedWire>();
  const { name = "toolwire", version = "0.0.0", title, description, websiteUrl, icons, instructions } = options;
  const mounted: MountedPaths[] = [];
  const host: WireHost = {
    mounted,
    dispatch: dispatcher,
    get tools() {
      return registry.listings();
    },
    get definitions() {
      return registry.definitions();
    },
    toolsFor(principal) {
      const seen = registry.definitionsFor(principal);
      const tools = registry.listings();
      return seen.length === tools.length ? tools : seen.map(listTool);
    },
    addToolset: (tag, tools) => dispatcher.attach(tag, tools),
    catalog: makeCatalog(
      offered.resources,
      offered.prompts,
      (plan, call, sink) => dispatcher.run(plan, call, sink),
    ),
    changes: offered.changes,
    info: {
      name,
      version,
      ...omitUndefined({ title, description, websiteUrl, icons, instructions }),
    },
    limits,
    clock,
    challenge: (refusal, path) => auth?.challenge(refusal, path),
  };
  const auth = options.auth?.mount(host, routes);
  for (const wire of wires) mounted.push({ wire: wire.name, paths: mount(wire, host, routes) });
  const offer: ServerOffer = { options, parts, changes: host.changes, plans: () => registry.definitions() };
  const names = wires.map((wire) => wire.name);
  return makeServer({ host, offer, dispatcher, engine, wires: names, routes, auth }, options);
}

interface Core {
  readonly engine: Engine;
  readonly host: WireHost;
  readonly offer: ServerOffer;
  readonly dispatcher: Dispatcher;
  readonly wires: readonly string[];
  readonly routes: Routes;
  readonly auth: MountedAuth | undefined;
}

function makeServer<Tools extends readonly AnyTool[]>(core: Core, gateOptions: GateOptions): Server<Tools> {
  const { host, offer, dispatcher, engine, wires, routes, auth } = core;
  const mounted = [...routes.values()];
  const exposed = mounted.flatMap(({ exposedHeaders = [] }) => exposedHeaders);
  const gate = new Gate(gateOptions, [...new Set(exposed)]);
  const answer = (head: Head, body: Body, wire: MountedWire | undefined): MaybePromise<Reply> => {
    if (wire === undefined) return notFound(head.path, routes);
    return auth === undefined ? wire.handle(head, body) : auth.answer(head, body, wire);
  };
  const handle = (head: Head, body: Body): MaybePromise<Reply> => {
    const wire = routeOf(head.path, routes);
    const isPublic = wire?.unauthenticatedPaths?.includes(head.path);
    const reply = gate.check(head, wire, isPublic) ?? answer(head, body, wire);
    if (!gate.hasCors || isPublic) return reply;
    return reply instanceof Promise ? reply.then((later) => gate.decorate(head, later)) : gate.decorate(head, reply);
  };
  const publish = async (change: Change) => {
    try {
      await host.changes.publish(change);
    } catch (thrown) {
      dispatcher.mask(thrown, { change });
    }
  };
  return {
    info: host.info,
    get tools() {
      return host.tools;
    },
    toolsFor: host.toolsFor,
    wires,
    limits: host.limits,
    hosts: gateOptions.hosts,
    get isClosed() {
      return dispatcher.isClosed;
    },
    dispatch: dispatcher,
    notify: {
      resourceUpdated: (uri) => publish({ kind: "resource-updated", uri }),
      listChanged: (list) => publish({ kind: "list-changed", list }),
    },
    handle,
    fetch(request, runtime) {
      const incoming = new FetchRequest(request, runtime, host.limits.bodyBytes);
      const reply = handle(incoming, incoming);
      if (reply instanceof Promise) return reply.then(toResponse);
      // Refused unread. Over HTTP/2 the answer to a body that is not read may be lost to the reset of its stream.
      return incoming.text().then(() => toResponse(reply));
    },
    guarded: (options) => makeServer(core, { ...gateOptions, ...options }),
    "~resume": () => dispatcher.resume(),
    "~offer": offer,
    "~host": host,
    work: (options = {}) => {
      checkWork(options);
      return dispatcher.work(options.concurrency ?? DEFAULT_CONCURRENCY);
    },
    async close(graceMs = DEFAULT_GRACE_MS) {
      for (const wire of new Set(mounted)) wire.close?.();
      await dispatcher.close(graceMs);
      offer.parts?.close();
      await engine.close();
      await host.changes.close?.();
    },
  };
}
