/** What a recorder holds of calls under way. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../../../src/core/redaction/redact.ts";
import { Recorder } from "../../../../src/inspection/recording/recorder.ts";

type Listener = Parameters<Parameters<Recorder["begin"]>[0]["onEvent"]>[0];

function open() {
  const lines: { n?: number; droppedEvents?: number; event?: unknown; settled?: unknown }[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const recorder = new Recorder({ server: { name: "t" }, tools: [], redactor: createRedactor(), write });
  const begin = () => {
    let listener: Listener = () => {};
    const call = { tool: "t", args: {}, peer: { wire: "mcp" } } as never;
    const end = recorder.begin({ call, name: "t", onEvent: (given) => listener = given });
    return {
      push: (value: unknown) => listener({ kind: "partial", value }),
      end: () => end?.({ kind: "answer" } as never),
    };
  };
  return { lines, recorder, begin };
}

/** Three of them fit. As a secret it is replaced whole, in no time. */
const PIECE = { password: "x".repeat(5_000_000) };

test("a recorder holds 16 Mi characters of events of all calls under way, and counts the others", () => {
  const { lines, begin } = open();
  const [one, other] = [begin(), begin()];
  for (let piece = 0; piece < 3; piece++) for (const call of [one, other]) call.push(PIECE);
  one.push("small");
  one.end();
  const later = begin();
  later.push("kept: the first call has given its part back");
  for (const call of [other, later]) call.end();
  const dropped = lines.flatMap(({ n, settled, droppedEvents = 0 }) => (settled ? [[n, droppedEvents]] : []));
  deepStrictEqual(dropped, [[1, 2], [2, 2], [3, 0]]);
  strictEqual(lines.filter(({ event }) => event !== undefined).length, 4);
});

test("a recorder that is closed holds nothing, and writes nothing more", () => {
  const { lines, recorder, begin } = open();
  const call = begin();
  call.push("before");
  recorder.close();
  call.push("after");
  call.end();
  deepStrictEqual(lines.map(({ n }) => n), [undefined, 1]);
});
