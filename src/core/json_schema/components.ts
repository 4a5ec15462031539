/**
 * Schemas as components of an OpenAPI document, with references that lead into the document.
 *
 * Definitions of a schema become separate components, because generators of clients follow references to components only.
 *
 * @module
 */
import { isJsonObject, pointerKeys } from "../../internal/json.ts";
import { mapParts } from "./subschemas.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** An entry of `#/components/schemas` of an OpenAPI document: its name and its schema. */
export type Component = readonly [name: string, schema: JsonSchema];

/** Makes the components of a tool: `<name>.input`, `<name>.output` if it has an output schema, and one for each of their `$defs`. */
export function toolComponents({ name, inputSchema, outputSchema }: {
  readonly name: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}): readonly Component[] {
  const input = schemaComponents(inputComponent(name), inputSchema);
  return outputSchema === undefined ? input : [...input, ...schemaComponents(outputComponent(name), outputSchema)];
}

/** Returns the name of the OpenAPI component of a tool's arguments: `<tool>.input`. */
export function inputComponent(tool: string): string {
  return `${toComponentName(tool)}.input`;
}

/** Returns the name of the OpenAPI component of a tool's output: `<tool>.output`. */
export function outputComponent(tool: string): string {
  return `${toComponentName(tool)}.output`;
}

/** Returns a name for a component: other characters than ASCII letters, digits, dots, hyphens and underscores become underscores. */
export function toComponentName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
}

/** Returns the schema `{ $ref: "#/components/schemas/<name>" }`. The name is not changed. */
export function componentRef(name: string): JsonSchema {
  return { $ref: `${PREFIX}${name}` };
}

const PREFIX = "#/components/schemas/";

/** Makes the component of a schema, and those of its definitions: `<name>.<definition>`. */
export function schemaComponents(name: string, schema: JsonSchema): readonly Component[] {
  const { $defs: _, ...root } = schema;
  return [
    [name, embedPart(root, name, schema)],
    ...definitionsOf(schema).map(([key, definition]): Component => {
      const boolean = definition === false ? { not: {} } : {};
      return [definitionName(name, key), isJsonObject(definition) ? embedPart(definition, name, schema) : boolean];
    }),
  ];
}

/**
 * Copies a part of a schema, with references that lead to the components of the schema.
 *
 * @param name Name of the component of the schema.
 */
export function embedPart(part: JsonSchema, name: string, schema: JsonSchema): JsonSchema {
  const names = new Map(definitionsOf(schema).map(([key]) => [key, definitionName(name, key)]));
  const embed = (one: JsonSchema): JsonSchema => {
    const { $ref } = one;
    return mapParts(typeof $ref === "string" ? { ...one, $ref: moveReference($ref, name, names) } : one, embed);
  };
  return embed(part);
}

function definitionsOf({ $defs }: JsonSchema): readonly [string, unknown][] {
  return isJsonObject($defs) ? Object.entries($defs) : [];
}

function definitionName(name: string, key: string): string {
  return `${name}.${toComponentName(key)}`;
}

/** Rewrites a reference that is relative to the root of the schema. */
function moveReference(reference: string, name: string, names: ReadonlyMap<string, string>): string {
  const [pointer = "", key = "", rest = ""] = /^#\/\$defs\/([^/]+)(.*)$/s.exec(reference) ?? [];
  const moved = pointer === "" ? undefined : names.get(String(pointerKeys(`/${key}`)[0]));
  return moved === undefined ? reference.replace(/^#/, () => PREFIX + name) : `${PREFIX}${moved}${rest}`;
}
