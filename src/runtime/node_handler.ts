/**
 * Adapts requests of `node:http` to those of wires without `Request` and `Response`, which on Node cost more than the
 * rest of a call.
 */
import type { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Principal } from "../core/call/call.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { isPromiseLike, type MaybePromise } from "../internal/async.ts";
import { settleInto } from "../internal/future.ts";
import { BOOLEAN, checkOptions, FUNCTION, type OptionRules } from "../internal/options.ts";
import { describeReceived } from "../internal/text.ts";
import { UNKNOWN_TO_PROGRAM } from "../server/auth.ts";
import { ReplySender } from "../server/reply_sender.ts";
import type { Server } from "../server/server.ts";
import type { Head, Reply } from "../wires/wire.ts";
import { type ExpressRequest, NodeHead, RequestBody } from "./node_request.ts";
import { sendReply } from "./node_reply.ts";
import { createUpgrade, type IdentifyUpgrade } from "./node_sockets.ts";
import { createMissWarning } from "./miss_warning.ts";
import { closeWith } from "./close_with_listener.ts";
import { whenListening } from "./when_listening.ts";

/**
 * A listener for `http.createServer`, or for frameworks that pass on Node's request and response.
 *
 * @typeParam Request Type of the request of the framework, as the option `principal` takes it.
 */
export interface NodeHandler<Request extends object = NodeRequest> {
  /** Answers a request, or passes it to `next`. */
  (request: Request, response: NodeResponse, next?: (error?: unknown) => void): void;
  /**
   * Accepts WebSockets: `http.on("upgrade", handler.upgrade)`, for a server with `webSocket()`, where the package `ws` is installed. No
   * middleware of a framework runs for such requests, and their path is the whole one: it needs the option `basePath` of the server.
   * Requests to other paths are left to the other listeners, or, without any, answered with 404.
   */
  readonly upgrade: (request: NodeRequest, socket: object, head: Uint8Array) => void;
}

/** Structural type of `IncomingMessage`, because consumers may lack Node's types. */
export interface NodeRequest {
  /** HTTP method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
}

/** Structural type of `ServerResponse`. */
export interface NodeResponse {
  /** Whether the headers were sent. */
  readonly headersSent: boolean;
}

/** Returns the caller of a request of a framework; `undefined` or `null` if it is not known. */
export type IdentifyRequest<Request extends object> = (
  request: Request,
) => MaybePromise<Principal<object> | null | undefined>;

/**
 * Options of {@link toNodeHandler}.
 *
 * @typeParam Request Type of the request of the framework.
 */
export interface NodeHandlerOptions<Request extends object = NodeRequest> {
  /**
   * Identifies the caller of a request, such as by the session that the application has read. `undefined` or `null` is a caller that is not
   * known: it is left to the option `auth` of the server; without `auth` the request is refused as `unauthenticated`, except with
   * `allowAnonymous`. A thrown `ToolError` refuses the request with its code; any other exception is passed to `next`, or, without it,
   * logged and answered with status 500. Not called for pages that anyone may request. Default: the option `auth`.
   */
  readonly principal?: IdentifyRequest<Request> | undefined;
  /**
   * Accept requests for which `principal` gives no caller, from anonymous callers. Tools with `.scopes()` reject them. For servers without
   * `auth`, which has the same option. Default: `false`, which rejects them as `unauthenticated`.
   */
  readonly allowAnonymous?: boolean | undefined;
  /**
   * Whether requests that the server does not answer are passed to the next handler of the framework. `false` answers them with 404, and
   * the paths that there are. Default: `true` if the framework passes `next`, except in a route of Express, which is for this handler.
   */
  readonly next?: boolean | undefined;
  /**
   * Whether `close()` of the listener, the server of `node:http` that passed a request, closes this server as well. Otherwise an open stream
   * keeps the listener, and with it the process, until `server.close()` is called. Not for a server that is used without the listener,
   * too. Default: `false`.
   */
  readonly closeWithListener?: boolean | undefined;
}

const RULES: OptionRules<NodeHandlerOptions> = {
  principal: FUNCTION,
  allowAnonymous: BOOLEAN,
  next: BOOLEAN,
  closeWithListener: BOOLEAN,
};

/**
 * Creates a handler for `node:http`, Express and similar frameworks. Below a mount of Express, `app.use("/api", toNodeHandler(server))`,
 * the wires answer below `/api`. Body parsers may come before or after it. Once the process listens, the server takes up due jobs and
 * schedules.
 *
 * @example Inside a `node:http` server
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { toNodeHandler } from "jsr:@toolwire/toolwire/serve";
 * import { createServer as createHttpServer } from "node:http";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * const http = createHttpServer(toNodeHandler(server));
 * http.listen(0, "127.0.0.1", () => http.close());
 * ```
 * @throws {TypeError} If an option is unknown, has the wrong type, or would have no effect.
 */
export function toNodeHandler<Request extends object = NodeRequest>(
  server: Pick<Server, "~server" | "limits" | "close">,
  options: NodeHandlerOptions<Request> = {},
): NodeHandler<Request> {
  checkOptions<NodeHandlerOptions>("serve on Node", options, RULES);
  const { principal, allowAnonymous = false, closeWithListener = false } = options;
  if (allowAnonymous) assertDecides(server, principal);
  const unknown = allowAnonymous ? undefined : UNKNOWN_TO_PROGRAM;
  whenListening(server["~server"].resumeMounted);
  const identifySocket: IdentifyUpgrade = (request, head, answer, fail) => {
    if (closeWithListener) closeWith(request, server);
    if (principal === undefined) return answer();
    identify(() => principal(request as object as Request), unknown, { head, answer, fail });
  };
  const upgrade = createUpgrade(server, identifySocket);
  const watchMiss = createMissWarning(server);
  const listener: (...received: Parameters<NodeHandler<Request>>) => void = (anyRequest, anyResponse, next) => {
    const [request, response] = [anyRequest as object as ExpressRequest, anyResponse as ServerResponse];
    const { host, handle, answers, isPublic, resumeMounted } = server["~server"];
    resumeMounted();
    if (closeWithListener) closeWith(request, server);
    const head = new NodeHead(request, response, server["~server"]);
    if (next !== undefined && (options.next ?? request.route === undefined) && !answers(head.path)) {
      if (request.baseUrl) watchMiss(request, response);
      return next();
    }
    const body = new RequestBody(request, server.limits);
    const sender = new ResponseSender(host.dispatch, head, response);
    const answer = (): void => settleInto(handle(head, body), sender);
    if (principal === undefined || isPublic(head.path)) return answer();
    const fail = (thrown: unknown): void => next === undefined ? sender.fail(thrown) : next(toError(thrown));
    identify(() => principal(anyRequest), unknown, { head, answer, fail });
  };
  return Object.assign(listener, {
    upgrade: (request: NodeRequest, socket: object, first: Uint8Array) =>
      upgrade(request as IncomingMessage, socket as Duplex, first as Buffer),
  });
}

/** @throws {TypeError} If `allowAnonymous` would have no effect, because other options decide about callers that are not known. */
function assertDecides(server: Pick<Server, "~server">, principal: unknown): void {
  if (principal === undefined) {
    throw new TypeError(
      "Cannot serve on Node: allowAnonymous is for callers that the option principal does not know: give principal, too",
    );
  }
  if (server["~server"].host.security === undefined) return;
  throw new TypeError(
    "Cannot serve on Node: the option auth of the server decides about callers that principal does not know: give allowAnonymous to it",
  );
}

/** A request whose caller is not identified yet. */
interface UnidentifiedRequest {
  readonly head: NodeHead;
  /** Answers the request, once its head has the caller, or the refusal. */
  readonly answer: () => void;
  /** Takes exceptions that are not for the caller. */
  readonly fail: (thrown: unknown) => void;
}

/** Sets the caller of a request, or why it is refused, and answers it. @param unknown The refusal of a caller that is not known, if any. */
function identify(
  principal: () => MaybePromise<Principal<object> | null | undefined>,
  unknown: ToolError | undefined,
  { head, answer, fail }: UnidentifiedRequest,
): void {
  const accept = (found: Principal<object> | null | undefined): void => {
    if (found === undefined || found === null) head.refusal = unknown;
    // Validated before a wire gets it.
    else head.principal = found as Principal;
    answer();
  };
  const refuse = (thrown: unknown): void => {
    if (!(thrown instanceof ToolError)) return fail(thrown);
    head.refusal = thrown;
    answer();
  };
  let found: MaybePromise<Principal<object> | null | undefined>;
  try {
    found = principal();
    // A thenable that is not a promise, such as a query of a database, may throw, or call back more than once.
    if (isPromiseLike(found)) return void Promise.resolve(found).then(accept, refuse);
  } catch (thrown) {
    return refuse(thrown);
  }
  accept(found);
}

/**
 * What `next` gets for an exception of `principal`. Frameworks take anything but an object for something else: `undefined` passes the request
 * on, as if the caller were known, and a text such as "route" chooses where to.
 */
function toError(thrown: unknown): object {
  if (typeof thrown === "object" && thrown !== null) return thrown;
  return new Error(`The option principal of toNodeHandler() threw ${describeReceived(thrown)}: throw an Error`, {
    cause: thrown,
  });
}

/** Writes the reply to a response of `node:http`. */
class ResponseSender extends ReplySender {
  readonly #response: ServerResponse;

  constructor(dispatch: Dispatch, head: Head, response: ServerResponse) {
    super(dispatch, head);
    this.#response = response;
  }

  protected send(reply: Reply): void {
    sendReply(reply, this.#response);
  }

  protected abandon(): void {
    this.#response.destroy();
  }
}
