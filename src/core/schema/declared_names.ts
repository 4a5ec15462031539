/**
 * Names of properties that a JSON Schema declares, level by level, and what it says about other names.
 *
 * @module
 */
import { isJsonObject } from "../../internal/json.ts";
import type { JsonSchema } from "./standard_schema.ts";

/** The properties of the objects, and the items of the arrays, at one place of a schema. */
export interface NameLevel {
  /** Declared names, with the levels of their values. */
  readonly names: ReadonlyMap<string, NameLevel | undefined>;
  /** Level of the items of an array. */
  readonly items: NameLevel | undefined;
  /** What the schema says about other names. `unsaid`: it declares names and says nothing. */
  readonly others: "allowed" | "refused" | "unsaid";
}

/** Keywords that say something about names that `properties` does not declare. Alternatives are left to the schema. */
const OTHER_NAMES = /^((additional|pattern|unevaluated)Properties|dependentSchemas|if|\$ref|allOf|anyOf|oneOf)$/;

/** Reads the levels of a schema; `undefined` if it has neither `properties` nor `items` that declare names. `$ref` is not followed. */
export function readNames(schema: unknown): NameLevel | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { properties } = schema;
  const items = readNames(schema["items"]);
  if (properties === undefined && items === undefined) return undefined;
  const about = Object.keys(schema).filter((keyword) => OTHER_NAMES.test(keyword)).join();
  return {
    names: new Map(Object.entries(properties ?? {}).map(([name, part]) => [name, readNames(part)])),
    items,
    others: properties !== undefined && about === ""
      ? "unsaid"
      : about === "additionalProperties" && schema[about] === false
      ? "refused"
      : "allowed",
  };
}

/** Returns a copy with `additionalProperties: false` in each object of the `level` that declares names and leaves others `unsaid`. */
export function refuseOthers(schema: JsonSchema, level: NameLevel | undefined): JsonSchema {
  const copy = structuredClone(schema);
  addRefusals(copy, level);
  return copy;
}

/** The members of a schema of JSON that are changed here. */
interface Changeable {
  additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Changeable>>;
  readonly items?: Changeable;
}

function addRefusals(schema: Changeable | undefined, level: NameLevel | undefined): void {
  if (schema === undefined || level === undefined) return;
  if (level.others === "unsaid") schema.additionalProperties = false;
  for (const [name, below] of level.names) addRefusals(schema.properties?.[name], below);
  addRefusals(schema.items, level.items);
}
