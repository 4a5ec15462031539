/**
 * Reads JSON Schemas as messages.
 *
 * A message accepts every value that its schema accepts. Where protobuf has no such type, the field is a `google.protobuf.Value`.
 * Dispatch validates the values, as on every wire.
 */
import { valueAt } from "../../../../core/json_schema/pointer.ts";
import { hasOwnBase } from "../../../../core/json_schema/subschemas.ts";
import { asObject, isJsonObject, type Members, pointerKeys } from "../../../../internal/json.ts";
import { identifyFields, takeName, typeNameOf, type Unnumbered } from "./names.ts";
import { resolveParts, type SchemaPart } from "./schema_parts.ts";
import { scalarOf } from "./scalars.ts";
import type { SchemaPlace } from "../../../../core/json_schema/type_node.ts";
import { createMessage, type FieldType, type ItemType, type MessageField, type OpenMessage } from "./types.ts";

/** Where a schema is: its root of references, the message around it, and the name for its message. */
interface Place {
  readonly root: unknown;
  readonly owner: OpenMessage;
  readonly name: string;
}

/** Type of a field, as it follows from a schema. */
interface ReadType {
  readonly type: FieldType;
  /** Whether the value may be `null` besides. */
  readonly isNullable: boolean;
}

const VALUE: ItemType = { kind: "value" };
const ANY: ReadType = { type: VALUE, isNullable: false };

/** Maximum number of schemas that are read for one message. A schema that refers to others repeatedly has no end otherwise. */
const MAX_SCHEMAS = 10_000;

/**
 * Reads the schema of an input, output or partial into a message.
 *
 * @param singleName Name of the only field, if the schema does not describe an object.
 */
export function readMessage(place: SchemaPlace, message: OpenMessage, singleName: string): void {
  new SchemaReader(message).readTop(place, singleName);
}

/** Converts the schemas of one tool to messages of Protocol Buffers. */
class SchemaReader {
  readonly #top: OpenMessage;
  /** Messages by the schemas of their objects. */
  readonly #messages = new Map<unknown, OpenMessage>();
  /** Schemas that are being read. */
  readonly #open = new Set<unknown>();
  #remaining = MAX_SCHEMAS;

  constructor(top: OpenMessage) {
    this.#top = top;
  }

  readTop({ schema, root }: SchemaPlace, singleName: string): void {
    const parts = isJsonObject(schema) ? resolveParts(schema, root) : undefined;
    if (parts === undefined || !parts.every(isObjectPart)) {
      const field = this.#field(singleName, schema, { root, owner: this.#top, name: singleName }, true);
      this.#top.form = "single";
      return void this.#top.fields.push(...this.#identify([field]));
    }
    if (parts.length === 1) this.#messages.set(parts[0]?.schema, this.#top);
    this.#fillObject(this.#top, parts);
  }

  #fillObject(message: OpenMessage, parts: readonly SchemaPart[]): void {
    const properties = propertiesOf(parts);
    const required = new Set(parts.flatMap(({ schema }) => namesOf(schema["required"])));
    const fields = [...properties].map(([key, { schema, root }]) => {
      return this.#field(key, schema, { root, owner: message, name: key }, required.has(key));
    });
    for (const key of required) {
      if (!properties.has(key)) fields.push({ key, type: VALUE, absent: "omitted" });
    }
    const rest = this.#rest(parts, fields.length > 0, message);
    if (rest !== undefined) fields.push({ key: undefined, type: { kind: "map", item: rest }, absent: "zero" });
    message.fields.push(...this.#identify(fields));
  }

  #identify(fields: readonly UnnumberedField[]): MessageField[] {
    const identities = identifyFields(fields);
    return fields.map((field, index) => ({ ...field, ...identities[index] as { name: string; number: number } }));
  }

  /** Type of the properties that are not declared; `undefined` if none may be sent. */
  #rest(parts: readonly SchemaPart[], hasFields: boolean, owner: OpenMessage): ItemType | undefined {
    const [part, ...others] = parts;
    const { additionalProperties: additional, patternProperties: patterns } = part?.schema ?? {};
    if (isJsonObject(patterns) && Object.keys(patterns).length > 0) return VALUE;
    if (additional === undefined && others.length === 0) return hasFields ? undefined : VALUE;
    if (others.length > 0) return parts.some(({ schema }) => isOpen(schema)) ? VALUE : undefined;
    if (additional === true) return VALUE;
    if (additional === false) return undefined;
    return this.#item(additional, { root: part?.root, owner, name: "AdditionalProperties" });
  }

  #field(key: string, schema: unknown, place: Place, isRequired: boolean): UnnumberedField {
    const { type, isNullable } = this.#read(schema, place);
    const base = { key, schema };
    const { default: preset } = asObject(schema);
    if (isNullable && isRequired) return { ...base, type: this.#single(type, place), absent: "null" };
    if (isNullable && preset !== null) return { ...base, type: this.#nullable(type, place), absent: "omitted" };
    if (isNullable) return { ...base, type: this.#single(type, place), absent: "omitted" };
    if (isRequired) return { ...base, type, absent: hasZero(type) ? "zero" : "omitted" };
    // An empty list cannot be distinguished from an absent one, so that the default would replace it.
    return { ...base, type: isFilled(preset) ? this.#single(type, place) : type, absent: "omitted" };
  }

  /** The type as one that may be an item: of lists, of maps, and where presence is needed. */
  #single(type: FieldType, place: Place): ItemType {
    if (type.kind !== "list" && type.kind !== "map") return type;
    const isList = type.kind === "list";
    return this.#wrap(type, place, isList ? "List" : "Map", isList ? "items" : "entries", "zero");
  }

  /** A message whose value is `null` if its field is not set. */
  #nullable(type: FieldType, place: Place): ItemType {
    return this.#wrap(this.#single(type, place), place, "OrNull", "value", "null");
  }

  #wrap(type: FieldType, place: Place, suffix: string, key: string, absent: MessageField["absent"]): ItemType {
    const message = nest(place.owner, typeNameOf(place.name) + suffix, undefined);
    message.form = "single";
    message.fields.push(...this.#identify([{ key, type, absent }]));
    return { kind: "message", message };
  }

  #item(schema: unknown, place: Place): ItemType {
    const { type, isNullable } = this.#read(schema, place);
    return isNullable ? this.#nullable(type, place) : this.#single(type, place);
  }

  #read(schema: unknown, place: Place): ReadType {
    if (!isJsonObject(schema) || --this.#remaining < 0) return ANY;
    const root = hasOwnBase(schema) ? schema : place.root;
    const scalar = scalarOf(schema, root);
    if (scalar !== undefined) return { type: { kind: scalar.kind }, isNullable: scalar.isNullable };
    const { $ref: reference } = schema;
    if (typeof reference === "string" && isReferenceAlone(schema)) {
      const name = pointerKeys(reference).at(-1) ?? "";
      return this.#once(valueAt(root, reference), { root, owner: this.#top, name: name || place.name });
    }
    return this.#once(schema, { ...place, root });
  }

  /** Reads a schema, unless it is being read already: a list of itself has no type. */
  #once(schema: unknown, place: Place): ReadType {
    const known = this.#messages.get(schema);
    if (known !== undefined) return { type: { kind: "message", message: known }, isNullable: false };
    if (!isJsonObject(schema) || this.#open.has(schema)) return ANY;
    this.#open.add(schema);
    try {
      return this.#structured(schema, place);
    } finally {
      this.#open.delete(schema);
    }
  }

  #structured(schema: Members, place: Place): ReadType {
    const alternatives = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(alternatives) && !isObjectPart({ schema, root: place.root })) {
      return this.#alternatives(alternatives, place);
    }
    const types = [schema["type"]].flat();
    if (types.length === 2 && types.includes("null")) {
      const { type } = this.#read({ ...schema, type: types.find((type) => type !== "null") }, place);
      return { type, isNullable: type.kind !== "value" };
    }
    if (schema["type"] === "array") return this.#array(schema, place);
    const parts = resolveParts(schema, place.root);
    return parts?.every(isObjectPart) === true ? this.#object(schema, parts, place) : ANY;
  }

  #alternatives(schemas: readonly unknown[], place: Place): ReadType {
    const others = schemas.filter((schema) => !isNull(schema));
    if (others.length !== 1) return ANY;
    const { type, isNullable } = this.#read(others[0], place);
    if (type.kind === "value") return ANY;
    return { type, isNullable: isNullable || others.length < schemas.length };
  }

  #array({ items, prefixItems }: Members, place: Place): ReadType {
    if (prefixItems !== undefined || Array.isArray(items)) return ANY;
    return { type: { kind: "list", item: this.#item(items, place) }, isNullable: false };
  }

  #object(schema: Members, parts: readonly SchemaPart[], place: Place): ReadType {
    const hasNames = parts.some(({ schema: { properties, required } }) => {
      return Object.keys(asObject(properties)).length > 0 || namesOf(required).length > 0;
    });
    if (hasNames || parts.every(({ schema }) => schema["additionalProperties"] === false)) {
      const message = nest(place.owner, typeNameOf(place.name), schema);
      this.#messages.set(schema, message);
      this.#fillObject(message, parts);
      return { type: { kind: "message", message }, isNullable: false };
    }
    const item = this.#rest(parts, false, place.owner) ?? VALUE;
    return { type: item.kind === "value" ? { kind: "struct" } : { kind: "map", item }, isNullable: false };
  }
}

/** A field before its number is known, which depends on its name and type. */
type UnnumberedField = Unnumbered & Pick<MessageField, "absent" | "schema">;

function nest(owner: OpenMessage, name: string, schema: unknown): OpenMessage {
  const message = createMessage(owner.typeName, takeName(name, owner.taken), schema);
  owner.nested.push(message);
  return message;
}

/** Properties of an object. One that several parts have has to fit all of them. */
function propertiesOf(parts: readonly SchemaPart[]): ReadonlyMap<string, { schema: unknown; root: unknown }> {
  const properties = new Map<string, { schema: unknown; root: unknown }>();
  for (const { schema, root } of parts) {
    for (const [key, property] of Object.entries(asObject(schema["properties"]))) {
      const known = properties.get(key);
      properties.set(
        key,
        known === undefined ? { schema: property, root } : {
          schema: { allOf: [known.schema, property] },
          root,
        },
      );
    }
  }
  return properties;
}

function namesOf(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Whether a schema describes objects, and not by alternatives. */
function isObjectPart({ schema }: SchemaPart): boolean {
  const { type, anyOf = [], oneOf = [] } = schema;
  const alternatives = [anyOf, oneOf].flat().map(asObject);
  // Alternatives that only require members are left to validation.
  if (alternatives.some((part) => Object.keys(part).some((keyword) => keyword !== "required"))) return false;
  if (type !== undefined) return type === "object";
  return isJsonObject(schema["properties"]) || isJsonObject(schema["additionalProperties"]);
}

function isReferenceAlone(schema: Members): boolean {
  const keywords = ["type", "properties", "required", "allOf", "anyOf", "oneOf", "additionalProperties"];
  return !keywords.some((keyword) => schema[keyword] !== undefined);
}

function isOpen({ additionalProperties: additional }: Members): boolean {
  return additional === true || isJsonObject(additional);
}

function isNull(schema: unknown): boolean {
  const { type, const: constant, enum: values } = asObject(schema);
  return type === "null" || constant === null || (Array.isArray(values) && values.every((value) => value === null));
}

function hasZero({ kind }: FieldType): boolean {
  return kind !== "value" && kind !== "struct" && kind !== "message";
}

/** Whether a default is a list or an object with members. */
function isFilled(preset: unknown): boolean {
  return typeof preset === "object" && preset !== null && Object.keys(preset).length > 0;
}
