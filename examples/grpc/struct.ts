/**
 * JSON values as `@grpc/proto-loader` wants and gives them: it knows `google.protobuf.Struct` only as a message like any other.
 *
 * @module
 */

/** A `google.protobuf.Value`: one of its members. */
export interface StructValue {
  readonly nullValue?: unknown;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values?: readonly StructValue[] };
}

/** A `google.protobuf.Struct`. */
export interface Struct {
  readonly fields?: Readonly<Record<string, StructValue>>;
}

/** Writes an object. */
export function toStruct(members: Readonly<Record<string, unknown>>): Struct {
  return { fields: Object.fromEntries(Object.entries(members).map(([name, value]) => [name, toValue(value)])) };
}

/** Reads an object. */
export function fromStruct({ fields = {} }: Struct): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]));
}

function toValue(value: unknown): StructValue {
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
  return value === null ? { nullValue: 0 } : { structValue: toStruct(value as Readonly<Record<string, unknown>>) };
}

function fromValue({ numberValue, stringValue, boolValue, structValue, listValue }: StructValue): unknown {
  if (structValue !== undefined) return fromStruct(structValue);
  if (listValue !== undefined) return (listValue.values ?? []).map(fromValue);
  return numberValue ?? stringValue ?? boolValue ?? null;
}
