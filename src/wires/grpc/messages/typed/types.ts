/**
 * Messages of the typed service: a model between JSON Schemas and Protocol Buffers. The codec, the descriptor and the text of the
 * `.proto` file are made from it.
 */

/** Scalar types of protobuf that the model uses. */
export type ScalarKind = "bool" | "double" | "int32" | "int64" | "string" | "uint32";

/** Type of a single value. A `value` is a `google.protobuf.Value`, a `struct` a `google.protobuf.Struct`. */
export type ItemType =
  | { readonly kind: ScalarKind | "value" | "struct" }
  | { readonly kind: "message"; readonly message: MessageType };

/** Type of a field. A `list` is a repeated field, a `map` a map from strings. */
export type FieldType =
  | ItemType
  | { readonly kind: "list"; readonly item: ItemType }
  | { readonly kind: "map"; readonly item: ItemType };

/** A field of a message. */
export interface MessageField {
  /** Name of the property; `undefined` for the map of all properties that have no field. */
  readonly key: string | undefined;
  /** Name in the `.proto` file. */
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  /**
   * JSON of a field that was not sent: the zero of its type, as usual in proto3; no member; or `null`. The last two have the
   * keyword `optional`, if they are scalar.
   */
  readonly absent: "zero" | "omitted" | "null";
  /** Schema of the property, for comments. */
  readonly schema?: unknown;
}

/** Description of a protobuf message that is made of a JSON Schema. */
export interface MessageType {
  readonly name: string;
  /** Name with those of the package and of the messages around it. */
  readonly typeName: string;
  /** JSON of the message: an object, or the value of its only field. A `oneof` is an object with one of its members. */
  readonly form: "object" | "single" | "oneof";
  readonly fields: readonly MessageField[];
  readonly nested: readonly MessageType[];
  readonly schema?: unknown;
}

/** A message that is being made, so that fields can be added. */
export interface OpenMessage extends MessageType {
  form: MessageType["form"];
  readonly fields: MessageField[];
  readonly nested: OpenMessage[];
  /** Names of the nested messages, in lower case. */
  readonly taken: Set<string>;
}

export function createMessage(scope: string, name: string, schema?: unknown): OpenMessage {
  return { name, typeName: `${scope}.${name}`, form: "object", fields: [], nested: [], schema, taken: new Set() };
}

function isScalar({ kind }: FieldType): boolean {
  return !["value", "struct", "message", "list", "map"].includes(kind);
}

/** Whether a field has the keyword `optional`. */
export function isOptionalScalar({ type, absent }: MessageField): boolean {
  return absent !== "zero" && isScalar(type);
}

/** Whether messages need the types of `google/protobuf/struct.proto`. */
export function usesStruct(messages: readonly MessageType[]): boolean {
  const needs = ({ type }: MessageField) => {
    const item = type.kind === "list" || type.kind === "map" ? type.item : type;
    return item.kind === "value" || item.kind === "struct";
  };
  return messages.some(({ fields, nested }) => fields.some(needs) || usesStruct(nested));
}
