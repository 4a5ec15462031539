import type { PromiseEngine } from "../core/dispatch/deferral.ts";
import { missingEngine } from "../core/dispatch/services.ts";
import type { QuestionKeys } from "../core/dispatch/services.ts";
import type { AnyTool } from "../core/tool/definition.ts";
import type { UnknownArguments } from "../core/schema/unknown_arguments.ts";
import { unknownOption } from "../internal/options.ts";
import type { BasePath } from "./base_path.ts";
import type { OriginRules } from "./origin_policy.ts";
import type { ServerOptions, ServerPart } from "./server_options.ts";

/**
 * Options of `createServer` of `./core`: an engine brings promises, keys bring questions and caller state.
 *
 * @typeParam Tools The tools, as a tuple.
 * @typeParam Parts The parts, as a tuple.
 */
export interface CoreServerOptions<
  Tools extends readonly AnyTool[],
  Parts extends readonly ServerPart[] = readonly [],
> extends
  Omit<
    ServerOptions<Tools, Parts>,
    "keys" | "engine" | "basePath" | "unknownArguments" | "hosts" | "origins" | "cors"
  > {
  /** Signs promise tokens, continuations and caller state; replicas need the same keys. Default: none. */
  readonly keys?: QuestionKeys | undefined;
  /** Runs the work of tools with `.promise()`. Default: none. */
  readonly engine?: PromiseEngine | undefined;
  /** Path below which all wires answer, as `atBasePath("/api")`. Default: the root. */
  readonly basePath?: BasePath | undefined;
  /**
   * What happens to arguments that a tool does not declare, by `unknownArguments(mode)` of `./schema`. Default: what the
   * schema's library does.
   */
  readonly unknownArguments?: UnknownArguments | undefined;
  /** Hosts, origins and CORS, by `originPolicy({ … })`. Default: any host, no other origin than the server's own, no CORS. */
  readonly originPolicy?: OriginRules | undefined;
}

/** Options of `createServer` of `./core` with any tools and parts. The front door converts its options to them. */
export type AnyServerOptions = CoreServerOptions<readonly AnyTool[], readonly ServerPart[]>;

/** A member that only values of our functions have, and what these are. */
type BrandedOption = readonly [member: string, expected: string];

/** The member that identifies a value of `engine`, and what the error names for other values. */
export const ENGINE: BrandedOption = [
  "~deferral",
  'one, such as memoryEngine(), or withPromises(engine), of "toolwire/engines"',
];

const ORIGIN_POLICY: BrandedOption = [
  "~origins",
  'what originPolicy({ hosts, origins, cors }) of "toolwire/core" gives',
];

/** Options whose values bring code. */
const BROUGHT = {
  engine: ENGINE,
  keys: ["~questions", 'keyRing("k1:…"), or withQuestions(keys), of "toolwire/keys"'],
  unknownArguments: ["~guard", 'what unknownArguments(…) of "toolwire/schema" gives'],
  basePath: ["~find", "what atBasePath(…) gives"],
  originPolicy: ORIGIN_POLICY,
} as const satisfies Partial<Record<keyof AnyServerOptions, BrandedOption>>;

const NAMES: Readonly<Record<keyof AnyServerOptions, true>> = {
  tools: true,
  parts: true,
  resources: true,
  prompts: true,
  changes: true,
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  instructions: true,
  icons: true,
  wires: true,
  auth: true,
  middleware: true,
  jobMiddleware: true,
  onError: true,
  timeoutMs: true,
  limits: true,
  keys: true,
  engine: true,
  schedules: true,
  onComplete: true,
  work: true,
  config: true,
  unknownArguments: true,
  logger: true,
  basePath: true,
  discovery: true,
  clock: true,
  originPolicy: true,
};

/**
 * Validates the names of options and the values that bring code. A misspelled option, such as `auth`, would leave a server open.
 * Types of the others are left to TypeScript here, and checked at the front door.
 *
 * @throws {TypeError} If an option is unknown, or a value does not bring what its option needs.
 * @throws {RangeError} If `timeoutMs` or a limit is not positive.
 */
export function assertCoreOptions(options: AnyServerOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name));
  if (/^(hosts|origins|cors)$/.test(unknown ?? "")) assertOriginRules(undefined);
  if (unknown !== undefined) throw refused(unknownOption(unknown, Object.keys(NAMES)));
  for (const [name, brought] of Object.entries(BROUGHT)) {
    const value = options[name as keyof typeof BROUGHT];
    if (value !== undefined) assertBranded(name, value, brought);
  }
  const { engine, work, jobMiddleware, schedules, onComplete, timeoutMs, limits } = options;
  // Numbers often come from the environment, where TypeScript does not see NaN, which would lift a limit.
  for (const [name, value] of Object.entries({ timeoutMs, ...limits })) {
    if (value !== undefined && !(value > 0)) {
      throw new RangeError(`Cannot create server: ${name} must be a number above 0, not ${value}`);
    }
  }
  if (engine === undefined && (work || jobMiddleware?.length || schedules?.length || onComplete?.length)) {
    throw missingEngine("Cannot create server: work, schedules, onComplete and jobMiddleware need an engine");
  }
}

/**
 * Validates a policy of hosts, origins and CORS.
 *
 * @throws {TypeError} If it does not bring its code.
 */
export function assertOriginRules(policy: unknown): asserts policy is OriginRules {
  assertBranded("originPolicy", policy, ORIGIN_POLICY);
}

/** The message does not quote the value, which may be a secret. */
function assertBranded(name: string, value: unknown, [member, expected]: BrandedOption): void {
  if (!brings(member, value)) throw refused(`${name} must be ${expected}`);
}

function refused(problem: string): TypeError {
  return new TypeError(`Cannot create server: ${problem}`);
}

/** Whether a value has a member that only values of our functions have. */
export function brings(member: string, value: unknown): boolean {
  return Boolean((value as Readonly<Record<string, unknown>> | null)?.[member]);
}
