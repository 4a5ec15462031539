/**
 * gRPC health checking: the status is SERVING until the server is closed.
 *
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/health-checking.md | gRPC health checking}.
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
import type { Dispatch } from "../../../core/dispatch/dispatcher.ts";
import type { NativeProtocol } from "./native_protocol.ts";
import type { RpcMethods } from "./service.ts";

const PATH = "/grpc.health.v1.Health/";

export const HEALTH_PATHS: readonly string[] = ["Check", "List", "Watch"].map((name) => PATH + name);

/**
 * The methods of `grpc.health.v1.Health`, by their paths. Status: `SERVING` until the server closes.
 *
 * @param tools Names of the services of tools.
 */
export function healthMethods(
  protocol: NativeProtocol,
  dispatch: Pick<Dispatch, "isClosed" | "closeSignal">,
  tools: readonly string[],
): RpcMethods {
  // The empty name means the whole server.
  const services = ["", ...tools];
  const isKnown = (message: Uint8Array) => services.includes(readRequest(message));
  const status = () =>
    create(HealthCheckResponseSchema, { status: dispatch.isClosed ? Status.NOT_SERVING : Status.SERVING });
  const encodeCurrent = () => encodeEnvelope(toBinary(HealthCheckResponseSchema, status()));
  return {
    [`${PATH}Check`]: protocol.unary((message) => {
      if (isKnown(message)) return encodeCurrent();
      throw new ConnectError("Unknown service", Code.NotFound);
    }),
    [`${PATH}List`]: protocol.unary(() => {
      const statuses = Object.fromEntries(services.map((service) => [service, status()]));
      return encodeEnvelope(toBinary(HealthListResponseSchema, create(HealthListResponseSchema, { statuses })));
    }),
    [`${PATH}Watch`]: protocol.serverStream(async (message, stream, head) => {
      const isServed = isKnown(message);
      head.disableIdleTimeout();
      void stream.write(isServed ? encodeCurrent() : UNKNOWN);
      await aborted(dispatch.closeSignal, stream.closed);
      if (isServed) void stream.write(encodeCurrent());
      stream.end();
    }),
  };
}

const UNKNOWN = encodeEnvelope(
  toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status: Status.SERVICE_UNKNOWN })),
);

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
