/** A million rows, all of them: each exactly once, over the memory transport, with a new server for each page. */
import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { budget } from "../../src/core/dispatch/answers/mod.ts";
import { testClient } from "../../src/testing/mod.ts";

test("following the handles of a million rows gives each exactly once", async () => {
  const rows = Array.from({ length: 1_000_000 }, (_, id) => id);
  const list = defineTool("list").describe("List").annotate({ readOnlyHint: true })
    .answer(budget({ maxChars: 200_000 })).handle(() => rows);
  const open = () => testClient(createServer({ tools: [list], keys: "k1:a secret that all of these replicas know" }));
  let page = await open().list();
  let next = 0;
  for (;;) {
    for (const id of page.items) strictEqual(id, next++);
    if (page.more === undefined) break;
    page = await open().$.call("more", { handle: page.more }) as typeof page;
  }
  strictEqual(next, rows.length);
});
