import { assertSupported } from "../internal/supported.ts";
import { CleanUp } from "../internal/clean_up.ts";
import { delay } from "../internal/time.ts";
import { ANYTHING, BOOLEAN, checkOptions, type OptionRules, rule, TEXT, wholeNumber } from "../internal/options.ts";
import { LOOPBACK_HOSTS, originPolicy } from "../server/origin_policy.ts";
import type { Server } from "../server/server.ts";
import { formatBanner } from "./banner.ts";
import { discard, type Listener, listenOnBun, listenOnDeno, type ListenOptions, type TlsOptions } from "./listener.ts";

/** Options of {@link serve}. */
export interface ServeOptions {
  /** Port; 0 for any free one. Default: 8000. */
  readonly port?: number | undefined;
  /** Host name or address. Default: `127.0.0.1`. */
  readonly hostname?: string | undefined;
  /** How long a shutdown waits for calls in progress before it ends them, in milliseconds. Default: 10,000. */
  readonly graceMs?: number | undefined;
  /** Process signals that start a shutdown, such as `["SIGINT", "SIGTERM"]`. Default: none. */
  readonly signals?: readonly ("SIGINT" | "SIGTERM")[] | undefined;
  /** Whether to print name, version, the URL of each wire and the tools, by `console.log`. Default: `false`. */
  readonly banner?: boolean | undefined;
  /** Serves with TLS by `node:http2`: HTTP/1.1, HTTP/2 and gRPC on one port. Default: without TLS. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Serves gRPC, which requires the wire `grpc()`. An object selects a second port, on which all other wires use HTTP/2
   * too. `true` uses the same port by proxying its connections inside of the process, for development. With `tls` gRPC
   * is on the same port anyway. Default: no gRPC.
   */
  readonly grpc?: true | GrpcListenOptions | undefined;
}

/** Port for gRPC. The host name is that of {@link ServeOptions}. */
export interface GrpcListenOptions {
  /** Port; 0 for any free one. */
  readonly port: number;
}

/** A server that listens on a port: its addresses, and how it is closed. */
export interface Listening {
  /** URL without a path: `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Port, useful if 0 was requested. */
  readonly port: number;
  /** Host name or address. */
  readonly hostname: string;
  /** URL for gRPC. `undefined` if it is not served. */
  readonly grpcUrl: string | undefined;
  /** Closes the server too: stops accepting, waits for running calls, ends them after `graceMs`, and closes connections. */
  close(): Promise<void>;
  /** Resolves when `close` or a signal has closed it. Rejects if closing failed. */
  readonly closed: Promise<void>;
}

const RULES: OptionRules<ServeOptions> = {
  port: rule(
    "the number of a port",
    (port) => Number.isInteger(port) && (port as number) >= 0 && (port as number) < 65_536,
  ),
  hostname: TEXT,
  graceMs: wholeNumber(0, "milliseconds"),
  // Some runtimes report others only at listening, or never.
  signals: rule(
    'an array of "SIGINT" and "SIGTERM"',
    (signals) => Array.isArray(signals) && signals.every((signal) => signal === "SIGINT" || signal === "SIGTERM"),
  ),
  banner: BOOLEAN,
  // These two have their own error messages.
  tls: ANYTHING,
  grpc: ANYTHING,
};

const DEFAULT_PORT = 8000;
const LOOPBACK = "127.0.0.1";

/** Time limit for sending finished replies when the server closes, in milliseconds. */
const FLUSH_MS = 1_000;

/**
 * Serves a server on a port.
 *
 * On a loopback address (the default) it only accepts this machine's host names, which protects against DNS rebinding.
 * `createServer({ hosts })` overrides this.
 *
 * @example Serve, call, close
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { serve } from "jsr:@toolwire/toolwire/serve";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * const listening = await serve(server, { port: 0 });
 * const client = createClient<typeof server>(`${listening.url}/mcp-lite/v1`);
 * console.log(await client.ping()); // → pong
 * await listening.close();
 * ```
 * @throws {TypeError} If the server is closed, `grpc` is requested without the wire `grpc()`, `tls` is not a matching
 * key and certificate, or an option is unknown or invalid.
 * @throws {Error} With the code `EADDRINUSE`, if the port is in use.
 * @throws The runtime's own error if listening fails for another reason, such as a port that is not permitted.
 */
export function serve(server: Server, options?: ServeOptions): Promise<Listening>;
export async function serve(
  server: Server,
  options: ServeOptions = {},
  ...more: readonly unknown[]
): Promise<Listening> {
  if (typeof server?.withOriginPolicy !== "function") {
    throw new TypeError("Cannot serve this: pass the result of createServer(), as serve(server, { port: 8000 })");
  }
  if (more.length > 0) {
    throw new TypeError(
      "Cannot serve this: there is no callback. Write: const { url } = await serve(server, { port })",
    );
  }
  if (typeof options === "number") throw new TypeError(`Cannot serve this: write serve(server, { port: ${options} })`);
  if (server.isClosed) throw new TypeError("Cannot serve: this server is closed; create another one");
  checkOptions("serve this", options, RULES);
  assertSupported("serve this");
  if (options.grpc !== undefined && options.grpc !== true && typeof options.grpc?.port !== "number") {
    throw new TypeError("Cannot serve gRPC: grpc is { port: 50_051 }, or true for the same port");
  }
  if (options.grpc !== undefined && !server.wires.includes("connect")) {
    throw new TypeError("Cannot serve gRPC: give the server its wire, createServer({ wires: [mcpLite(), grpc()] })");
  }
  const { port = DEFAULT_PORT, hostname = LOOPBACK, graceMs, signals = [] } = options;
  const shown = hostname.includes(":") ? `[${hostname}]` : hostname;
  const isOpen = server.hosts !== undefined || !isLoopback(hostname);
  const guarded = isOpen ? server : server.withOriginPolicy(originPolicy({ hosts: [...LOOPBACK_HOSTS, shown] }));
  const { listener, grpc } = await listenOnAll(guarded, { ...options, port, hostname });
  server["~server"].resume();
  const closed = Promise.withResolvers<void>();
  closed.promise.catch(() => {});
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= shutDown(server, [...new Set([listener, ...grpc === undefined ? [] : [grpc]])], graceMs).finally(
      unhook,
    );
    closing.then(closed.resolve, closed.reject);
    return closing;
  };
  const unhook = onSignals(signals, () => void close());
  const urlOf = ({ port }: Listener) => `${options.tls === undefined ? "http" : "https"}://${shown}:${port}`;
  if (options.banner) console.log(formatBanner(server, urlOf(listener), grpc && urlOf(grpc)));
  return {
    url: urlOf(listener),
    port: listener.port,
    hostname,
    grpcUrl: grpc && urlOf(grpc),
    close,
    closed: closed.promise,
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The listeners of a server: the main one, and the one that serves gRPC, which may be the same. */
interface Listeners {
  readonly listener: Listener;
  readonly grpc: Listener | undefined;
}

async function listenOnAll(server: Server, options: ListenOptions & ServeOptions): Promise<Listeners> {
  const { hostname, tls, grpc } = options;
  if (grpc === true && tls === undefined) {
    const { listenOnOnePort } = await import("./one_port.ts");
    const listener = await listenOnOnePort((inner) => listen(server, inner), server, options);
    return { listener, grpc: listener };
  }
  if (tls === undefined && grpc === undefined) return { listener: await listen(server, options), grpc: undefined };
  const { listenOnHttp2 } = await import("./http2.ts");
  const listener = tls === undefined ? await listen(server, options) : await listenOnHttp2(server, options, tls);
  if (grpc === undefined || grpc === true) {
    return { listener, grpc: server.wires.includes("connect") ? listener : undefined };
  }
  try {
    return { listener, grpc: await listenOnHttp2(server, { port: grpc.port, hostname }, tls) };
  } catch (thrown) {
    await discard(listener);
    throw thrown;
  }
}

async function listen(server: Server, { port, hostname }: ListenOptions): Promise<Listener> {
  const options = { port, hostname };
  const runtime = globalThis as { readonly Bun?: unknown; readonly Deno?: unknown };
  if (runtime.Bun !== undefined) return listenOnBun(server, options);
  if (runtime.Deno !== undefined) return listenOnDeno(server, options);
  const { listenOnNode } = await import("./node.ts");
  return await listenOnNode(server, options);
}

async function shutDown(server: Server, listeners: readonly Listener[], graceMs: number | undefined): Promise<void> {
  const closing = new CleanUp();
  const drained = Promise.all(listeners.map((listener) => closing.wait(() => listener.stopAccepting())));
  await closing.wait(() => server.close(graceMs));
  const flushed = new AbortController();
  await Promise.race([drained, delay(FLUSH_MS, flushed.signal)]);
  flushed.abort();
  await Promise.all(listeners.map((listener) => closing.wait(() => listener.close())));
  closing.finish("Cannot shut down completely");
}

/** Handles the first signal only. A second one has its default effect, so that a user can force the exit. */
function onSignals(signals: readonly string[], close: () => void): () => void {
  const { process } = globalThis as { readonly process?: SignalSource };
  const listener = (): void => {
    unhook();
    close();
  };
  const unhook = (): void => signals.forEach((signal) => process?.removeListener(signal, listener));
  for (const signal of signals) process?.on(signal, listener);
  return unhook;
}

/** The functions of `process` or `Deno` by which signals arrive. */
interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  removeListener(signal: string, listener: () => void): unknown;
}
