/** One RPC as the suite sends it: by gRPC-Web, or by gRPC over HTTP/2. */
import { ToolError } from "../../core/errors/tool_error.ts";
import { withTimeLimit } from "../../core/call/time_limit.ts";
import { Http2Connection } from "../../wires/grpc/client/native/http2.ts";
import { joinChunks } from "../../internal/chunks.ts";
import { headersFor, type HttpClientOptions, toHeaders as toHttpHeaders } from "../../http_client/send.ts";
import type { HttpSender } from "./send.ts";

/** The response to an RPC: its status, and its messages as bytes, not decoded. */
export interface GrpcReply {
  /** Status; `undefined` if the response has none. */
  readonly status: number | undefined;
  /** Message of the status. */
  readonly message: string;
  /** Text of the header `grpc-status-details-bin`, decoded as characters. */
  readonly details: string;
  readonly messages: readonly Uint8Array[];
  /** HTTP status. */
  readonly httpStatus: number;
}

/** A request of an RPC of the MCP-lite service. */
export interface GrpcRequest {
  /** `GetTools`, `CallTool` or `CallToolStream`. */
  readonly method: string;
  /** The request message in its envelope. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Value of the header `grpc-timeout`. */
  readonly timeout?: string;
  /** Whether the connection is closed after the first bytes. */
  readonly leavesEarly?: boolean;
}

/** Sends an RPC. Rejects with a `ToolError` if there is no response. */
export type SendRpc = (request: GrpcRequest) => Promise<GrpcReply>;

const PATH = "/mcplite.MCPLite/";

/** Creates a function that sends RPCs by gRPC-Web to the MCP-lite service at a base URL. */
export function grpcWebSender(sender: HttpSender, base: string | URL): SendRpc {
  const prefix = String(base).replace(/\/$/, "");
  return async ({ method, body, timeout, leavesEarly = false }) => {
    const headers = {
      "content-type": "application/grpc-web+proto",
      "x-grpc-web": "1",
      ...(timeout !== undefined && { "grpc-timeout": timeout }),
    };
    const reply = await sender.send(`${prefix}${PATH}${method}`, { headers, body, shown: "", leavesEarly });
    const frames = readFrames(reply.bytes);
    const trailer = frames.find(({ flags }) => flags === 0x80);
    const trailers = trailer === undefined ? reply.headers : readTrailers(new TextDecoder().decode(trailer.bytes));
    return toReply(trailers, frames, reply.status);
  };
}

/** Creates a function that sends RPCs by gRPC over one HTTP/2 connection, with these headers and a time limit for each. */
export function grpcSender(
  address: string | URL,
  headers: NonNullable<HttpClientOptions["headers"]>,
  timeoutMs: number,
): SendRpc {
  const connection = new Http2Connection(new URL(String(address)).origin, undefined);
  return async ({ method, body, timeout, leavesEarly = false }) => {
    return await withTimeLimit(timeoutMs, async (limit) => {
      const { signal } = limit;
      const own = toHttpHeaders(typeof headers === "function" ? await headersFor(headers, limit) : headers);
      const sent = {
        ...Object.fromEntries(own),
        "content-type": "application/grpc",
        te: "trailers",
        ...(timeout !== undefined && { "grpc-timeout": timeout }),
      };
      const response = connection.post(PATH + method, sent, body);
      const cancel = () => response.cancel();
      signal.addEventListener("abort", cancel);
      try {
        const head = await response.headers;
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body()) {
          chunks.push(chunk);
          if (leavesEarly) break;
        }
        const fields = response.trailers["grpc-status"] === undefined ? head : response.trailers;
        return toReply(toHeaders(fields), readFrames(joinChunks(chunks)), head[":status"] ?? 0);
      } catch (cause) {
        throw new ToolError("unavailable", `Cannot reach the server by gRPC: ${(cause as Error).message}`, { cause });
      } finally {
        cancel();
      }
    });
  };
}

function toHeaders(fields: Readonly<Record<string, unknown>>): Headers {
  const usual = Object.entries(fields).filter(([name, value]) => !name.startsWith(":") && typeof value === "string");
  return new Headers(usual as [string, string][]);
}

/** A message of a stream of gRPC-Web, or its trailers, by the flags. */
interface Frame {
  readonly flags: number;
  readonly bytes: Uint8Array;
}

/** Splits a body into its frames. Bytes that are left over are ignored. */
function readFrames(bytes: Uint8Array<ArrayBuffer>): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const length = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(1);
    if (at + 5 + length > bytes.length) break;
    frames.push({ flags: bytes[at] ?? 0, bytes: bytes.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return frames;
}

function readTrailers(text: string): Headers {
  const pairs = text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const at = line.indexOf(":");
    return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
  });
  return new Headers(pairs);
}

function toReply(trailers: Headers, frames: readonly Frame[], httpStatus: number): GrpcReply {
  const status = trailers.get("grpc-status");
  return {
    status: status === null || !/^\d+$/.test(status) ? undefined : Number(status),
    message: decodePercent(trailers.get("grpc-message") ?? ""),
    details: decodeBinary(trailers.get("grpc-status-details-bin") ?? ""),
    messages: frames.filter(({ flags }) => flags === 0).map(({ bytes }) => bytes),
    httpStatus,
  };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodeBinary(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
