/** Options that are not what they should be are told where they are given, with what to write instead. */
import { throws } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../mod.ts";
import { authenticate, bearer, jwt, protectedResource } from "../../src/auth/mod.ts";
import { cache, concurrencyLimit, logging, memoryBuckets, rateLimit, timeout } from "../../src/middleware/mod.ts";
import { openapi, toolsFromOpenApi } from "../../src/openapi/mod.ts";
import { redisBuckets, redisChanges, redisSessions } from "../../src/redis/mod.ts";
import { connect, connectTransport, grpcWebTransport } from "../../src/wires/grpc/entry.ts";
import { health } from "../../src/wires/health/mod.ts";
import { mcp, mcpTransport, memorySessions, sessionsIn } from "../../src/wires/mcp/entry.ts";
import { webtools, webtoolsTransport } from "../../src/wires/webtools/entry.ts";

/** As somebody calls it whom no compiler tells. */
type Untyped = (...args: readonly unknown[]) => unknown;

const webtool = { name: "docs", description: "Documents", version: "1.0.0" };
const issuer = { issuer: "https://login.example", audience: "https://api.example", keys: { keys: [] } };
const redis = "redis://127.0.0.1:1";
const scopes = (...given: readonly unknown[]) => (defineTool("t").describe("T").scopes as Untyped)(...given);

const WRONG: readonly (readonly [call: unknown, args: readonly unknown[], message: RegExp, name?: "RangeError"])[] = [
  [mcp, [null], /^Cannot serve MCP: options are an object, not null$/],
  [mcp, ["/mcp"], /options are an object, not "\/mcp"$/],
  [mcp, [{ sessions: true }], /sessions must be memorySessions\(\) or sessionsIn\(store\), not true$/],
  [mcp, [{ sessions: memorySessions }], /sessions must be .*, not a function$/],
  [mcp, [{ sesions: memorySessions() }], /there is no option "sesions"; did you mean "sessions"\?$/],
  [mcp, [{ path: "/mcp?x" }], /path must be like "\/tools", without host, query or fragment, not "\/mcp\?x"$/],
  [mcp, [{ path: "https://example.com/mcp" }], /path must be like/],
  [mcp, [{ path: 7 }], /path must be like .*, not 7$/, "RangeError"],
  [mcp, [{ ssePath: "/sse#x", sessions: memorySessions() }], /ssePath must be like/],
  [mcp, [{ ssePath: "/sse" }], /ssePath needs sessions, such as memorySessions\(\)$/],
  [mcp, [{ logging: "yes" }], /logging must be true or false, not "yes"$/],
  [
    mcp,
    [{ cache: { ttlMs: -1, scope: "public" } }],
    /cache must be \{ ttlMs: 0, scope: "private" \}, or the like, not an object$/,
  ],
  [mcp, [{ pageSize: 0 }], /pageSize must be a whole number above 0, not 0$/, "RangeError"],
  [mcp, [{ pageSize: 1.5 }], /not 1\.5$/, "RangeError"],
  [mcp, [{ askTimeoutMs: 0 }], /askTimeoutMs must be a number above 0, not 0$/, "RangeError"],
  [memorySessions, [{ ttlMs: -1 }], /^Cannot keep sessions: ttlMs must be a number above 0, not -1$/, "RangeError"],
  [memorySessions, [{ retryMs: 0 }], /whole number of milliseconds above 0, not 0$/, "RangeError"],
  [memorySessions, [{ pollAfterMs: -5 }], /pollAfterMs must be/, "RangeError"],
  [memorySessions, [{ maxSessions: 0 }], /maxSessions must be/, "RangeError"],
  [memorySessions, [{ ttl: 5 }], /there is no option "ttl"; did you mean "ttlMs"\?$/],
  [sessionsIn, [{ get() {} }], /the store has no put, delete, append, read, publish, subscribe$/],
  [redisSessions, [], /^Cannot keep sessions in Redis: options are an object, not undefined$/],
  [redisSessions, [{}], /redis must be a URL such as "redis:\/\/127\.0\.0\.1:6379", or its parts, not undefined$/],
  [redisSessions, [{ redis, maxSession: 5 }], /there is no option "maxSession"; did you mean "maxSessions"\?$/],
  [redisSessions, [{ redis, maxSessions: 0 }], /maxSessions must be a whole number above 0, not 0$/, "RangeError"],
  [redisChanges, [{ redis, names: "a" }], /^Cannot tell changes .*no option "names"; did you mean "name"\?$/],
  [redisChanges, [{ redis: "" }], /redis must be a URL/],
  [redisBuckets, [{ redis, timeout: 5 }], /^Cannot keep buckets in Redis: .*did you mean "timeoutMs"\?$/],
  [redisBuckets, [{ redis, timeoutMs: 0 }], /timeoutMs must be a number above 0, not 0$/, "RangeError"],
  [mcpTransport, ["http://x", { pinned: {} }], /pinned must be an array of tools, .*, not an object$/],
  [mcpTransport, ["http://x", { era: "2025" }], /era must be "auto" or "modern" or "legacy", not "2025"$/],
  [mcpTransport, ["http://x", { header: {} }], /there is no option "header"; did you mean "headers"\?$/],
  [webtools, [], /^Cannot make webtool: options are an object, not undefined$/],
  [webtools, [{}], /name must be text that is not empty, not undefined$/],
  [webtools, [{ ...webtool, path: "/x?y" }], /path must be like/],
  [webtools, [{ ...webtool, versions: [{}] }], /versions must be an array of \{ version, tools \}, not an object$/],
  [webtoolsTransport, ["http://x", { pin: {} }], /that is no metadata of a webtool/],
  [webtoolsTransport, ["http://x", { pinned: {} }], /there is no option "pinned"; did you mean "pin"\?$/],
  [connect, [{ path: "/x#y" }], /^Cannot serve Connect and gRPC: path must be like/],
  [connectTransport, ["http://x", { format: "json5" }], /format must be "json" or "binary", not "json5"$/],
  [grpcWebTransport, ["http://x", { fetch: 1 }], /fetch must be a function, not 1$/, "RangeError"],
  [openapi, [{ path: "/api?x" }], /^Cannot serve OpenAPI: path must be like/],
  [toolsFromOpenApi, [{}, { baseURL: "https://x" }], /there is no option "baseURL"; did you mean "baseUrl"\?$/],
  [health, [{ redy: "/x" }], /there is no option "redy"; did you mean "ready"\?$/],
  [logging, [{}], /logger must be a logger such as console, not undefined$/],
  [protectedResource, [], /^Cannot describe a protected resource: options are an object/],
  [protectedResource, [{ resource: "https://x" }], /authorizationServers must be an array of texts, not undefined$/],
  [jwt, [], /^Cannot verify tokens: options are an object, not undefined$/],
  [jwt, [{ ...issuer, keys: [] }], /keys must be a key set \{ keys: \[.\] \}, not an object$/],
  [jwt, [{ ...issuer, audiences: [] }], /there is no option "audiences"; did you mean "audience"\?$/],
  [bearer, [() => {}, { allowAnonymous: true }], /did you mean "allowsAnonymous"\?$/],
  [authenticate, [() => {}, { timeoutMs: 0 }], /timeoutMs must be a number above 0, not 0$/, "RangeError"],
  [scopes, [["read"]], /^Cannot set the scopes of tool "t": name each, as \.scopes\("read", "write"\)$/],
  [scopes, [], /name each/],
  [cache, [{}], /^Cannot make a cache: ttlMs must be a number above 0, not undefined$/],
  [rateLimit, [{ perSecond: 1, store: {} }], /store must be what memoryBuckets\(\) or redisBuckets\(.\) gives/],
  [concurrencyLimit, [{ max: 1, que: 2 }], /there is no option "que"; did you mean "queue"\?$/],
  [memoryBuckets, [{ maxBuckets: 0 }], /maxBuckets must be/, "RangeError"],
  [timeout, [0], /timeoutMs must be/, "RangeError"],
];

for (const [index, [call, args, message, name = "TypeError"]] of WRONG.entries()) {
  test(`${index + 1}: ${message.source}`, () => {
    throws(() => (call as Untyped)(...args), { name, message });
  });
}

test("what is right, or left out, is taken", () => {
  mcp({
    path: "//a//b%20c/",
    sessions: memorySessions({ ttlMs: 0.5, maxSessions: 1 }),
    ssePath: "sse",
    cache: undefined,
  });
  (mcp as Untyped)({ unknown: undefined });
  mcpTransport("http://x", { headers: [["a", "b"]], pinned: [], era: undefined as never });
  webtools({ ...webtool, versions: [], path: "/" });
  connect({ path: "" });
});
