/**
 * Reads the definitions of zod's schemas: of zod 4 and `zod/mini` (`_zod.def`), and of zod 3 (`_def`), which is brought into the form of
 * zod 4. Reads the structure of the objects, so any copy and version of zod will do.
 *
 * Source: {@link https://zod.dev/packages/core | zod/v4/core}, which documents `_zod.def` for authors of libraries.
 */

/** A schema of zod, of any version. */
export interface ZodNode {
  readonly _zod?: { readonly def: ZodDefinition; readonly optin?: unknown };
  readonly _def?: OldDefinition;
  readonly meta?: () => Readonly<Record<string, unknown>> | undefined;
  readonly isOptional?: () => boolean;
}

/** Definition of a schema, in the form of zod 4. Which members are present depends on the type. */
export interface ZodDefinition {
  readonly type: string;
  readonly checks: readonly ZodCheck[];
  readonly element: ZodNode;
  readonly shape: Readonly<Record<string, ZodNode>>;
  readonly catchall?: ZodNode | undefined;
  readonly options: readonly ZodNode[];
  readonly left: ZodNode;
  readonly right: ZodNode;
  readonly items: readonly ZodNode[];
  readonly rest?: ZodNode | null | undefined;
  readonly keyType: ZodNode;
  readonly valueType: ZodNode;
  readonly entries: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly innerType: ZodNode;
  readonly defaultValue: unknown;
  readonly in: ZodNode;
  readonly out: ZodNode;
  readonly getter: () => ZodNode;
  readonly pattern?: RegExp;
}

/** A check of a value. Which members are present depends on its name. */
export interface ZodCheck {
  /** Name, such as `min_length`. */
  readonly check: string;
  readonly format?: string | undefined;
  readonly pattern?: RegExp | undefined;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly length?: unknown;
  readonly value?: unknown;
  readonly inclusive?: boolean | undefined;
  /** Whether a date and time without an offset is accepted. */
  readonly local?: boolean | undefined;
  readonly precision?: number | null | undefined;
}

/** Definition of a schema of zod 3. */
export interface OldDefinition {
  readonly typeName: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

/** A check of a schema of zod 3, such as a minimum. */
interface OldCheck {
  readonly kind: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly regex?: RegExp;
  readonly local?: boolean;
}

/** Returns the definition of a schema in the form of zod 4, with the checks of the schema itself. @throws {TypeError} If it is not a schema of zod. */
export function readDefinition(node: ZodNode): ZodDefinition {
  const def = node._zod?.def;
  if (def !== undefined) return { ...def, ...accessorsOf(def), checks: checksOf(def) };
  if (node._def === undefined) throw new TypeError("a part of it is not a schema of zod");
  return readOld(node._def);
}

/** Members that zod defines as getters, which a spread would call: a default may be computed, and a shape may refer to itself. */
function accessorsOf(def: ZodDefinition): Partial<ZodDefinition> {
  return {
    get shape() {
      return def.shape;
    },
    get defaultValue() {
      return def.defaultValue;
    },
  };
}

function checksOf(def: ZodDefinition): readonly ZodCheck[] {
  const own = (def as { readonly check?: unknown }).check === undefined ? [] : [def as unknown as ZodCheck];
  const added = (def.checks ?? []) as readonly { readonly _zod?: { readonly def: ZodCheck } }[];
  return [...own, ...added.flatMap((one) => one._zod?.def ?? [])];
}

/** Types of zod 3 whose name differs from that of zod 4 by more than the prefix `Zod`. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["discriminatedunion", "union"],
  ["nativeenum", "enum"],
  ["pipeline", "pipe"],
  ["branded", "readonly"],
]);

/** Brings a definition of zod 3 into the form of zod 4. */
function readOld(old: OldDefinition): ZodDefinition {
  const name = old.typeName.replace(/^Zod/, "").toLowerCase();
  const type = RENAMED.get(name) ?? name;
  const members = old as OldDefinition & Partial<ZodDefinition>;
  const checks = [
    ...((old["checks"] ?? []) as readonly OldCheck[]).map((check) => readOldCheck(check, type)),
    ...lengthsOf(old),
  ];
  return { ...members, type, checks, ...membersOf(type, old) } as ZodDefinition;
}

/** Members of a definition that zod 4 has under another name, or in another form. */
function membersOf(type: string, old: OldDefinition): Readonly<Record<string, unknown>> {
  const value = (name: string): unknown => old[name];
  const call = (name: string): unknown => (old[name] as () => unknown)();
  switch (type) {
    case "array":
      return { element: value("type") };
    case "object":
      return { shape: call("shape"), catchall: catchallOf(old) };
    case "union":
      return {
        options: [...(value("options") as Iterable<unknown> & { values?: () => Iterable<unknown> }).values?.() ?? []],
      };
    case "literal":
      return { values: [value("value")] };
    case "enum":
      return { entries: namedValues(value("values") as Readonly<Record<string, unknown>>) };
    case "default":
      return { defaultValue: call("defaultValue") };
    case "readonly":
      return { innerType: value("innerType") ?? value("type") };
    case "effects":
      return { type: isInstanceOf(old) ? "instance" : "readonly", innerType: value("schema") };
    default:
      return {};
  }
}

/** The check of `z.custom()` and `.refine()`, as zod 3 stores it. */
type Refinement = (value: unknown, ctx: { addIssue(issue: { readonly message?: unknown }): void }) => unknown;

/**
 * Whether a schema is `z.instanceof(…)`, which zod 3 writes as `z.any()` with a check. Only the check of `z.custom()`, which `z.instanceof()`
 * is made with, is called: its text has names that other checks do not have. A class with a message of the user's is not recognized.
 */
function isInstanceOf({ schema, effect }: OldDefinition): boolean {
  const check = (effect as { readonly refinement?: Refinement } | undefined)?.refinement;
  if (check === undefined || (schema as ZodNode)._def?.typeName !== "ZodAny") return false;
  if (!/instanceof Promise[^]*\bfatal\b/.test(String(check))) return false;
  let isInstance = false;
  const addIssue = ({ message }: { readonly message?: unknown }) => {
    isInstance ||= /^Input not instance of /.test(String(message));
  };
  try {
    const checked = check(null, { addIssue });
    if (checked instanceof Promise) checked.catch(() => undefined);
  } catch {
    // A check of the user's that cannot take `null`.
  }
  return isInstance;
}

function namedValues(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Array.isArray(values) ? Object.fromEntries(values.map((value) => [value, value])) : values;
}

const NEVER: ZodNode = { _def: { typeName: "ZodNever" } };
const ANY: ZodNode = { _def: { typeName: "ZodAny" } };

function catchallOf({ unknownKeys, catchall }: OldDefinition): ZodNode | undefined {
  if (unknownKeys !== "strip") return unknownKeys === "strict" ? NEVER : ANY;
  const node = catchall as ZodNode | undefined;
  return node?._def?.typeName === "ZodNever" ? undefined : node;
}

function lengthsOf({ minLength, maxLength, exactLength }: OldDefinition): readonly ZodCheck[] {
  const read = (length: unknown) => (length as { readonly value?: unknown } | null | undefined)?.value;
  const [minimum, maximum, length] = [minLength, maxLength, exactLength].map(read);
  return [
    ...(minimum === undefined ? [] : [{ check: "min_length", minimum }]),
    ...(maximum === undefined ? [] : [{ check: "max_length", maximum }]),
    ...(length === undefined ? [] : [{ check: "length_equals", length }]),
  ];
}

function readOldCheck({ kind, value, inclusive, regex, local }: OldCheck, type: string): ZodCheck {
  const isText = type === "string";
  switch (kind) {
    case "min":
      return isText ? { check: "min_length", minimum: value } : { check: "greater_than", value, inclusive };
    case "max":
      return isText ? { check: "max_length", maximum: value } : { check: "less_than", value, inclusive };
    case "length":
      return { check: "length_equals", length: value };
    case "int":
      return { check: "number_format", format: "safeint" };
    case "multipleOf":
      return { check: "multiple_of", value };
    case "trim":
    case "toLowerCase":
    case "toUpperCase":
      return { check: "overwrite" };
    case "startsWith":
      return text(`^${escapeRegExp(String(value))}`);
    case "endsWith":
      return text(`${escapeRegExp(String(value))}$`);
    case "includes":
      return text(escapeRegExp(String(value)));
    default:
      return { check: "string_format", format: kind, pattern: regex, local };
  }
}

function text(pattern: string): ZodCheck {
  return { check: "string_format", format: "regex", pattern: new RegExp(pattern) };
}

function escapeRegExp(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
