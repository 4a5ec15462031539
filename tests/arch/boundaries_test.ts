/** Contracts that others implement and the SDK calls: each has a test in which its methods fail, and a new one has to be named here. */
import { deepStrictEqual, match } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";

const { readSources } = house as {
  readonly readSources: () => readonly { readonly path: string; readonly text: string }[];
};

const PLUG_INS = "tests/server/second_failures/plug_ins_test.ts";
const CONNECTIONS = "tests/server/second_failures/connections_test.ts";
const WITHIN_CALLS = "tests/server/second_failures/within_calls_test.ts";
const HANDLERS = "tests/server/second_failures/handlers_test.ts";
const FIRST_CAUSE = "tests/server/second_failures/first_cause_test.ts";
const EXECUTORS = "tests/server/code_mode/broken_executors_test.ts";
const BROKEN = "tests/server/broken_plugins_test.ts";

/** Contracts of plug-ins, and the test in which their methods fail. */
const TESTED: Readonly<Record<string, string>> = {
  Engine: PLUG_INS,
  ChangeBus: PLUG_INS,
  RateLimitStore: PLUG_INS,
  SessionStore: PLUG_INS,
  MountedWire: CONNECTIONS,
  MountedDuplexWire: CONNECTIONS,
  FramePort: CONNECTIONS,
  AroundCall: CONNECTIONS,
  MessageConnection: CONNECTIONS,
  Transport: CONNECTIONS,
  CallObserver: WITHIN_CALLS,
  TokenKeys: WITHIN_CALLS,
  Auth: WITHIN_CALLS,
  MountedAuth: WITHIN_CALLS,
  ExternalWork: HANDLERS,
  HasJson: HANDLERS,
  Redirect: FIRST_CAUSE,
  SignInStore: FIRST_CAUSE,
  OpenedEngine: FIRST_CAUSE,
  ReplicaServer: FIRST_CAUSE,
  ClientSocket: "tests/server/second_failures/client_socket_test.ts",
  EngineWorker: BROKEN,
  RequestWire: BROKEN,
  DuplexWire: BROKEN,
  Reply: BROKEN,
  Logger: BROKEN,
  McpMethod: "tests/wires/mcp/server/custom_methods_test.ts",
  AuditSink: "tests/integrations/decisions/audit_test.ts",
  Executor: EXECUTORS,
  Guest: EXECUTORS,
  OAuthStore: "tests/integrations/oauth/store_test.ts",
};

/**
 * Parts of the SDK that public types mention: `ShardServer` is what `createServer` returns, `Clock` is the time, without which a server can
 * do nothing, `SchemaAdapter` and `ExactCheck` fail where a tool is defined, and what a `TokenGuard` throws is thrown by the `TokenKeys`
 * around it, which are tested.
 */
const PARTS = "BegunCall Clock ContentMethod ExactCheck Receiver SchemaAdapter ShardServer TokenGuard ToolWorkflow";

/** Interfaces of runtimes and other packages. */
const FOREIGN = `
  Metadata ObjectCursor ObjectNamespace ObjectResponse ObjectState ObjectStorage OtelMeter OtelTracer RequestHost TanStackContext TemporalClient TemporalHandle
  WorkflowApi
`;

/** Objects of the SDK, whose methods others call. */
const OURS = `
  ActivityMonitor AdkTool AiTool AnthropicRunnableTool AnthropicTool Body BunWebSocketHandlers CallerState CallingClient ClientInfo ClientMethods CloudflareTool
  ConformanceCheck ContentCatalog ContentHelpers Ctx DefineTool Dispatch DurableObjects EngineCheck FrameListener FunctionTool Gateway
  GoogleTools Head LangChainTool Listening MastraTool McpLogging McpPrompts McpResources McpSessions McpTransport MemoryServer
  MiddlewareCtx NodeHandler Notify OAuthFetch OpenAiAgentsSearch OpenAiAgentsTool OpenAiResponsesFunction OpenAiResponsesTools OpenAiToolSearchOutput PromisedAnswer PromptBuilder
  RedisChangeBus RedisRateLimitStore RedisSessionStore RenderingTool Replica ReplicaRecord ReplicaSimulation ResourceBuilder RunnableTools
  SchemaExplanation Server ServerJobs ShardObject SignIn Sink SkillReader StdioServer TanStackTool ToolBuilder ToolCall Toolset Upgrade
  ViewMethods ViewToolCall WebMcpRegistration WebSocketTransport WireHost
`;

const METHOD = /^ {2}(?:readonly )?\w+\??(?:\(|: \(|<[^>]*>\()/m;

/** Names of the public interfaces with methods. Functions of options run where they are given. */
function boundaries(): readonly string[] {
  const exported = new Set(readFileSync("tests/arch/exports.txt", "utf8").match(/\b[A-Z]\w+/g));
  const interfaces = readSources().flatMap(({ text }) => [
    ...text.matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gms),
  ]);
  const withMethods = interfaces.filter(([, name = "", body = ""]) => {
    return exported.has(name) && !/(Options|Checks)$/.test(name) && METHOD.test(body);
  });
  return [...new Set(withMethods.map(([, name = ""]) => name))].sort();
}

const namesOf = (list: string): readonly string[] => list.trim().split(/\s+/);

test("each public interface with methods is one of the SDK, or a contract whose failures are tested", () => {
  const named = [...Object.keys(TESTED), ...namesOf(PARTS), ...namesOf(FOREIGN), ...namesOf(OURS)];
  deepStrictEqual(
    boundaries(),
    named.toSorted(),
    "Name it in tests/arch/boundaries_test.ts: if others implement it, with a test in which each of its methods fails, and then its clean-up",
  );
});

for (const [name, path] of Object.entries(TESTED)) {
  test(`the failures of ${name} are tested where the table says`, () => {
    match(readFileSync(path, "utf8"), new RegExp(`\\b${name}\\b`, "i"));
  });
}
