/** Black-box checks of a server by the official client: what each observes is compared with what the library of the server gave. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
  ProgressNotificationSchema,
  type ServerNotification,
} from "@modelcontextprotocol/sdk/types.js";
import process from "node:process";

/** A server under test. */
export interface Target {
  /** The URL of MCP. Over stdio: empty. */
  readonly url: string;
  /** A client that is connected, and closed at the end of the check. */
  connect(options?: ConnectOptions): Promise<Connection>;
}

/** How a client connects, and what it answers. */
export interface ConnectOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers to forms, in their order; the last one stays. Without them the client has no such capability. */
  readonly forms?: readonly ElicitResult[];
  readonly samples?: readonly CreateMessageResult[];
  readonly roots?: readonly string[];
}

/** A connected client, with what the server sent to it. */
export interface Connection {
  readonly client: Client;
  /** Parameters of the questions, in their order. */
  readonly asked: readonly unknown[];
  readonly notifications: readonly ServerNotification[];
  /** Drops the notifications so far. */
  forget(): void;
  /** Resolves with the notifications of a method when there are so many. */
  notified(method: string, count?: number): Promise<readonly ServerNotification[]>;
}

/** One check: its name, and what it observes. */
export type Check = readonly [name: string, observe: (target: Target) => Promise<unknown>];

/** A bound for what hangs, not for what is slow. */
const HANG_MS = 30_000;

/** What each check observes, by its name. A check that fails observes its error. */
export async function observe(target: Opened, checks: readonly Check[]): Promise<ReadonlyMap<string, unknown>> {
  const observed = new Map<string, unknown>();
  for (const [name, run] of checks) {
    try {
      observed.set(name, plain(await bounded(run(target), name)));
    } catch (thrown) {
      observed.set(name, `not observed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    } finally {
      await target.closeAll();
    }
  }
  return observed;
}

/** JSON without what differs in each run: the port, and the lines of a stack. */
function plain(value: unknown): unknown {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value)
    .replaceAll(/127\.0\.0\.1:\d+/g, "host")
    .replaceAll(/"stack":"(?:[^"\\]|\\.)*"/g, '"stack":"lines of the source"');
  return JSON.parse(text);
}

/** A promise that is rejected after a time in which nothing happened. */
export function bounded<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes too long`)), HANG_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A target whose clients can be closed. */
export interface Opened extends Target {
  /** Closes the clients of one check. */
  closeAll(): Promise<void>;
  /** Closes all clients. */
  end(): Promise<void>;
}

/** A server at a URL. If it `shares`, clients without answers and headers are one client: for servers that take long to begin a session. */
export function overHttp(url: string, defaults: Readonly<Record<string, string>> = {}, shares = false): Opened {
  const start = () =>
    open(url, (headers) => {
      const requestInit = { headers: { ...defaults, ...headers } };
      return new StreamableHTTPClientTransport(new URL(url), { requestInit }) as Transport;
    });
  return shares ? sharing(start(), start()) : start();
}

/** A server that is a program on stdio: each client with answers starts one, the others share one. */
export function overStdio(command: readonly string[], cwd: string): Opened {
  const [file = "", ...args] = command;
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  const start = () => open("", () => new StdioClientTransport({ command: file, args, cwd, env, stderr: "ignore" }));
  return sharing(start(), start());
}

/** A target whose clients without answers and headers are one client, of `common`. */
function sharing(own: Opened, common: Opened): Opened {
  let shared: Promise<Connection> | undefined;
  return {
    url: own.url,
    async connect(options = {}) {
      const isOwn = Object.keys(options).some((name) => name !== "headers" || own.url !== "");
      if (isOwn) return await own.connect(options);
      const connection = await (shared ??= common.connect());
      connection.forget();
      return connection;
    },
    closeAll: () => own.closeAll(),
    async end() {
      await own.end();
      await common.end();
    },
  };
}

function open(
  url: string,
  transportFor: (headers: Readonly<Record<string, string>>) => Transport,
): Opened {
  const clients: { readonly client: Client; readonly transport: Transport }[] = [];
  const closeAll = async () => {
    for (const { client, transport } of clients.splice(0)) {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
    }
  };
  return {
    url,
    async connect(options = {}) {
      const client = new Client({ name: "check", version: "1.0.0" }, { capabilities: capabilitiesOf(options) });
      const transport = transportFor(options.headers ?? {});
      clients.push({ client, transport });
      const connection = connectionOf(client, options);
      await client.connect(transport);
      return connection;
    },
    closeAll,
    end: closeAll,
  };
}

function capabilitiesOf({ forms, samples, roots }: ConnectOptions): ClientCapabilities {
  return {
    ...(forms !== undefined && { elicitation: {} }),
    ...(samples !== undefined && { sampling: {} }),
    ...(roots !== undefined && { roots: {} }),
  };
}

function connectionOf(client: Client, { forms = [], samples = [], roots }: ConnectOptions): Connection {
  const asked: unknown[] = [];
  const notifications: ServerNotification[] = [];
  const watchers = new Set<() => void>();
  const answers = <Answer>(list: readonly Answer[]) => {
    let index = 0;
    return (params: unknown): Answer => {
      asked.push(params);
      const answer = list[Math.min(index++, list.length - 1)];
      if (answer === undefined) throw new Error("The client has no answer");
      return answer;
    };
  };
  const [form, sample] = [answers(forms), answers(samples)];
  if (forms.length > 0) client.setRequestHandler(ElicitRequestSchema, ({ params }) => form(withoutMeta(params)));
  if (samples.length > 0) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sample(withoutMeta(params)));
  }
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  const receive = (notification: unknown) => {
    notifications.push(notification as ServerNotification);
    for (const look of watchers) look();
    return Promise.resolve();
  };
  client.fallbackNotificationHandler = receive;
  // `onprogress` of the client drops what comes in one piece with the answer.
  client.setNotificationHandler(ProgressNotificationSchema, receive);
  return {
    client,
    asked,
    notifications,
    forget: () => void notifications.splice(0),
    notified: (method, count = 1) =>
      bounded(
        new Promise((resolve) => {
          const look = () => {
            const found = notifications.filter((one) => one.method === method);
            if (found.length < count) return;
            watchers.delete(look);
            resolve(found);
          };
          watchers.add(look);
          look();
        }),
        method,
      ),
  };
}

function withoutMeta(params: object): object {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== "_meta"));
}

/** What a call gives: its content with the texts alone, its structured content, whether it is an error. A rejected call: its number and message. */
export async function callOf(
  connection: Connection,
  name: string,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  return await outcome(async () => {
    const { content, structuredContent, isError } = await connection.client.callTool({ name, arguments: args });
    return {
      content: (content as readonly { type: string; text?: string }[]).map((block) =>
        block.type === "text" ? block.text : block
      ),
      ...(structuredContent !== undefined && { structuredContent }),
      ...(isError === true && { isError }),
    };
  });
}

/** What some work gives, or the number, message and data of its error. */
export async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    const { code, message, data } = thrown as { code?: unknown; message?: unknown; data?: unknown };
    return { code, message, ...(data !== undefined && { data }) };
  }
}

/** Status, chosen headers and JSON of a plain request. */
export async function request(
  url: string,
  init: RequestInit,
  ...names: readonly string[]
): Promise<{ readonly status: number; readonly headers: Record<string, string | null>; readonly body: unknown }> {
  const response = await fetch(url, init);
  const text = await response.text();
  const data = /^data: (.+)$/m.exec(text)?.[1] ?? text;
  let body: unknown = data;
  try {
    body = JSON.parse(data);
  } catch {
    // A text.
  }
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
  return { status: response.status, headers, body };
}
