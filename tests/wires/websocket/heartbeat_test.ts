/** The client's side of a socket over time: heartbeats, silent servers, idle sockets, full buffers. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { ActivityMonitor } from "../../../src/core/call/transport.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { OpenSocketCalls } from "../../../src/wires/mcp_lite/websocket/client/open_calls.ts";
import { settle } from "./raw_socket.ts";

const HEARTBEAT = '{"jsonrpc":"2.0","method":"notifications/heartbeat"}';

function createFixture(limits = {}) {
  const clock = new FakeClock();
  const sent: string[] = [];
  let marks = 0;
  let isSuspended = false;
  const socket = {
    readyState: 1,
    bufferedAmount: 0,
    closeCode: 0,
    send: (text: string) => void sent.push(text),
    close(code = 1005) {
      this.readyState = 3;
      this.closeCode = code;
    },
    addEventListener() {},
  };
  const calls = new OpenSocketCalls(socket, { clock, maxChars: 1_000, maxInFlight: 2, idleMs: 100_000, ...limits });
  const controller = new AbortController();
  const limit: ActivityMonitor = {
    signal: controller.signal,
    markActive: () => void (marks++, isSuspended = false),
    suspend: () => void (isSuspended = true),
  };
  const isSuspendedNow = () => isSuspended;
  return { clock, sent, socket, calls, limit, controller, marks: () => marks, isSuspendedNow };
}

test("the client sends a heartbeat every 20 s in which it sent nothing else", async () => {
  const { clock, sent, calls, limit } = createFixture();
  clock.tick(20_000);
  deepStrictEqual(sent, [HEARTBEAT]);
  calls.receive(HEARTBEAT);
  void calls.send(1, "call", limit, undefined);
  clock.tick(20_000);
  deepStrictEqual(sent, [HEARTBEAT, "call"]);
  clock.tick(20_000);
  deepStrictEqual(sent, [HEARTBEAT, "call", HEARTBEAT]);
  calls.close();
  await settle();
});

test("a server that is silent for 60 s is lost: calls end with unavailable, and the socket is closed", async () => {
  const { clock, calls, limit, socket } = createFixture();
  let lost = 0;
  calls.onLost(() => lost++);
  const call = calls.send(1, "call", limit, undefined);
  clock.tick(40_000);
  strictEqual(socket.readyState, 1);
  clock.tick(20_000);
  const reply = await call;
  deepStrictEqual([reply.kind === "error" && reply.code, lost, socket.closeCode], ["unavailable", 1, 1000]);
});

test("heartbeats of the server keep calls alive that take long", () => {
  const { clock, calls, limit, marks, socket } = createFixture();
  void calls.send(1, "call", limit, undefined);
  for (let turn = 0; turn < 10; turn++) {
    clock.tick(20_000);
    calls.receive(HEARTBEAT);
  }
  deepStrictEqual([marks(), socket.readyState], [10, 1]);
  calls.close();
});

test("a socket without calls is closed after idleMs, one with a call is not", () => {
  const idle = createFixture({ idleMs: 30_000 });
  const busy = createFixture({ idleMs: 30_000 });
  void busy.calls.send(1, "call", busy.limit, undefined);
  for (const { clock, calls } of [idle, busy]) {
    clock.tick(20_000);
    calls.receive(HEARTBEAT);
    clock.tick(20_000);
  }
  deepStrictEqual([idle.socket.closeCode, busy.socket.closeCode], [1000, 0]);
  busy.calls.close();
});

test("calls wait while the buffer of the socket is full", () => {
  const { clock, sent, calls, limit, socket } = createFixture();
  socket.bufferedAmount = 2_000_000;
  void calls.send(1, "first", limit, undefined);
  clock.tick(100);
  deepStrictEqual(sent, []);
  socket.bufferedAmount = 0;
  clock.tick(10);
  deepStrictEqual(sent, ["first"]);
  calls.close();
});

test("events wait for a reader that is busy, in order; more than maxResponseChars of them end the call", async () => {
  const { calls, limit, sent, isSuspendedNow } = createFixture();
  const seen: unknown[] = [];
  let resume = () => {};
  const sink = {
    push(event: { readonly kind: string; readonly value?: unknown }) {
      seen.push(event.value);
      return new Promise<void>((resolve) => resume = resolve);
    },
  };
  const event = (id: number, partial: unknown) =>
    calls.receive(JSON.stringify({ method: "notifications/event", params: { id, partial } }));
  const first = calls.send(1, "call", limit, sink);
  for (const piece of [1, 2, 3]) event(1, piece);
  calls.receive('{"id":1,"result":{"content":"end"}}');
  deepStrictEqual([seen, isSuspendedNow()], [[1], true]);
  for (const _ of [1, 2, 3]) {
    await settle();
    resume();
  }
  deepStrictEqual([await first, seen], [{ kind: "result", result: { content: "end" } }, [1, 2, 3]]);
  const second = calls.send(2, "call", limit, sink);
  for (let at = 0; at < 20; at++) event(2, "x".repeat(100));
  const reply = await second;
  strictEqual(reply.kind === "error" && reply.code, "result_too_large");
  ok(sent.some((text) => text.includes('"requestId":2')), "the server is not notified");
  calls.close();
});

test("a call that waits and is aborted is never sent", async () => {
  const { calls, limit, sent } = createFixture();
  const waiting = new AbortController();
  void calls.send(1, "first", limit, undefined);
  void calls.send(2, "second", limit, undefined);
  const third = calls.send(3, "third", { ...limit, signal: waiting.signal }, undefined);
  waiting.abort();
  calls.receive('{"id":1,"result":{}}');
  const reply = await third;
  deepStrictEqual([reply.kind === "error" && reply.code, sent], ["cancelled", ["first", "second"]]);
  calls.close();
});
