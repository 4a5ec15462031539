import type { ListedTool } from "../../core/call/transport.ts";
import { valueAt } from "../../core/json_schema/pointer.ts";
import { BOOLEAN, checkOptions, oneOf, type OptionRules, required } from "../../internal/options.ts";
import { ANTHROPIC_STRICT, type Dialect, GEMINI, OPENAI_STRICT, type ParameterSchema } from "./dialects.ts";
import type { SchemaChange } from "./keywords.ts";
import { type ModelParameters, toNamedParameters, toParameters } from "./parameters.ts";
import { reduce } from "./reduce.ts";
import type { InexpressiblePart, ReducedSchema } from "./schema_count.ts";

/** A vendor of models for {@link explainSchema}, whose subset of JSON Schema is known. */
export type SchemaVendor = "openai" | "anthropic" | "gemini";

/** Options of {@link explainSchema}. */
export interface ExplainOptions {
  /** Whether to use the vendor's strict mode if the schema can be expressed in it. Gemini has none. Default: true. */
  readonly strict?: boolean | undefined;
}

/** The form of a tool's input schema that a vendor takes, and how it differs from the input schema. */
export interface SchemaExplanation {
  /** Whether `schema` is for the vendor's strict mode. */
  readonly strict: boolean;
  /** JSON Schema for the request: `parameters`, `input_schema` or `parametersJsonSchema`. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Keywords of the input schema that are not sent as they are. The server validates arguments against all of them. */
  readonly changes: readonly SchemaChange[];
  /** What strict mode cannot express, if that was asked for. */
  readonly refused?: InexpressiblePart;
  /** Converts the arguments that a model writes to arguments of the tool. */
  toArguments(args: unknown): unknown;
}

/** Limits of Anthropic on one request: number of strict tools, and of optional properties and unions in all of their schemas. */
export const ANTHROPIC_LIMITS = { tools: 20, optional: 24, unions: 16 } as const;

const STRICT: Readonly<Record<SchemaVendor, Dialect | undefined>> = {
  openai: OPENAI_STRICT,
  anthropic: ANTHROPIC_STRICT,
  gemini: undefined,
};

const RULES: OptionRules<Required<ExplainOptions> & { readonly vendor: SchemaVendor }> = {
  strict: BOOLEAN,
  vendor: required(oneOf("openai", "anthropic", "gemini")),
};

/**
 * Explains how the adapters change a tool's input schema for a vendor: the schema for the request, what was rewritten, described or removed
 * and why, by JSON Pointer, and why the tool is not strict.
 *
 * @example A format that Anthropic does not know
 * ```ts
 * import { explainSchema } from "jsr:@toolwire/toolwire/agents";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const inputSchema = { type: "object", properties: { age: { type: "integer", minimum: 0 } }, additionalProperties: false };
 * const { strict, schema, changes } = explainSchema({ inputSchema }, "anthropic");
 * console.log(strict); // → true
 * console.log(schema["properties"]); // → { age: { type: "integer", description: "minimum: 0" } }
 * deepStrictEqual(changes, [
 *   { pointer: "/properties/age/minimum", change: "described", reason: "Anthropic's strict mode does not enforce it" },
 * ]);
 * ```
 * @param tool What `defineTool` returns, or a tool of a list, such as `server.tools[0]` or one of `await client.$.list()`.
 * @param vendor The vendor of the model.
 * @throws {TypeError} If the vendor or an option is invalid.
 */
export function explainSchema(
  tool: Pick<ListedTool, "inputSchema"> | { readonly "~definition": Pick<ListedTool, "inputSchema"> },
  vendor: SchemaVendor,
  options: ExplainOptions = {},
): SchemaExplanation {
  checkOptions("explain a schema", { ...options, vendor }, RULES);
  const { inputSchema } = "~definition" in tool ? tool["~definition"] : tool;
  const parameters = vendor === "anthropic" ? toNamedParameters(inputSchema) : toParameters(inputSchema);
  const form = toForm(parameters, vendor, options.strict ?? true);
  return {
    ...form,
    changes: form.changes.map((change) => ({ ...change, pointer: locate(inputSchema, change.pointer) })),
  };
}

/** Converts parameters to the form for a vendor, not strict if that is impossible. `toArguments` converts to the tool's arguments. */
export function toForm(parameters: ModelParameters, vendor: SchemaVendor, isStrict: boolean): SchemaExplanation {
  if (vendor === "gemini") return toGemini(parameters);
  const dialect = isStrict ? STRICT[vendor] : undefined;
  const loose = { strict: false, ...parameters };
  if (dialect === undefined) return pick(loose);
  const reduced = toStrict(parameters, dialect);
  return "reason" in reduced
    ? { ...pick(loose), refused: { ...reduced, pointer: parameters.toPointer(reduced.pointer) } }
    : join(parameters, reduced, true);
}

/** Reduces parameters to a dialect within its limits, or returns why that is impossible. `toArguments` restores the parameters only. */
export function toStrict({ schema }: ModelParameters, dialect: Dialect): ReducedSchema | InexpressiblePart {
  const reduced = reduce(schema, dialect);
  if ("reason" in reduced || dialect !== ANTHROPIC_STRICT) return reduced;
  const { optional, unions } = ANTHROPIC_LIMITS;
  if (reduced.optional > optional) return { pointer: "", reason: `it has more than ${optional} optional properties` };
  return reduced.unions > unions ? { pointer: "", reason: `it has more than ${unions} unions` } : reduced;
}

function toGemini(parameters: ModelParameters): SchemaExplanation {
  const reduced = reduce(parameters.schema, GEMINI);
  // What cannot be reduced is sent as it is, which Gemini takes as a hint.
  return "reason" in reduced
    ? {
      ...pick({ ...parameters, strict: false }),
      refused: { ...reduced, pointer: parameters.toPointer(reduced.pointer) },
    }
    : join(parameters, reduced, false);
}

function pick({ strict, schema, changes, toArguments }: SchemaExplanation): SchemaExplanation {
  return { strict, schema, changes, toArguments };
}

function join(parameters: ModelParameters, reduced: ReducedSchema, strict: boolean): SchemaExplanation {
  const changes = reduced.changes.map((change) => ({ ...change, pointer: parameters.toPointer(change.pointer) }));
  return {
    strict,
    schema: reduced.schema,
    changes: [...parameters.changes, ...changes],
    toArguments: (args) => parameters.toArguments(reduced.toArguments(args)),
  };
}

/** The part of a pointer that leads somewhere: merged schemas have members that the original does not have there. */
function locate(schema: ParameterSchema | undefined, pointer: string): string {
  let found = pointer;
  while (found !== "" && valueAt(schema, found) === undefined) found = found.slice(0, found.lastIndexOf("/"));
  return found;
}
