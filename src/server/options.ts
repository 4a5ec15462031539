import type { ChangeBus } from "../core/call/changes.ts";
import type { Engine, WorkOptions } from "../engine/engine.ts";
import type { Clock } from "../internal/time.ts";
import {
  ANYTHING,
  BOOLEAN,
  checkOptions,
  FUNCTION,
  OBJECT,
  type OptionRule,
  type OptionRules,
  POSITIVE,
  required,
  rule,
  TEXT,
  TEXTS,
  wholeNumber,
} from "../internal/options.ts";
import type { TokenKeys } from "../core/token/token.ts";
import type { Logger } from "../core/handler/context.ts";
import type { AnyTool } from "../core/tool/definition.ts";
import type { Limits, RequestWire, ServerInfo } from "../wires/wire.ts";
import type { Auth } from "./auth.ts";
import type { CorsOptions, GateOptions } from "./origin_guard.ts";
import type { Part } from "./part.ts";
import type { Prompt, Resource } from "../core/content/content_catalog.ts";
import type { Middleware, OnError } from "../core/handler/middleware.ts";

/**
 * Options of `createServer`.
 *
 * @typeParam Tools The tools, as a tuple.
 * @typeParam Parts The parts, as a tuple.
 */
export interface ServerOptions<Tools extends readonly AnyTool[], Parts extends readonly Part[] = readonly []>
  extends GateOptions, Omit<ServerInfo, "name" | "version"> {
  /** The tools, in the order in which they are listed. */
  readonly tools: Tools;
  /** Other servers within this one, by `group` and `mount` of `./compose`; their tools are listed after its own. Default: none. */
  readonly parts?: Parts;
  /** What callers can read, by `defineResource` of `./mcp`, in the order in which it is listed. Default: nothing. */
  readonly resources?: readonly Resource[];
  /** Prompts, by `definePrompt` of `./mcp`, in the order in which they are listed. Default: none. */
  readonly prompts?: readonly Prompt[];
  /** Carries news of changes to all replicas. Default: one within this process. */
  readonly changes?: ChangeBus;
  /** Name of the server. Default: `"toolwire"`. */
  readonly name?: string;
  /** Version of the server. Default: `"0.0.0"`. */
  readonly version?: string;
  /** How the server is reached over HTTP. Default: `[mcpLite()]`. */
  readonly wires?: readonly RequestWire[];
  /** Tells who calls, by `jwt`, `bearer` or `authenticate` of `./auth`, on every wire alike. Default: nobody is known. */
  readonly auth?: Auth;
  /** Around every call of every tool; the first is the outermost. */
  readonly middleware?: readonly Middleware[];
  /**
   * Around every run of deferred work that an engine begins, outside of its tool's middleware; the first is the outermost.
   * Nobody calls then: there are no headers, but a principal if the call had one. Default: none.
   */
  readonly jobMiddleware?: readonly Middleware[];
  /** Says what callers are told of errors that nobody declared. Default: nothing but a correlation id. */
  readonly onError?: OnError;
  /** How long a call may take when its tool does not say, in milliseconds; for streams, how long they may be quiet. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Limits on what callers send and get. */
  readonly limits?: Partial<Limits>;
  /**
   * What promises, continuations and contexts are signed with: `kid:secret`, or several of them, separated by commas or in an
   * array. The first signs, all verify; each secret has at least 32 bytes. Replicas need the same. Default: a random key of this
   * process, with a warning at its first use.
   */
  readonly keys?: string | readonly string[] | TokenKeys;
  /** What runs the work of tools that promise. Default: `memoryEngine()`, which forgets it when the process ends. */
  readonly engine?: Engine;
  /** How much deferred work this process runs at once; `false` for none, where others do. Default: `{ concurrency: 10 }`. */
  readonly work?: WorkOptions | false;
  /**
   * What tools with `.config()` get whose callers send none, as on all wires but Webtools. It is checked with each call, and
   * neither logged nor sent. Default: `{}`, so that the schema's own defaults count.
   */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Where masked errors go. Default: nowhere; `console` is a good start. */
  readonly logger?: Logger;
  /** Where time comes from; for tests. */
  readonly clock?: Clock;
}

type AnyOptions = ServerOptions<readonly AnyTool[], readonly Part[]>;

const LIST: OptionRule = rule("an array", Array.isArray);

/** Whether something is what one of our functions gives: that has such a member. */
function has(member: string): OptionRule["fits"] {
  return (value) => Boolean((value as Readonly<Record<string, unknown>> | null)?.[member]);
}

/** The rule for an array of that. */
function listOf(what: string, member: string): OptionRule {
  return rule(`an array of ${what}`, (value) => Array.isArray(value) && value.every(has(member)));
}

const LEVELS = ["debug", "info", "warn", "error"] as const;

const RULES: OptionRules<AnyOptions> = {
  tools: required(LIST),
  parts: listOf("what mount(server) gives", "~join"),
  resources: listOf("what defineResource(…) gives", "~catalog"),
  prompts: listOf("what definePrompt(…) gives", "~catalog"),
  changes: OBJECT,
  name: TEXT,
  version: TEXT,
  title: TEXT,
  description: TEXT,
  websiteUrl: TEXT,
  instructions: TEXT,
  icons: LIST,
  wires: LIST,
  auth: rule("what bearer(…), jwt(…) or authenticate(…) of ./auth gives", has("mount")),
  middleware: ANYTHING,
  jobMiddleware: ANYTHING,
  onError: FUNCTION,
  timeoutMs: POSITIVE,
  limits: OBJECT,
  keys: ANYTHING,
  engine: rule("one, such as memoryEngine(), sqlite(path) or bullmq({ … })", has("insert")),
  work: rule("{ concurrency }, or false", (value) => value === false || OBJECT.fits(value)),
  config: OBJECT,
  logger: rule(
    "an object with the functions debug, info, warn and error, such as console",
    (value) => LEVELS.every((level) => typeof (value as Partial<Console> | null)?.[level] === "function"),
  ),
  clock: OBJECT,
  // Whoever means all of them leaves it out.
  hosts: rule(
    "an array of host names, without *",
    (value) => TEXTS.fits(value) && !/^$|\*/.test((value as readonly string[]).join()),
  ),
  origins: ANYTHING,
  cors: rule("true, false or an object", (value) => BOOLEAN.fits(value) || OBJECT.fits(value)),
};

const LIMITS: OptionRules<Limits> = {
  bodyBytes: POSITIVE,
  depth: POSITIVE,
  answerChars: POSITIVE,
  resultChars: POSITIVE,
};

const CORS: OptionRules<CorsOptions> = {
  maxAgeSeconds: wholeNumber(0),
  exposeHeaders: TEXTS,
};

/**
 * Holds the options of a server to what they should be: one that is misspelled, such as `auth`, would leave it open.
 *
 * @throws {TypeError} If there is no such option, or it is not of the right kind.
 * @throws {RangeError} If a number is not positive.
 */
export function checkServerOptions(options: AnyOptions): void {
  checkOptions("create server", options, RULES);
  const { limits, work, cors } = options;
  if (limits !== undefined) checkOptions("create server with these limits", limits, LIMITS);
  if (work) checkWork(work);
  if (typeof cors === "object") checkOptions("answer pages of other origins", cors, CORS);
}

/** @throws {RangeError} If as many jobs cannot run at once. */
export function checkWork(options: object): void {
  checkOptions("run deferred work", options, { concurrency: wholeNumber(1) });
}
