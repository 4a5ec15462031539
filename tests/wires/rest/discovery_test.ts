/** A server with `discover()` over REST: tools that are not listed have the same methods as listed ones. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { discover } from "../../../src/entries/discovery.ts";
import { rest } from "../../../src/entries/rest.ts";
import { ask } from "./library.ts";

const lookUp = defineTool("look_up").describe("Look up").annotate({ readOnlyHint: true }).handle(() => "found");
const remove = defineTool("remove_all").describe("Remove all").handle(() => "removed");
const audit = defineTool("audit").describe("Audit").visibleTo(() => false).annotate({ readOnlyHint: true })
  .handle(() => "audited");

for (const pinned of [[], ["remove_all"]]) {
  const discovery = discover({ when: "always", pinned });
  const server = createServer({ tools: [lookUp, remove, audit], wires: [rest()], discovery });

  test(`GET calls a read-only tool only, with [${pinned}] pinned`, async () => {
    const { status, headers } = await ask(server, "GET", "/rest/tools/remove_all");
    deepStrictEqual([status, headers.get("allow")], [405, "POST"]);
    strictEqual((await ask(server, "GET", "/rest/tools/look_up")).json, "found");
    strictEqual((await ask(server, "GET", "/rest/tools/audit")).status, 404);
    strictEqual((await ask(server, "DELETE", "/rest/tools/look_up")).headers.get("allow"), "GET, HEAD, POST");
  });

  test(`GET of search_tools has the query, with [${pinned}] pinned`, async () => {
    const { json } = await ask(server, "GET", "/rest/tools/search_tools?query=look");
    strictEqual(json.tools[0].name, "look_up");
  });
}

test("the Location of a promise through call_tool redeems it", async () => {
  const scan = defineTool("scan").describe("Scan").promise().handle(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return "scanned";
  });
  const server = createServer({ tools: [scan], wires: [rest()], discovery: discover({ when: "always" }) });
  const call = { name: "scan" };
  const { status, headers } = await ask(server, "POST", "/rest/tools/call_tool", call, { prefer: "respond-async" });
  strictEqual(status, 202);
  const redeemed = await ask(server, "GET", headers.get("location") ?? "", undefined, { prefer: "wait=5" });
  deepStrictEqual([redeemed.status, redeemed.json], [200, "scanned"]);
});
