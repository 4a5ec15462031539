/** The conformance suite: our server passes every check, and each check fails for a server that is wrong in that point. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  type ConformanceCheck,
  type ConformanceResult,
  conformanceSuite,
  type ConformanceTarget,
  formatJUnit,
} from "../../../src/testing/mod.ts";
import { HTTP_MUTANTS } from "./http_mutants.ts";
import type { Mutant } from "./mutate.ts";
import { WEBTOOL_MUTANTS } from "./webtool_mutants.ts";
import { createCheckedServer, type Fetch, fetchOf, NAMED, OPTIONS } from "./server.ts";

/** A binding: the target of the server, where its mutants are, and its mutants. */
interface Subject {
  readonly target: (fetch: Fetch) => ConformanceTarget;
  readonly mutants: Readonly<Record<string, Mutant>>;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  "MCP-lite over HTTP": {
    target: (fetch) => ({ mcpLite: "http://localhost/mcp-lite/v1", fetch }),
    mutants: HTTP_MUTANTS,
  },
  Webtools: {
    target: (fetch) => ({ webtools: "http://localhost/webtools/documents", fetch }),
    mutants: WEBTOOL_MUTANTS,
  },
};

async function runAll(checks: readonly ConformanceCheck[]): Promise<ConformanceResult[]> {
  const results: ConformanceResult[] = [];
  for (const { run } of checks) results.push(await run());
  return results;
}

for (const [name, { target, mutants }] of Object.entries(SUBJECTS)) {
  test(`${name}: our server passes every check, and all of them apply`, async () => {
    const results = await runAll(conformanceSuite(target(fetchOf(createCheckedServer())), OPTIONS));
    const others = results.filter(({ status }) => status !== "passed");
    deepStrictEqual(others.map(({ id, reason, received }) => [id, reason, received]), []);
    deepStrictEqual(Object.keys(mutants).sort(), results.map(({ id }) => id).sort(), "each check has a mutant");
  });

  for (const [id, mutant] of Object.entries(mutants)) {
    test(`${name}: ${id} fails for a server that is wrong in this point`, async () => {
      const checked = target(mutant(fetchOf(createCheckedServer())));
      const moved = id === "4.1-base-url" ? { ...checked, mcpLite: "http://localhost/api" } : checked;
      const [result] = await runAll(conformanceSuite(moved, NAMED).filter((check) => check.id === id));
      ok(result);
      strictEqual(result.status, "failed", result.reason ?? result.received ?? "");
      ok(result.received !== undefined || /^No response/.test(result.reason ?? ""), "it has what came");
    });
  }
}

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
