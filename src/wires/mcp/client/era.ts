import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import type { OneWayMessage } from "../protocol/messages.ts";
import type { RpcReply } from "./message_transport.ts";
import type { McpImplementation, McpLogLevel, McpServerInfo } from "./types.ts";

/** A request, before an era has written it. */
export interface EraRequest {
  /** Unique among the requests of a transport. */
  readonly id: RequestId;
  /** The method. */
  readonly method: string;
  /** Its parameters, without `_meta`. */
  readonly params: Members;
  /** Members of `_meta` that are not the protocol's. */
  readonly meta: Members;
  /** Headers that are not the protocol's version, method or name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends it. */
  readonly limit: ActivityMonitor;
  /** Whether to tell how far it has come. */
  readonly wantsProgress: boolean;
  /** Whether the answer goes on for as long as somebody wants it. */
  readonly isEndless: boolean;
}

/** How a server is spoken to: by one of the protocol's eras. */
export interface Era {
  /** Whether each request stands for itself. */
  readonly isModern: boolean;
  /** Whether some arguments travel in headers, too. */
  readonly hasHeaders: boolean;
  /** What the server says of itself. */
  readonly server: McpServerInfo;
  /** Makes a request. Total. */
  request(request: EraRequest): Promise<RpcReply>;
  /** Sends what is not answered. */
  post(message: OneWayMessage): Promise<ErrorResult | undefined>;
  /** Takes leave. */
  close(): void;
}

/** What the client says of itself. */
export interface Self {
  /** How it names itself. */
  readonly info: McpImplementation;
  /** What it can be asked. */
  readonly capabilities: Members;
  /** From which level on it wants to see what the server logs. */
  readonly logLevel: McpLogLevel | undefined;
  /** An id that no other request has. */
  nextId(): number;
  /** Told when a server had forgotten the session, and another has begun. */
  renewed(): void;
}

/** Tells the server that nobody waits for a request any more. */
export function cancelled(requestId: RequestId): OneWayMessage {
  return { method: "notifications/cancelled", params: { requestId, reason: "The caller has left" } };
}

/** Reads what a server says of itself. */
export function readServerInfo(revision: string, result: Members, info: unknown): McpServerInfo {
  const { capabilities, instructions } = result;
  return {
    revision,
    info: isJsonObject(info)
      ? { name: typedOr(info["name"], ""), version: typedOr(info["version"], ""), ...info }
      : undefined,
    capabilities: asObject(capabilities),
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}
