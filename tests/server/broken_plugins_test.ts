/** Plug-ins that throw or reject where they must not: one request is affected, never the process, and the log has the first cause. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { createServer, defineTool, memoryEngine, type Server } from "../../mod.ts";
import type { EngineWorker } from "../../src/entries/engines.ts";
import { toNodeHandler } from "../../src/entries/serve.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import { webSocket } from "../../src/entries/websocket.ts";
import type { ChangeBus, DuplexWire, MountedWire, Reply, RequestWire } from "../../src/entries/wire.ts";
import { runtime } from "../runtime/runtime.ts";
import { callText, openRaw, settle } from "../wires/websocket/raw_socket.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");

const fault = (): never => {
  throw new Error("secret: the first cause");
};

/** What a wire does with a request, by what is wrong with it. */
const BROKEN: Readonly<Record<string, MountedWire["handle"]>> = {
  "throws": fault,
  "rejects": () => Promise.reject(new Error("secret: the first cause")),
  "returns nothing": () => undefined as unknown as Reply,
  "resolves with nothing": () => Promise.resolve(undefined as unknown as Reply),
  "sends an invalid header": () => ({ status: 200, headers: { "x-bad": "a\r\nb" }, body: null }),
  "sends an invalid status": () => Promise.resolve({ status: 9_999, headers: {}, body: "x" }),
};

function createBroken(handle: MountedWire["handle"]) {
  const errors: unknown[] = [];
  const wire: RequestWire = { name: "broken", mount: () => ({ paths: ["/broken"], handle }) };
  const server = createServer({
    tools: [ping],
    wires: [wire],
    logger: { debug() {}, info() {}, warn() {}, error: (_, fields) => void errors.push(fields?.["error"]) },
  });
  return { server, errors };
}

async function assertMasked(response: Response, errors: readonly unknown[]): Promise<void> {
  strictEqual(response.status, 500);
  match((await response.json()).error.message, /^Internal error, correlation id /);
  strictEqual(errors.length, 1);
  ok(errors[0] instanceof Error);
}

for (const [what, handle] of Object.entries(BROKEN)) {
  test(`server.fetch answers 500 and logs the error if a wire ${what}`, async () => {
    const { server, errors } = createBroken(handle);
    const response = server.fetch(new Request("http://localhost/broken", { method: "POST" }));
    ok(response instanceof Promise, "it throws nothing synchronously");
    await assertMasked(await response, errors);
  });

  const skip = runtime === "workerd" && "it cannot listen";
  test(`toNodeHandler() answers 500 and logs the error if a wire ${what}`, { skip }, async () => {
    const { server, errors } = createBroken(handle);
    const http = createHttpServer(toNodeHandler(server));
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/broken`;
    await assertMasked(await fetch(url, { method: "POST" }), errors);
    http.closeAllConnections();
    http.close();
  });
}

/** What a protocol of messages does, by what is wrong with it. */
const BROKEN_DUPLEX: Readonly<Record<string, ReturnType<DuplexWire["mount"]>["connect"]>> = {
  "throws for a connection": fault,
  "rejects": () => Promise.reject(new Error("secret: the first cause")),
  "throws for a message": (connection) => {
    connection.onMessage(fault);
    return new Promise(() => {});
  },
  "throws for the end of the input": (connection) => {
    connection.onMessage(() => {});
    connection.onClose(fault);
    return new Promise(() => {});
  },
};

for (const [what, connect] of Object.entries(BROKEN_DUPLEX)) {
  test(`a WebSocket is closed and the error is logged if its protocol ${what}`, async () => {
    const errors: unknown[] = [];
    const server = createServer({
      tools: [ping],
      wires: [webSocket({ mcp: { name: "mcp", mount: () => ({ connect }) } })],
      logger: { debug() {}, info() {}, warn() {}, error: (_, fields) => void errors.push(fields?.["error"]) },
    });
    const socket = await openRaw(server, {}, ["mcp"]);
    const other = await openRaw(server);
    socket.send("hello");
    if (what.includes("end of the input")) socket.close(1000);
    await settle();
    strictEqual(socket.readyState, 3);
    match(String(errors[0]), /the first cause/);
    strictEqual(errors.length, 1);
    other.send(callText(1, "ping"));
    await settle();
    strictEqual(JSON.parse(other.received[0] ?? "{}").result.content, "pong", "other connections continue");
  });
}

test("a logger whose lines throw or reject costs no call, and ends no process", async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on("unhandledRejection", note);
  for (const line of [fault, () => Promise.reject(new Error("no disk")) as unknown as void]) {
    const server = createServer({
      tools: [
        defineTool("log").describe("Log").handle((_, ctx) => {
          ctx.log("info", "a line", { at: 1 });
          throw new Error("masked");
        }),
      ],
      logger: { debug: line, info: line, warn: line, error: line },
    });
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log"}}';
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", body, headers });
    strictEqual((await server.fetch(request)).status, 500);
  }
  await settle();
  process.off("unhandledRejection", note);
  deepStrictEqual(rejections, []);
});

/** A server each of whose parts notes that it was closed, and fails if it is among `failing`. */
function createClosing(failing: readonly string[]) {
  const closed: string[] = [];
  const close = (part: string) => () => {
    closed.push(part);
    if (failing.includes(part)) throw new Error(`${part} failed`);
  };
  const clock = new FakeClock();
  const engine = Object.assign(memoryEngine({ clock }), {
    close: close("engine"),
    work: (): EngineWorker => ({ stop: () => Promise.resolve().then(close("worker")) }),
  });
  const changes: ChangeBus = { publish() {}, subscribe: () => () => {}, close: close("changes") };
  const wires: RequestWire[] = ["first wire", "second wire"].map((name, at) => ({
    name,
    mount: () => ({ paths: [`/${at}`], handle: () => ({ status: 204, headers: {}, body: null }), close: close(name) }),
  }));
  const server: Server = createServer({
    tools: [defineTool("job").describe("Job").promise({ budgetMs: 1 }).handle(() => 1)],
    wires,
    engine,
    changes,
    clock,
    logger: false,
  });
  server.work();
  return { server, closed };
}

const PARTS = ["first wire", "second wire", "worker", "engine", "changes"];

for (const part of PARTS) {
  test(`server.close() closes everything else if "${part}" fails, and rejects with its error`, async () => {
    const { server, closed } = createClosing([part]);
    await settle();
    await rejects(server.close(), { message: `${part} failed` });
    deepStrictEqual(closed, PARTS);
  });
}

test("server.close() gathers the errors of all parts, the first one first", async () => {
  const { server, closed } = createClosing(PARTS);
  await settle();
  const error = await server.close().then(() => undefined, (thrown: unknown) => thrown);
  ok(error instanceof AggregateError);
  deepStrictEqual(error.errors.map(({ message }: Error) => message), [
    "first wire failed",
    "second wire failed",
    "worker failed",
    "engine failed",
    "changes failed",
  ]);
  match(error.message, /^Cannot close the server completely: first wire failed; /);
  strictEqual(error.cause, error.errors[0]);
  deepStrictEqual(closed, PARTS);
});

test("server.close() reports an engine that does not close, and closes the rest", async () => {
  const clock = new FakeClock();
  let isBusClosed = false;
  const server = createServer({
    tools: [ping],
    clock,
    logger: false,
    engine: Object.assign(memoryEngine({ clock }), { close: () => new Promise<void>(() => {}) }),
    changes: { publish() {}, subscribe: () => () => {}, close: () => void (isBusClosed = true) },
  });
  const closed = rejects(server.close(), /The engine has not closed within 5000 ms/);
  await settle();
  clock.tick(5_000);
  await closed;
  strictEqual(isBusClosed, true);
});
