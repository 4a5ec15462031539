import type { Progress } from "../../core/call/outcome.ts";
import { readContract } from "../../core/call/listed_contract.ts";
import type { ListedTool, Transport } from "../../core/call/transport.ts";
import type { Logger } from "../../core/handler/context.ts";
import { BOOLEAN, FUNCTION, LOGGER, oneOf, type OptionRules, POSITIVE, rule, TEXTS } from "../../internal/options.ts";
import { createCoreClient } from "../../client/core_client.ts";
import type { ClientMethods } from "../../client/types.ts";
import { type MemoryServer, memoryTransport } from "../../wires/memory/client/transport.ts";

/** A call that a model made, as `onProgress` and `onPartial` get it. */
export interface AgentCall {
  /** Name of the tool on its server. */
  readonly tool: string;
  /** The arguments, as the server gets them. */
  readonly args: unknown;
  /** The model's id of the call; `undefined` if the framework passes none. */
  readonly id: string | undefined;
}

/** Options of the adapters: which tools a model gets, and how its calls are made. */
export interface AgentOptions {
  /** Selects the tools that the model gets. Default: all. System tools are not passed to it. */
  readonly select?: ((tool: ListedTool) => boolean) | undefined;
  /**
   * How promises are handled. `"awaited"`: they are redeemed, and the model gets only the answer. `"shown"`: the model gets the
   * token, and the system tools `redeem` and `cancel`; `onPartial` is then not called. Default: `"awaited"`.
   */
  readonly promises?: "awaited" | "shown" | undefined;
  /**
   * Which tools the model searches for in place of loading their definitions with each request. `"all"`: all but those of
   * `alwaysLoad`. `"auto"`: the same, if there are more than 10 tools whose definitions take more than `minTokens`, which the log states
   * once with the figures. `"none"`: all tools are loaded. Default: `"none"`. The tools of a server with `discover()` are not deferred again.
   */
  readonly defer?: "auto" | "all" | "none" | undefined;
  /**
   * Tools that are never deferred: their names on the server, or a function that returns `true` for them. Tools with `_meta: { "anthropic/alwaysLoad": true }` are not deferred
   * either. Default: none.
   */
  readonly alwaysLoad?: readonly string[] | ((tool: ListedTool) => boolean) | undefined;
  /**
   * Tokens of the tools' names, descriptions and schemas up to which `defer: "auto"` loads all, estimated: the rule of `discover()`.
   * Default: 10,000.
   */
  readonly minTokens?: number | undefined;
  /** Receives the line of `defer: "auto"`, at the level `info`. Default: the log of a server of this process; otherwise none. */
  readonly logger?: Logger | undefined;
  /**
   * Returns the group of a tool, which a model can search in, and which is its namespace at OpenAI. Default: the prefixes of `group()` if
   * the source is a server of this process, otherwise none.
   */
  readonly group?: ((tool: ListedTool) => string | undefined) | undefined;
  /**
   * Media types of files in answers that the model takes, such as `["image/*", "application/pdf"]`; others are named by type and size.
   * Default: those that the vendor takes.
   */
  readonly media?: readonly string[] | undefined;
  /** Total time limit of a call, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Called with the progress of a call. */
  readonly onProgress?: ((progress: Progress, call: AgentCall) => void) | undefined;
  /** Called with each piece of a streamed answer; the model gets the whole answer. */
  readonly onPartial?: ((piece: unknown, call: AgentCall) => void) | undefined;
}

/** Options of adapters whose framework can ask a person before a call. */
export interface ApprovalOptions extends AgentOptions {
  /** Whether a person has to approve a call of the tool. Default: if the server declares `destructiveHint: true`. */
  readonly needsApproval?: ((tool: ListedTool) => boolean) | undefined;
}

/** Options of adapters whose vendor runs programs of the model that call tools. */
export interface CallerOptions extends AgentOptions {
  /** Which callers a tool has: the model itself, programs that it writes, or both. Default: `"model"`. */
  readonly callers?: ((tool: ListedTool) => "model" | "program" | "both") | undefined;
}

/** Options of adapters whose vendor lets the model continue while a call runs. */
export interface AsyncOptions extends AgentOptions {
  /**
   * Tools whose calls the model does not wait for. `true`: those that give promises. Older models refuse such definitions. Default: none.
   */
  readonly async?: boolean | ((tool: ListedTool) => boolean) | undefined;
}

/** Options of `run` of {@link RunnableTools}, for all calls of a message. */
export interface RunOptions {
  /** Aborts the calls; pending calls then reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tools and the function that runs a model's calls.
 *
 * @typeParam Tool A tool in a request.
 * @typeParam Call A model's call.
 * @typeParam Result The result for the model.
 */
export interface RunnableTools<Tool, Call, Result> {
  /** Tools for the request. */
  readonly tools: Tool[];
  /** The tools' names on their server, by the names that the model knows. Those that search and call have only one name. */
  readonly names: ReadonlyMap<string, string>;
  /**
   * Makes all calls of a message concurrently; returns their answers in order, for the next request. Errors
   * are explained to the model. Rejects with the signal's reason if aborted, and with `TypeError` if the calls are those
   * of OpenAI's other API.
   */
  run(calls: readonly Call[] | null | undefined, options?: RunOptions): Promise<Result[]>;
}

/** Validation rules for {@link AgentOptions}. */
export const AGENT_RULES: OptionRules<AgentOptions> = {
  select: FUNCTION,
  promises: oneOf("awaited", "shown"),
  defer: oneOf("auto", "all", "none"),
  alwaysLoad: rule("an array of texts, or a function", (value) => TEXTS.fits(value) || FUNCTION.fits(value)),
  minTokens: POSITIVE,
  logger: LOGGER,
  group: FUNCTION,
  media: TEXTS,
  timeoutMs: POSITIVE,
  onProgress: FUNCTION,
  onPartial: FUNCTION,
};

/** Validation rules for {@link CallerOptions}. */
export const CALLER_RULES: OptionRules<CallerOptions> = { ...AGENT_RULES, callers: FUNCTION };

/** Validation rules for {@link ApprovalOptions}. */
export const APPROVAL_RULES: OptionRules<ApprovalOptions> = { ...AGENT_RULES, needsApproval: FUNCTION };

/** Validation rules for {@link AsyncOptions}. */
export const ASYNC_RULES: OptionRules<AsyncOptions> = {
  ...AGENT_RULES,
  async: rule("true, false or a function", (value) => BOOLEAN.fits(value) || FUNCTION.fits(value)),
};

/** Returns whether the model does not wait for calls of a tool, by the option `async`. */
export function asyncTools(given: AsyncOptions["async"] = false): (tool: ListedTool) => boolean {
  if (typeof given === "function") return given;
  return given ? (tool) => readContract(tool).promises !== undefined : () => false;
}

/** Whether a server declares `destructiveHint: true` for a tool. The default of `needsApproval`. */
export function isDestructive({ annotations }: ListedTool): boolean {
  return annotations?.["destructiveHint"] === true;
}

/** A client: of `createClient`, typed or not. Its `onElicitation` and `onMoreRequested` answer the tools' questions. */
export interface ClientSource {
  /** The client's own methods. */
  readonly $: ClientMethods;
}

/**
 * Source of tools: a server in this process, called directly; a client, for any server and with its
 * options; or a transport, for any server with default options.
 */
export type AgentSource = MemoryServer | ClientSource | Transport;

/**
 * Returns the methods that list and call the tools of a source: of the client, or of a new one for a server or a transport.
 *
 * @throws {TypeError} If the value is not a source, such as the text of a URL, or a server with `auth` that does not allow anonymous callers.
 */
export function methodsOf(source: AgentSource): ClientMethods {
  if (Object(source) !== source) {
    throw new TypeError(
      "Cannot give tools to a model: pass what createServer() or createClient(url) gives, or a transport, such as mcpTransport(url)",
    );
  }
  if ("$" in source) return source.$;
  if (!("~server" in source)) return createCoreClient(source).$;
  // Without a caller the model would see only what is open to all, and its calls would be those of no user.
  if (source["~server"].host.security?.allowsAnonymous === false) {
    throw new TypeError(
      'Cannot give tools to a model: the server has auth, and no caller is given; pass memoryTransport(server, { principal: { id: "…" } })',
    );
  }
  return createCoreClient(memoryTransport(source)).$;
}

/** A server, as far as its groups are needed. */
interface GroupedServer {
  readonly "~server": {
    readonly host: {
      readonly definitions?: readonly {
        readonly name: string;
        readonly part?: { readonly path: readonly string[] } | undefined;
      }[];
    };
  };
}

/** Returns the function that finds the group of a tool: for a server of this process the prefixes of `group()`, otherwise no group. */
export function groupsOf(source: AgentSource): (tool: ListedTool) => string | undefined {
  const definitions = "~server" in source ? (source as GroupedServer)["~server"].host.definitions ?? [] : [];
  const groups = new Map(definitions.map(({ name, part }) => [name, part?.path.join("/")]));
  return ({ name }) => groups.get(name);
}
