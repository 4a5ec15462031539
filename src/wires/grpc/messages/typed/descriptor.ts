/** Descriptor of the typed service's file, for reflection and for the handlers of Connect. */
import { create, createFileRegistry, type DescFile, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type DescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  type FieldDescriptorProtoSchema,
  file_google_protobuf_struct,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import type { TypedServiceType } from "./service.ts";
import {
  type FieldType,
  isOptionalScalar,
  type ItemType,
  type MessageField,
  type MessageType,
  type ScalarKind,
  usesStruct,
} from "./types.ts";

type MessageInit = MessageInitShape<typeof DescriptorProtoSchema>;
type FieldInit = MessageInitShape<typeof FieldDescriptorProtoSchema>;

/** Import path of the file of `google.protobuf.Value` and `google.protobuf.Struct`. */
export const STRUCT_FILE = "google/protobuf/struct.proto";

/** Name of the file of a package: `acme/docs/v1.proto`. */
function fileNameOf(packageName: string): string {
  return `${packageName.replaceAll(".", "/")}.proto`;
}

/** Makes the descriptor of the service's `.proto` file, linked to those of the files that it imports. */
export function describeFile(service: TypedServiceType): DescFile {
  const proto = createFileProto(service);
  const registry = createFileRegistry(proto, (name) => name === STRUCT_FILE ? file_google_protobuf_struct : undefined);
  return registry.getFile(proto.name) as DescFile;
}

function createFileProto(service: TypedServiceType): FileDescriptorProto {
  const { package: packageName, messages, methods, typeName } = service;
  return create(FileDescriptorProtoSchema, {
    name: fileNameOf(packageName),
    package: packageName,
    syntax: "proto3",
    dependency: usesStruct(messages) ? [STRUCT_FILE] : [],
    messageType: messages.map(describeMessage),
    service: [{
      name: typeName.slice(packageName.length + 1),
      method: methods.map(({ name, input, response, isStream }) => ({
        name,
        inputType: `.${input.typeName}`,
        outputType: `.${response.typeName}`,
        ...(isStream && { serverStreaming: true }),
      })),
    }],
  });
}

function describeMessage(message: MessageType): MessageInit {
  const { name, fields, nested, form } = message;
  const optionals = fields.filter((field) => form !== "oneof" && isOptionalScalar(field));
  return {
    name,
    field: fields.map((field) => describeField(field, message, optionals)),
    nestedType: [...nested.map(describeMessage), ...fields.flatMap(describeEntry)],
    oneofDecl: [
      ...(form === "oneof" ? [{ name: "outcome" }] : []),
      ...optionals.map(({ name }) => ({ name: `_${name}` })),
    ],
  };
}

function describeField(
  field: MessageField,
  { typeName, form }: MessageType,
  optionals: readonly MessageField[],
): FieldInit {
  const { key, name, number, type } = field;
  const index = optionals.indexOf(field);
  return {
    name,
    number,
    jsonName: jsonNameOf(key, name),
    label: type.kind === "list" || type.kind === "map" ? Label.REPEATED : Label.OPTIONAL,
    ...describeType(type, `.${typeName}.${entryNameOf(name)}`),
    ...(form === "oneof" && { oneofIndex: 0 }),
    ...(index !== -1 && { proto3Optional: true, oneofIndex: index }),
  };
}

/** The JSON name that a compiler of protobuf gives to a field by default: `page_size` is `pageSize`. */
export function defaultJsonName(name: string): string {
  return name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}

/** JSON name of a field: the name of the property, unless protobuf reserves it. */
export function jsonNameOf(key: string | undefined, name: string): string {
  return key === undefined || key === "" || /^\[|\0/.test(key) ? defaultJsonName(name) : key;
}

/** Name of the message that protobuf makes for the entries of a map. */
function entryNameOf(name: string): string {
  return `_${name}`.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase()) + "Entry";
}

/** @param entry Name of the message of entries, if it is a map. */
function describeType(type: FieldType, entry: string): Pick<FieldInit, "type" | "typeName"> {
  if (type.kind === "map") return { type: Type.MESSAGE, typeName: entry };
  return describeItem(type.kind === "list" ? type.item : type);
}

function describeItem(item: ItemType): Pick<FieldInit, "type" | "typeName"> {
  switch (item.kind) {
    case "message":
      return { type: Type.MESSAGE, typeName: `.${item.message.typeName}` };
    case "value":
      return { type: Type.MESSAGE, typeName: ".google.protobuf.Value" };
    case "struct":
      return { type: Type.MESSAGE, typeName: ".google.protobuf.Struct" };
    default:
      return { type: SCALARS[item.kind] };
  }
}

const SCALARS: Readonly<Record<ScalarKind, Type>> = {
  bool: Type.BOOL,
  double: Type.DOUBLE,
  int32: Type.INT32,
  int64: Type.INT64,
  string: Type.STRING,
  uint32: Type.UINT32,
};

function describeEntry({ name, type }: MessageField): MessageInit[] {
  if (type.kind !== "map") return [];
  return [{
    name: entryNameOf(name),
    options: { mapEntry: true },
    field: [
      { name: "key", number: 1, jsonName: "key", label: Label.OPTIONAL, type: Type.STRING },
      { name: "value", number: 2, jsonName: "value", label: Label.OPTIONAL, ...describeItem(type.item) },
    ],
  }];
}
