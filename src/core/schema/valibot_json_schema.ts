/**
 * What a valibot schema takes, as JSON Schema 2020-12: valibot's own converter, with our rules for what it cannot convert.
 *
 * Callers are told less, never more than what holds. A check that JSON Schema cannot say is left out. So is one that follows a
 * transformation: it is not about what was sent. A schema that has no JSON form is refused.
 *
 * @module
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { SchemaAdapter } from "./adapter.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";

/** What is read of a valibot schema or action; which of it is there depends on its type. */
export interface ValibotSchema {
  /** `schema`, `validation`, `transformation` or `metadata`. */
  readonly kind: string;
  /** What it is or does, in snake case. */
  readonly type: string;
  readonly pipe?: readonly ValibotSchema[];
  readonly item: ValibotSchema;
  readonly items: readonly ValibotSchema[];
  readonly rest: ValibotSchema;
  readonly entries: Readonly<Record<string, ValibotSchema>>;
  readonly key: ValibotSchema;
  readonly value: ValibotSchema;
  readonly wrapped: ValibotSchema;
  readonly options: readonly ValibotSchema[];
  readonly literal: unknown;
  /** Whatever else it has, such as the `requirement` of a validation. */
  readonly [member: string]: unknown;
}

/** Converts valibot's schemas, by `@valibot/to-json-schema`. Valibot itself is not imported. */
export const valibotJsonSchema: SchemaAdapter = { vendor: "valibot", toJsonSchema: convertValibot };

type Options = NonNullable<Parameters<typeof toJsonSchema>[1]>;

/**
 * Converts a valibot schema to the JSON Schema of what it takes.
 *
 * @throws {TypeError} If the schema has no JSON form, such as a `Date`.
 */
export function convertValibot(schema: Schema): JsonSchema {
  const root = schema as Schema & ValibotSchema;
  const { $schema: _, ...converted } = toJsonSchema(root as unknown as Parameters<typeof toJsonSchema>[0], {
    target: "draft-2020-12",
    typeMode: "input",
    // What cannot be converted is decided below.
    errorMode: "ignore",
    // Not those that the program has made global: a tool lists what is in its schema.
    definitions: {},
    ...leaveOut(),
  });
  // An object without members would be taken for one that has to be empty.
  return { ...(root.type === "loose_object" && { additionalProperties: true }), ...converted };
}

/** Transformations that leave the value as it is: checks that follow are still about what was sent. */
const KEEPS_VALUE: ReadonlySet<string> = new Set(["brand", "flavor", "guard", "readonly"]);

/** The rules of one conversion. The library adds each action of a pipeline to one object, in order, and then asks. */
function leaveOut(): Pick<Options, "overrideSchema" | "overrideAction"> {
  /** Of which the value is no longer what was sent. */
  const changed = new WeakSet<object>();
  /** The object as it was before the action. */
  let before: Readonly<Record<string, unknown>> = {};
  return {
    overrideSchema({ valibotSchema, jsonSchema, errors }) {
      const schema = valibotSchema as unknown as ValibotSchema;
      if (errors !== undefined) throw new TypeError(explainRefusal(schema));
      if (changesValue(schema)) changed.add(jsonSchema);
      if (Object.hasOwn(schema.entries ?? {}, "__proto__")) ownProto(jsonSchema.properties ?? {});
      before = { ...jsonSchema };
      return undefined;
    },
    overrideAction({ valibotAction, jsonSchema, errors }) {
      const { kind, type, requirement } = valibotAction as unknown as ValibotSchema;
      if (kind === "transformation" && !KEEPS_VALUE.has(type)) changed.add(jsonSchema);
      else if (kind !== "metadata" && changed.has(jsonSchema)) restore(jsonSchema, before);
      else if (requirement instanceof RegExp) {
        // JSON Schema reads patterns as flag u does. Others it cannot say, and without them a pattern would refuse what is right.
        const isTold = /^u?$/.test(requirement.flags);
        if (!isTold && jsonSchema.pattern === requirement.source) restore(jsonSchema, before);
        else if (isTold && errors !== undefined) jsonSchema.pattern ||= requirement.source;
      }
      before = { ...jsonSchema };
      return undefined;
    },
  };
}

function restore(jsonSchema: object, before: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(jsonSchema)) if (!Object.hasOwn(before, key)) Reflect.deleteProperty(jsonSchema, key);
  Object.assign(jsonSchema, before);
}

/** The library makes the object's prototype of a member that is called so, but on Deno, where that name is one as any. */
function ownProto(properties: object): void {
  if (Object.hasOwn(properties, "__proto__")) return;
  const value = Object.getPrototypeOf(properties);
  Object.setPrototypeOf(properties, Object.prototype);
  Object.defineProperty(properties, "__proto__", { value, configurable: true, enumerable: true, writable: true });
}

/** Whether what follows a schema in a pipeline is about something else than what was sent. */
function changesValue({ pipe = [], wrapped, options = [] }: ValibotSchema): boolean {
  const within = [...pipe.slice(0, 1), wrapped, ...options];
  return pipe.slice(1).some(({ kind, type }) =>
    kind === "schema" || (kind === "transformation" && !KEEPS_VALUE.has(type))
  ) || within.some((part) => part instanceof Object && changesValue(part));
}

/** A promise, which the getter of `v.lazyAsync` may give, has no type. */
function explainRefusal({ type = "promise", key }: ValibotSchema): string {
  if (type === "record") return `a "record" has keys of v.string(), not of a "${key.type}"`;
  return /^(literal|enum|picklist)$/.test(type)
    ? `a value of a "${type}" has no JSON form`
    : `a "${type}" has no JSON form`;
}
