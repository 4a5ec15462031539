/** Types of the options of `createServer` of the front door. The core leaves them to TypeScript. */
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
import type { Limits } from "../wires/wire.ts";
import { type AnyServerOptions, brings, ENGINE } from "./options.ts";
import type { CorsOptions, OriginPolicy } from "./server_options.ts";

const LIST: OptionRule = rule("an array", Array.isArray);

function bring(member: string): OptionRule["fits"] {
  return (value) => brings(member, value);
}

/** A rule for an array of such values. */
function listOf(what: string, member: string): OptionRule {
  return rule(`an array of ${what}`, (value) => Array.isArray(value) && value.every(bring(member)));
}

/** Options of the front door, whose other values are those of the core. */
type CheckedOptions = Omit<AnyServerOptions, "originPolicy"> & OriginPolicy;

const RULES: OptionRules<CheckedOptions> = {
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
  auth: rule('what bearer(…), jwt(…) or authenticate(…) of "toolwire/auth" gives', bring("mount")),
  middleware: ANYTHING,
  jobMiddleware: ANYTHING,
  onError: FUNCTION,
  timeoutMs: POSITIVE,
  limits: OBJECT,
  keys: ANYTHING,
  engine: rule(ENGINE[1], bring(ENGINE[0])),
  schedules: listOf("what every(…) and cron(…) of ./schedules give", "~scheduler"),
  onComplete: listOf("what webhook(…) of ./webhooks gives", "~notifier"),
  work: rule("{ concurrency }, or false", (value) => value === false || OBJECT.fits(value)),
  config: OBJECT,
  unknownArguments: OBJECT,
  logger: rule(`${LOGGER.expected}, or false`, (value) => value === false || LOGGER.fits(value)),
  basePath: OBJECT,
  discovery: rule('what discover(…) of "toolwire/discovery" gives', bring("~view")),
  clock: OBJECT,
  // To allow all hosts, leave the option out.
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

const CORS_WITHOUT_ORIGINS =
  'Cannot create server: cors needs the origins of the pages that may call: add origins: ["https://app.example"], or origins: "*" for all';

/**
 * Validates the options of a server of the front door, which brings the values of `keys`, `unknownArguments` and `basePath` itself.
 *
 * @throws {TypeError} If an option is unknown or of the wrong type, or if `cors` has no `origins`.
 * @throws {RangeError} If a number is not positive.
 */
export function checkServerOptions(options: CheckedOptions): void {
  checkOptions("create server", options, RULES);
  const { limits, cors, origins } = options;
  if (limits !== undefined) checkOptions("create server with these limits", limits, LIMITS);
  if (typeof cors === "object") checkOptions("answer pages of other origins", cors, CORS);
  if ((cors ?? false) !== false && origins === undefined) throw new TypeError(CORS_WITHOUT_ORIGINS);
}
