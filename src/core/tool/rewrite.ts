/** Writes definitions of other libraries our way, as text that can be pasted. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import { shorten } from "../../internal/text.ts";
import type { SchemaAdapter } from "../schema/adapter.ts";
import { compileSchema } from "../schema/compile.ts";
import { writeSchema } from "./rewrite_schema.ts";
import { MEMBER_LINES, NAMES, type Step, STEP_ORDER, STEPS } from "./spellings.ts";

/** What is written after `defineTool`, by step. */
type WrittenSteps = ReadonlyMap<Step, unknown>;

/** A definition that was read. */
export interface ForeignDefinition {
  readonly name: string;
  readonly steps: WrittenSteps;
  /** Members that are not steps here. */
  readonly others: readonly string[];
}

/** Maximum length of a handler's source in a message. */
const MAX_SOURCE = 1_200;

/** Maximum length of a description in a message. */
const MAX_TEXT = 400;

/**
 * Reads the arguments that other libraries take for a tool: one object, a name and an object, the same and a handler, or a name, a
 * description, the parameters and a handler.
 */
export function readForeign(given: readonly unknown[], fallback: string): ForeignDefinition {
  const steps = new Map<Step, unknown>();
  const others: string[] = [];
  let name = fallback;
  for (const [index, value] of given.entries()) {
    if (typeof value === "string") {
      if (index === 0) name = value;
      else steps.set("describe", value);
    } else if (typeof value === "function") steps.set("handle", value);
    else if (isJsonObject(value) && isDefinition(value)) name = readMembers(value, steps, others) ?? name;
    else if (value !== undefined) steps.set(steps.has("input") ? "annotate" : "input", value);
  }
  return { name, steps, others };
}

/** An object with a name of a step, and no schema by which it would be an object of parameters. */
export function isDefinition(value: Members): boolean {
  if ("~standard" in value) return false;
  const schemas = Object.values(value).filter((part) => part instanceof Object && "~standard" in part);
  return Object.keys(value).some((name) => STEPS.has(name)) &&
    (schemas.length < Object.keys(value).length || "inputSchema" in value || "parameters" in value);
}

function readMembers(value: Members, steps: Map<Step, unknown>, others: string[]): string | undefined {
  for (const [member, part] of Object.entries(value)) {
    const step = STEPS.get(member);
    if (part === undefined || part === null) continue;
    if (step !== undefined) steps.set(step, part);
    else if (!NAMES.includes(member)) others.push(member);
  }
  const name = NAMES.map((member) => value[member]).find((one) => typeof one === "string");
  return name as string | undefined;
}

/** Writes a definition: `defineTool("add")` and its steps, each on a line. Parts that cannot be written are `…`. */
export function writeTool({ name, steps, others }: ForeignDefinition, adapters: readonly SchemaAdapter[]): string {
  const all = new Map(steps);
  if (!all.has("describe")) all.set("describe", all.get("title") ?? "…");
  if (!all.has("handle")) all.set("handle", undefined);
  const lines = STEP_ORDER.filter((step) => all.has(step)).map((step) =>
    `\n  .${step}(${writeArgument(step, all.get(step), adapters)})`
  );
  // What is left out changes what the tool does, so it is named: a comment may be pasted, too.
  const left = others.filter((member) => (MEMBER_LINES[member] ?? "…") !== "").map((member) =>
    `\n  // ${member}: ${MEMBER_LINES[member] ?? "not written here"}`
  );
  return `defineTool(${JSON.stringify(name)})${[...lines.slice(0, -1), ...left, ...lines.slice(-1)].join("")}`;
}

/** Writes the argument of a step. */
export function writeArgument(step: Step, value: unknown, adapters: readonly SchemaAdapter[]): string {
  if (typeof value === "function" && (step === "handle" || step === "visibleTo")) return writeFunction(value);
  switch (step) {
    case "input":
    case "output":
      return writeAnySchema(value, adapters);
    case "handle":
      return "(input, ctx) => …";
    case "describe":
    case "title":
      return JSON.stringify(typeof value === "string" ? shorten(value, MAX_TEXT) : "…");
    default:
      return typeof value === "string" ? JSON.stringify(shorten(value, MAX_TEXT)) : writeObject(value);
  }
}

/** JSON, with names that need no quotes. */
function writeObject(value: unknown): string {
  return (JSON.stringify(value, undefined, 1) ?? "…").replace(/\n\s*/g, " ").replace(
    /(?<!\\)"([A-Za-z_]\w*)":/g,
    "$1:",
  );
}

/** Writes a schema, or the object of schemas that some libraries take. */
function writeAnySchema(given: unknown, adapters: readonly SchemaAdapter[]): string {
  const where = "The schema";
  const convert = (schema: unknown): Members => {
    try {
      return compileSchema(schema as never, { where, adapters, check: undefined }).jsonSchema;
    } catch {
      // Not convertible: written as `…`.
      return {};
    }
  };
  const vendorOf = (schema: unknown): unknown =>
    schema instanceof Object && "~standard" in schema ? (schema["~standard"] as Members)["vendor"] : undefined;
  if (vendorOf(given) !== undefined) return writeSchema(convert(given), vendorOf(given));
  const parts = isJsonObject(given) ? Object.entries(given) : [];
  const vendor = parts.map(([, part]) => vendorOf(part)).find((one) => one !== undefined);
  if (vendor === undefined) return writeSchema(convert(given), undefined);
  const properties = Object.fromEntries(parts.map(([name, part]) => [name, convert(part)]));
  const required = parts.filter(([, part]) => !acceptsAbsence(part)).map(([name]) => name);
  return writeSchema({ type: "object", properties, required }, vendor);
}

function acceptsAbsence(schema: unknown): boolean {
  const { validate } = (schema as { readonly "~standard"?: { validate?: (value: unknown) => unknown } })["~standard"] ??
    {};
  const checked = validate?.(undefined);
  return isJsonObject(checked) && checked["issues"] === undefined && !(checked instanceof Promise);
}

/** Writes a handler: its source, as an arrow function; one of tRPC or Mastra, which takes one object, is called with it. */
function writeFunction(handler: object): string {
  const source = Function.prototype.toString.call(handler);
  if (source.length > MAX_SOURCE || source.includes("[native code]")) return "(input, ctx) => …";
  const [, isAsync = "", star = "", name = "", rest = ""] =
    /^(async\s+)?(\*\s*)?(?!function\b|async\b)([\w$]+)\s*(\([^]*)$/.exec(source) ?? [];
  const isMethod = name !== "" && /\)\s*\{/.test(rest) && !/^\([^)]*\)\s*=>/.test(rest);
  const written = isMethod ? `${isAsync}function${star && "*"} ${rest}` : source;
  const member = /^(?:async\s*)?(?:function\s*\*?\s*\w*\s*)?\(\s*\{[^}]*\b(input|context)\b[^}]*\}\s*\)/.exec(written)
    ?.[1];
  return member === undefined
    ? written
    : `(input, ctx) => (${written})({ ${member === "input" ? "input" : "context: input"}, ctx })`;
}
