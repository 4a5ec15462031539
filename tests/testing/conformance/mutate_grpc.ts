/** Makes wrong servers of a correct one, over gRPC-Web: functions that change decoded messages and statuses. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { decodeToolRequestBytes } from "../../../src/wires/grpc/messages/binary.ts";
import {
  type Tool,
  type ToolResponse,
  ToolResponseSchema,
  ToolsListSchema,
} from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { encodeEnvelope } from "../../../src/wires/grpc/messages/envelope.ts";
import { joinChunks } from "../../../src/internal/chunks.ts";
import type { Mutant } from "./mutate.ts";

/** An RPC with its decoded response, which a mutant changes in place. */
export interface Rpc {
  readonly method: string;
  /** Name of the called tool; empty for `GetTools`. */
  readonly tool: string;
  /** Tools of `GetTools`. */
  tools: Tool[];
  /** Messages of the other methods. */
  responses: ToolResponse[];
  /** Lines of the trailer. */
  trailers: Record<string, string>;
}

function readFrames(bytes: Uint8Array): { flags: number; bytes: Uint8Array }[] {
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const length = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(1);
    frames.push({ flags: bytes[at] ?? 0, bytes: bytes.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return frames;
}

function readTrailers(text: string): Record<string, string> {
  return Object.fromEntries(
    text.trim().split("\r\n").map((line) => {
      const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
}

/** Changes RPCs. */
export function onRpc(change: (rpc: Rpc) => void): Mutant {
  return (fetch) => async (url, init) => {
    const method = url.slice(url.lastIndexOf("/") + 1);
    const request = decodeToolRequestBytes((init.body as Uint8Array).subarray(5), 100);
    const response = await fetch(url, init);
    const frames = readFrames(new Uint8Array(await response.arrayBuffer()));
    const messages = frames.filter(({ flags }) => flags === 0).map(({ bytes }) => bytes);
    const trailer = frames.find(({ flags }) => flags === 0x80);
    const isList = method === "GetTools";
    const rpc: Rpc = {
      method,
      tool: "name" in request ? request.name : "",
      tools: isList ? messages.flatMap((bytes) => fromBinary(ToolsListSchema, bytes).tools) : [],
      responses: isList ? [] : messages.map((bytes) => fromBinary(ToolResponseSchema, bytes)),
      trailers: trailer === undefined
        ? Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("grpc-")))
        : readTrailers(new TextDecoder().decode(trailer.bytes)),
    };
    change(rpc);
    return new Response(encode(rpc, isList), { headers: { "content-type": "application/grpc-web+proto" } });
  };
}

function encode({ tools, responses, trailers }: Rpc, isList: boolean): Uint8Array<ArrayBuffer> {
  const list = () => toBinary(ToolsListSchema, { $typeName: "mcplite.ToolsList", tools });
  const isOk = trailers["grpc-status"] === "0";
  const messages = isList ? (isOk ? [list()] : []) : responses.map((one) => toBinary(ToolResponseSchema, one));
  const text = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const trailer = encodeEnvelope(new TextEncoder().encode(text));
  trailer[0] = 0x80;
  return joinChunks([...messages.map(encodeEnvelope), trailer]);
}

/** Changes one tool of the list. */
export function onListed(name: string, change: (tool: Tool) => void): Mutant {
  return onRpc(({ tools }) => tools.filter((tool) => tool.name === name).forEach(change));
}

/** Changes the last response of a tool; without a name, of each. */
export function onResponse(tool: string, change: (response: ToolResponse) => void): Mutant {
  return onRpc((rpc) => {
    const last = rpc.responses.at(-1);
    if (rpc.tool === tool && last !== undefined) change(last);
  });
}

/** Ends calls of a tool with a status, in place of another one. */
export function onStatus(tool: string, from: number, to: number, message: string = "Not found"): Mutant {
  return onRpc((rpc) => {
    if (rpc.tool !== tool || rpc.trailers["grpc-status"] !== String(from)) return;
    rpc.responses = [];
    rpc.trailers = { "grpc-status": String(to), "grpc-message": message };
  });
}
