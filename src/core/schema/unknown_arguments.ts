/**
 * Arguments that a tool does not declare: refused if they may be misspelled, otherwise dropped.
 *
 * The listed JSON Schema decides. Where it refuses other names (`additionalProperties: false`) or allows them, they are
 * refused or kept; where it says nothing, the mode applies.
 *
 * @module
 */
import type { Members } from "../../internal/json.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import { shorten } from "../../internal/text.ts";
import type { CompiledSchema } from "./compile.ts";
import { type NameLevel, readNames, refuseOthers } from "./declared_names.ts";
import type { SchemaIssue, SchemaResult } from "./standard_schema.ts";

/**
 * What happens to arguments that a tool does not declare.
 *
 * `"suggest"` refuses a name that is close to a declared one that is absent, and drops any other name with a line in the log.
 * `"refuse"` refuses every name, and lists `additionalProperties: false`. `"drop"` drops every name with a line in the log. The line is a
 * warning the first time that a tool is called with the name.
 */
export type UnknownArgumentsMode = "suggest" | "refuse" | "drop";

/** The parts of a tool's definition that a {@link GuardArguments} reads or changes. */
export interface GuardedDefinition {
  readonly name: string;
  readonly input: CompiledSchema | undefined;
  readonly inputSchema: CompiledSchema["jsonSchema"];
  readonly unknownArguments: UnknownArgumentsMode | undefined;
}

/** The part of a logger that is used. */
interface DropLogger {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Returns a tool's definition that refuses or drops undeclared arguments. The same definition always gives the same result. */
export type GuardArguments = <Definition extends GuardedDefinition>(definition: Definition) => Definition;

/** Value of the option `unknownArguments` of `./core`: made by {@link unknownArguments}. */
export interface UnknownArguments {
  /**
   * Creates the guard of a server.
   *
   * @internal
   */
  readonly "~guard": (logger: DropLogger | undefined) => GuardArguments;
}

/**
 * Brings the code for arguments that tools do not declare to `createServer` of `./core`. The front door has it.
 *
 * @example A server that refuses unknown arguments
 * ```ts
 * import { createServer, defineTool, memoryTransport, createClient } from "jsr:@toolwire/toolwire/core";
 * import { jsonSchema } from "jsr:@toolwire/toolwire/json-schema";
 * import { unknownArguments } from "jsr:@toolwire/toolwire/schema";
 *
 * const greet = defineTool("greet").describe("Greet someone")
 *   .input(jsonSchema<{ name: string }>({ type: "object", properties: { name: { type: "string" } } }))
 *   .handle(({ name }) => `Hello, ${name}!`);
 * const server = createServer({ tools: [greet], unknownArguments: unknownArguments("refuse") });
 *
 * const client = createClient(memoryTransport(server));
 * console.log(await client.$.call("greet", { name: "Ada", loud: true }).catch(({ code }) => code));
 * // → invalid_input
 * ```
 * @param mode For tools without `.unknownArguments()`. Default: `"suggest"`.
 * @returns The value of the option.
 * @throws {TypeError} If there is no such mode.
 */
export function unknownArguments(mode: UnknownArgumentsMode = "suggest"): UnknownArguments {
  checkMode(mode);
  return { "~guard": (logger) => createGuard(mode, logger) };
}

function checkMode(mode: string): void {
  if (/^(suggest|refuse|drop)$/.test(mode)) return;
  throw new TypeError(`Cannot create server: unknownArguments must be "suggest" or "refuse" or "drop", not "${mode}"`);
}

function createGuard(serverMode: UnknownArgumentsMode, logger: DropLogger | undefined): GuardArguments {
  const guarded = new WeakMap<object, unknown>();
  return <Definition extends GuardedDefinition>(definition: Definition): Definition => {
    if (!guarded.has(definition)) guarded.set(definition, guardDefinition(definition, serverMode, logger));
    return guarded.get(definition) as Definition;
  };
}

function guardDefinition<Definition extends GuardedDefinition>(
  definition: Definition,
  serverMode: UnknownArgumentsMode,
  logger: DropLogger | undefined,
): Definition {
  const { input, inputSchema, unknownArguments: mode = serverMode } = definition;
  checkMode(mode);
  const names = readNames(inputSchema);
  const warned = new Set<string>();
  const validate = (value: unknown) => {
    const { issues, removed, dropped } = findUnknown(names, value as object, mode);
    if (dropped.length > 0) logDropped(logger, definition.name, dropped, warned);
    const checked = input?.validate(removed.size > 0 ? omit(value as object, removed) : value);
    // A call that fails learns of the dropped names, too: one of them may be meant for a missing one.
    const reported = issues.length > 0 ? issues : dropped.map((name) => toIssue([name], names?.names ?? new Map()));
    if (reported.length === 0) return checked;
    const add = (found: SchemaResult = {}): SchemaResult =>
      issues.length === 0 && found.issues === undefined ? found : { issues: [...reported, ...found.issues ?? []] };
    return checked instanceof Promise ? checked.then(add) : add(checked);
  };
  return {
    ...definition,
    unknownArguments: undefined,
    inputSchema: mode === "refuse" ? refuseOthers(inputSchema, names) : inputSchema,
    input: input && Object.create(input, { validate: { value: validate } }),
  };
}

/** Maximum number of names that a tool warns of. Callers choose names: without a limit they could fill the log, and the set. */
const MAX_WARNED = 20;

/**
 * Logs dropped names: as a warning if one of them is new, which a log shows by default, otherwise as information.
 *
 * @param warned The names that were in a warning. New ones are added.
 */
function logDropped(
  logger: DropLogger | undefined,
  tool: string,
  names: readonly string[],
  warned: Set<string>,
): void {
  const before = warned.size;
  for (const name of names) if (warned.size < MAX_WARNED) warned.add(name);
  try {
    logger?.[warned.size > before ? "warn" : "info"]("Unknown arguments were dropped", { tool, names });
  } catch {
    // A logger that throws must not end the call.
  }
}

function omit(value: object, removed: ReadonlySet<string>): unknown {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !removed.has(name)));
}

/** Maximum number of names that are reported. A hostile call may have a hundred thousand. */
const MAX_REPORTED = 100;

/** Number of pairs of names from which on no further name is compared. A comparison takes about a microsecond. */
const MAX_PAIRS = 10_000;

/** Maximum number of declared names in an issue. */
const MAX_NAMED = 20;

/** Maximum length of a name in an error and in the log. */
const MAX_NAME = 64;

/** Names of a value that are not declared. */
interface UndeclaredNames {
  /** Refused names, at every level. */
  readonly issues: readonly SchemaIssue[];
  /** Names at the root that the schema does not get: refused and dropped ones. */
  readonly removed: ReadonlySet<string>;
  /** The dropped ones of them, shortened, for the log. */
  readonly dropped: readonly string[];
}

/** Below the root, names that are not refused are left to the library: valibot and zod drop them, others keep them. */
function findUnknown(root: NameLevel | undefined, args: object, mode: UnknownArgumentsMode): UndeclaredNames {
  const issues: SchemaIssue[] = [];
  const removed = new Set<string>();
  const dropped: string[] = [];
  let reported = 0;
  let pairs = 0;
  const path: PropertyKey[] = [];
  const report = ({ names, others }: NameLevel, value: object, name: string): void => {
    const isReported = reported++ < MAX_REPORTED;
    // A name that is not reported here is left to a schema that refuses it.
    if (path.length === 0 && (isReported || others !== "refused")) removed.add(name);
    if (!isReported) return;
    const refuses = mode === "refuse" || others === "refused";
    const isCompared = (refuses || mode === "suggest") && pairs < MAX_PAIRS;
    const similar = isCompared ? closestMatch(name, absentNames(names, value)) : undefined;
    pairs += names.size;
    if (refuses || similar !== undefined) {
      issues.push(toIssue([...path, shorten(name, MAX_NAME)], names, similar));
    } else if (path.length === 0) dropped.push(shorten(name, MAX_NAME));
  };
  // Nothing is allocated for declared names, since this runs at each call whose library has no compiled check.
  const visit = (level: NameLevel, value: unknown): void => {
    const { names, items, others } = level;
    if (Array.isArray(value)) {
      if (items !== undefined) { for (let at = 0; at < value.length; at++) enter(items, value[at], at); }
    } else if (typeof value === "object" && value !== null) {
      for (const name in value) {
        const below = names.get(name);
        if (below !== undefined) enter(below, (value as Members)[name], name);
        else if (others !== "allowed" && !names.has(name)) report(level, value, name);
      }
    }
  };
  const enter = (level: NameLevel, value: unknown, key: PropertyKey): void => {
    path.push(key);
    visit(level, value);
    path.pop();
  };
  if (root !== undefined) visit(root, args);
  return { issues, removed, dropped };
}

function toIssue(path: readonly PropertyKey[], names: NameLevel["names"], similar?: string): SchemaIssue {
  const hint = similar === undefined ? `there are ${listNames(names)}` : `did you mean "${similar}"?`;
  return { path, message: `unknown property; ${hint}`, expected: similar ?? "nothing of this name" };
}

function* absentNames(names: NameLevel["names"], value: object): Generator<string> {
  for (const name of names.keys()) if (!Object.hasOwn(value, name)) yield name;
}

function listNames(names: NameLevel["names"]): string {
  const listed = [...names.keys()].slice(0, MAX_NAMED).join(", ");
  return names.size > MAX_NAMED ? `${listed} and ${names.size - MAX_NAMED} more` : listed;
}
