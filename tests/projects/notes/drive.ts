import { strict as assert } from "node:assert";
import { createClient } from "toolwire";
import { mcpTransport } from "toolwire/mcp";
import { restTransport } from "toolwire/rest";
import type { server } from "./main.ts";

const child = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "--quiet", "main.ts"],
  env: { PORT: "0" },
  stdout: "piped",
}).spawn();
const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
const url = await readUntil(/listening (\S+)/);

async function readUntil(pattern: RegExp): Promise<string> {
  let text = "";
  for (;;) {
    const found = pattern.exec(text);
    if (found) return found[1] ?? found[0];
    const { value, done } = await output.read();
    if (done) throw new Error(`The service ended: ${text}`);
    text += value;
  }
}

async function headersOf(user: string) {
  const response = await fetch(`${url}/login`, { method: "POST", body: JSON.stringify({ user }) });
  return { authorization: `Bearer ${(await response.json()).token}` };
}

const mcpOf = async (user: string) =>
  createClient<typeof server>(mcpTransport(`${url}/agents/mcp`, { headers: await headersOf(user) }));
const restOf = async (user: string) =>
  createClient<typeof server>(restTransport(`${url}/agents/rest`, { headers: await headersOf(user) }));

Deno.test("an agent has the notes of its user, and of no other", async () => {
  const [ada, eve] = [await mcpOf("ada"), await mcpOf("eve")];
  const { id, at } = await ada.add_note({ text: "buy milk" });
  assert.equal(typeof at, "string"); // a Date is text in JSON
  assert.equal((await ada.get_note({ id })).text, "buy milk");
  await assert.rejects(eve.get_note({ id }), { code: "resource_not_found", message: "There is no note 1" });
});

Deno.test("a ReadableStream is a stream of pieces", async () => {
  const ada = await restOf("ada");
  await ada.add_note({ text: "call home", pinned: true });
  const pieces = [];
  for await (const piece of ada.export_notes.stream()) pieces.push(piece);
  assert.deepEqual(pieces, ["1,buy milk\n", "2,* call home\n"]);
});

Deno.test("work is promised, and ends for who began it", async () => {
  const [ada, eve] = [await restOf("ada"), await restOf("eve")];
  const { token } = await ada.summarize.start();
  assert.deepEqual(await ada.$.redeem(token).result(), { notes: 2, words: 5 });
  await assert.rejects(async () => await eve.$.redeem(token).result(), { code: "invalid_promise" });
});

Deno.test("a wrong argument and a missing token are clear", async () => {
  // @ts-expect-error: the name is misspelt
  await assert.rejects((await restOf("ada")).get_note({ idd: 1 }), { code: "invalid_input", message: /idd/ });
  const stranger = createClient<typeof server>(restTransport(`${url}/agents/rest`));
  await assert.rejects(stranger.get_note({ id: 1 }), { code: "unauthenticated" });
  assert.match(await (await fetch(url)).text(), /POST \/login first/);
});

Deno.test("SIGTERM ends the service", async () => {
  child.kill("SIGTERM");
  await readUntil(/closed/);
  assert.equal((await child.status).code, 0);
});
