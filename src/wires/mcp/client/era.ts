import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { OneWayMessage } from "../protocol/messages.ts";
import type { PendingRequest } from "./incoming_router.ts";
import type { RpcReply } from "./message_transport.ts";
import type { McpImplementation, McpLogLevel, McpServerInfo } from "./types.ts";

/** A request to a server, without what depends on the era: a {@link ProtocolEra} adds `_meta`, headers and session. */
export interface EraRequest {
  readonly method: string;
  /** Parameters without `_meta`. Default: none. */
  readonly params?: Members;
  /** Members of `_meta` that the protocol does not define. Default: none. */
  readonly meta?: Members;
  /** Headers other than version, method and name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the request. */
  readonly limit: ActivityMonitor;
  /** Callbacks. With `onProgress` the request asks for progress notifications. Default: none. */
  readonly pending?: PendingRequest;
  /** Whether the response is a stream without an end. Default: `false`. */
  readonly isEndless?: boolean;
}

/** Sends requests to one server in the form of an era: with a handshake (2025-11-25 and older), or without sessions (2026-07-28). */
export interface ProtocolEra {
  /** Whether it is the era without sessions. */
  readonly isModern: boolean;
  /** Whether some arguments are repeated in headers. */
  readonly hasHeaders: boolean;
  /** Information that the server has sent about itself. */
  readonly server: McpServerInfo;
  /** Sends a request with an id that is unique in the transport. Rejects only with what the user's function for headers throws. */
  request(id: RequestId, request: EraRequest): Promise<RpcReply>;
  /** Sends a notification or a response. Returns an error if it could not be sent. */
  post(message: OneWayMessage): Promise<ErrorResult | undefined>;
  /** Ends the session, in the era that has one. */
  close(): void;
}

/** Name, capabilities and request ids of the client, for requests of any era. */
export interface ClientIdentity {
  /** Name and version. */
  readonly info: McpImplementation;
  readonly capabilities: Members;
  /** Lowest level of log messages that the client wants; `undefined` if it has not set one. */
  readonly logLevel: McpLogLevel | undefined;
  /** A new request id. */
  nextId(): number;
  /** Called when the server has lost the session and a new one was initialized. */
  onSessionRenewed(): void;
}

export function cancelledNotification(requestId: RequestId): OneWayMessage {
  return { method: "notifications/cancelled", params: { requestId, reason: "The caller has cancelled the request" } };
}

/** Reads name, capabilities and instructions of a server from the result of `initialize` or `server/discover`. */
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
