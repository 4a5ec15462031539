/** Follows references to the schema that is compared. */
import { valueAt } from "../../core/json_schema/pointer.ts";
import { hasOwnBase } from "../../core/json_schema/subschemas.ts";
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";
import { isJsonObject, type Members } from "../../internal/json.ts";
import type { ObjectPlace } from "./object_changes.ts";
import { isDifferent } from "./scalar_changes.ts";

/** Maximum number of references from one to the next. */
const MAX_REFERENCES = 64;

const EVERYTHING: Members = {};
const NOTHING: Members = { not: {} };

/** Keywords beside a reference that restrict nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "title description default examples deprecated $comment $defs definitions $schema $id".split(" "),
);

/** Schemas with a reference and other keywords, with the schemas that are compared in their place: the same for each use. */
const JOINED = new WeakMap<object, Members>();

/** Follows `$ref` to a schema; `true` and `false` become objects. `undefined` if it is unresolvable. Beside other rules it is part of `allOf`. */
export function resolvePlace({ schema, root }: SchemaPlace): ObjectPlace | undefined {
  let current: SchemaPlace = { schema, root };
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const node = current.schema;
    if (typeof node === "boolean") return { schema: node ? EVERYTHING : NOTHING, root: current.root };
    if (!isJsonObject(node)) return undefined;
    if (hasOwnBase(node)) current = { schema: node, root: node };
    const { $ref, ...rest } = node;
    if ($ref === undefined) return { schema: node, root: current.root };
    if (!Object.keys(rest).every((name) => ANNOTATIONS.has(name))) {
      return { schema: joinReference(node), root: current.root };
    }
    if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) return undefined;
    current = { schema: valueAt(current.root, $ref), root: current.root };
  }
  return undefined;
}

function joinReference(node: Members): Members {
  const known = JOINED.get(node);
  if (known !== undefined) return known;
  const { $ref, allOf = [], ...rest } = node;
  const joined = { ...rest, allOf: [{ $ref }, ...(Array.isArray(allOf) ? allOf : [])] };
  JOINED.set(node, joined);
  return joined;
}

/** Whether two schemas that cannot be resolved are the same reference to the same document. */
export function isSameDocument(before: SchemaPlace, after: SchemaPlace): boolean {
  const { schema } = before;
  const isForeign = isJsonObject(schema) && typeof schema["$ref"] === "string" && !schema["$ref"].startsWith("#");
  return isForeign && !isDifferent(schema, after.schema);
}
