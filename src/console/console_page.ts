/** The wire of the console: a page, and the API that the page uses. */
import type { Principal } from "../core/call/call.ts";
import { isForModels } from "../core/call/views.ts";
import { createRedactor } from "../core/redaction/redact.ts";
import { formatIssues } from "../core/schema/issues.ts";
import { isVisibleTo } from "../core/tool/access.ts";
import type { ToolDefinition } from "../core/tool/definition.ts";
import { listTool } from "../core/tool/listing.ts";
import { Deadlines } from "../internal/deadlines.ts";
import type { MaybeFuture } from "../internal/future.ts";
import type { Members } from "../internal/json.ts";
import { BOOLEAN, checkOptions, PATH, TEXT } from "../internal/options.ts";
import { estimateTextTokens } from "../internal/token_estimate.ts";
import { VERSION } from "../internal/version.ts";
import { ToolSearch } from "../server/discovery/tool_search.ts";
import { encodeSseEvent, SseBody, STREAM_HEADERS } from "../wires/framing/sse.ts";
import type { Body, Head, MountedWire, Reply, RequestWire, WireHost } from "../wires/wire.ts";
import { type AccessRules, refuseAccess } from "./access.ts";
import { withCaller } from "./act_as.ts";
import { Feed, type FeedPage } from "./feed.ts";
import { jobAnswers } from "./job_answers.ts";
import { PAGE, PAGE_POLICY } from "./page.ts";
import { paneAnswers } from "./pane_answers.ts";
import { readToken } from "./read_token.ts";
import { type Answer, ok, parseInput, refusal } from "./replies.ts";
import { viewFrame } from "./view_frame.ts";

/** Options of {@link consolePage}. */
export interface ConsoleOptions {
  /** Path of the page. Default: `/console`. */
  readonly path?: string | undefined;
  /** Scope that callers need, on a server with `auth`. Default: `console`. */
  readonly scope?: string | undefined;
  /**
   * Key that the page needs, on a server without `auth`: opened as `/console#key=…`. Default: a random key for each process. The
   * logger gets the link with it, as a warning, at the first request for the page.
   */
  readonly key?: string | undefined;
  /**
   * Whether arguments and results of calls are shown while a page watches, and arguments, results, questions and messages of progress
   * of jobs; secrets are replaced. Default: `true`.
   */
  readonly bodies?: boolean | undefined;
  /** Whether stacks of errors that callers do not see are shown, for development. Default: `false`; `toolwire dev` shows them. */
  readonly stacks?: boolean | undefined;
  /**
   * Whether the page may call tools, read resources and get prompts as any principal, for development: in the process of the server, without a wire. Needs `key`, and a
   * server without `auth`. Default: `false`.
   */
  readonly actAs?: boolean | undefined;
  /**
   * The server behind this one, as `toolwire call` takes it, for calls that the page copies.
   *
   * @internal
   */
  readonly "~target"?: string | undefined;
}

/** The wire that {@link consolePage} returns. */
export interface ConsoleWire extends RequestWire {
  /**
   * Returns the same console with a key, for `toolwire dev`. Absent if it has a key.
   *
   * @internal
   */
  readonly "~withKey"?: (key: string) => RequestWire;
}

/**
 * Creates the console: a page that lists the tools, calls them over each mounted wire, and shows the calls of all callers as they
 * happen. Nothing of it is mounted unless it is asked for.
 *
 * @example The console beside two wires
 * ```ts
 * import { createServer, defineTool, mcp, mcpLite } from "jsr:@toolwire/toolwire";
 * import { consolePage } from "jsr:@toolwire/toolwire/console";
 * import { match } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcp(), mcpLite(), consolePage()] });
 *
 * const page = await server.fetch(new Request("http://localhost/console"));
 * match(await page.text(), /^<!doctype html>/);
 * const foreign = await server.fetch(new Request("http://tools.example/console/api/hello", { method: "POST" }));
 * console.log(foreign.status); // → 403
 * ```
 * @throws {TypeError} If an option is invalid or unknown, `path` is the root, or `actAs` has no `key`. `createServer` throws it if the
 * server has an observer of calls already, such as another console, or `auth` beside `actAs`.
 */
export function consolePage(options: ConsoleOptions = {}): RequestWire {
  checkOptions<ConsoleOptions>("serve the console", options, {
    path: PATH,
    scope: TEXT,
    key: TEXT,
    bodies: BOOLEAN,
    stacks: BOOLEAN,
    actAs: BOOLEAN,
    "~target": TEXT,
  });
  if (baseOf(options) === "/") {
    throw new TypeError('Cannot serve the console: path is "/", and must name a page, such as "/console"');
  }
  if (options.actAs === true && options.key === undefined) {
    throw new TypeError("Cannot serve the console: actAs needs a key, as in consolePage({ key, actAs: true })");
  }
  const wire: RequestWire = { name: "console", mount: (host) => new Console(host, options) };
  if (options.key !== undefined) return wire;
  const keyless: ConsoleWire = { ...wire, "~withKey": (key) => consolePage({ stacks: true, ...options, key }) };
  return keyless;
}

const VENDORS = ["mcp", "openai", "anthropic", "gemini"] as const;

/** Results of a search. */
const MAX_FOUND = 20;

/** Pages that may watch at once. */
const MAX_WATCHERS = 8;

/** Serves the page and its API. */
class Console implements MountedWire {
  readonly paths: readonly string[];
  readonly unauthenticatedPaths: readonly string[];
  readonly methods = ["GET", "HEAD", "POST"];
  readonly #host: WireHost;
  readonly #base: string;
  readonly #scope: string;
  readonly #canActAs: boolean;
  readonly #hasBodies: boolean;
  readonly #target: string | undefined;
  #key: string | undefined;
  readonly #feed: Feed;
  readonly #heartbeats: Deadlines;
  readonly #bodies = new Set<SseBody>();
  readonly #startedAtMs: number;
  #madeInstance: string | undefined;
  /** The index of the current tools, made at the first search. */
  #searched: { readonly definitions: readonly ToolDefinition[]; readonly search: ToolSearch } | undefined;
  readonly #answers: Readonly<Record<string, Answer>>;

  constructor(host: WireHost, options: ConsoleOptions) {
    const { scope = "console", key, bodies = true, stacks = false, actAs = false } = options;
    if (actAs && host.security !== undefined) {
      throw new TypeError(
        "Cannot serve the console: actAs is for servers without auth. With auth, paste a token of the caller into the page",
      );
    }
    this.#host = host;
    this.#canActAs = actAs;
    this.#hasBodies = bodies;
    this.#base = baseOf(options);
    this.paths = [this.#base, `${this.#base}/*`];
    this.unauthenticatedPaths = [this.#base, `${this.#base}/view`];
    this.#scope = scope;
    this.#key = key;
    this.#target = options["~target"];
    this.#heartbeats = new Deadlines(host.clock);
    this.#startedAtMs = host.clock.now();
    this.#feed = new Feed({
      clock: host.clock,
      redactor: createRedactor(),
      ownPath: this.#base,
      hasBodies: bodies,
      hasStacks: stacks,
    });
    if (host.dispatch.observer !== undefined) {
      throw new TypeError(
        "Cannot serve the console: the calls of this server have an observer already. Mount one consolePage()",
      );
    }
    host.dispatch.observer = this.#feed;
    this.#answers = {
      hello: (_, head) => ok(this.#hello(head)),
      tools: withCaller(actAs, (_, principal) => ok(this.#tools(principal))),
      poll: (input) => ok(this.#part(this.#feed.since(this.#seqOf(input)))),
      feed: (input, head) => this.#stream(this.#seqOf(input), head),
      check: withCaller(actAs, (input, principal) => this.#check(input, principal)),
      ...paneAnswers(host, this.#feed, { hasBodies: bodies, canActAs: actAs }),
      ...jobAnswers(host, bodies),
      models: withCaller(actAs, (input, principal) => this.#models(input, principal)),
      search: withCaller(actAs, (input, principal) => ok(this.#search(input, principal))),
      token: ({ token }) => ok(readToken(String(token).trim(), host.clock.now()) ?? { kind: null }),
    };
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    const rules = this.#rules();
    if (head.path === this.#base) return pageReply(head);
    if (head.path === `${this.#base}/view`) return viewFrame(head);
    const name = head.path.slice(`${this.#base}/api/`.length);
    const answer = Object.hasOwn(this.#answers, name) ? this.#answers[name] : undefined;
    if (answer === undefined || !head.path.startsWith(`${this.#base}/api/`)) {
      return refusal(404, "not_found", `There is nothing at ${head.path}: open ${this.#base}`);
    }
    const reason = refuseAccess(head, this.#host, rules);
    if (reason !== undefined) return refusal(403, "permission_denied", reason);
    if (head.method !== "POST") return refusal(405, "invalid_request", "Send POST", { allow: "POST" });
    return body.text().map((text) => {
      const input = parseInput(text);
      return "kind" in input ? refusal(400, input.code, input.message) : this.#answer(answer, input.members, head);
    });
  }

  /** The answer. An exception is masked, such as that of a result that is not JSON. */
  async #answer(answer: Answer, input: Members, head: Head): Promise<Reply> {
    try {
      return await answer(input, head);
    } catch (thrown) {
      const { code, message } = this.#host.dispatch.mask(thrown, { wire: "console" });
      return refusal(500, code, message);
    }
  }

  close(): void {
    this.#feed.close();
    for (const body of this.#bodies) body.end();
  }

  /** Random values are made at the first request, because workerd has none while a module loads. */
  #rules(): AccessRules {
    const { dispatch, basePath, security } = this.#host;
    if (this.#key === undefined) {
      this.#key = crypto.randomUUID().replaceAll("-", "");
      if (security === undefined) {
        dispatch.log("warn", `The console is at ${basePath}${this.#base}#key=${this.#key}`, {});
      }
    }
    return { scope: this.#scope, key: this.#key };
  }

  get #instance(): string {
    return this.#madeInstance ??= crypto.randomUUID().slice(0, 8);
  }

  #hello({ principal }: Head): unknown {
    const { info, mounted, limits, basePath, security } = this.#host;
    return {
      ...info,
      toolwire: VERSION,
      instance: this.#instance,
      startedAtMs: this.#startedAtMs,
      nowMs: this.#host.clock.now(),
      basePath,
      path: this.#base,
      wires: mounted.map(({ wire, paths }) => ({ wire, paths })),
      limits,
      hasAuth: security !== undefined,
      canActAs: this.#canActAs,
      hasBodies: this.#hasBodies,
      target: this.#target,
      principal: principal && { id: principal.id, scopes: principal.scopes ?? [] },
    };
  }

  #tools(principal: Principal | undefined): unknown {
    const visible = new Set(this.#host.toolsFor(principal).map(({ name }) => name));
    const { definitions } = this.#host.allTools ?? this.#host;
    const shown = definitions.filter((definition) => isVisibleTo(definition, principal));
    return {
      hidden: definitions.length - shown.length,
      tools: shown.map((definition) => {
        const listing = listTool(definition);
        const json = JSON.stringify(listing);
        const { promise, external, scopes, revision, timeoutMs, isSystem } = definition;
        const promises = promise === undefined ? external && "external" : promise.required ? "required" : "optional";
        return {
          listing,
          isListed: visible.has(definition.name),
          promises,
          scopes,
          revision,
          timeoutMs,
          isSystem,
          chars: json.length,
          tokens: estimateTextTokens(json),
        };
      }),
    };
  }

  /** The list as models of a vendor get it. The adapters are loaded when they are first asked. */
  #models({ vendor, strict, tool }: Members, principal: Principal | undefined): MaybeFuture<Reply> {
    const known = VENDORS.find((one) => one === vendor);
    if (known === undefined) return refusal(400, "invalid_request", `"vendor" is one of ${VENDORS.join(", ")}`);
    const names = new Set(this.#host.toolsFor(principal).map(({ name }) => name));
    const listed = this.#host.definitions.filter(({ name }) => names.has(name));
    const input = { vendor: known, isStrict: strict === true, tool };
    return import("./model_view.ts").then(async ({ readModelView }) => ok(await readModelView(listed, input)));
  }

  /** What `search_tools` of `discover()` finds for the caller. */
  #search({ query }: Members, principal: Principal | undefined): unknown {
    const { definitions } = this.#host.allTools ?? this.#host;
    if (this.#searched?.definitions !== definitions) {
      const tools = definitions.filter(({ isSystem, meta }) => !isSystem && isForModels({ _meta: meta }));
      this.#searched = { definitions, search: new ToolSearch(tools) };
    }
    return this.#searched.search.find({ query: String(query), limit: MAX_FOUND }, { principal });
  }

  #check({ tool, args }: Members, principal: Principal | undefined): MaybeFuture<Reply> {
    const definition = (this.#host.allTools ?? this.#host).definitions.find(({ name }) => name === tool);
    if (definition === undefined || !isVisibleTo(definition, principal)) {
      return refusal(404, "tool_not_found", `There is no tool "${String(tool).slice(0, 128)}"`);
    }
    const validated = definition.input?.validate(args ?? {});
    if (validated === undefined) return ok({ issues: [] });
    return Promise.resolve(validated).then(({ issues }) => ok({ issues: issues ? formatIssues(issues, args) : [] }));
  }

  /** The number that a page has read up to; 0 if it has read events of an earlier process. */
  #seqOf({ after, instance }: Members): number {
    const isOwn = instance === undefined || instance === this.#instance;
    return isOwn && Number.isSafeInteger(after) ? after as number : 0;
  }

  #part({ events, lost }: FeedPage): unknown {
    return { instance: this.#instance, lost, events, stats: this.#feed.stats.read(this.#host.clock.now()) };
  }

  /** Streams the events after number `after`, then those that follow. */
  #stream(after: number, head: Head): MaybeFuture<Reply> {
    if (this.#feed.watchers >= MAX_WATCHERS) {
      return refusal(429, "unavailable", `${MAX_WATCHERS} pages watch already: close one`, { "retry-after": "5" });
    }
    head.disableIdleTimeout();
    return new Promise((resolve) => {
      const body = new SseBody({
        heartbeats: this.#heartbeats,
        heartbeat: ": \n\n",
        onOpen: (stream) => resolve({ status: 200, headers: STREAM_HEADERS, body: stream }),
      });
      this.#bodies.add(body);
      const send = (part: FeedPage) => {
        // A slow reader gets fewer events, and their number.
        if (body.hasHeld) return void (missed += part.events.length + part.lost);
        const { events, lost } = part;
        body.write(encodeSseEvent("part", JSON.stringify(this.#part({ events, lost: lost + missed }))));
        missed = 0;
      };
      let missed = 0;
      send(this.#feed.since(after));
      const stop = this.#feed.watch(send);
      const end = () => {
        stop();
        this.#bodies.delete(body);
        body.end();
      };
      body.closed.addEventListener("abort", end, { once: true });
      head.streamAbortSignal?.addEventListener("abort", end, { once: true });
    });
  }
}

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": PAGE_POLICY,
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Path of the page, with one slash at its start and none at its end. */
function baseOf({ path = "/console" }: ConsoleOptions): string {
  return `/${path}`.replace(/\/+/g, "/").replace(/(.)\/$/, "$1");
}

function pageReply({ method }: Head): Reply {
  if (method === "HEAD") return { status: 200, headers: PAGE_HEADERS, body: null };
  if (method === "GET") return { status: 200, headers: PAGE_HEADERS, body: PAGE };
  return refusal(405, "invalid_request", "Send GET", { allow: "GET, HEAD" });
}
