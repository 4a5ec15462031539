import { strict as assert } from "node:assert";
import { createClient } from "toolwire";
import { mcpTransport } from "toolwire/mcp";
import { restTransport } from "toolwire/rest";
import { app, type server } from "./main.ts";

const listening = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
const url = `http://127.0.0.1:${listening.addr.port}`;
const headers = { authorization: "Bearer a-token-of-this-service" };

Deno.test("agents and pages see the same notes", async () => {
  const notes = createClient<typeof server>(mcpTransport(`${url}/agents/mcp`, { headers }));
  const { id, at } = await notes.add_note({ text: "buy milk" });
  assert.equal(typeof at, "string"); // a Date is text in JSON
  assert.equal((await notes.get_note({ id })).text, "buy milk");
  assert.equal(await (await fetch(url)).text(), "1 notes");
});

Deno.test("a ReadableStream is a stream of pieces", async () => {
  const notes = createClient<typeof server>(restTransport(`${url}/agents/rest`, { headers }));
  await notes.add_note({ text: "call home", pinned: true });
  const pieces = [];
  for await (const piece of notes.export_notes.stream()) pieces.push(piece);
  assert.deepEqual(pieces, ["1,buy milk\n", "2,* call home\n"]);
});

Deno.test("a missing note, a wrong argument and a missing token are clear", async () => {
  const notes = createClient<typeof server>(restTransport(`${url}/agents/rest`, { headers }));
  await assert.rejects(notes.get_note({ id: 77 }), { code: "resource_not_found", message: "There is no note 77" });
  // @ts-expect-error: the name is misspelt
  await assert.rejects(notes.get_note({ idd: 1 }), { code: "invalid_input", message: /idd/ });
  const stranger = createClient<typeof server>(restTransport(`${url}/agents/rest`));
  await assert.rejects(stranger.get_note({ id: 1 }), { code: "unauthenticated" });
});

Deno.test.afterAll(async () => await listening.shutdown());
