import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PushStream } from "../../../src/wires/framing/push_stream.ts";
import { SseBody } from "../../../src/wires/framing/sse.ts";
import { Deadlines } from "../../../src/internal/deadlines.ts";
import { FakeClock } from "../../../src/testing/fake_clock.ts";

const decoder = new TextDecoder();

/** A body without anything written, and its reader. */
function open(clock = new FakeClock(0)): { body: SseBody; reader: () => ReadableStreamDefaultReader<Uint8Array> } {
  let stream: ReadableStream<Uint8Array> | undefined;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const body = new SseBody({
    heartbeats: new Deadlines(clock),
    heartbeat: "<3",
    onOpen: (bytes) => (stream = bytes),
  });
  return { body, reader: () => (reader ??= (stream as ReadableStream<Uint8Array>).getReader()) };
}

async function readText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { done, value } = await reader.read();
  return done ? undefined : decoder.decode(value);
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for (let text = await readText(reader); text !== undefined; text = await readText(reader)) texts.push(text);
  return texts;
}

test("SseBody sends each block by itself to a reader that keeps up, and at once", async () => {
  const { body, reader } = open();
  for (const block of ["a", "b", "c"]) {
    body.write(block);
    strictEqual(await readText(reader()), block);
  }
  const waiting = readText(reader());
  body.write("d");
  strictEqual(await waiting, "d");
  body.end("e");
  deepStrictEqual(await readAll(reader()), ["e"]);
});

test("SseBody holds what is not read, asks the writer to wait, and sends all of it in one piece", async () => {
  const { body, reader } = open();
  const block = "x".repeat(1_000);
  for (const first of ["a", "b", "c"]) {
    body.write(first);
    let room: void | Promise<void> = undefined;
    let held = 0;
    for (; room === undefined && held < 100; held++) room = body.write(block);
    strictEqual(held, 17, "16,384 code units are held, and no more");
    strictEqual(await readText(reader()), first);
    strictEqual(await readText(reader()), block.repeat(held));
    await room;
  }
});

test("SseBody loses nothing, sends nothing twice and keeps the order, with a slow reader or a slow writer", async () => {
  const step = fc.constantFrom("write", "read", "turn");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { body, reader } = open();
      const reads: Promise<string | undefined>[] = [];
      let written = 0;
      body.write(`${written++};`);
      for (const one of steps) {
        if (one === "write") body.write(`${written++};`);
        else if (one === "read") reads.push(readText(reader()));
        // One turn of the microtasks, between which streams do their work.
        else await Promise.resolve();
      }
      body.end("end");
      const early = (await Promise.all(reads)).filter((text) => text !== undefined);
      const want = `${Array.from({ length: written }, (_, index) => `${index};`).join("")}end`;
      strictEqual([...early, ...await readAll(reader())].join(""), want);
    }),
    { seed: 5, numRuns: 500 },
  );
});

test("SseBody shows every 8 s that it lives, also beside other blocks, but not to who does not read", async () => {
  const clock = new FakeClock(0);
  const { body, reader } = open(clock);
  clock.tick(7_999);
  body.write("a");
  strictEqual(await readText(reader()), "a");
  clock.tick(1);
  strictEqual(await readText(reader()), "<3");
  clock.tick(8_000);
  strictEqual(await readText(reader()), "<3");
  body.write("b");
  body.write("held");
  clock.tick(80_000);
  body.end("end");
  clock.tick(80_000);
  strictEqual((await readAll(reader())).join(""), "bheldend");
});

test("PushStream sends bytes that were held as one chunk, in order, and reports a reader that disconnects", async () => {
  const stream = new PushStream<Uint8Array, Uint8Array[]>({
    encode: (chunk) => chunk,
    merge: (chunks = [], chunk) => [...chunks, chunk],
    encodeHeld: (chunks) => Uint8Array.from(chunks.flatMap((chunk) => [...chunk])),
  });
  const reader = stream.open().getReader();
  for (const byte of [1, 2, 3]) stream.write(Uint8Array.of(byte));
  strictEqual(stream.hasHeld, true);
  deepStrictEqual((await reader.read()).value, Uint8Array.of(1));
  deepStrictEqual((await reader.read()).value, Uint8Array.of(2, 3));
  stream.write(new Uint8Array(9_000));
  const room = [stream.write(new Uint8Array(9_000)), stream.write(new Uint8Array(9_000))];
  deepStrictEqual(room.map((promise) => promise !== undefined), [false, true]);
  strictEqual(stream.closed.aborted, false);
  await reader.cancel();
  strictEqual(stream.closed.aborted, true);
  await room[1];
  strictEqual(stream.write(Uint8Array.of(4)), undefined, "writes after that are ignored");
});

test("PushStream ends in silence if its reader cancels while it takes the last chunk, as Deno does after a disconnect", async () => {
  const stream = new PushStream<Uint8Array, Uint8Array>({
    encode: (chunk) => chunk,
    merge: (_, chunk) => chunk,
    encodeHeld: (held) => held,
  });
  const reader = stream.open().getReader();
  stream.write(new Uint8Array([1]));
  await reader.read();
  const last = reader.read();
  let isCancelled = false;
  // A promise looks for `then` in the object that it is resolved with: the result of the read. So this runs within enqueue().
  Object.defineProperty(Object.prototype, "then", {
    configurable: true,
    get(this: { readonly value?: unknown }) {
      if (isCancelled || !(this.value instanceof Uint8Array)) return undefined;
      isCancelled = true;
      void reader.cancel();
      return undefined;
    },
  });
  try {
    stream.end(new Uint8Array([2]));
  } finally {
    Reflect.deleteProperty(Object.prototype, "then");
  }
  // Workerd resolves the read later: there the stream ends before.
  strictEqual(stream.closed.aborted, isCancelled);
  deepStrictEqual(await last, { done: false, value: new Uint8Array([2]) });
});
