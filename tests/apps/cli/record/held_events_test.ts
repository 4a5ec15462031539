/** What a recorder holds of calls under way. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../../../src/core/redaction/redact.ts";
import { Recorder, type RecorderOptions } from "../../../../src/inspection/recording/recorder.ts";

type Listener = Parameters<Parameters<Recorder["begin"]>[0]["onEvent"]>[0];

function open(more: Partial<RecorderOptions> = {}) {
  const lines: { n?: number; droppedEvents?: number; event?: unknown; settled?: unknown }[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const recorder = new Recorder({ server: { name: "t" }, tools: [], redactor: createRedactor(), write, ...more });
  const begin = () => {
    let listener: Listener = () => {};
    const call = { tool: "t", args: {}, peer: { wire: "mcp" } } as never;
    const end = recorder.begin({ call, name: "t", onEvent: (given) => listener = given });
    return {
      push: (value: unknown) => listener({ kind: "partial", value }),
      end: (more: object = {}) => end?.({ kind: "answer", ...more } as never),
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

for (const failsAt of [2, 3, 4, 5]) {
  test(`a recording whose line ${failsAt} cannot be written has ended: one report, and each call ends`, () => {
    let written = 0;
    let calls = 0;
    const failures: unknown[] = [];
    const { begin } = open({
      write() {
        if (++written >= failsAt) throw new Error(`No space for line ${written}`);
      },
      onCall: () => calls++,
      onFailure: (error) => void failures.push(error),
    });
    const [one, other] = [begin(), begin()];
    one.push("piece");
    for (const call of [one, other, begin()]) call.end();
    deepStrictEqual(failures.map(String), [`Error: No space for line ${failsAt}`]);
    deepStrictEqual([written, calls], [failsAt, 0]);
  });
}

test("a call whose result is not JSON is left out of a recording, which continues", () => {
  const failures: unknown[] = [];
  const { lines, begin } = open({ onFailure: (error) => void failures.push(error) });
  begin().end({ value: 1n });
  begin().end();
  deepStrictEqual(lines.filter(({ settled }) => settled !== undefined).map(({ n }) => n), [2]);
  deepStrictEqual(failures, []);
});
