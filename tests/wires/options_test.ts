/** Invalid options fail at the call, with a message that says what to write instead. */
import { rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { aiSdkTools, anthropicTools, langchainTools, openaiTools } from "../../src/entries/agents.ts";
import { authenticate, bearer, jwt, protectedResourcePage } from "../../src/entries/auth.ts";
import { bullmqEngine } from "../../src/entries/engines/bullmq.ts";
import { sqliteEngine } from "../../src/entries/engines/sqlite.ts";
import {
  cache,
  concurrencyLimit,
  logging,
  memoryRateLimitStore,
  rateLimit,
  timeout,
} from "../../src/entries/middleware.ts";
import { otel, otelTransport } from "../../src/entries/otel.ts";
import { openapiPage, toolsFromOpenApi } from "../../src/entries/openapi.ts";
import { redisChangeBus, redisRateLimitStore, redisSessionStore } from "../../src/entries/redis.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { healthPage } from "../../src/entries/health.ts";
import {
  definePrompt,
  defineResource,
  mcp,
  mcpSessions,
  mcpTransport,
  memorySessionStore,
} from "../../src/entries/mcp.ts";
import { webtools } from "../../src/entries/webtools.ts";
import { DESCRIPTIONS } from "./descriptions/all.ts";
import type { InvalidOptions } from "./descriptions/description.ts";

/** A call that the compiler does not check. */
type Untyped = (...args: readonly unknown[]) => unknown;

const webtool = { name: "docs", description: "Documents", version: "1.0.0" };
const issuer = { issuer: "https://login.example", audience: "https://api.example", keys: { keys: [] } };
const redis = "redis://127.0.0.1:1";
/** Invalid addresses of Redis, with secrets that must not be in the message. */
const NO_REDIS: readonly unknown[] = [
  {},
  { url: "redis://127.0.0.1:1" },
  { redis: "" },
  { redis: 6379 },
  { redis: "http://user:secret@localhost" },
  { redis: "localhost:1" },
  { redis: "user:secret@localhost:1" },
  { redis: "//localhost:1" },
  { redis: "redis://[" },
  { redis: { url: "redis://127.0.0.1:1" } },
  { redis: ["redis://127.0.0.1:1"] },
];
const REDIS_IS =
  /^Cannot [\w ]+: redis must be a URL such as "redis:\/\/127\.0\.0\.1:6379", the path of .*, or parts such as \{ host, port \}$/;
const scopes = (...given: readonly unknown[]) => (defineTool("t").describe("T").scopes as Untyped)(...given);

const tool = defineTool("t") as unknown as Record<"promise" | "title" | "type" | "annotate", Untyped>;
const promise = (...given: readonly unknown[]) => tool.promise(...given);
const title = (...given: readonly unknown[]) => tool.title(...given);
const type = (...given: readonly unknown[]) => tool.type(...given);
const annotate = (...given: readonly unknown[]) => tool.annotate(...given);
const prompt = (step: "title" | "icons") => (...given: readonly unknown[]) => {
  (definePrompt("p") as unknown as Record<string, Untyped>)[step]?.(...given);
};
const resource = (step: "title" | "describe" | "mimeType" | "icons") => (...given: readonly unknown[]) => {
  (defineResource("x://y") as unknown as Record<string, Untyped>)[step]?.(...given);
};

const AUTHENTICATE = /auth must be .*, not a function: pass it to authenticate\(.\), of "toolwire\/auth"$/;
function identify() {}

const INVALID: readonly InvalidOptions[] = [
  ...DESCRIPTIONS.flatMap(({ invalidOptions = [] }) => invalidOptions),
  [redisSessionStore, [], /^Cannot keep sessions in Redis: options are an object, not undefined$/],
  [redisSessionStore, ["redis://127.0.0.1"], /^Cannot keep sessions in Redis: options are an object, not "redis:/],
  [createServer, [{ tools: [], wires: ["mcp"] }], /wires must be .*, not an array with "mcp": write mcp\(\)$/],
  [createServer, [{ tools: [], wires: ["streamable-http"] }], /not an array with "streamable-http": write mcp\(\)$/],
  [createServer, [{ tools: [], wires: [mcp(), "REST"] }], /with "REST": write rest\(\), of "toolwire\/rest"$/],
  [createServer, [{ tools: [], wires: ["web_socket"] }], /write webSocket\(\), of "toolwire\/websocket"$/],
  [
    createServer,
    [{ tools: [], wires: ["stdio"] }],
    /write serveStdio\(server\), of "toolwire\/stdio", in place of a wire$/,
  ],
  [createServer, [{ tools: [], wires: ["ftp"] }], /wires must be .*, not an array with "ftp"$/],
  [createServer, [{ tools: [], wires: [mcp] }], /not an array with a function: call it, mcp\(\)$/],
  [
    createServer,
    [{ tools: [], wires: mcp() }],
    /wires must be an array of wires, .*, not one of them: write it in \[ . \]$/,
  ],
  [createServer, [{ tools: [], schedules: [5] }], /schedules must be .*, not an array with 5$/],
  [createServer, [{ tools: [], auth: () => undefined }], AUTHENTICATE],
  [createServer, [{ tools: [], auth: identify }], AUTHENTICATE],
  [createServer, [{ tools: [], auth: bearer }], /auth must be .*, not a function: call it, bearer\(.\)$/],
  [healthPage, [{ ready: (req: unknown) => req }], /ready must be .*, not a function$/],
  [createServer, [{ tools: [], wires: { mcp: true } }], /wires must be .*, not an object$/],
  ...[undefined, null, [], "tools"].map((no) =>
    [createServer, [no], /^Cannot create server: pass options, such as \{ tools: \[add\] \}$/] as const
  ),
  [
    createServer,
    [{ tools: [], engine: "sqlite" }],
    /engine must be .*withPromises\(engine\), of "toolwire\/engines", not/,
  ],
  [createServer, [{ tools: [], auth: {} }], /auth must be what .* of "toolwire\/auth" gives, not an object$/],
  ...[redisSessionStore, redisChangeBus, redisRateLimitStore].flatMap((open) =>
    NO_REDIS.map((no) => [open, [no], REDIS_IS] as const)
  ),
  ...NO_REDIS.slice(2).map((no) => [bullmqEngine, [no], REDIS_IS] as const),
  [redisSessionStore, [{ redis, maxSession: 5 }], /there is no option "maxSession"; did you mean "maxSessions"\?$/],
  [redisSessionStore, [{ redis, maxSessions: 0 }], /maxSessions must be a whole number above 0, not 0$/, "RangeError"],
  [redisChangeBus, [{ redis, names: "a" }], /^Cannot publish changes .*no option "names"; did you mean "name"\?$/],
  [redisRateLimitStore, [{ redis, timeout: 5 }], /^Cannot keep buckets in Redis: .*did you mean "timeoutMs"\?$/],
  [redisRateLimitStore, [{ redis, timeoutMs: 0 }], /timeoutMs must be a number above 0, not 0$/, "RangeError"],
  [openapiPage, [{ path: "/api?x" }], /^Cannot serve OpenAPI: path must be like/],
  [toolsFromOpenApi, [{}, { baseURL: "https://x" }], /there is no option "baseURL"; did you mean "baseUrl"\?$/],
  [healthPage, [{ redy: "/x" }], /there is no option "redy"; did you mean "ready"\?$/],
  [logging, [{}], /logger must be a logger such as console, not undefined$/],
  [protectedResourcePage, [], /^Cannot describe a protected resource: options are an object/],
  [
    protectedResourcePage,
    [{ resource: "https://x" }],
    /authorizationServers must be an array of texts, not undefined$/,
  ],
  [jwt, [], /^Cannot verify tokens: options are an object, not undefined$/],
  [jwt, [{ ...issuer, keys: [] }], /keys must be a key set \{ keys: \[.\] \}, not this array$/],
  [jwt, [{ ...issuer, audiences: [] }], /there is no option "audiences"; did you mean "audience"\?$/],
  [bearer, [() => {}, { allowsAnonymous: true }], /did you mean "allowAnonymous"\?$/],
  [authenticate, [() => {}, { timeoutMs: 0 }], /timeoutMs must be a number above 0, not 0$/, "RangeError"],
  [scopes, [["read"]], /^Cannot set the scopes of tool "t": name each, as \.scopes\("read", "write"\)$/],
  [scopes, [], /name each/],
  [cache, [{}], /^Cannot create a cache: ttlMs must be a number above 0, not undefined$/],
  [
    rateLimit,
    [{ perSecond: 1, store: {} }],
    /store must be a store such as memoryRateLimitStore\(\) or redisRateLimitStore/,
  ],
  [concurrencyLimit, [{ max: 1, que: 2 }], /there is no option "que"; did you mean "queue"\?$/],
  [concurrencyLimit, [{ max: 1, unlike: 2 }], /there is no option "unlike"; there are max, \w+, /],
  [memoryRateLimitStore, [{ maxBuckets: 0 }], /maxBuckets must be/, "RangeError"],
  [timeout, [0], /timeoutMs must be/, "RangeError"],
  [
    sqliteEngine,
    ["jobs.db", { lease: 5 }],
    /^Cannot keep jobs in SQLite: there is no option "lease"; did you mean "leaseMs"\?$/,
  ],
  [sqliteEngine, ["jobs.db", { pollMs: 0 }], /pollMs must be a number of at least 1, not 0$/, "RangeError"],
  [sqliteEngine, ["jobs.db", { outlives: "disk" }], /outlives must be "process" or "machine", not "disk"$/],
  [sqliteEngine, [undefined], /^Cannot open undefined: name a file by its path/],
  [bullmqEngine, [{ redis, timeout: 5 }], /^Cannot keep jobs by BullMQ: .*did you mean "timeoutMs"\?$/],
  [bullmqEngine, [{}], /^Cannot use BullMQ: pass either redis or postgres$/],
  [otel, [{ traces: {} }], /^Cannot trace and measure: there is no option "traces"; did you mean "tracer"\?$/],
  [otelTransport, [{}, { meter: "m" }], /meter must be an object, not "m"$/],
  [
    promise,
    [{ budget: 5 }],
    /^Cannot promise answers of tool "t": there is no option "budget"; did you mean "budgetMs"\?$/,
  ],
  [
    promise,
    [{ retries: 0.5 }],
    /retries must be a whole number from 0, or \{ attempts, minMs, maxMs, factor, jitter \}, not 0\.5$/,
    "RangeError",
  ],
  [promise, [{ required: "yes" }], /required must be true or false, not "yes"$/],
  [title, [5], /^Cannot define tool "t": title must be text that is not empty, not 5$/, "RangeError"],
  [title, [""], /title must be text that is not empty, not ""$/],
  [type, [["query"]], /type must be text that is not empty, not this array$/],
  [annotate, [{ readonlyHint: true }], /^Cannot annotate tool "t": .*did you mean "readOnlyHint"\?$/],
  [annotate, [{ readOnlyHint: "true" }], /readOnlyHint must be true or false, not "true"$/],
  [annotate, [{ priority: 2 }], /priority must be from 0 to 1, not 2$/, "RangeError"],
  [annotate, [null], /options are an object, not null$/],
  [prompt("title"), [7], /^Cannot define prompt "p": title must be text that is not empty, not 7$/, "RangeError"],
  [
    prompt("icons"),
    [{ src: "a" }],
    /icons must be an array of \{ src, mimeType\?, sizes\?, theme\? \}, not an object$/,
  ],
  [prompt("icons"), [[{ url: "a" }]], /^Cannot give prompt "p" an icon: there is no option "url"/],
  [prompt("icons"), [["a.png"]], /options are an object, not "a\.png"$/],
  [resource("title"), [{}], /^Cannot define resource "x:\/\/y": title must be text/],
  [resource("describe"), [null], /description must be text that is not empty, not null$/],
  [resource("mimeType"), [""], /mimeType must be text that is not empty, not ""$/],
  [resource("icons"), [[{ src: "a", theme: "blue" }]], /theme must be "light" or "dark", not "blue"$/],
  [resource("icons"), [[{ src: "a", sizes: "48x48" }]], /sizes must be an array of texts, not "48x48"$/],
];

for (const [index, [call, args, message, name = "TypeError"]] of INVALID.entries()) {
  test(`${index + 1}: ${message.source}`, () => {
    throws(() => (call as Untyped)(...args), { name, message });
  });
}

test("tools for models: options that are not what they should be", async () => {
  const server = createServer({ tools: [] });
  for (const make of [aiSdkTools, anthropicTools, langchainTools, openaiTools] as readonly unknown[]) {
    const wrong = async (options: unknown) => await (make as Untyped)(server, options);
    await rejects(wrong({ selct: () => true }), /^TypeError: Cannot give tools to a model: .*did you mean "select"\?$/);
    await rejects(wrong({ promises: "hidden" }), /promises must be "awaited" or "shown", not "hidden"$/);
  }
  const wrong = async () => await (openaiTools as Untyped)(server, { strict: 1 });
  await rejects(wrong(), /strict must be true or false, not 1$/);
});

test("valid options, and options that are left out, are accepted", () => {
  mcp({
    path: "//a//b%20c/",
    sessions: mcpSessions({ store: memorySessionStore({ ttlMs: 0.5, maxSessions: 1 }) }),
    ssePath: "sse",
    cache: undefined,
  });
  (mcp as Untyped)({ unknown: undefined });
  mcpTransport("http://x", { headers: [["a", "b"]], pinned: [], era: undefined as never });
  webtools({ ...webtool, versions: [], path: "/" });
  grpc({ path: "" });
});

test("Redis is named by a URL, by the path of a socket, or by parts", () => {
  const addresses = ["redis://localhost", "REDISS://u:p@localhost:1/2", "/run/redis.sock?db=2", {}, { port: 1 }, {
    tls: {},
  }];
  for (const redis of addresses) {
    redisRateLimitStore({ redis }).close();
    bullmqEngine({ redis });
  }
});
