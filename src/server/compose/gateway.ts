/** `gateway`: the tools of a remote server, behind any transport, as tools of this server. */
import { CleanUp } from "../../internal/clean_up.ts";
import { type Change, type ChangeBus, memoryBus } from "../../core/call/changes.ts";
import type { ActivityMonitor, ListedTool, Transport } from "../../core/call/transport.ts";
import { type ErrorResult, toToolError } from "../../core/call/outcome.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { compactDescription, compactSchema, LIST_SIZE_RULES } from "../../core/json_schema/compact.ts";
import { VIEW_EXTENSION, VIEW_SETTINGS } from "../../core/call/views.ts";
import { isJsonObject } from "../../internal/json.ts";
import { isPromiseLike, Listeners } from "../../internal/async.ts";
import { escapeLine } from "../../internal/text.ts";
import { abortable } from "../../internal/time.ts";
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  OBJECT,
  type OptionRules,
  POSITIVE,
  rule,
  wholeNumber,
} from "../../internal/options.ts";
import { writeLine } from "../../core/dispatch/error_masking.ts";
import { withTimeLimit } from "../../core/call/time_limit.ts";
import { TASKS_EXTENSION } from "../../wires/mcp/protocol/constants.ts";
import type { McpTransport } from "../../wires/mcp/client/types.ts";
import type { ServerContents } from "../server_options.ts";
import { ACCESS_RULES } from "../../core/tool/access.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { Gateway, GatewayOptions } from "./gateway_types.ts";
import { RemoteTool } from "./remote_tool.ts";
import { promptsOf, resourcesOf } from "./remote_contents.ts";
import { hasViews, toLocalMeta } from "./remote_views.ts";
import { isStrangeAnswer } from "./remote_error.ts";
import { bounded, isRedeem, readTools } from "./remote_tools.ts";
import type { ToolSource } from "../../client/types.ts";

const CHANGED: Change = { kind: "list-changed", list: "tools" };

/** Minimum interval between lists that calls of removed tools cause, in milliseconds. */
const RELIST_MS = 5_000;

const RULES: OptionRules<GatewayOptions> = {
  select: FUNCTION,
  rename: FUNCTION,
  pinned: rule("an array of tools, as they were listed", isTools),
  maxListed: wholeNumber(1),
  maxListChars: wholeNumber(1),
  validate: BOOLEAN,
  roots: rule('an array of folders, such as [{ uri: "file:///work" }]', areRoots),
  forwardConfig: BOOLEAN,
  timeoutMs: POSITIVE,
  listTimeoutMs: POSITIVE,
  logger: OBJECT,
  ...LIST_SIZE_RULES,
  ...ACCESS_RULES,
};

/**
 * Makes a remote server a part of this one. Its tools are listed now, and again when it announces a change, as MCP servers do.
 *
 * Calls are forwarded with deadlines, traces, idempotency keys and questions; pieces, progress, failures and promises are returned. A
 * promise is redeemed here, at any replica, only by the caller that received it. The remote server sees the principal of the transport's
 * headers; if they are a function of the call, each user's own. Over MCP its resources and prompts are included, as listed now.
 *
 * @example A server behind another
 * ```ts
 * import { createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 * import { gateway, group } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * // Instead of mcpLiteTransport("https://…/mcp-lite/v1"), mcpTransport(…), stdioTransport(…), grpcTransport(…), …
 * const billing = createServer({ tools: [defineTool("total").describe("What is owed").handle(() => 12)] });
 * const remote = await gateway<typeof billing>("billing", memoryTransport(billing));
 *
 * const app = createServer({ tools: [], parts: [group("billing", remote)] });
 * console.log(await testClient(app).billing_total()); // → 12
 * ```
 * @typeParam Source The server's type, if it is known.
 * @param name Name of the server here, for errors, logs and namespaces.
 * @param transport Transport to the server; it is closed together with the server that includes this part.
 * @returns Rejects with `ToolError` if the server cannot be listed, or lists too much; with `TypeError` or `RangeError` if an
 * option is invalid.
 */
export async function gateway<Source extends ToolSource = ToolSource>(
  name: string,
  transport: Transport,
  options: GatewayOptions = {},
): Promise<Gateway<NonNullable<Source["~tools"]>>> {
  const remote = new RemoteGateway(name, transport, options);
  await remote.begin();
  return remote as Gateway<NonNullable<Source["~tools"]>>;
}

/** A remote server: its current tools, and the transport. */
class RemoteGateway implements Gateway {
  readonly name: string;
  readonly #transport: Transport;
  readonly #options: GatewayOptions;
  readonly #changes: ChangeBus = memoryBus();
  readonly #listeners = new Listeners();
  #tools: readonly ListedTool[] = [];
  #definitions: readonly ToolDefinition[] = [];
  #contents: ServerContents | undefined;
  #unsubscribe: (() => void) | undefined;
  #listing: Promise<void> = Promise.resolve();
  /** The next refresh, shared by all callers that ask for one meanwhile. */
  #next: Promise<void> | undefined;
  /** The last list, for comparison with the next. */
  #lastList: string | undefined;
  /** Time of the last list that a removed tool caused, by the caller's clock. */
  #relistedMs = -Infinity;
  /** Methods of lists that the server does not have. */
  readonly #missing = new Set<string>();
  #isClosed = false;
  #promises = false;

  constructor(name: string, transport: Transport, options: GatewayOptions) {
    if (typeof name !== "string" || name === "" || typeof transport?.call !== "function") {
      throw new TypeError("Cannot make a gateway: pass a name and a transport, such as mcpLiteTransport(url)");
    }
    checkOptions(`make the gateway "${name}"`, options, RULES);
    this.name = name;
    this.#transport = transport;
    this.#options = options;
  }

  /** Lists the server for the first time. Rejects if that fails, or takes longer than its time limit in all. */
  async begin(): Promise<void> {
    try {
      await this.#withinLimit((limit) => this.#open(limit));
    } catch (thrown) {
      this.#warn("cannot be used", thrown);
      this.#abandon();
      throw thrown;
    }
  }

  async #open({ signal }: ActivityMonitor): Promise<void> {
    const mcp = toMcp(this.#transport);
    // Callers answer the questions of the server, except about its session.
    mcp?.relayQuestions(this.#options.roots ?? []);
    mcp?.listAllTools();
    // Servers may leave out tools for views alone, and the callers of this server may show views.
    mcp?.declareExtension(VIEW_EXTENSION, VIEW_SETTINGS);
    const { capabilities } = await mcp?.server({ signal }) ?? { capabilities: {} };
    this.#promises = hasTasks(capabilities);
    // Subscribe before the list, so that no change is missed.
    this.#unsubscribe = mcp?.onChange("tools", () => this.#renew());
    // Queued as well: a change in between is listed after it.
    await this.refresh();
    const { timeoutMs } = this.#options;
    const mcpServer = mcp && {
      mcp,
      gateway: this.name,
      capabilities,
      views: hasViews(capabilities, this.#definitions),
      signal,
      bound: (listed: unknown) => bounded(listed, this.name, this.#options),
      isMissing: (method: string, error: unknown) => this.#isMissing(method, error),
      warn: (problem: string) => this.#warn(problem),
    };
    this.#contents = {
      options: { name: this.name, ...(timeoutMs !== undefined && { timeoutMs }) },
      definitions: () => this.#definitions,
      parts: {
        definitions: () => [],
        findByOriginalName: () => undefined,
        resources: mcpServer === undefined ? [] : await resourcesOf(mcpServer),
        prompts: mcpServer === undefined ? [] : await promptsOf(mcpServer),
        changes: this.#changes,
        onDefinitionsChanged: (listener) => this.#listeners.add(listener),
        close: () => this.close(),
      },
      changes: this.#changes,
      access: this.#options,
    };
  }

  get tools(): readonly ListedTool[] {
    return this.#tools;
  }

  get "~contents"(): ServerContents {
    if (this.#contents !== undefined) return this.#contents;
    throw new TypeError("Cannot compose: the gateway is not ready; await gateway(…)");
  }

  /** Refreshes one at a time. */
  refresh(): Promise<void> {
    this.#next ??= this.#listing.then(() => {
      this.#next = undefined;
      const listed = this.#list();
      this.#listing = listed.catch(() => {});
      return listed;
    });
    return this.#next;
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    const closing = new CleanUp();
    closing.try(() => this.#unsubscribe?.());
    closing.try(() => this.#closeTransport());
    closing.finish(`Cannot close the gateway "${this.name}"`);
  }

  /** A transport that closes later is not waited for. */
  #closeTransport(): void {
    const closed: unknown = this.#transport.close?.();
    if (isPromiseLike(closed)) closed.then(undefined, (thrown) => this.#warn("not closed", thrown));
  }

  /** Closes it after an error, which is the one that its user gets. */
  #abandon(): void {
    try {
      this.close();
    } catch (thrown) {
      this.#warn("not closed", thrown);
    }
  }

  async #list(): Promise<void> {
    // Some transports reconnect with the next request.
    if (this.#isClosed) throw new ToolError("unavailable", `The gateway "${this.name}" is closed`);
    const listed = await this.#withinLimit(async (limit) => {
      const listed = await this.#transport.list(limit);
      if (!isRefusal(listed)) return listed;
      if (this.#isMissing("tools/list", listed)) return [];
      throw toToolError(listed);
    });
    const mayPromise = this.#promises || (Array.isArray(listed) && listed.some(isRedeem));
    const read = readTools(listed, this.name, this.#options, (problem) => this.#warn(problem));
    // Do not announce an unchanged list: subscribers would list it again.
    const list = JSON.stringify([mayPromise, read.map(({ listing, definition }) => [definition.name, listing])]);
    if (list === this.#lastList) return;
    this.#lastList = list;
    this.#tools = read.map(({ listing }) => listing);
    this.#definitions = read.map(({ listing, definition }) => {
      const remote = new RemoteTool(
        {
          gateway: this.name,
          transport: this.#transport,
          tool: listing.name,
          forwardConfig: this.#options.forwardConfig === true,
          roots: this.#options.roots ?? [],
          onLost: (nowMs) => this.#relistRemoved(nowMs),
        },
        mayPromise,
        this.#options.validate === true ? definition : undefined,
      );
      return { ...this.#listed(definition), remote };
    });
    // Update the tools first, then announce the change.
    this.#listeners.notify();
    await this.#changes.publish(CHANGED);
  }

  /** The definition as this server lists it. The whole one validates, see `validate`. */
  #listed(definition: ToolDefinition): ToolDefinition {
    const { description, inputSchema, input, output, meta } = definition;
    const options = this.#options;
    const jsonSchema = compactSchema(inputSchema, options);
    return {
      ...definition,
      description: compactDescription(description, options),
      meta: toLocalMeta(this.name, meta),
      inputSchema: jsonSchema,
      input: input && { ...input, jsonSchema },
      output: options.outputSchemas === false
        ? undefined
        : output && { ...output, jsonSchema: compactSchema(output.jsonSchema, options) },
    };
  }

  /** Runs `work` within the time limit for listing. Its errors name the server. */
  async #withinLimit<Value>(work: (limit: ActivityMonitor) => Promise<Value>): Promise<Value> {
    const { listTimeoutMs = 30_000 } = this.#options;
    try {
      // A transport may ignore the signal.
      return await withTimeLimit(listTimeoutMs, (limit) => abortable(work(limit), limit.signal));
    } catch (thrown) {
      throw thrown instanceof ToolError ? this.#named(thrown) : thrown;
    }
  }

  /** An answer that is not the server's protocol is `unavailable`: another server or a page has answered. */
  #named(error: ToolError): ToolError {
    const { code, message, cause, details } = error;
    if (message.includes(`"${this.name}"`)) return error;
    const isStrange = isStrangeAnswer(code, cause);
    // Callers of tools do not get this error, so it has the particulars: the program that was not found, or the address.
    const reason = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : "";
    const text = `Cannot list the server "${this.name}": ${message}${reason}`;
    return new ToolError(isStrange ? "unavailable" : code, text, {
      cause,
      details,
    });
  }

  /** Whether an MCP server does not have the method of a list. The first time, that is a warning. */
  #isMissing(method: string, error: unknown): boolean {
    const { code, cause } = error as Partial<ErrorResult>;
    // With a cause, another server or a page has answered.
    if (code !== "method_not_found" || cause !== undefined || toMcp(this.#transport) === undefined) return false;
    if (!this.#missing.has(method)) this.#warn(`the server has no ${method}; the list is empty`);
    this.#missing.add(method);
    return true;
  }

  /** Lists again because a tool was removed. Rate limited, since a server may list tools that it does not have. */
  #relistRemoved(nowMs: number): void {
    if (nowMs - this.#relistedMs < RELIST_MS) return;
    this.#relistedMs = nowMs;
    this.#renew();
  }

  #renew(): void {
    void this.refresh().catch((thrown) => this.#warn("not listed", thrown));
  }

  #warn(problem: string, error?: unknown): void {
    const message = `Gateway "${this.name}": ${escapeLine(problem)}`;
    writeLine(this.#options.logger, "warn", message, error === undefined ? {} : { error });
  }
}

function isRefusal(listed: unknown): listed is ErrorResult {
  return isJsonObject(listed) && listed["kind"] === "error";
}

function isTools(pinned: unknown): boolean {
  return Array.isArray(pinned) && pinned.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string");
}

function areRoots(roots: unknown): boolean {
  return Array.isArray(roots) && roots.every((root) => isJsonObject(root) && typeof root["uri"] === "string");
}

/** The transport, if it is an MCP transport. */
function toMcp(transport: Transport): McpTransport | undefined {
  return "onChange" in transport && "server" in transport ? transport as McpTransport : undefined;
}

/** Whether calls of an MCP server may become tasks. */
function hasTasks({ tasks, extensions }: Readonly<Record<string, unknown>>): boolean {
  return tasks !== undefined ||
    (typeof extensions === "object" && extensions !== null && TASKS_EXTENSION in extensions);
}
