/** Writes the types of schemas as declarations of TypeScript, with a name for each definition. */
import {
  type MemberNode,
  type ObjectNode,
  toTypeNode,
  type TupleNode,
  type TypeNode,
  unionOf,
} from "../../../src/core/json_schema/type_node.ts";
import type { SchemaPlace } from "../../../src/core/json_schema/type_node.ts";
import { enclose, joinTypes, keyText, literalText } from "../../../src/core/json_schema/type_text.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import { describeSchema, docComment } from "./doc_comment.ts";
import type { TypeNames } from "./type_names.ts";

/** Whether callers pass a value of the type or receive it. Arrays of inputs are `readonly`, so that callers can pass constants. */
export type TypeUse = "input" | "output";

/** A schema to declare as a type, with the name and the use of that type. */
export interface DeclaredSchema extends SchemaPlace {
  readonly name: string;
  readonly use: TypeUse;
}

/** Returns `export type` declarations: one of the schema, then one of each definition that it refers to. `names` names the definitions. */
export function declareTypes(declared: DeclaredSchema, names: TypeNames): string[] {
  const writer = new DeclarationWriter(declared, names);
  return [...writer.declarations()];
}

/** Writes the type of one schema, with declarations for parts that refer to themselves. */
class DeclarationWriter {
  readonly #name: string;
  readonly #readonly: string;
  readonly #names: TypeNames;
  readonly #declared = new Map<unknown, string>();
  readonly #open: SchemaPlace[] = [];

  constructor({ schema, root, name, use }: DeclaredSchema, names: TypeNames) {
    this.#name = name;
    this.#readonly = use === "input" ? "readonly " : "";
    this.#names = names;
    this.#open.push({ schema, root });
    if (isJsonObject(schema)) this.#declared.set(schema, name);
  }

  *declarations(): Generator<string> {
    for (let place = this.#open.shift(); place !== undefined; place = this.#open.shift()) {
      const name = this.#declared.get(place.schema) ?? this.#name;
      yield `${docComment(describeSchema(place.schema), "")}export type ${name} = ${
        this.#type(toTypeNode(place), "")
      };\n`;
    }
  }

  #type(node: TypeNode, indent: string): string {
    switch (node.kind) {
      case "keyword":
        return node.name;
      case "literal":
        return literalText(node.value);
      case "reference":
        return this.#reference(node.target, node.name);
      case "array":
        return `${this.#readonly}${this.#part(node.item, indent)}[]`;
      case "tuple":
        return this.#tuple(node, indent);
      case "object":
        return this.#object(node, indent);
      case "union":
        return joinTypes(node, node.types.map((part) => this.#type(part, indent)));
      case "intersection":
        return joinTypes(node, node.types.map((part) => this.#part(part, indent)));
    }
  }

  /** A type as a part of another one. */
  #part(node: TypeNode, indent: string): string {
    const text = this.#type(node, indent);
    return text.startsWith("readonly ") ? `(${text})` : enclose(node, text);
  }

  #reference(target: SchemaPlace, key: string): string {
    const known = this.#declared.get(target.schema);
    if (known !== undefined) return known;
    const name = this.#names.add(this.#name, key);
    this.#declared.set(target.schema, name);
    this.#open.push(target);
    return name;
  }

  #tuple({ items, required, rest }: TupleNode, indent: string): string {
    const parts = items.map((item, index) => {
      return index < required ? this.#type(item, indent) : `${this.#part(item, indent)}?`;
    });
    if (rest !== undefined) parts.push(`...${this.#part(rest, indent)}[]`);
    return `${this.#readonly}[${parts.join(", ")}]`;
  }

  #object({ members, rest }: ObjectNode, indent: string): string {
    const others = rest && `[key: string]: ${this.#others(members, rest, indent)}`;
    if (members.length === 0) return `{ ${others ?? "[key: string]: unknown"} }`;
    const inner = `${indent}  `;
    const lines = members.map((member) => this.#member(member, inner));
    if (others !== undefined) lines.push(`${inner}${others};\n`);
    return `{\n${lines.join("")}${indent}}`;
  }

  #member({ name, type, isRequired, schema }: MemberNode, indent: string): string {
    const comment = docComment(describeSchema(schema), indent);
    return `${comment}${indent}${keyText(name)}${isRequired ? "" : "?"}: ${this.#type(type, indent)};\n`;
  }

  /** Type of other members. An index signature has to fit the named members as well. */
  #others(members: readonly MemberNode[], rest: TypeNode, indent: string): string {
    if (members.length === 0) return this.#type(rest, `${indent}  `);
    const fitting = unionOf([rest, ...members.map(({ type }) => type)]);
    const text = this.#type(fitting, `${indent}  `);
    if (text === "unknown" || text.length > MAX_FITTING) return "unknown";
    return members.every(({ isRequired }) => isRequired) ? text : `${text} | undefined`;
  }
}

/** Maximum length of the type of other members, if it repeats the types of the named ones. */
const MAX_FITTING = 120;
