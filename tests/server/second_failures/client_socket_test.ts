/**
 * A WebSocket of a client that fails while it is used, and then while it is closed: the calls under way end with `unavailable`, later ones
 * open another socket, and no exception reaches the runtime.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { type ClientSocket, webSocket, webSocketTransport } from "../../../src/entries/websocket.ts";
import { runtime } from "../../runtime/runtime.ts";
import { type PairedSocket, pairOpener } from "../../wires/socket_pair.ts";
import { createFaulty, type Faulty, FIRST, type MethodsOf } from "./faulty.ts";

/** How the calls end that are under way when a method fails: the one that was sent, and one that waits for room. */
const CLIENT_SOCKET: Readonly<Record<MethodsOf<ClientSocket>, readonly [sent: string, waiting: string]>> = {
  send: ["cancelled", "unavailable"],
  close: ["invalid_request", "invalid_request"],
  addEventListener: ["unavailable", "unavailable"],
};

/** The call of `addEventListener` that fails: that for the event `error`. */
const THIRD = 3;

const skip = runtime === "workerd" && "a request's socket is not another request's";

/** A server with a tool that waits until it is released, and a client whose first socket can be made to fail. */
function createFixture(method: MethodsOf<ClientSocket>) {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const server = createServer({
    tools: [
      defineTool("ping").describe("Answer").handle(() => "pong"),
      defineTool("wait").describe("Wait").handle(async () => {
        started.resolve();
        await gate.promise;
        return "done";
      }),
    ],
    wires: [webSocket()],
    logger: false,
  });
  const sockets: PairedSocket[] = [];
  const pair = pairOpener(server, sockets);
  const faulty: Faulty<ClientSocket>[] = [];
  const transport = webSocketTransport("ws://localhost", {
    open(url, protocols, headers) {
      const wrapped = createFaulty<ClientSocket>(pair(url, protocols, headers), method, ["close", "send"], "throws");
      if (method === "addEventListener" && faulty.length === 0) wrapped.arm(THIRD);
      faulty.push(wrapped);
      return wrapped.plugIn;
    },
    fetch: (url, init) => server.fetch(new Request(url, init)),
    maxInFlight: 1,
  });
  return { server, client: createClient(transport), sockets, faulty, gate, started };
}

/** Runs work, and returns what reached the runtime meanwhile. */
async function unhandledDuring(work: () => Promise<void>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const note = (thrown: unknown): void => void unhandled.push(thrown);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  }
  return unhandled;
}

const codeOf = (work: Promise<unknown>): Promise<unknown> => work.then((value) => value, ({ code }) => code);

for (const [method, codes] of Object.entries(CLIENT_SOCKET)) {
  test(`ClientSocket: ${method}() throws while calls are under way, and then close()`, { skip }, async () => {
    const { server, client, sockets, faulty, gate, started } = createFixture(method as MethodsOf<ClientSocket>);
    const unhandled = await unhandledDuring(async () => {
      const aborting = new AbortController();
      const wait = codeOf(client["wait"]!({}, { signal: aborting.signal }));
      const waiting = codeOf(client["ping"]!());
      if (method !== "addEventListener") {
        await started.promise;
        faulty[0]?.arm(1);
        // The cancellation is written; a message that cannot be read makes the client close the socket.
        if (method === "send") aborting.abort(Object.assign(new Error("over"), { code: "cancelled" }));
        else sockets[0]?.emit("message", { data: "no JSON" });
      }
      deepStrictEqual(await Promise.all([wait, waiting]), codes);
      ok(faulty[0]?.hasFailed, `${method}() has failed`);
      if (method !== "close") strictEqual(faulty[0]?.hasFailedAgain, true, "the broken socket is closed");
      faulty[0]?.arm(0);
      strictEqual(await codeOf(client["ping"]!()), "pong", "another socket is opened");
      strictEqual(faulty.length, 2);
      faulty[1]?.arm(1);
      client.$.close();
      gate.resolve();
      await server.close(0);
    });
    deepStrictEqual(unhandled.map(String), []);
  });
}

test("ClientSocket: send() throws for the first message, and the call's error has the cause", { skip }, async () => {
  const { server, client, faulty } = createFixture("send");
  const unhandled = await unhandledDuring(async () => {
    strictEqual(await codeOf(client["ping"]!()), "pong");
    faulty[0]?.arm(1);
    const thrown = await client["ping"]!().catch((error: unknown) => error) as Error & { code: string };
    strictEqual(thrown.code, "unavailable");
    strictEqual(((thrown.cause as Error).cause as Error).message, FIRST);
    faulty[0]?.arm(0);
    strictEqual(await codeOf(client["ping"]!()), "pong");
    client.$.close();
    await server.close(0);
  });
  deepStrictEqual(unhandled.map(String), []);
});
