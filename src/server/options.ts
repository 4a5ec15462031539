import type { Discovery } from "./discovery/discover.ts";
import type { ChangeBus } from "../core/call/changes.ts";
import type { Schedule } from "../core/dispatch/schedule.ts";
import type { CompletionTarget } from "../core/dispatch/completion.ts";
import type { PromiseEngine } from "../core/dispatch/deferral.ts";
import { missingEngine } from "../core/dispatch/services.ts";
import type { QuestionKeys } from "../core/dispatch/services.ts";
import type { AnyTool } from "../core/tool/definition.ts";
import type { UnknownArguments } from "../core/schema/unknown_arguments.ts";
import type { Engine, WorkOptions } from "../engine/engine.ts";
import {
  ANYTHING,
  BOOLEAN,
  checkOptions,
  FUNCTION,
  LOGGER,
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
import type { Clock } from "../internal/time.ts";
import type { Limits, RequestWire, ServerInfo } from "../wires/wire.ts";
import type { BasePath } from "./base_path.ts";
import type { CorsOptions, OriginPolicy } from "./origin_guard.ts";
import type { ComposableOptions, Part } from "./part.ts";

/** What a server says about itself to its callers. */
export interface ServerIdentity extends Omit<ServerInfo, "name" | "version"> {
  /** Version of the server. Default: `"0.0.0"`. */
  readonly version?: string;
}

/**
 * Options of promises, questions and caller state.
 *
 * @typeParam Keys Type of the option `keys`.
 * @typeParam JobEngine Type of the option `engine`.
 */
export interface PromiseServerOptions<Keys, JobEngine extends Engine> {
  /**
   * Signs promise tokens, continuations and caller state; replicas need the same keys. Default: a random key of this process,
   * with a warning at its first use.
   */
  readonly keys?: Keys;
  /** Runs the work of tools with `.promise()`. */
  readonly engine?: JobEngine;
  /**
   * Calls of tools at times of the clock, by `every` and `cron` of `./schedules`: each once over all replicas. They begin when the
   * server listens by `serve`, at `server.work()`, or at the first call that needs the engine.
   */
  readonly schedules?: readonly Schedule[];
  /**
   * What is notified when jobs end, by `webhook` of `./webhooks`: promised work, calls with an idempotency key, and calls of
   * schedules. All replicas need the same.
   */
  readonly onComplete?: readonly CompletionTarget[];
  /** Number of jobs that run at once in this process; `false` for none. Default: `{ concurrency: 10 }`. */
  readonly work?: WorkOptions | false;
}

/**
 * Options that every `createServer` has.
 *
 * @typeParam Tools The tools, as a tuple.
 * @typeParam Parts The parts, as a tuple.
 * @typeParam Base Type of the option `basePath`.
 */
export interface CommonServerOptions<Tools extends readonly AnyTool[], Parts extends readonly Part[], Base>
  extends ServerIdentity, OriginPolicy, ComposableOptions<Parts> {
  /** The tools, in the order in which they are listed. */
  readonly tools: Tools;
  /** Carries notifications of changes to all replicas. Default: a bus within this process. */
  readonly changes?: ChangeBus;
  /** Protocols of the server over HTTP. Default: `[mcp(), mcpLite()]`; of `./core`, `[mcpLite()]`. */
  readonly wires?: readonly RequestWire[];
  /** Path below which all wires answer, such as `/api`, for a server within a web application. Default: the root. */
  readonly basePath?: Base;
  /** Lists few tools and lets models search for the others: `discover()` of `./discovery`. Default: all tools are listed. */
  readonly discovery?: Discovery;
  /** Source of time; for tests. */
  readonly clock?: Clock;
}

/**
 * Options of `createServer` of `./core`: an engine brings promises, keys bring questions and caller state.
 *
 * @typeParam Tools The tools, as a tuple.
 * @typeParam Parts The parts, as a tuple.
 */
export interface CoreServerOptions<
  Tools extends readonly AnyTool[],
  Parts extends readonly Part[] = readonly [],
> extends CommonServerOptions<Tools, Parts, BasePath>, PromiseServerOptions<QuestionKeys, PromiseEngine> {
  /**
   * What happens to arguments that a tool does not declare, by `unknownArguments(mode)` of `./schema`. Default: what the
   * schema's library does.
   */
  readonly unknownArguments?: UnknownArguments;
}

type AnyOptions = CoreServerOptions<readonly AnyTool[], readonly Part[]>;

const LIST: OptionRule = rule("an array", Array.isArray);

/** Whether a value has a member that only values of our functions have. */
function has(member: string): OptionRule["fits"] {
  return (value) => Boolean((value as Readonly<Record<string, unknown>> | null)?.[member]);
}

/** A rule for an array of such values. */
function listOf(what: string, member: string): OptionRule {
  return rule(`an array of ${what}`, (value) => Array.isArray(value) && value.every(has(member)));
}

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
  wires: listOf("wires, such as mcpLite()", "mount"),
  auth: rule('what bearer(…), jwt(…) or authenticate(…) of "toolwire/auth" gives', has("mount")),
  middleware: ANYTHING,
  jobMiddleware: ANYTHING,
  onError: FUNCTION,
  timeoutMs: POSITIVE,
  limits: OBJECT,
  keys: ANYTHING,
  engine: rule('one, such as memoryEngine(), or withPromises(engine), of "toolwire/engine"', has("~deferral")),
  schedules: listOf("what every(…) and cron(…) of ./schedules give", "~scheduler"),
  onComplete: listOf("what webhook(…) of ./webhooks gives", "~notifier"),
  work: rule("{ concurrency }, or false", (value) => value === false || OBJECT.fits(value)),
  config: OBJECT,
  unknownArguments: rule("what unknownArguments(…) gives", has("~guard")),
  logger: rule(`${LOGGER.expected}, or false`, (value) => value === false || LOGGER.fits(value)),
  basePath: rule("what atBasePath(…) gives", has("~find")),
  discovery: rule('what discover(…) of "toolwire/discovery" gives', has("~view")),
  clock: OBJECT,
  // To allow all hosts, leave the option out.
  hosts: rule(
    "an array of host names, without *",
    (value) => TEXTS.fits(value) && !/^$|\*/.test((value as readonly string[]).join()),
  ),
  origins: ANYTHING,
  cors: rule("true, false or an object", (value) => BOOLEAN.fits(value) || OBJECT.fits(value)),
};

/** Does not quote the value, which may be a secret. */
const KEYS_ERROR = 'Cannot create server: keys are keyRing("k1:…"), or withQuestions(keys), from "toolwire/tokens"';

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
 * Validates the options of a server: a misspelled option, such as `auth`, would leave it open.
 *
 * @throws {TypeError} If an option is unknown, of the wrong type, or needs an engine that is not there.
 * @throws {RangeError} If a number is not positive.
 */
export function checkServerOptions(options: AnyOptions): void {
  checkOptions("create server", options, RULES);
  const { keys, limits, work, cors, engine, jobMiddleware } = options;
  if (keys !== undefined && !has("~questions")(keys)) throw new TypeError(KEYS_ERROR);
  if (limits !== undefined) checkOptions("create server with these limits", limits, LIMITS);
  if (
    engine === undefined && (work || jobMiddleware?.length || options.schedules?.length || options.onComplete?.length)
  ) {
    throw missingEngine("Cannot create server: work, schedules, onComplete and jobMiddleware need an engine");
  }
  if (typeof cors === "object") checkOptions("answer pages of other origins", cors, CORS);
}
