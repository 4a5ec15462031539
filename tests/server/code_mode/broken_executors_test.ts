/** Executors of others that fail, and sandboxes that cannot be started: the call ends in an error, and nothing is left open. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import { type Executor, type Guest, type GuestTurn, quickjs } from "../../../src/entries/code.ts";
import { threads } from "./executors.ts";
import { QUIET, run, serverOf } from "./fixture.ts";

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";
const ping = defineTool("ping").describe("Ping").handle(() => "pong");

/** A call of a tool, and the end after its result. */
const TURNS: readonly GuestTurn[] = [
  { calls: [{ id: 1, kind: "call", tool: "ping", input: "{}" }], logs: [] },
  { calls: [], logs: [], end: { json: "1" } },
];

/** An executor whose guest does what a test says in place of one of its methods. */
function executorOf(changed: Partial<Guest>, closed: string[], create?: () => Promise<Guest>): Executor {
  const guest: Guest = {
    start: () => Promise.resolve(TURNS[0]!),
    resume: () => Promise.resolve(TURNS[1]!),
    close: () => void closed.push("closed"),
    ...changed,
  };
  return { name: "broken", create: create ?? (() => Promise.resolve(guest)) };
}

/** Not tried again: the sandbox would fail again. */
const FAILED = {
  code: "invalid_handler",
  message: "The handler of run_code cannot work, however often it is tried: The sandbox of the program failed",
};

const fail = () => Promise.reject(new Error("the sandbox is broken"));

for (const [method, changed] of [["start", { start: fail }], ["resume", { resume: fail }]] as const) {
  test(`a guest whose ${method} fails is closed, and its error is not shown`, async () => {
    const closed: string[] = [];
    const server = serverOf([ping], { executor: executorOf(changed, closed) }, { engine: undefined });
    await rejects(run(server, "return 1"), FAILED);
    deepStrictEqual(closed, ["closed"]);
    await server.close();
  });
}

test("an executor whose create fails is an error without its text", async () => {
  const server = serverOf([ping], { executor: executorOf({}, [], fail) });
  await rejects(run(server, "return 1"), FAILED);
  await server.close();
});

test("a guest whose close fails has its value all the same, and the log has the error", async () => {
  const lines: string[] = [];
  const close = () => {
    throw new Error("it does not close");
  };
  const logger = { ...QUIET, warn: (message: string) => void lines.push(message) };
  const server = serverOf([ping], { executor: executorOf({ close }, []) }, { logger });
  strictEqual((await run(server, "return 1")).value, 1);
  deepStrictEqual(lines, ["The sandbox of a program could not be closed"]);
  await server.close();
});

test(
  "createThread() ends the thread of a sandbox that cannot start",
  { skip: isWorker && "workerd has no threads" },
  async () => {
    // A module without the functions of QuickJS.
    const wasm = await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
    const program = {
      source: "return 1",
      nowMs: 0,
      seed: 1,
      limits: { cpuMs: 1_000, memoryMb: 16, calls: 1, logChars: 1 },
    };
    await rejects(quickjs({ isolation: "thread", wasm }).create(program), Error);
  },
);

test("a thread that is closed while its program computes ends, and so does a second close", {
  skip: isWorker && "workerd has no threads",
}, async () => {
  const limits = { cpuMs: 600_000, memoryMb: 16, calls: 1, logChars: 1 };
  const guest = await threads.create({ source: "for (;;) ;", nowMs: 0, seed: 1, limits });
  const turn = guest.start();
  guest.close();
  guest.close();
  await rejects(turn, { message: "The thread of the program has ended" });
});
