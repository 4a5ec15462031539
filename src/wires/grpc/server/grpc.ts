/**
 * The wire of MCP-lite over gRPC: the tool service by Connect, gRPC-Web and native gRPC.
 *
 * Source: docs/spec.md 5 and A.
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { MaybeFuture } from "../../../internal/future.ts";
import { BOOLEAN, checkOptions, OBJECT, type OptionRule, PATH, rule } from "../../../internal/options.ts";
import type { Body, Head, MountedWire, Reply, RequestWire, WireHost } from "../../wire.ts";
import { isPackage } from "../messages/typed/names.ts";
import { HEALTH_PATHS } from "./health.ts";
import { createNativeMethods } from "./native.ts";
import { encodeEarlyError } from "./native_protocol.ts";
import { type ConnectMethod, createConnectMethods, EXPOSED_HEADERS } from "./connect.ts";
import { type RpcMethod, ToolService } from "./service.ts";
import { TypedToolService } from "./typed/tools.ts";
import { isNativeGrpc, methodNotAllowed, NATIVE_TYPES, unsupportedMediaType } from "./request.ts";
import { normalizePath } from "../../../internal/http.ts";

/** Options of {@link grpc}. */
export interface GrpcOptions {
  /** Path prefix of the services. Default: none, so that the paths are `/mcplite.MCPLite/CallTool` and so on. */
  readonly path?: string | undefined;
  /**
   * Whether each tool is also a method of a typed service by native gRPC, with messages of its schemas: `/docs.Tools/SearchDocuments`
   * of a server with the name `docs`. `toolwire proto` writes its `.proto` file. Default: `false`.
   */
  readonly typed?: boolean | TypedGrpcOptions | undefined;
}

/** Options of the typed service of {@link GrpcOptions.typed}. */
export interface TypedGrpcOptions {
  /** Package of the service, such as `acme.docs.v1`. Default: the name of the server in snake case. */
  readonly package?: string | undefined;
}

/**
 * The wire of MCP-lite over gRPC, for `createServer({ wires: [mcpLite(), grpc()] })`.
 *
 * Serves `mcplite.MCPLite` by Connect (JSON and binary) and by gRPC-Web. Native gRPC, with health checking and server reflection,
 * needs a port that can send trailers, which a `fetch` handler cannot: `serve(server, { grpc: { port: 50_051 } })`.
 *
 * @example Connect is JSON over POST
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { grpc } from "jsr:@toolwire/toolwire/grpc";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [grpc()] });
 * const response = await server.fetch(new Request("http://localhost/mcplite.MCPLite/CallTool", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"name":"ping"}',
 * }));
 * console.log(JSON.parse(await response.text()).result.content); // → pong
 * ```
 * @throws {TypeError} If the path is invalid, or an option is unknown.
 */
export function grpc(options: GrpcOptions = {}): RequestWire {
  checkOptions<GrpcOptions>("serve gRPC", options, { path: PATH, typed: TYPED });
  const { typed = false } = options;
  if (typeof typed === "object") checkOptions<TypedGrpcOptions>("serve typed gRPC", typed, { package: PACKAGE });
  const base = normalizePath(options.path ?? "");
  return { name: "connect", mount: (host) => new GrpcWire(host, base, typed) };
}

const TYPED: OptionRule = rule("true, false or an object", (value) => BOOLEAN.fits(value) || OBJECT.fits(value));
const PACKAGE: OptionRule = rule(
  'the name of a package, such as "acme.docs.v1", without the parts google, grpc and mcplite',
  isPackage,
);

/** Serves Connect, gRPC-Web and gRPC on one base path. */
class GrpcWire implements MountedWire {
  /** Clients of native gRPC have no option for a path. */
  readonly isAtRoot = true;
  readonly paths: readonly string[];
  /** Health checks come from infrastructure, without credentials. */
  readonly unauthenticatedPaths: readonly string[];
  readonly exposedHeaders: readonly string[] = EXPOSED_HEADERS;
  readonly #native: ReadonlyMap<string, RpcMethod>;
  readonly #connect: ReadonlyMap<string, ConnectMethod>;
  readonly #typed: TypedToolService | undefined;

  constructor(host: WireHost, base: string, typed: boolean | TypedGrpcOptions) {
    const service = new ToolService(host, base);
    this.#typed = typed === false ? undefined : new TypedToolService(host, base, Object(typed));
    const underBase = <Method>(methods: Readonly<Record<string, Method>>) =>
      new Map(Object.entries(methods).map(([path, method]) => [base + path, method]));
    this.#native = underBase(createNativeMethods(service, host, this.#typed));
    this.#connect = underBase(createConnectMethods(service, host.limits));
    this.paths = [...this.#native.keys(), ...(this.#typed?.paths ?? [])];
    this.unauthenticatedPaths = HEALTH_PATHS.map((path) => base + path);
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    if (head.method !== "POST") return methodNotAllowed(head.method);
    const handle = isNativeGrpc(head) ? this.#native.get(head.path) : this.#connect.get(head.path)?.handle;
    return handle?.(head, body) ?? this.#typed?.handle(head, body) ?? nativeOnly(head);
  }

  errorReply(head: Head, error: ErrorResult, status?: number): MaybePromise<Reply> | undefined {
    // The HTTP status of a gRPC response is always 200.
    if (status !== undefined) return undefined;
    if (head.method !== "POST") return methodNotAllowed(head.method);
    if (isNativeGrpc(head)) return encodeEarlyError(error);
    return this.#connect.get(head.path)?.refuse(head, error) ?? nativeOnly(head);
  }
}

/** The reply for methods that only native gRPC has: health and reflection. */
function nativeOnly(head: Head): Reply {
  return unsupportedMediaType(head.metadata.get("content-type"), NATIVE_TYPES);
}
