/**
 * Converts the input of valibot schemas to JSON Schema 2020-12: valibot's own converter, with rules for what it cannot
 * convert.
 *
 * The result never excludes a valid value. Checks without a JSON Schema keyword are omitted, as are checks after a
 * transformation, because they do not concern the sent value. A schema without a JSON form is rejected.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { SchemaAdapter } from "./adapter.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";

/** Members of valibot schemas and actions that are read here. Which are present depends on the type. */
export interface ValibotSchema {
  /** `schema`, `validation`, `transformation` or `metadata`. */
  readonly kind: string;
  /** Type of the schema or action, in snake case. */
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
  /** Further members, such as the `requirement` of a validation. */
  readonly [member: string]: unknown;
}

/** Schema adapter for `toolDefiner`: converts valibot schemas with `@valibot/to-json-schema`, without importing valibot itself. */
export const valibotJsonSchema: SchemaAdapter = { vendor: "valibot", toJsonSchema: convertValibot };

type Options = NonNullable<Parameters<typeof toJsonSchema>[1]>;

/**
 * Converts the input of a valibot schema to JSON Schema.
 *
 * @throws {TypeError} If the schema has no JSON form, such as a `Date`.
 */
export function convertValibot(schema: Schema): JsonSchema {
  const root = schema as Schema & ValibotSchema;
  const { $schema: _, ...converted } = toJsonSchema(root as unknown as Parameters<typeof toJsonSchema>[0], {
    target: "draft-2020-12",
    typeMode: "input",
    // Errors are handled below.
    errorMode: "ignore",
    // Ignores global definitions: a tool lists its own schema only.
    definitions: {},
    ...leaveOut(),
  });
  return converted;
}

/** Transformations that do not change the value, so that the following checks concern the sent value. */
const KEEPS_VALUE: ReadonlySet<string> = new Set(["brand", "flavor", "guard", "readonly"]);

/**
 * Overrides for one conversion. The library applies the actions of a pipeline to one object in order, then calls the
 * override.
 */
function leaveOut(): Pick<Options, "overrideSchema" | "overrideAction"> {
  /** Objects whose value has been transformed. */
  const changed = new WeakSet<object>();
  /** The object before the action. */
  let before: Readonly<Record<string, unknown>> = {};
  return {
    overrideSchema({ valibotSchema, jsonSchema, errors }) {
      const schema = valibotSchema as unknown as ValibotSchema;
      if (errors !== undefined) throw new TypeError(explainRefusal(schema));
      if (changesValue(schema)) changed.add(jsonSchema);
      // The converter leaves it out, as for objects that drop other names.
      if (schema.type === "loose_object") jsonSchema.additionalProperties = true;
      if (Object.hasOwn(schema.entries ?? {}, "__proto__")) ownProto(jsonSchema.properties ?? {});
      before = { ...jsonSchema };
      return undefined;
    },
    overrideAction({ valibotAction, jsonSchema, errors }) {
      const { kind, type, requirement } = valibotAction as unknown as ValibotSchema;
      if (kind === "transformation" && !KEEPS_VALUE.has(type)) changed.add(jsonSchema);
      else if (kind !== "metadata" && changed.has(jsonSchema)) restore(jsonSchema, before);
      else if (requirement instanceof RegExp) {
        // JSON Schema patterns have the flag `u`. A pattern with other flags is omitted, because it could reject valid
        // values.
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

/** The library sets the object's prototype if a member is called `__proto__`. On Deno that is an ordinary member. */
function ownProto(properties: object): void {
  if (Object.hasOwn(properties, "__proto__")) return;
  const value = Object.getPrototypeOf(properties);
  Object.setPrototypeOf(properties, Object.prototype);
  Object.defineProperty(properties, "__proto__", { value, configurable: true, enumerable: true, writable: true });
}

/** Whether the following parts of a pipeline concern another value than the sent one. */
function changesValue({ pipe = [], wrapped, options = [] }: ValibotSchema): boolean {
  const within = [...pipe.slice(0, 1), wrapped, ...options];
  return pipe.slice(1).some(({ kind, type }) =>
    kind === "schema" || (kind === "transformation" && !KEEPS_VALUE.has(type))
  ) || within.some((part) => part instanceof Object && changesValue(part));
}

/** A promise, possible as a result of the getter of `v.lazyAsync`, has no type. */
function explainRefusal({ type = "promise", key }: ValibotSchema): string {
  if (type === "record") return `a "record" has keys of v.string(), not of a "${key.type}"`;
  return /^(literal|enum|picklist)$/.test(type)
    ? `a value of a "${type}" has no JSON form`
    : `a "${type}" has no JSON form`;
}
