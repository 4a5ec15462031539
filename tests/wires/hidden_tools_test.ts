/** Over every wire, a tool that is hidden from a caller is answered exactly as one that does not exist. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { createClient, createServer, defineTool, type ToolError } from "../../mod.ts";
import { budget } from "../../src/entries/answers.ts";
import { bearer } from "../../src/entries/auth.ts";
import { skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

const hidden = (name: string) => defineTool(name).describe(`Tool ${name}`).visibleTo((who) => who?.id === "admin");
const HIDDEN = [
  hidden("hid_a").handle(() => 1),
  hidden("hid_b").annotate({ readOnlyHint: true }).input(v.object({ n: v.number() })).handle(() => 1),
  hidden("hid_c").promise({ required: true }).handle(() => 1),
  hidden("hid_d").scopes("write").promise().handle(() => 1),
  hidden("hid_e").annotate({ readOnlyHint: true }).answer(budget({ maxChars: 4_000 })).handle(() => [1]),
  hidden("hid_f").partial(v.string()).handle(async function* () {
    yield "a";
  }),
  hidden("hid_g").config(v.object({ key: v.string() })).handle(() => 1),
] as const;
const UNKNOWN = "non_x";

type Methods = ReturnType<typeof createClient>["$"];
const CALLS: Readonly<Record<string, ($: Methods, name: string) => Promise<unknown>>> = {
  call: ($, name) => $.call(name, { n: "one" }),
  outcome: ($, name) => $.outcome(name, {}),
  start: ($, name) => $.start(name, {}),
  stream: ($, name) => $.stream(name, {}).result,
  "call with a key": ($, name) => $.call(name, {}, { idempotencyKey: "key-1" }),
};

async function errorOf(call: Promise<unknown>, tool: string): Promise<string> {
  const error = await call.then(() => undefined, (thrown) => thrown as ToolError);
  const shown = JSON.stringify([error?.name, error?.code, error?.message, error?.details]) ?? "";
  return shown.replaceAll(tool, "a name");
}

async function check(wire: WireRow): Promise<void> {
  const tools = [...HIDDEN, defineTool("seen").describe("Seen").handle(() => 1)];
  const auth = bearer((id) => ({ id, scopes: ["write"] }), { allowAnonymous: true });
  const server = createServer({ tools, wires, auth, logger: false });
  const open = async (id: string) => {
    const principal = { id, scopes: ["write"] };
    const { transport, close } = await wire.open(server, { headers: { authorization: `Bearer ${id}` }, principal });
    return { $: createClient(transport, { retry: { attempts: 0 } }).$, transport, close };
  };
  const [eve, admin] = [await open("eve"), await open("admin")];
  try {
    for (const [how, call] of Object.entries(CALLS)) {
      const unknown = await errorOf(call(eve.$, UNKNOWN), UNKNOWN);
      ok(unknown.includes("tool_not_found"), unknown);
      for (const { name } of HIDDEN) deepStrictEqual([how, await errorOf(call(eve.$, name), name)], [how, unknown]);
    }
    const listed = async ({ $ }: typeof eve) => (await $.list()).filter(({ name }) => name.startsWith("hid_")).length;
    deepStrictEqual([await listed(eve), await listed(admin)], [0, HIDDEN.length]);
  } finally {
    for (const { transport, close } of [eve, admin]) {
      transport.close?.();
      await close();
    }
    await server.close(0);
  }
}

// Sockets carry the same bytes.
for (const wire of WIRES.filter(({ name }) => !name.endsWith("over a socket"))) {
  test(`${wire.name}: hidden tools are answered as unknown ones`, {
    skip: skipOf(wire, ["callers who show who they are"]),
  }, () => check(wire));
}
