/**
 * gRPC health checking: a server serves until it is closed.
 *
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/health-checking.md | gRPC health checking}.
 *
 * @module
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "../messages/envelope.ts";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Status,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
} from "../messages/gen/grpc/health/v1/health_pb.ts";
import type { NativeProtocol } from "./native_protocol.ts";
import type { RpcMethod } from "./protocol.ts";

/** The empty name is the server as a whole. */
const SERVICES: readonly string[] = ["", "mcplite.MCPLite"];

/** Where it is asked. */
export const HEALTH_PATHS: readonly string[] = ["Check", "List", "Watch"].map((name) =>
  `/grpc.health.v1.Health/${name}`
);

/** The methods of `grpc.health.v1.Health`, by their paths. */
export function healthMethods(
  protocol: NativeProtocol,
  closing: AbortSignal,
): readonly (readonly [path: string, method: RpcMethod])[] {
  const status = () =>
    create(HealthCheckResponseSchema, { status: closing.aborted ? Status.NOT_SERVING : Status.SERVING });
  const encodeStatus = () => encodeEnvelope(toBinary(HealthCheckResponseSchema, status()));
  return [
    [
      "/grpc.health.v1.Health/Check",
      protocol.unary((message) => {
        if (isKnown(message)) return encodeStatus();
        throw new ConnectError("Unknown service", Code.NotFound);
      }),
    ],
    [
      "/grpc.health.v1.Health/List",
      protocol.unary(() => {
        const statuses = Object.fromEntries(SERVICES.map((service) => [service, status()]));
        return encodeEnvelope(toBinary(HealthListResponseSchema, create(HealthListResponseSchema, { statuses })));
      }),
    ],
    [
      "/grpc.health.v1.Health/Watch",
      protocol.serverStream(async (message, stream, head) => {
        const isServed = isKnown(message);
        head.disableIdleTimeout();
        void stream.write(isServed ? encodeStatus() : UNKNOWN);
        await aborted(closing, stream.closed);
        if (isServed) void stream.write(encodeStatus());
        stream.end();
      }),
    ],
  ];
}

const UNKNOWN = encodeEnvelope(
  toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status: Status.SERVICE_UNKNOWN })),
);

function isKnown(message: Uint8Array): boolean {
  return SERVICES.includes(readRequest(message));
}

function readRequest(message: Uint8Array): string {
  try {
    return fromBinary(HealthCheckRequestSchema, message).service;
  } catch {
    throw new ConnectError("Not a grpc.health.v1.HealthCheckRequest", Code.InvalidArgument);
  }
}

async function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  if (any.aborted) return;
  await new Promise((resolve) => any.addEventListener("abort", resolve, { once: true }));
}
