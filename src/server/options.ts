import type { Limits } from "../wires/wire.ts";
import type { AnyTool } from "../tool/tool.ts";
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
import type { CorsOptions } from "./gate.ts";
import type { Part } from "./part.ts";
import type { ServerOptions } from "./server.ts";

type AnyOptions = ServerOptions<readonly AnyTool[], readonly Part[]>;

const LIST: OptionRule = rule("an array", Array.isArray);

const LEVELS = ["debug", "info", "warn", "error"] as const;

const RULES: OptionRules<AnyOptions> = {
  tools: required(LIST),
  parts: LIST,
  resources: LIST,
  prompts: LIST,
  changes: OBJECT,
  name: TEXT,
  version: TEXT,
  title: TEXT,
  description: TEXT,
  websiteUrl: TEXT,
  instructions: TEXT,
  icons: LIST,
  wires: LIST,
  auth: ANYTHING,
  middleware: ANYTHING,
  jobMiddleware: ANYTHING,
  onError: FUNCTION,
  timeoutMs: POSITIVE,
  limits: OBJECT,
  keys: ANYTHING,
  engine: ANYTHING,
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
