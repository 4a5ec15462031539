/**
 * Types that JSON Schemas describe, as a tree. Signatures and contracts are notations of it.
 *
 * A type accepts every value that its schema accepts. Keywords without a counterpart in types are left out, so that a type may
 * accept more. One rule is stricter than JSON Schema: `properties` without `type` describe an object, `items` an array.
 */
import { isJsonObject, type Members, pointerKeys } from "../../internal/json.ts";
import { valueAt } from "./pointer.ts";
import { hasOwnBase } from "./subschemas.ts";

/** Names of types without parts. `integer` is a `number` here. */
type TypeKeyword = "string" | "number" | "boolean" | "null" | "unknown" | "never";

/** The type of the values that a schema accepts, as a tree from which signatures and contracts are written. */
export type TypeNode =
  | KeywordNode
  | LiteralNode
  | ReferenceNode
  | { readonly kind: "array"; readonly item: TypeNode }
  | TupleNode
  | ObjectNode
  | { readonly kind: "union" | "intersection"; readonly types: readonly TypeNode[] };

/** A type without parts. */
export interface KeywordNode {
  readonly kind: "keyword";
  readonly name: TypeKeyword;
}

/** The type of one value. */
export interface LiteralNode {
  readonly kind: "literal";
  readonly value: string | number | boolean | null;
}

/** The type of another schema of the document, which a `$ref` leads to. */
export interface ReferenceNode {
  readonly kind: "reference";
  readonly target: SchemaPlace;
  /** Last name in the path of the reference. Empty for the root. */
  readonly name: string;
}

/** The type of an array whose first items have types of their position. */
export interface TupleNode {
  readonly kind: "tuple";
  readonly items: readonly TypeNode[];
  /** Number of items that every value has. */
  readonly required: number;
  /** Type of the items that follow. `undefined` if no item may follow. */
  readonly rest: TypeNode | undefined;
}

/** The type of an object. */
export interface ObjectNode {
  readonly kind: "object";
  readonly members: readonly MemberNode[];
  /** Type of members with other names, if the schema declares it. */
  readonly rest: TypeNode | undefined;
}

/** A member of an object type. */
export interface MemberNode {
  readonly name: string;
  readonly type: TypeNode;
  readonly isRequired: boolean;
  /** Schema of the member, for its documentation. */
  readonly schema: unknown;
}

/** A schema, and the schema that its references are relative to. */
export interface SchemaPlace {
  readonly schema: unknown;
  readonly root: unknown;
}

/** Maximum nesting of a type. Deeper parts are `unknown`. */
const MAX_DEPTH = 64;

/** The type of any value. */
export const UNKNOWN: KeywordNode = { kind: "keyword", name: "unknown" };
const NEVER: KeywordNode = { kind: "keyword", name: "never" };

/** Returns the type that a schema describes. References are not followed: they become nodes with their target. */
export function toTypeNode({ schema, root }: SchemaPlace): TypeNode {
  return new TypeReader(root).read(schema, 0);
}

/** Returns the object that a local reference leads to, or `undefined`. Schemas with an own `$id` are roots of references. */
function targetOf(reference: unknown, root: unknown): unknown {
  return typeof reference === "string" && /^#(\/|$)/.test(reference) ? valueAt(root, reference) : undefined;
}

/** Converts a schema to types, and resolves its references. */
class TypeReader {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  read(schema: unknown, depth: number): TypeNode {
    if (schema === false) return NEVER;
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return UNKNOWN;
    const reader = hasOwnBase(schema) ? new TypeReader(schema) : this;
    const node = intersectionOf([...reader.#parts(schema, depth)]);
    return schema["nullable"] === true ? unionOf([node, { kind: "keyword", name: "null" }]) : node;
  }

  /** The types that a value has all of. */
  *#parts(schema: Members, depth: number): Generator<TypeNode> {
    const { const: constant, enum: values, allOf } = schema;
    if (Object.hasOwn(schema, "const")) return yield literalOf(constant);
    if (Array.isArray(values)) return yield unionOf(values.map(literalOf));
    if (schema["$ref"] !== undefined) yield this.#reference(schema["$ref"]);
    yield this.#typed(schema, depth);
    if (Array.isArray(allOf)) { for (const part of allOf) yield this.read(part, depth + 1); }
    for (const alternatives of [schema["anyOf"], schema["oneOf"]]) {
      if (Array.isArray(alternatives) && alternatives.length > 0) {
        yield unionOf(alternatives.map((part) => this.read(part, depth + 1)));
      }
    }
  }

  #reference(reference: unknown): TypeNode {
    const schema = targetOf(reference, this.#root);
    if (schema === false) return NEVER;
    const target = { schema, root: this.#root };
    if (!isJsonObject(schema) || containsItself(target)) return UNKNOWN;
    return { kind: "reference", target, name: pointerKeys(String(reference)).at(-1) ?? "" };
  }

  #typed(schema: Members, depth: number): TypeNode {
    const types = [schema["type"] ?? impliedTypes(schema)].flat();
    return unionOf(types.map((type) => this.#named(type, schema, depth)));
  }

  #named(type: unknown, schema: Members, depth: number): TypeNode {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
      case "number":
        return { kind: "keyword", name: type };
      case "integer":
        return { kind: "keyword", name: "number" };
      case "array":
        return this.#array(schema, depth + 1);
      case "object":
        return this.#object(schema, depth + 1);
      default:
        return UNKNOWN;
    }
  }

  #array(schema: Members, depth: number): TypeNode {
    const { items, prefixItems = items, minItems, maxItems = Infinity } = schema;
    const others = Array.isArray(items) ? schema["additionalItems"] : items;
    if (!Array.isArray(prefixItems)) return { kind: "array", item: this.read(others, depth) };
    const rest = others === false || Number(maxItems) <= prefixItems.length ? undefined : this.read(others, depth);
    const required = typeof minItems === "number" ? Math.min(minItems, prefixItems.length) : 0;
    return { kind: "tuple", items: prefixItems.map((item) => this.read(item, depth)), required, rest };
  }

  #object(schema: Members, depth: number): TypeNode {
    const { properties, additionalProperties: additional } = schema;
    const declared = Object.entries(isJsonObject(properties) ? properties : {});
    const names: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
    const required = new Set(names.filter((name) => typeof name === "string"));
    const rest = this.#rest(schema, declared.length > 0 || required.size > 0, depth);
    const members = declared.map(([name, part]): MemberNode => {
      return { name, type: this.read(part, depth), isRequired: required.has(name), schema: part };
    });
    for (const [name] of declared) required.delete(name);
    const other = isJsonObject(additional) && schema["patternProperties"] === undefined ? rest : undefined;
    for (const name of required) {
      members.push({ name, type: other ?? UNKNOWN, isRequired: true, schema: undefined });
    }
    return { kind: "object", members, rest };
  }

  /** Type of members that are not declared. An object without declared members may have any, unless it is closed. */
  #rest(schema: Members, hasMembers: boolean, depth: number): TypeNode | undefined {
    const { additionalProperties: additional, patternProperties: patterns } = schema;
    const types = Object.values(isJsonObject(patterns) ? patterns : {}).map((part) => this.read(part, depth));
    if (additional === true || isJsonObject(additional)) types.push(this.read(additional, depth));
    else if (additional !== false && types.length > 0) return UNKNOWN;
    if (types.length > 0) return unionOf(types);
    if (hasMembers) return undefined;
    return additional === false ? NEVER : UNKNOWN;
  }
}

/** Types that keywords imply if there is no `type`. */
function impliedTypes(schema: Members): string {
  const names = ["properties", "required", "patternProperties"];
  if (names.some((name) => schema[name] !== undefined) || isJsonObject(schema["additionalProperties"])) return "object";
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? "array" : "unknown";
}

/** Whether a type would refer to itself without an object or array between, as `type A = A | string` does. */
function containsItself({ schema, root }: SchemaPlace): boolean {
  const seen = new Set<unknown>();
  const open = directParts(schema, root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === schema) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...directParts(next, root));
  }
  return false;
}

function directParts(schema: unknown, root: unknown): unknown[] {
  if (!isJsonObject(schema)) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  return [targetOf($ref, root), allOf, anyOf, oneOf].flat().filter(isJsonObject);
}

function literalOf(value: unknown): TypeNode {
  if (Array.isArray(value)) {
    return { kind: "tuple", items: value.map(literalOf), required: value.length, rest: undefined };
  }
  if (!isJsonObject(value)) return isLiteral(value) ? { kind: "literal", value } : UNKNOWN;
  const members = Object.entries(value).map(([name, member]) => {
    return { name, type: literalOf(member), isRequired: true, schema: undefined };
  });
  return { kind: "object", members, rest: members.length === 0 ? NEVER : undefined };
}

/** Whether a value can be a type. A number of JSON may be too large to be finite. */
function isLiteral(value: unknown): value is LiteralNode["value"] {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Joins alternatives to one type. `unknown` absorbs the others, `never` is left out, and no alternatives are `never`. */
export function unionOf(types: readonly TypeNode[]): TypeNode {
  if (types.some((type) => isKeyword(type, "unknown"))) return UNKNOWN;
  return combine("union", types.filter((type) => !isKeyword(type, "never")), NEVER);
}

/** Joins types that a value has all of. `never` absorbs the others, and `unknown` is left out. */
function intersectionOf(types: readonly TypeNode[]): TypeNode {
  if (types.some((type) => isKeyword(type, "never"))) return NEVER;
  return combine("intersection", types.filter((type) => !isKeyword(type, "unknown")), UNKNOWN);
}

function combine(kind: "union" | "intersection", types: readonly TypeNode[], empty: TypeNode): TypeNode {
  const parts = types.flatMap((type) => (type.kind === kind ? type.types : [type]));
  const [first, second] = parts;
  return second === undefined ? first ?? empty : { kind, types: parts };
}

function isKeyword(type: TypeNode, name: TypeKeyword): boolean {
  return type.kind === "keyword" && type.name === name;
}
