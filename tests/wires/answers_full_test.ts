/** A million rows, all of them, over every wire: each exactly once, from replicas in turn, one of which is replaced on the way. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient, createServer, defineTool } from "../../mod.ts";
import { budget } from "../../src/entries/answers.ts";
import { runtime } from "../runtime/runtime.ts";
import { COMPOSED, skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

const MAX_CHARS = 300_000;
const ROWS = Array.from({ length: 1_000_000 }, (_, id) => id);
/** Longest handle of a gateway behind a gateway. */
const HANDLE_CHARS = 1_000;

const createReplica = () =>
  createServer({
    tools: [
      defineTool("list").describe("List").annotate({ readOnlyHint: true }).answer(budget({ maxChars: MAX_CHARS }))
        .handle(() => ROWS),
    ],
    wires,
    logger: false,
    keys: "k1:a secret that all of these replicas know",
  });

interface Replica extends AsyncDisposable {
  readonly client: Client<ReturnType<typeof createReplica>>;
}

async function open(wire: WireRow): Promise<Replica> {
  const server = createReplica();
  const { transport, close } = await wire.open(server);
  return {
    client: createClient<typeof server>(transport),
    async [Symbol.asyncDispose]() {
      transport.close?.();
      await close();
      await server.close(0);
    },
  };
}

async function readAll(wire: WireRow): Promise<void> {
  const replicas = [await open(wire), await open(wire)];
  try {
    let page = await replicas[0]?.client.list();
    let next = 0;
    for (let count = 1; page !== undefined; count++) {
      ok(JSON.stringify(page).length <= MAX_CHARS + HANDLE_CHARS);
      for (const id of page.items) if (id !== next++) throw new Error(`Row ${next - 1} is ${id}`);
      if (page.more === undefined) break;
      const at = count % replicas.length;
      if (count === 6) {
        await replicas[at]?.[Symbol.asyncDispose]();
        replicas[at] = await open(wire);
      }
      page = await replicas[at]?.client.$.call("more", { handle: page.more }) as typeof page;
    }
    strictEqual(next, ROWS.length);
  } finally {
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
  }
}

// The replicas and the handles are the same on all runtimes: one of them reads over each wire.
const skipHere = ({ name }: WireRow) =>
  runtime !== "bun" && name !== "memory" && "Bun reads over each wire: once is enough";
for (const wire of [...WIRES, ...COMPOSED]) {
  test(
    `${wire.name}: the handles of a million rows give each exactly once`,
    { skip: skipHere(wire) || skipOf(wire) },
    () => readAll(wire),
  );
}
