/** What docs/deployment.md says of nginx and of several replicas, with the configuration of that page, on three runtimes at once. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, mcpLiteTransport } from "../../mod.ts";
import { connectTransport, grpcTransport, grpcWebTransport } from "../../src/entries/grpc.ts";
import { mcpTransport } from "../../src/entries/mcp.ts";
import { callBody, eventsOf, post, sendRaw, stream } from "../serve/client.ts";
import { runtimes, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { nginx, Replica, startNginx } from "./fleet.ts";
import type { ReplicaServer } from "./replica.ts";

const hosts = runtimes.filter(({ name }) => name !== "node22");
const KEYS = "k1:a secret of at least thirty-two bytes";
const NEW_KEYS = "k2:another secret of thirty-two bytes too";
const TIMEOUT_MS = 180_000;

/** A tool call over MCP-lite, to the JSON-RPC response. */
// deno-lint-ignore no-explicit-any -- what a test asserts is the shape
async function callAt(url: string, name: string, args: unknown, meta: unknown = undefined): Promise<any> {
  const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return await (await post(url, "/calltools", body)).json();
}

/** A promise token from the replica at `url`. */
async function begin(url: string, tool: string, file: string): Promise<string> {
  const { result, error } = await callAt(url, tool, { file });
  strictEqual(result?._meta.response_type, "promise", JSON.stringify(error ?? result));
  return result._meta.promise_token;
}

/** The key that a token was signed with, as docs/tokens.md says. */
function kidOf(token: string): string {
  const bytes = atob(token.slice("prom_".length).replaceAll("-", "+").replaceAll("_", "/"));
  return bytes.slice(2, 2 + bytes.charCodeAt(1));
}

/** A replica for each program, in the order of {@link hosts}, and nginx in front of them. */
async function startAll(paths: readonly string[], started: AsyncDisposableStack) {
  const folder = started.use(await temporaryFolder()).path;
  const replicas = await Promise.all(
    hosts.slice(0, paths.length).map((runtime, index) =>
      Replica.start(runtime.name, runtime, paths[index] ?? "", folder, KEYS)
    ),
  );
  for (const replica of replicas) started.use(replica);
  const grpc = await Promise.all(replicas.map((replica) => replica.grpcPort()));
  const proxy = await startNginx(folder, { http: replicas.map(({ port }) => port), grpc });
  started.use(proxy.program);
  return { folder, replicas, proxy };
}

testWith("the documented nginx passes on pieces as they come, over each wire, and serves gRPC", [
  nginx,
  ...hosts.map(({ program }) => program),
], async (_, ...paths) => {
  await using started = new AsyncDisposableStack();
  const { folder, replicas, proxy } = await startAll(paths, started);

  // Round robin: each replica in its turn gets one of these, and the second piece is made only once the first has arrived.
  for (const { name } of replicas) {
    const file = `pieces-${name}`;
    const response = await stream(proxy.url, "two_pieces", { file });
    strictEqual(response.headers.get("content-type"), "text/event-stream");
    strictEqual(response.headers.get("cache-control"), "no-cache, no-transform");
    const events = eventsOf(response);
    deepStrictEqual((await events.next()).value?.data, { partial: "one" });
    writeFileSync(join(folder, file), "");
    const rest = await Array.fromAsync(events);
    deepStrictEqual(rest.filter(({ event }) => event !== "heartbeat").map(({ event }) => event), ["message", "done"]);
  }

  const transports = {
    http: mcpLiteTransport(`${proxy.url}/mcp-lite/v1`),
    connect: connectTransport(proxy.url),
    grpcWeb: grpcWebTransport(proxy.url),
    grpc: grpcTransport(proxy.grpcUrl),
  };
  for (const [wire, transport] of Object.entries(transports)) {
    const client = createClient<ReplicaServer>(transport);
    const file = `pieces-${wire}`;
    const pieces: string[] = [];
    for await (const piece of client.two_pieces.stream({ file })) {
      pieces.push(piece);
      writeFileSync(join(folder, file), "");
    }
    deepStrictEqual(pieces, ["one", "two"]);
    client.$.close();
  }
  const overMcp = createClient<ReplicaServer>(mcpTransport(`${proxy.url}/mcp`));
  ok(hosts.some(({ name }) => name === "bun"));
  match(await overMcp.ping(), /^(bun|deno|node24)$/);
  overMcp.$.close();

  // A page of the proxy's own origin may call, one of another may not: so the port has to be in the Host that is passed on.
  const body = callBody("ping");
  strictEqual((await post(proxy.url, "/calltools", body, { headers: { origin: proxy.url } })).status, 200);
  strictEqual((await post(proxy.url, "/calltools", body, { headers: { origin: "http://evil.example" } })).status, 403);
  const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const rebound = await sendRaw(proxy.url, `POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: evil.example\r\n${length}`);
  strictEqual(rebound.status, 403, rebound.text);
  strictEqual((await fetch(`${proxy.url}/readyz`)).status, 200);
  // The server has its own word for what is too large, nginx only for what is larger than that.
  for (let replica = 0; replica < replicas.length; replica++) {
    const large = await post(proxy.url, "/calltools", callBody("ping", { text: "x".repeat(1_100_000) }));
    strictEqual((await large.json()).error.data.code, "payload_too_large");
  }
  const larger = await post(proxy.url, "/calltools", callBody("ping", { text: "x".repeat(2_200_000) }));
  match(await larger.text(), /413[^]*nginx/);
}, TIMEOUT_MS);

testWith("a quiet stream gets its heartbeats through the documented nginx", [
  nginx,
  ...hosts.slice(0, 1).map((host) => host.program),
], async (_, path) => {
  await using started = new AsyncDisposableStack();
  const { proxy } = await startAll([path], started);
  const events = eventsOf(await stream(proxy.url, "two_pieces", { file: "late" }));
  strictEqual((await events.next()).value?.event, "message");
  deepStrictEqual((await events.next()).value, { event: "heartbeat", data: {} });
  await events.return();
}, TIMEOUT_MS);

testWith("promises are redeemed at any replica while all of them change their keys, and callers notice nothing", [
  nginx,
  ...hosts.map(({ program }) => program),
], async (_, ...paths) => {
  await using started = new AsyncDisposableStack();
  const { folder, replicas, proxy } = await startAll(paths, started);
  const answer = `${folder}/answer`;

  // A client calls all the time.
  const caller = createClient<ReplicaServer>(`${proxy.url}/mcp-lite/v1`, { retry: { attempts: 8 } });
  const answeredBy = new Map<string, number>();
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      const name = await caller.ping();
      answeredBy.set(name, (answeredBy.get(name) ?? 0) + 1);
    }
  })();
  calling.catch(() => {});

  const tokens: string[] = [];
  /** Begins both kinds of work at one replica, and looks for all that was begun at each of them. */
  const beginAt = async (replica: Replica, kid: string) => {
    for (const tool of ["work", "order"]) {
      const token = await begin(replica.url, tool, "answer");
      strictEqual(kidOf(token), kid);
      tokens.push(token);
    }
    for (const { url, name } of replicas) {
      for (const token of tokens) {
        const { result, error } = await callAt(url, "redeem", { promise: token });
        deepStrictEqual(
          [result?._meta.response_type, result?._meta.server_version],
          ["promise", name],
          JSON.stringify(error),
        );
        strictEqual(result._meta.promise_token, token);
      }
    }
  };
  /** Gives each replica other keys, one after the other. */
  const roll = async (keys: string, kid: string) => {
    for (const replica of replicas) {
      await replica.restart(keys);
      await beginAt(replica, kid);
    }
  };

  for (const replica of replicas) await beginAt(replica, "k1");
  await roll(`${KEYS},${NEW_KEYS}`, "k1"); // 1: all take the new key
  await roll(`${NEW_KEYS},${KEYS}`, "k2"); // 2: all sign with it

  // The work ends, and each replica reports the result of each promise, whichever replica made it.
  writeFileSync(answer, "");
  for (const { url } of replicas) {
    for (const token of tokens) {
      const { result, error } = await callAt(url, "redeem", { promise: token, wait_ms: 25_000 });
      strictEqual(result?._meta.response_type, "answer", JSON.stringify(error ?? result));
      match(result.content, /^begun by (bun|deno|node24)$/);
    }
  }
  // Through nginx, too, until another replica than the one that promised has reported.
  const tellers = new Set<string>();
  for (let asked = 0; tellers.size < replicas.length && asked < 100; asked++) {
    const { result } = await callAt(proxy.url, "redeem", { promise: tokens[0] });
    strictEqual(result._meta.response_type, "answer");
    tellers.add(result._meta.server_version);
  }
  strictEqual(tellers.size, replicas.length);

  for (const replica of replicas) await replica.restart(NEW_KEYS); // 3: no replica has the old key
  for (const { url } of replicas) {
    for (const token of tokens) {
      const { result, error } = await callAt(url, "redeem", { promise: token });
      if (kidOf(token) === "k1") strictEqual(error?.data.code, "invalid_promise");
      else strictEqual(result?._meta.response_type, "answer", JSON.stringify(error));
    }
  }
  isOver = true;
  await calling;
  strictEqual(answeredBy.size, replicas.length, JSON.stringify([...answeredBy]));
  await rejects(caller.$.redeem(tokens[0] ?? "").result(), { code: "invalid_promise" });
}, TIMEOUT_MS);
