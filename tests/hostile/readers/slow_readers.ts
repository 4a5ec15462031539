/** Callers that drip, stall and leave: what they have asked for ends or waits, in bounded memory, and others are answered. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createServer, defineTool } from "../../../mod.ts";
import { DIALECTS, STATELESS, without } from "../../wires/descriptions/all.ts";
import type { Dialect, RawRequest, RawResponse, Sending } from "../../wires/descriptions/description.ts";
import { Pipe } from "../../wires/descriptions/pipe.ts";
import { RawObject, readMcp } from "../../wires/descriptions/raw_messages.ts";
import { inProcess, overHttp2, overPipes, overSockets } from "../senders.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";
import { eventually } from "../../eventually.ts";

/** A request that goes at its own pace. */
export interface Slow {
  /** Sends it a byte at a time. */
  drip(request: RawRequest): Promise<RawResponse>;
  /** Sends half of it, and then nothing. */
  half(request: RawRequest): Promise<Leaving>;
  /** Sends all of it, and reads what comes first. */
  begin(request: RawRequest): Promise<Leaving>;
}

/** A caller that can leave. */
export interface Leaving {
  leave(): void | Promise<void>;
}

const PIECE = "x".repeat(65_536);

/** How far the handlers of one server have come. */
const progress = { pieces: 0, ended: 0, pinged: 0 };

function create() {
  Object.assign(progress, { pieces: 0, ended: 0, pinged: 0 });
  return createServer({
    tools: [
      defineTool("ping").describe("Answer").handle(() => {
        progress.pinged++;
        return "pong";
      }),
      defineTool("flood").describe("Yield without an end").handle(async function* () {
        try {
          for (;;) {
            yield PIECE;
            progress.pieces++;
            await new Promise((resolve) => setTimeout(resolve, 0));
          }
        } finally {
          progress.ended++;
        }
      }),
    ],
    wires: STATELESS,
  });
}

const ARGS = new RawObject([["text", "hello"]]);

type Stream = NonNullable<Dialect["stream"]>;

type Act = (sending: Sending, slow: Slow) => Promise<void>;

async function assertAnswers({ dialect, send }: Sending): Promise<void> {
  deepStrictEqual(dialect.read(await send(dialect.call("ping", ARGS))), { kind: "answer", value: "pong" });
}

const UNARY: Cases<Act> = {
  async "a request that drips"({ dialect }, slow) {
    const answer = await slow.drip(dialect.call("ping", ARGS));
    deepStrictEqual(dialect.read(answer), { kind: "answer", value: "pong" });
  },
  async "20 requests that stop half-way, and leave"(sending, slow) {
    const callers = await Promise.all(Array.from({ length: 20 }, () => slow.half(sending.dialect.call("ping", ARGS))));
    await assertAnswers(sending);
    for (const caller of callers) await caller.leave();
    await assertAnswers(sending);
    strictEqual(progress.pinged, 3, "what came by half was run");
  },
};

const STREAMED: Cases<Act> = {
  async "a reader that leaves in the middle"(sending, slow) {
    const before = progress.ended;
    const reader = await slow.begin((sending.dialect.stream as Stream)("flood", ARGS));
    await reader.leave();
    await eventually(() => progress.ended > before, "the handler goes on");
    await assertAnswers(sending);
  },
  async "a reader that does not read"(sending, slow) {
    const [pieces, ended] = [progress.pieces, progress.ended];
    const reader = await slow.begin((sending.dialect.stream as Stream)("flood", ARGS));
    // What sockets hold is the system's; that the handler waits shows that nothing else grows.
    let [last, quiet] = [-1, 0];
    for (let tries = 0; tries < 300 && quiet < 5; tries++) {
      quiet = progress.pieces === last ? quiet + 1 : 0;
      last = progress.pieces;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    strictEqual(quiet, 5, "the handler does not wait");
    ok((last - pieces) * PIECE.length < 32_000_000, `${last - pieces} pieces wait`);
    await assertAnswers(sending);
    await reader.leave();
    await eventually(() => progress.ended > ended, "the handler goes on");
  },
};

function slowFetch({ server }: Sending): Slow {
  const ask = async ({ path, headers }: RawRequest, body: ReadableStream<Uint8Array>) => {
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
    return await server.fetch(new Request(`http://localhost${path}`, init));
  };
  return {
    async drip(request) {
      let at = 0;
      const response = await ask(
        request,
        new ReadableStream({
          pull(controller) {
            if (at === request.body.length) controller.close();
            else controller.enqueue(request.body.slice(at, ++at));
          },
        }),
      );
      return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
    },
    half(request) {
      let stop = () => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(request.body.slice(0, request.body.length / 2));
          stop = () => controller.error(new Error("The caller has gone"));
        },
      });
      const answered = ask(request, body);
      return Promise.resolve({
        async leave() {
          stop();
          ok((await answered).status >= 200);
        },
      });
    },
    async begin(request) {
      const body = new Blob([request.body.slice()]).stream();
      const reader = (await ask(request, body)).body?.getReader();
      await reader?.read();
      return { leave: () => reader?.cancel() };
    },
  };
}

const slowSockets = async (port: number): Promise<Slow> => (await import("./slow_sockets.ts")).overHttp1(port);
const slowHttp2 = async (port: number): Promise<Slow> => (await import("./slow_sockets.ts")).overHttp2(port);

const STREAMING = DIALECTS.filter(({ dialect }) => dialect.stream !== undefined);

const unary = [
  ...inProcess(create).map((place) => overCases(place, UNARY, (sending, act) => act(sending, slowFetch(sending)))),
  ...overSockets(create).map((place) =>
    overCases(place, UNARY, async (sending, act) => await act(sending, await slowSockets(sending.port)))
  ),
  ...overHttp2(create).map((place) =>
    overCases(place, UNARY, async (sending, act) => await act(sending, await slowHttp2(sending.port)))
  ),
  ...overPipes(create).map((place) =>
    overCases(place, { "a line that drips": 1, "a line in halves": 60 }, async ({ server, dialect }, step) => {
      const pipe = new Pipe(server);
      const { body } = dialect.call("ping", new RawObject([["text", "é€😀"]]));
      for (let at = 0; at < body.length; at += step) pipe.feed(body.slice(at, at + step));
      deepStrictEqual(readMcp(await pipe.find(({ id }) => id === 1)), { kind: "answer", value: "pong" });
    })
  ),
];

const readers = [
  ...inProcess(create, STREAMING).map((place) =>
    overCases(place, STREAMED, (sending, act) => act(sending, slowFetch(sending)))
  ),
  ...overSockets(create, STREAMING).map((place) =>
    overCases(place, STREAMED, async (sending, act) => await act(sending, await slowSockets(sending.port)))
  ),
  ...overHttp2(create).map((place) =>
    overCases(place, STREAMED, async (sending, act) => await act(sending, await slowHttp2(sending.port)))
  ),
];

export const guarantees: readonly Guarantee[] = [
  {
    name: "slow-requests",
    statement: "A request byte by byte is answered, half a request runs nothing, and others do not wait.",
    tests: unary,
    none: without("requests"),
    also: ["tests/hostile/requests/grpc_test.ts", "tests/hostile/requests/http2_full_test.ts"],
  },
  {
    name: "slow-readers",
    statement: "A client that does not read makes the handler wait, in bounded memory; a disconnect ends it.",
    tests: readers,
    none: without("pieces"),
    also: [
      "tests/hostile/readers/http1_full_test.ts",
      "tests/hostile/readers/grpc_full_test.ts",
      "tests/wires/grpc/server_test.ts",
    ],
  },
];
