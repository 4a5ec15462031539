/** Types of the options of `createServer` of the front door. The core leaves them to TypeScript. */
import {
  ANYTHING,
  arrayOf,
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

/** What to write in place of the name of a wire, which is in lower case and without punctuation. */
const WIRES: Readonly<Record<string, string>> = {
  mcp: "mcp()",
  http: "mcp()",
  sse: "mcp()",
  streamablehttp: "mcp()",
  mcplite: "mcpLite()",
  rest: 'rest(), of "toolwire/rest"',
  openapi: 'rest(), of "toolwire/rest"',
  grpc: 'grpc(), of "toolwire/grpc"',
  connect: 'grpc(), of "toolwire/grpc"',
  grpcweb: 'grpc(), of "toolwire/grpc"',
  websocket: 'webSocket(), of "toolwire/websocket"',
  ws: 'webSocket(), of "toolwire/websocket"',
  webtools: 'webtools({ name, description, version }), of "toolwire/webtools"',
  stdio: 'serveStdio(server), of "toolwire/stdio", in place of a wire',
};

function adviseWire(item: unknown): string | undefined {
  const name = typeof item === "string" ? item.toLowerCase().replace(/[^a-z]/g, "") : "";
  return Object.hasOwn(WIRES, name) ? WIRES[name] : undefined;
}

/** A server, or what `gateway()` gives, has tools, and is not a part yet. */
function advisePart(item: unknown): string | undefined {
  const isServer = item instanceof Object && ("tools" in item || "fetch" in item);
  return isServer ? 'mount(server), or group("name", server), of "toolwire/compose"' : undefined;
}

/** Functions that give `auth`, which may be passed without being called. Any other function identifies callers. */
const AUTHS: readonly string[] = ["bearer", "jwt", "authenticate", "signIn"];

function describeAuth(value: unknown): string | undefined {
  if (typeof value !== "function") return undefined;
  const { name } = value;
  return AUTHS.includes(name)
    ? `a function: call it, ${name}(…)`
    : 'a function: pass it to authenticate(…), of "toolwire/auth"';
}

/** Options that servers of other libraries have, and what to write. */
const FOREIGN_OPTIONS: Readonly<Record<string, string>> = {
  schemaAdapter: "schemas of every library work as they are: leave it out",
  capabilities: "capabilities are found out: leave it out",
  authenticate: 'write auth: authenticate(…), with the function of "toolwire/auth"',
  health: 'write wires: [mcp(), healthPage()], with healthPage of "toolwire/health"',
  createContext: "write middleware: [(ctx, next) => { ctx.state.user = …; return next(); }]",
  context: "write middleware: [(ctx, next) => { ctx.state.user = …; return next(); }]",
  router: "write tools: [ … ]",
  port: 'write await serve(server, { port }), of "toolwire/serve"',
  transport: 'write await serve(server), of "toolwire/serve", or serveStdio(server), of "toolwire/stdio"',
};

/** Options of the front door, whose other values are those of the core. */
type CheckedOptions = Omit<AnyServerOptions, "originPolicy"> & OriginPolicy;

const RULES: OptionRules<CheckedOptions> = {
  tools: required(LIST),
  parts: arrayOf("what mount(server) gives", bring("~join"), advisePart),
  resources: arrayOf("what defineResource(…) gives", bring("~catalog")),
  prompts: arrayOf("what definePrompt(…) gives", bring("~catalog")),
  changes: OBJECT,
  name: TEXT,
  version: TEXT,
  title: TEXT,
  description: TEXT,
  websiteUrl: TEXT,
  instructions: TEXT,
  icons: LIST,
  wires: arrayOf("wires, such as mcpLite()", bring("mount"), adviseWire),
  auth: {
    expected: 'what bearer(…), jwt(…) or authenticate(…) of "toolwire/auth" gives',
    fits: bring("mount"),
    describe: describeAuth,
  },
  middleware: ANYTHING,
  jobMiddleware: ANYTHING,
  onError: FUNCTION,
  timeoutMs: POSITIVE,
  limits: OBJECT,
  keys: ANYTHING,
  engine: rule(ENGINE[1], bring(ENGINE[0])),
  schedules: arrayOf("what every(…) and cron(…) of ./schedules give", bring("~scheduler")),
  onComplete: arrayOf("what webhook(…) of ./webhooks gives", bring("~notifier")),
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
  for (const [name, line] of Object.entries(FOREIGN_OPTIONS)) {
    if (Object.hasOwn(options, name)) {
      throw new TypeError(`Cannot create server: there is no option "${name}"; ${line}`);
    }
  }
  checkOptions("create server", options, RULES);
  const { limits, cors, origins } = options;
  if (limits !== undefined) checkOptions("create server with these limits", limits, LIMITS);
  if (typeof cors === "object") checkOptions("answer pages of other origins", cors, CORS);
  if ((cors ?? false) !== false && origins === undefined) throw new TypeError(CORS_WITHOUT_ORIGINS);
}
