/** Key sets of an issuer that are endless, or never arrive. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Logger } from "../../../mod.ts";
import { jwt } from "../../../src/entries/auth.ts";
import { callAs } from "../../integrations/auth/fixture.ts";

/** Far above the limit; reached only by a reader without one. */
const MOST_BYTES = 8_000_000;

/** Calls with a well-formed token of an unknown key, so that the keys are fetched. */
async function callWith(fetch: (url: string, init: RequestInit) => Promise<Response>, timeoutMs?: number) {
  const causes: string[] = [];
  const warn: Logger["warn"] = (_, fields) => void causes.push(String((fields?.["error"] as Error).cause));
  const logger: Logger = { debug() {}, info() {}, warn, error() {} };
  const auth = jwt({
    issuer: "https://login.example",
    audience: "https://api.example",
    jwksUrl: "https://login.example/jwks",
    fetch,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const server = createServer({ tools: [defineTool("ping").describe("Ping").handle(() => 1)], auth, logger });
  const part = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = `${part({ alg: "ES256", kid: "k" })}.${part({ sub: "ada" })}.${"A".repeat(86)}`;
  const response = await callAs(server, "ping", token);
  const { error } = await response.json();
  return { code: error.data.code, causes };
}

function endless(counts: { sent: number; isCancelled: boolean }, first: string = ""): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(0x20);
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
    pull(controller) {
      if (counts.sent >= MOST_BYTES) return controller.close();
      counts.sent += chunk.length;
      controller.enqueue(chunk.slice());
    },
    cancel: () => void (counts.isCancelled = true),
  }, { highWaterMark: 0 });
}

test("a key set without an end is read up to a limit", async () => {
  const counts = { sent: 0, isCancelled: false };
  const { code, causes } = await callWith(() => Promise.resolve(new Response(endless(counts, '{"keys":['))));
  strictEqual(code, "unavailable");
  match(causes.join(), /larger than 262144 bytes/);
  ok(counts.sent < 1_000_000 && counts.isCancelled, `${counts.sent} bytes`);
});

test("the body of an error in place of a key set is not read without a limit", async () => {
  const counts = { sent: 0, isCancelled: false };
  const { code } = await callWith(() => Promise.resolve(new Response(endless(counts), { status: 500 })));
  strictEqual(code, "unavailable");
  ok(counts.sent < 1_000_000, `${counts.sent} bytes`);
});

test("a redirect in place of a key set is not followed, and its body is cancelled", async () => {
  const counts = { sent: 0, isCancelled: false };
  const headers = { location: "https://evil.example/" };
  const inits: RequestInit[] = [];
  const { code } = await callWith((_, init) => {
    inits.push(init);
    return Promise.resolve(new Response(endless(counts), { status: 302, headers }));
  });
  deepStrictEqual([code, counts.sent, counts.isCancelled], ["unavailable", 0, true]);
  deepStrictEqual(inits.map(({ redirect }) => redirect), ["manual"]);
});

test("the request for a key set that does not arrive is aborted", async () => {
  const aborted = Promise.withResolvers<void>();
  const fetch = (_: string, { signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({ cancel: () => aborted.resolve() });
    signal?.addEventListener("abort", () => aborted.resolve());
    return Promise.resolve(new Response(body));
  };
  const { code } = await callWith(fetch, 50);
  ok(code === "unavailable" || code === "deadline_exceeded", code);
  await aborted.promise;
});
