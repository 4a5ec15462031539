import { ok } from "node:assert/strict";
import { createServer, type Server, type ServerOptions } from "../../../mod.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { KeptLog } from "../dispatch/harness.ts";
import type { CallMeta, Change, Peer, WireHost } from "../../../src/entries/wire.ts";
import type { CallResultOf, ContentCall, ContentCatalog } from "../../../src/entries/mcp.ts";

/** A server whose catalog is called as a wire calls it, on a clock that does not advance by itself. */
export class CatalogBench {
  readonly clock: FakeClock = new FakeClock();
  readonly log: KeptLog = new KeptLog();
  readonly server: Server;
  readonly host: WireHost;

  constructor(options: Partial<ServerOptions<readonly []>>) {
    const hosts: WireHost[] = [];
    const probe = {
      name: "probe",
      mount(host: WireHost) {
        hosts.push(host);
        return { paths: [], handle: () => ({ status: 200, headers: {}, body: null }) };
      },
    };
    this.server = createServer({ clock: this.clock, logger: this.log, ...options, tools: [], wires: [probe] });
    const [host] = hosts;
    ok(host !== undefined);
    this.host = host;
  }

  get catalog(): ContentCatalog {
    ok(this.host.catalog !== undefined);
    return this.host.catalog;
  }

  /** Changes from now on, as a wire receives them. */
  hear(): Change[] {
    const changes: Change[] = [];
    this.host.changes.subscribe((change) => void changes.push(change));
    return changes;
  }
}

/** Who asks, as a wire says it. */
export function from(meta?: CallMeta, peer: Partial<Peer> = {}): ContentCall {
  const nobody: Peer = {
    wire: "test",
    principal: undefined,
    signal: undefined,
    metadata: { get: () => null },
    requestId: 1,
    client: {},
  };
  return { meta, peer: { ...nobody, ...peer } };
}

/** The value of what settled as an answer. */
export async function valueOf<Value>(
  settled: CallResultOf<Value> | PromiseLike<CallResultOf<Value>>,
): Promise<Value> {
  const over = await settled;
  ok(over.kind === "answer", `settled as ${JSON.stringify(over)}`);
  return over.value;
}
