/** Writes the typed gRPC service of a server as the text of a `.proto` file. */
import { cutText, escapeControls } from "../../../src/internal/text.ts";
import { asObject } from "../../../src/internal/json.ts";
import { defaultJsonName, jsonNameOf, STRUCT_FILE } from "../../../src/wires/grpc/messages/typed/descriptor.ts";
import type { TypedMethod, TypedServiceType } from "../../../src/wires/grpc/messages/typed/service.ts";
import {
  type FieldType,
  isOptionalScalar,
  type MessageField,
  type MessageType,
  usesStruct,
} from "../../../src/wires/grpc/messages/typed/types.ts";
import { describeSchema } from "./doc_comment.ts";

const HEAD =
  `// Typed gRPC service of a server, written by \`toolwire proto\`. Run it again to update this file; with --check it compares.
//
// The number of a field is a hash of the name of its property and of its type: no other change of the tools changes it.

syntax = "proto3";
`;

/** Returns the text of the file: the service and its messages, with descriptions as comments. It depends on the tools alone, in any order. */
export function writeProto(service: TypedServiceType): string {
  const { package: packageName, typeName, methods, messages } = service;
  const name = typeName.slice(packageName.length + 1);
  return [
    HEAD,
    `package ${packageName};\n`,
    ...(usesStruct(messages) ? [`import ${quote(STRUCT_FILE)};\n`] : []),
    `service ${name} {\n${methods.map(methodText).join("")}}\n`,
    ...messages.map((message) => messageText(message, "")),
  ].join("\n");
}

function methodText({ name, input, response, isStream, listed, tool }: TypedMethod): string {
  const texts = tool === listed.name
    ? describeSchema({ title: listed["title"], description: listed.description })
    : [`Redeems a promise of ${listed.name}.`];
  return `${comment(texts, "  ")}  rpc ${name}(${input.name}) returns (${
    isStream ? "stream " : ""
  }${response.name});\n`;
}

function messageText(message: MessageType, indent: string): string {
  const { name, form, fields, nested } = message;
  const inner = `${indent}  `;
  const isOneof = form === "oneof";
  const lines = fields.map((field) => fieldText(field, message, isOneof ? `${inner}  ` : inner)).join("");
  const body = isOneof ? `${inner}oneof outcome {\n${lines}${inner}}\n` : lines;
  const parts = [...nested.map((part) => messageText(part, inner)), ...(body === "" ? [] : [body])];
  const head = `${commentOf(message.schema, indent)}${indent}message ${name} {`;
  return parts.length === 0 ? `${head}}\n` : `${head}\n${parts.join("\n")}${indent}}\n`;
}

function fieldText(field: MessageField, message: MessageType, indent: string): string {
  const { key, name, number, type, schema } = field;
  const jsonName = jsonNameOf(key, name);
  const options = jsonName === defaultJsonName(name) ? "" : ` [json_name = ${quote(jsonName)}]`;
  const keyword = message.form !== "oneof" && isOptionalScalar(field) ? "optional " : "";
  return `${commentOf(schema, indent)}${indent}${keyword}${typeText(type, message)} ${name} = ${number}${options};\n`;
}

function typeText(type: FieldType, { typeName }: MessageType): string {
  switch (type.kind) {
    case "list":
      return `repeated ${typeText(type.item, { typeName } as MessageType)}`;
    case "map":
      return `map<string, ${typeText(type.item, { typeName } as MessageType)}>`;
    case "value":
      return "google.protobuf.Value";
    case "struct":
      return "google.protobuf.Struct";
    case "message":
      return referenceText(type.message, typeName);
    default:
      return type.kind;
  }
}

/** Name of a message from within another. Only nested names cannot be mistaken for others. */
function referenceText(target: MessageType, scope: string): string {
  return target.typeName === `${scope}.${target.name}` ? target.name : `.${target.typeName}`;
}

/** A string literal of protobuf. */
function quote(text: string): string {
  return `"${escapeControls(text.toWellFormed().replace(/["\\]/g, "\\$&")).replaceAll("\n", "\\n")}"`;
}

function commentOf(schema: unknown, indent: string): string {
  const { enum: values } = asObject(schema);
  const list = Array.isArray(values) ? [`One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`] : [];
  return comment([...describeSchema(schema), ...list], indent);
}

/** Maximum length of a line of a comment. Texts of servers may be long. */
const MAX_LINE = 2_000;

function comment(texts: readonly string[], indent: string): string {
  const lines = texts.flatMap((text) => text.toWellFormed().trim().split(/\r\n?|[\n\u2028\u2029]/));
  return lines.map((line) => `${indent}// ${cutText(escapeControls(line), MAX_LINE)}`.trimEnd() + "\n").join("");
}
