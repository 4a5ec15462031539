/** The conformance suite: our server passes every check, and each check fails for a server that is wrong in that point. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  type ConformanceBinding,
  type ConformanceCheck,
  type ConformanceResult,
  conformanceSuite,
  type ConformanceTarget,
  formatJUnit,
} from "../../../src/entries/testing.ts";
import { GRPC_MUTANTS } from "./grpc_mutants.ts";
import { HTTP_MUTANTS } from "./http_mutants.ts";
import type { Mutant } from "./mutate.ts";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { webSocket } from "../../../src/entries/websocket.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { pairOpener } from "../../wires/socket_pair.ts";
import { SOCKET_MUTANTS } from "./socket_mutants.ts";
import { WEBTOOL_MUTANTS } from "./webtool_mutants.ts";
import { createCheckedServer, type Fetch, fetchOf, NAMED, OPTIONS } from "./server.ts";

/** The correct server. It keeps no state, so that all of them share it. */
const server = createCheckedServer();
const correct = fetchOf(server);

/** A binding: the target of the server, and those of its mutants. */
interface Subject {
  readonly binding: ConformanceBinding;
  readonly target: ConformanceTarget;
  readonly mutants: Readonly<Record<string, ConformanceTarget>>;
}

/** Targets of mutants that change what `fetch` gives. */
function onFetch(
  mutants: Readonly<Record<string, Mutant>>,
  target: (fetch: Fetch) => ConformanceTarget,
): Pick<Subject, "target" | "mutants"> {
  const wrong = Object.entries(mutants).map(([id, mutant]) => [id, target(mutant(correct))] as const);
  return { target: target(correct), mutants: Object.fromEntries(wrong) };
}

const MCP_LITE = "http://localhost/mcp-lite/v1";
const http = onFetch(HTTP_MUTANTS, (fetch) => ({ mcpLite: MCP_LITE, fetch }));
const sockets = { mcpLite: MCP_LITE, fetch: correct, webSocket: "ws://localhost/mcp-lite/v1" };

const SUBJECTS: Readonly<Record<string, Subject>> = {
  "MCP-lite over HTTP": {
    binding: "http",
    target: http.target,
    // The address is what is wrong.
    mutants: { ...http.mutants, "4.1-base-url": { ...http.mutants["4.1-base-url"], mcpLite: "http://localhost/api" } },
  },
  "MCP-lite over gRPC-Web": {
    binding: "grpc-web",
    // With HTTP beside it, to compare the two. Only gRPC is wrong.
    ...onFetch(GRPC_MUTANTS, (fetch) => {
      const send: Fetch = (url, init) => (url.includes("/mcplite.MCPLite/") ? fetch : correct)(url, init);
      return { mcpLite: MCP_LITE, grpcWeb: "http://localhost", fetch: send };
    }),
  },
  "MCP-lite over WebSocket": {
    binding: "websocket",
    target: { ...sockets, openSocket: pairOpener(server) },
    mutants: Object.fromEntries(
      Object.entries(SOCKET_MUTANTS).map((
        [id, mutant],
      ) => [id, { ...sockets, openSocket: mutant(pairOpener(server)) }]),
    ),
  },
  Webtools: {
    binding: "webtools",
    ...onFetch(WEBTOOL_MUTANTS, (fetch) => ({ webtools: "http://localhost/webtools/documents", fetch })),
  },
};

async function runAll(checks: readonly ConformanceCheck[]): Promise<ConformanceResult[]> {
  const results: ConformanceResult[] = [];
  for (const { run } of checks) results.push(await run());
  return results;
}

for (const [name, { target, binding, mutants }] of Object.entries(SUBJECTS)) {
  test(`${name}: our server passes every check, and all of them apply`, async () => {
    const suite = conformanceSuite(target, OPTIONS);
    const results = await runAll(suite.filter((check) => check.binding === binding));
    const others = results.filter(({ status }) => status !== "passed");
    deepStrictEqual(others.map(({ id, reason, received }) => [id, reason, received]), []);
    deepStrictEqual(Object.keys(mutants).sort(), results.map(({ id }) => id).sort(), "each check has a mutant");
  });

  for (const [id, mutant] of Object.entries(mutants)) {
    test(`${name}: ${id} fails for a server that is wrong in this point`, async () => {
      const suite = conformanceSuite(mutant, NAMED);
      const [result] = await runAll(suite.filter((check) => check.id === id && check.binding === binding));
      ok(result);
      strictEqual(result.status, "failed", result.reason ?? result.received ?? "");
      ok(result.received !== undefined || /^No response/.test(result.reason ?? ""), "it has what came");
    });
  }
}

test("tools that may write are called only if that is allowed; until then, what needs a tool does not apply", async () => {
  const calls: string[] = [];
  const write = defineTool("write").describe("Write").handle((): string => {
    calls.push("write");
    return "written";
  });
  const server = createServer({
    tools: [write],
    wires: [mcpLite(), grpc(), webSocket(), webtools({ name: "writer", description: "Writes", version: "1.0.0" })],
  });
  const target = {
    fetch: fetchOf(server),
    mcpLite: MCP_LITE,
    grpcWeb: "http://localhost",
    webSocket: "ws://localhost/mcp-lite/v1",
    openSocket: pairOpener(server),
    webtools: "http://localhost/webtools/writer",
  };
  const results = await runAll(conformanceSuite(target));
  deepStrictEqual(calls, []);
  const statuses = new Map(results.map(({ binding, id, status }) => [`${binding} ${id}`, status]));
  for (
    const id of [
      "http 3.3-meta",
      "http 3.5-token",
      "grpc-web 5.1-call-tool",
      "websocket A.2-content",
      "webtools webtools-execution",
    ]
  ) {
    strictEqual(statuses.get(id), "not applicable", id);
  }
  const absent = results.filter(({ status }) => status === "not applicable");
  ok(absent.every(({ reason, received }) => reason !== undefined && received === undefined));

  await runAll(conformanceSuite(target, { allowWrites: true }));
  ok(calls.length > 0);
});

test("formatJUnit() escapes text of servers, and replaces what XML cannot have", () => {
  const rule = { id: "3.1-list", section: "3.1", level: "MUST", title: "A rule", expected: '"<a>"' } as const;
  const place = { binding: "http", specification: "MCP-lite 0.042" } as const;
  const xml = formatJUnit([{ ...rule, ...place, status: "failed", sent: "POST /", received: "<b>&\0\ud800\x1b" }]);
  match(xml, /<testsuite name="http" tests="1" failures="1" skipped="0">/);
  match(xml, /<failure type="MUST" message="&quot;&lt;a&gt;&quot;">[^<]*received: &lt;b&gt;&amp;\ufffd{3}<\/failure>/);
});

test("conformanceSuite() refuses a target without address, and wrong options", () => {
  throws(() => conformanceSuite({}), /the target has no address/);
  throws(() => conformanceSuite({ mcpLite: "http://localhost" }, { tool: "" }), /the name of a tool/);
  throws(() => conformanceSuite({ mcpLite: "http://localhost" }, { tools: "a" } as never), /tools/);
});
