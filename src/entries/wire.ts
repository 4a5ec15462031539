/**
 * Types for authors of wires and transports: the contract of a wire, the calls that it hands to dispatch, and the events that it gets. It
 * is needed to add a protocol, or a way to reach a server.
 *
 * A wire is a {@link RequestWire}: `createServer({ wires: [ … ] })` mounts it. A client's side is a {@link Transport}: `createClient` takes
 * it.
 *
 * @example A transport that calls functions of this process
 * ```ts
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import type { Transport } from "jsr:@toolwire/toolwire/wire";
 *
 * const local: Transport = {
 *   call: ({ tool }) => ({ kind: "answer", value: `Called ${tool}` }),
 *   list: () => [{ name: "greet" }],
 * };
 * console.log(await createClient(local).$.call("greet")); // → Called greet
 * ```
 *
 * @module
 */
export type { AdmitList, ListName } from "../core/dispatch/list_admission.ts";
export type {
  AnswerPosition,
  AskableKind,
  Call,
  CallMeta,
  ClientInfo,
  InnerCallOrigin,
  Metadata,
  Peer,
  RequestHost,
} from "../core/call/call.ts";
export type { CallConfig, CheckConfig } from "../core/call/call_config.ts";
export type { Change, ChangeBus, ChangingList } from "../core/call/changes.ts";
export type { CallEvent, LogLine, Sink } from "../core/call/outcome.ts";
export type { ActivityMonitor, OutgoingCall, Transport, TransportCall } from "../core/call/transport.ts";
export type { Dispatch, Toolset } from "../core/dispatch/dispatcher.ts";
export type { PromiseEngine, PromiseTokenClaims, WaitResolution } from "../core/dispatch/deferral.ts";
export type { Resolution } from "../core/handler/waits.ts";
export type { IdentifiedHost } from "../server/fetch_request.ts";
export { type AddedTools, toolset } from "../core/dispatch/attached_tools.ts";
export type { ToolListing } from "../core/tool/listing.ts";
export type { MaybePromise } from "../internal/async.ts";
export type { Future, MaybeFuture, Receiver } from "../internal/future.ts";
export type { Clock } from "../internal/time.ts";
export type { Auth, MountedAuth } from "../server/auth.ts";
export type {
  AuthDescription,
  Body,
  DuplexWire,
  FrameListener,
  FramePort,
  Head,
  Limits,
  MessageConnection,
  MountedDuplexWire,
  MountedPaths,
  MountedWire,
  OpenApiParts,
  ProtectedResource,
  Reply,
  RequestWire,
  ServerInfo,
  Upgrade,
  WireHost,
} from "../wires/wire.ts";
export type { BegunCall, CallObserver, ObservedRequest } from "../core/dispatch/observer.ts";
