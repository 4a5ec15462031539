/**
 * Tools as signatures, in the notation of TypeScript: about a sixth of the tokens of their JSON Schema.
 *
 * @module
 */
import { isJsonObject } from "../../internal/json.ts";
import {
  type MemberNode,
  type ObjectNode,
  type ReferenceNode,
  toTypeNode,
  type TypeNode,
  UNKNOWN,
} from "./type_node.ts";
import { enclose, joinTypes, keyText, literalText } from "./type_text.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Values of an enumeration that a signature lists; the rest is `…`. */
const MAX_VALUES = 12;
/** Nesting of objects that a signature shows; deeper ones are `object`. */
const MAX_DEPTH = 3;

/** Parts of types that a signature shows; further ones are `unknown`. References may multiply them. */
const MAX_PARTS = 1_000;

/** Returns a tool's schemas as `(city: string, days?: number) => { temperature: number }`. Long unions and deep objects are shortened. */
export function signatureOf(inputSchema: JsonSchema, outputSchema: JsonSchema | undefined): string {
  const { properties, required } = inputSchema;
  const input = toTypeNode({ schema: { type: "object", properties, required }, root: inputSchema });
  const output = outputSchema === undefined ? UNKNOWN : toTypeNode({ schema: outputSchema, root: outputSchema });
  const writer = new SignatureWriter();
  const parameters = isJsonObject(properties) && input.kind === "object" ? writer.members(input.members, 1) : "";
  return `(${parameters}) => ${writer.type(output, 0)}`;
}

/** Returns the type that a schema describes, in one line. Long unions and deep objects are shortened. */
export function typeTextOf(schema: JsonSchema): string {
  return new SignatureWriter().type(toTypeNode({ schema, root: schema }), 0);
}

/** Writes types as text, up to a number of parts, beyond which it writes an ellipsis. */
class SignatureWriter {
  #left = MAX_PARTS;

  type(type: TypeNode, depth: number): string {
    return this.#write(this.#follow(type, depth), depth);
  }

  /** Required members first, as a caller has to know them. */
  members(members: readonly MemberNode[], depth: number): string {
    return [...members.filter(({ isRequired }) => isRequired), ...members.filter(({ isRequired }) => !isRequired)]
      .map(({ name, type, isRequired }) => `${keyText(name)}${isRequired ? "" : "?"}: ${this.type(type, depth)}`)
      .join(", ");
  }

  #write(node: Exclude<TypeNode, ReferenceNode>, depth: number): string {
    switch (node.kind) {
      case "keyword":
        return node.name;
      case "literal":
        return literalText(node.value);
      case "array":
        return `${this.#enclosed(node.item, depth + 1)}[]`;
      case "tuple":
        return `[${node.items.map((item) => this.type(item, depth + 1)).join(", ")}]`;
      case "object":
        return this.#object(node, depth);
      case "union":
        return joinTypes(node, node.types.map((part) => this.type(part, depth)), MAX_VALUES);
      case "intersection":
        return joinTypes(node, node.types.map((part) => this.#enclosed(part, depth)));
    }
  }

  #enclosed(type: TypeNode, depth: number): string {
    const node = this.#follow(type, depth);
    return enclose(node, this.#write(node, depth));
  }

  /** Replaces a reference by its type. Each counts as a level, since types may contain themselves. */
  #follow(type: TypeNode, depth: number): Exclude<TypeNode, ReferenceNode> {
    let node = this.#left-- > 0 ? type : UNKNOWN;
    for (let level = depth; node.kind === "reference"; level++) {
      node = level > 2 * MAX_DEPTH ? UNKNOWN : toTypeNode(node.target);
    }
    return node;
  }

  #object({ members, rest }: ObjectNode, depth: number): string {
    if (depth >= MAX_DEPTH) return "object";
    if (members.length > 0) return `{ ${this.members(members, depth + 1)} }`;
    const value = rest === undefined ? "unknown" : this.type(rest, depth + 1);
    return value === "unknown" || value === "never" ? "object" : `Record<string, ${value}>`;
  }
}
