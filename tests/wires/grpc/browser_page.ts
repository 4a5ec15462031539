/** Runs in a page: the client over every wire that a page can reach. `browser_test.ts` checks the findings. */
import { createClient, mcpLiteTransport } from "../../../mod.ts";
import { connectTransport, grpcTransport, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { webSocketTransport } from "../../../src/entries/websocket.ts";
import type { FixtureServer } from "../fixture.ts";
import type { Transport } from "../../../src/entries/wire.ts";

/** Findings over one wire. */
export interface Findings {
  readonly sum: unknown;
  readonly pieces: readonly unknown[];
  readonly failure: unknown;
  readonly refusal: unknown;
  readonly unknownTool: unknown;
  readonly first: unknown;
}

async function tryOut(transport: Transport): Promise<Findings> {
  const client = createClient<FixtureServer>(transport);
  const pieces: unknown[] = [];
  for await (const piece of client.count.stream({ to: 3 })) pieces.push(piece);
  let first: unknown;
  for await (const piece of client.endless.stream({})) {
    first = piece;
    break;
  }
  const untyped = createClient(transport);
  return {
    sum: await client.add({ a: 1, b: 2 }),
    pieces,
    failure: withoutMeta(await client.locked.outcome({ how: "locked" })),
    refusal: await codeOf(client.refuse({})),
    unknownTool: await codeOf(untyped["ad"]?.({})),
    first,
  };
}

/** Options of every call. */
function withoutMeta(outcome: object): object {
  return { ...outcome, meta: undefined };
}

async function codeOf(call: Promise<unknown> | undefined): Promise<unknown> {
  return await call?.then(() => "no error", (thrown: { readonly code?: unknown }) => thrown.code);
}

Object.assign(globalThis, {
  async tryAll(url: string): Promise<Record<string, Findings | string>> {
    return {
      http: await tryOut(mcpLiteTransport(`${url}/mcp-lite/v1`)),
      websocket: await tryOut(webSocketTransport(url)),
      "connect (JSON)": await tryOut(connectTransport(url)),
      "connect (binary)": await tryOut(connectTransport(url, { format: "binary" })),
      "gRPC-Web": await tryOut(grpcWebTransport(url)),
      gRPC: explain(() => grpcTransport(url)),
    };
  },
});

function explain(make: () => unknown): string {
  try {
    return String(make());
  } catch (thrown) {
    return String(thrown);
  }
}
