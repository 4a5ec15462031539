/** Compressed bodies that are far larger than they look: refused at the limit, before the rest is decompressed. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer, defineTool } from "../../../mod.ts";
import { STATELESS, without } from "../../wires/descriptions/all.ts";
import type { RawRequest, RawResponse, Sending } from "../../wires/descriptions/description.ts";
import { RawObject } from "../../wires/descriptions/raw_messages.ts";
import { frame, textOf } from "../../wires/grpc/frames.ts";
import { codeOf } from "../callers.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";
import { overHttp } from "../senders.ts";

const NO_ARGS = new RawObject([]);

/** The start of a gzip stream of zeros: its header, and codes in which a byte of 0 is 1,032 bytes of zeros. */
const GZIP_OF_ZEROS = [
  ...[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xed, 0xc1, 1, 1, 0, 0, 0],
  ...[0x82, 0x20, 0xff, 0xaf, 0x6e, 0x48, 0x40, 0x01],
];

/** The end of a stream with 199,900 such bytes, with checksum and length. */
const END = [0x9d, 0x19, 0xbf, 0x6a, 0x24, 0x85, 0xd8, 0xda, 0x4b, 0x0c];

/** 200 kB of gzip of 206 MB of zeros, which would take a second to compress. */
const bomb = Uint8Array.from([...GZIP_OF_ZEROS, ...new Uint8Array(199_900), ...END]);

/** How each protocol names the compression. JSON's wires accept none. */
function compressed({ headers, ...request }: RawRequest): RawRequest {
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/connect+")) return withBomb("connect-content-encoding", frame(bomb, 1));
  if (type.startsWith("application/grpc")) return withBomb("grpc-encoding", frame(bomb, 1));
  return withBomb("content-encoding", bomb);

  function withBomb(name: string, body: Uint8Array): RawRequest {
    return { ...request, headers: { "content-type": type, ...headers, [name]: "gzip" }, body };
  }
}

/** What the process may grow by, in bytes: 2.4 GB of zeros would be more. */
const GROWN_BYTES = 600 * 2 ** 20;

/** Memory of the process; 0 on workerd, which cannot measure it. */
function rss(): number {
  const { process } = globalThis as { readonly process?: { memoryUsage?(): { readonly rss: number } } };
  return process?.memoryUsage?.().rss ?? 0;
}

/** That a response is the refusal, as a whole or as the end of a stream. */
function assertRefused({ dialect }: Sending, response: RawResponse, isStreamed: boolean): void {
  if (response.status === 415) return;
  if (isStreamed) {
    const text = `${response.headers.get("grpc-message")} ${textOf(response.body)}`;
    return match(text.replaceAll("%20", " "), /The message is larger than 1048576 bytes/);
  }
  const end = dialect.read(response);
  strictEqual(codeOf(end), "payload_too_large", JSON.stringify(end));
}

const CASES: Cases<"call" | "stream"> = { "12 calls": "call", "12 streamed calls": "stream" };

const create = () =>
  createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")], wires: STATELESS });

const bombs = overHttp(create).map((place) =>
  overCases(place, CASES, async (sending, how) => {
    const { dialect, send } = sending;
    const request = dialect[how]?.("ping", NO_ARGS);
    if (request === undefined) return;
    const before = rss();
    const responses = await Promise.all(Array.from({ length: 12 }, () => send(compressed(request))));
    const grown = rss() - before;
    for (const response of responses) assertRefused(sending, response, how === "stream");
    ok(grown < GROWN_BYTES, `it grew by ${grown} bytes`);
    deepStrictEqual(dialect.read(await send(dialect.call("ping", NO_ARGS))), { kind: "answer", value: "pong" });
  })
);

export const guarantees: readonly Guarantee[] = [
  {
    name: "limit-decompression",
    statement:
      "A compressed body is decompressed up to `limits.bodyBytes`, then `payload_too_large`; wires of JSON accept no compression.",
    tests: bombs,
    none: without("HTTP"),
    also: ["tests/hostile/requests/grpc_test.ts"],
  },
];
