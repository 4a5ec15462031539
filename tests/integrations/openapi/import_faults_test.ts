/** Faults of a document or its API, and where they are reported. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, type Logger } from "../../../mod.ts";
import { type OpenApiImportOptions, toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { mcp } from "../../../src/entries/mcp.ts";
import { modern } from "../../wires/mcp/server/client.ts";

const BASE = "https://api.example/v1";

const documentOf = (paths: unknown) => ({ openapi: "3.1.0", info: { title: "Test", version: "1" }, paths });

/** A server whose API cannot be reached, and its log. */
function unreachable(fetch: NonNullable<OpenApiImportOptions["fetch"]>) {
  const logged: (readonly [level: string, message: string, fields: Readonly<Record<string, unknown>> | undefined])[] =
    [];
  const level = (name: string): Logger["warn"] => (message, fields) => void logged.push([name, message, fields]);
  const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
  const tools = toolsFromOpenApi(documentOf({ "/a": { get: { operationId: "a" } } }), { baseUrl: BASE, fetch });
  return { server: createServer({ tools, logger, wires: [mcp({ logging: true })] }), logged };
}

/** As `fetch` of Bun has it: with the address in members that JSON shows. */
const refused = () => Object.assign(new TypeError("Unable to connect to 10.0.0.7"), { path: "http://10.0.0.7:99/" });

test("the log has why an API cannot be reached, and its tool", async () => {
  const cause = refused();
  const { server, logged } = unreachable(() => Promise.reject(cause));
  const client = testClient(server, { retry: { attempts: 0 } });
  await rejects(client.$.call("a"), {
    code: "unavailable",
    message: /cannot be reached; try again later$/,
  });
  strictEqual(logged.length, 1);
  const [level, message, fields] = logged[0]!;
  deepStrictEqual([level, message, fields?.["tool"]], ["warn", "The API cannot be reached", "a"]);
  const because = (fields?.["error"] as Error).cause as Error;
  match(because.message, /^GET http/);
  strictEqual(because.cause, cause);
});

test("callers are not told why, not even those who asked for log lines", async () => {
  const { server } = unreachable(() => Promise.reject(refused()));
  const meta = { "io.modelcontextprotocol/logLevel": "debug" };
  const { messages } = await modern(server, "tools/call", { name: "a" }, { meta });
  const reported = JSON.stringify(messages);
  match(reported, /The API cannot be reached/);
  doesNotMatch(reported, /10\.0\.0\.7|Unable to connect|stack/);
});

test("a call that was aborted is no line of the log", async () => {
  const { server, logged } = unreachable((_, { signal }) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
  );
  await rejects(testClient(server).$.call("a", {}, { timeoutMs: 20 }), { code: "deadline_exceeded" });
  await server.close(0);
  deepStrictEqual(logged, []);
});

/** What importing these paths throws. */
function faultOf(paths: unknown, options: OpenApiImportOptions = {}): unknown {
  try {
    toolsFromOpenApi(documentOf(paths), { baseUrl: BASE, ...options });
  } catch (error) {
    return error;
  }
  return undefined;
}

const BAD_REF = { $ref: "#/components/no" };
const bad = { get: { parameters: [BAD_REF] } };

test("what a parameter or a path refers to is looked at after select, and told with all other faults", () => {
  const paths = {
    "/ok": { get: {} },
    "/bad": bad,
    "/ref": BAD_REF,
    "/all": { parameters: [BAD_REF], get: {}, put: {} },
  };
  const error = faultOf(paths);
  ok(error instanceof TypeError);
  deepStrictEqual(error.message.split("\n"), [
    "4 operations cannot be imported:",
    '- Cannot import parameters[0] of GET /bad: $ref "#/components/no" leads nowhere',
    '- Cannot import path /ref: $ref "#/components/no" leads nowhere',
    '- Cannot import parameters[0] of path /all: $ref "#/components/no" leads nowhere',
    '- Cannot import parameters[0] of path /all: $ref "#/components/no" leads nowhere',
  ]);
  const tools = toolsFromOpenApi(documentOf(paths), { baseUrl: BASE, select: ({ path }) => path === "/ok" });
  deepStrictEqual(tools.map(({ name }) => name), ["get_ok"]);
});

test("the error for a parameter without a name has its place", () => {
  const parameters = [{ name: "q", in: "query", schema: {} }, { in: "query", schema: {} }];
  strictEqual(
    String(faultOf({ "/p": { get: { parameters } } })),
    "TypeError: Cannot import parameters[1] of GET /p: it has no name",
  );
  strictEqual(
    String(faultOf({ "/p": { parameters, get: {} } })),
    "TypeError: Cannot import parameters[1] of path /p: it has no name",
  );
});

test("what onLeftOut and select throw is no fault of the document", () => {
  const fault = new TypeError("Cannot read properties of undefined");
  const fail = (): never => {
    throw fault;
  };
  const cookie = { get: { parameters: [{ name: "c", in: "cookie", schema: {} }] } };
  const paths = { "/a": cookie, "/b": cookie };
  strictEqual(faultOf(paths, { onLeftOut: fail }), fault);
  strictEqual(faultOf(paths, { select: fail }), fault);
});
