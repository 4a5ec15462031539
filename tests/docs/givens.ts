/**
 * What a reader of a fragment has already, declared for its type check: `ts fragment server tools` is checked with `server` and `tools`,
 * `ts fragment server.ts` beside a file of that name.
 */

/** Declarations, by the marks of fragments. */
export const GIVENS: Readonly<Record<string, string>> = {
  Deno: "declare const Deno: { serve(handler: (request: Request) => Response | Promise<Response>): unknown };",
  OutOfStock: "class OutOfStock extends Error {}",
  TableEngine: 'declare const TableEngine: new (table: object, leaseMs: number) => import("toolwire/engines").Engine;',
  askMyModel:
    'declare function askMyModel(messages: readonly unknown[], maxTokens: number): Promise<{ role: "assistant"; content: { type: "text"; text: string }; model: string }>;',
  billing:
    'declare const billing: import("toolwire").Server<readonly import("toolwire").Tool<"close_month", Record<string, unknown>, string, unknown, Record<never, never>>[]>;',
  button: "declare const button: { onclick: (() => unknown) | null };",
  client:
    'declare const client: import("toolwire").Client<import("toolwire").Server<readonly import("toolwire").Tool<"greet", Record<string, unknown>, string, unknown, Record<never, never>>[]>>;',
  confirm: "declare function confirm(question: string): boolean;",
  ctx: 'declare const ctx: import("toolwire").Ctx;',
  door: 'declare const door: import("toolwire/sign-in").SignIn;',
  engine: 'declare const engine: import("toolwire/engines").Engine;',
  gather: "declare function gather(): Promise<string>;",
  http: "declare const http: { close(): unknown };",
  insure: "declare function insure(): Promise<string>;",
  keys: "declare const keys: string;",
  mcp_transport: 'declare const transport: import("toolwire/mcp").McpTransport;',
  messages: "declare const messages: object[];",
  model: "declare const model: string;",
  openai:
    "declare const openai: { chat: { completions: { create(request: object): Promise<{ choices: { message: { content: string | null; tool_calls?: any[] } }[] }> } }; responses: { create(request: object): Promise<{ output: { type: string }[] }> } };",
  payments: "declare const payments: { charge(sku: string, options: { idempotencyKey: string }): Promise<string> };",
  redis: "declare const redis: string;",
  report:
    'declare const report: import("toolwire").Tool<"report", { days: number }, string, unknown, Record<never, never>>;',
  resources: 'declare const resources: NonNullable<import("toolwire").ServerOptions["resources"]>;',
  secret: "declare const secret: string;",
  server: 'declare const server: import("toolwire").Server;',
  show: "declare function show(text: unknown): void;",
  source: 'declare const source: import("toolwire").Server;',
  store: "declare const store: { token(): Promise<string>; renew(rejected: string): Promise<string> };",
  table: "declare const table: object;",
  tools: 'declare const tools: readonly import("toolwire").AnyTool[];',
  transport: 'declare const transport: import("toolwire/wire").Transport;',
  url: "declare const url: string;",
  v1: 'declare const v1: import("toolwire").AnyTool;',
  warehouse: "declare const warehouse: { ship(sku: string, order: object): Promise<string> };",
  weatherV1: 'declare const weatherV1: readonly import("toolwire").AnyTool[];',
};

/** Files beside a fragment, by their names. */
export const GIVEN_FILES: Readonly<Record<string, string>> = {
  "contract.ts": `
    import type { Tool } from "toolwire";
    export type Contract = {
      "~tools"?: readonly Tool<"read_text_file", { path: string }, { content: string }, unknown, Record<never, never>>[];
    };`,
  "express.d.ts": `
    declare module "express" {
      type Node = typeof import("node:http");
      export interface Request extends InstanceType<Node["IncomingMessage"]> { session: { user?: { id: string } } }
      export interface Response extends InstanceType<Node["ServerResponse"]> { send(text: string): void }
      export type Handler = (request: Request, response: Response, next: (error?: unknown) => void) => void;
      export interface App { listen(port: number): { close(): void }; use(handler: Handler): void; use(path: string, handler: Handler): void; get(path: string, handler: Handler): void }
      function express(): App;
      namespace express { function json(): Handler; }
      export default express;
    }
    declare module "express-session" {
      export default function session(options: object): import("express").Handler;
    }`,
  "server.ts": `
    import { createServer, defineTool } from "toolwire";
    import * as v from "toolwire/schema";
    const sales = defineTool("sales").describe("Sales of a month").input(v.object({ month: v.number() }))
      .output(v.object({ total: v.number() })).handle(() => ({ total: 42 }));
    export const server = createServer({ tools: [sales] });`,
  // The packages of Temporal take minutes to install; tests/integrations/temporal has them.
  "temporal_client.d.ts": `
    declare module "@temporalio/client" {
      type TemporalClient = import("toolwire/temporal").TemporalClient;
      class Connection { static connect(options: { address: string }): Promise<Connection>; }
      class Client { constructor(options: { connection: Connection }); }
      interface Client extends TemporalClient {}
    }`,
  "temporal_workflow.d.ts": `
    declare module "@temporalio/workflow" {
      type Api = import("toolwire/temporal/workflow").WorkflowApi;
      const condition: Api["condition"], defineQuery: Api["defineQuery"], defineSignal: Api["defineSignal"];
      const setHandler: Api["setHandler"];
      const ApplicationFailure: { nonRetryable(message: string, type: string): Error };
      function sleep(duration: string): Promise<void>;
    }`,
};
