/**
 * Reads the message of a request: out of its envelope, decompressed, in JSON or in bytes.
 *
 * Not left to Connect's handlers, which answer bytes that are no message with INTERNAL, and read any depth of JSON.
 * Total: bad input is a value.
 * Source: {@link https://connectrpc.com/docs/protocol | Connect}, and gRPC-Web over HTTP.
 *
 * @module
 */
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { parseJson } from "../../framing/json_rpc/decode.ts";
import type { Metadata } from "../../../core/call/call.ts";
import { isJsonObject } from "../../../internal/json.ts";
import type { Limits } from "../../wire.ts";
import { openEnvelope } from "../messages/envelope.ts";
import { gunzip } from "./gzip.ts";
import { TOO_DEEP } from "../messages/json.ts";
import { decodeText } from "./text.ts";

/** How a request is written. */
export interface RequestForm {
  /** Its `Content-Type`, without what says that it is base64. */
  readonly contentType: string;
  /** In JSON, else in bytes. */
  readonly isJson: boolean;
  /** In an envelope. */
  readonly isEnveloped: boolean;
  /** In base64. */
  readonly isText: boolean;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** How a `Content-Type` says that a request is written. */
export function requestForm(contentType: string): RequestForm {
  return {
    contentType: contentType.replace(/^(application\/grpc-web)-text/i, "$1"),
    isJson: /^application\/(\w[\w-]*\+)?json\b/i.test(contentType),
    isEnveloped: /^application\/(connect\+|grpc-web)/i.test(contentType),
    isText: /^application\/grpc-web-text/i.test(contentType),
  };
}

/** A request of the same form that says nothing. */
export function emptyRequest({ isJson, isEnveloped }: RequestForm): Bytes {
  const message = new TextEncoder().encode(isJson ? "{}" : "");
  return isEnveloped ? new Uint8Array([0, 0, 0, 0, message.length, ...message]) : message;
}

/** Names of the headers that say how a request is compressed, where they matter. */
export function encodingHeader({ contentType, isEnveloped }: RequestForm): string {
  if (!isEnveloped) return "content-encoding";
  return contentType.startsWith("application/connect") ? "connect-content-encoding" : "grpc-encoding";
}

/** Reads the message of a request. */
export async function readRequest(
  desc: DescMessage,
  bytes: Bytes,
  form: RequestForm,
  metadata: Metadata,
  limits: Limits,
): Promise<Message | ErrorResult> {
  const isGzip = metadata.get(encodingHeader(form)) === "gzip";
  const plain = form.isText ? decodeText(bytes) : bytes;
  if ("kind" in plain) return plain;
  const opened = form.isEnveloped ? openEnvelope(plain) : { message: plain, isCompressed: isGzip };
  if ("kind" in opened) return opened;
  if (opened.isCompressed && !isGzip) {
    return errorResult("parse_error", "The envelope says that it is compressed, no header how");
  }
  const message = opened.isCompressed ? await gunzip(opened.message, limits.bodyBytes) : opened.message;
  if ("kind" in message) return message;
  return form.isJson ? parseMessage(desc, message, limits.depth) : decodeMessage(desc, message, limits.depth);
}

function parseMessage(desc: DescMessage, bytes: Bytes, depth: number): Message | ErrorResult {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return errorResult("parse_error", "The body is not valid UTF-8");
  }
  const parsed = parseJson(text === "" ? "{}" : text, depth);
  if ("error" in parsed) return parsed.error;
  const options = { ignoreUnknownFields: true, recursionLimit: recursionLimit(depth) };
  const { structs, rest } = takeStructs(desc, parsed.value as JsonValue);
  return attempt(desc, () => Object.assign(fromJson(desc, rest, options), structs));
}

/**
 * Takes the members that are structs out of a message's JSON: that is what they are in a message, too. The library would make a
 * message of each of their values, and JSON of that, which takes four times as long as to parse the text.
 */
function takeStructs(desc: DescMessage, json: JsonValue): { readonly structs: JsonObject; readonly rest: JsonValue } {
  if (!isJsonObject(json)) return { structs: {}, rest: json };
  const structs: JsonObject = {};
  const rest: JsonObject = { ...json };
  for (const { jsonName, localName, message } of desc.fields) {
    const value = rest[jsonName];
    if (message?.typeName !== "google.protobuf.Struct" || !isJsonObject(value)) continue;
    structs[localName] = value;
    delete rest[jsonName];
  }
  return { structs, rest };
}

function decodeMessage(desc: DescMessage, bytes: Bytes, depth: number): Message | ErrorResult {
  return attempt(desc, () => fromBinary(desc, bytes, { recursionLimit: recursionLimit(depth) }));
}

/** A level of JSON is up to three messages: a struct, its entry, and the entry's value. The first are the request's. */
function recursionLimit(depth: number): number {
  return 3 * depth + 4;
}

/** Longest reason that is given. */
const MAX_REASON = 256;

function attempt(desc: DescMessage, decode: () => Message): Message | ErrorResult {
  try {
    return decode();
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    // The library has no other word for it; its version is fixed, and a test holds it to this one.
    if (reason.includes("maximum recursion depth")) return TOO_DEEP;
    return errorResult("parse_error", `Not a ${desc.typeName}: ${reason}`.slice(0, MAX_REASON));
  }
}
