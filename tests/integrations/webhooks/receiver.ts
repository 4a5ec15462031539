/** Fixtures of the tests of webhooks: an endpoint that keeps what it gets, and servers that share an engine and a clock. */
import { ok } from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { AnyTool, ServerOptions } from "../../../mod.ts";
import { memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { KEYS, pass } from "../../jobs/promises/promised.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
export const ENDPOINT = { url: "https://hooks.example.com/done", secret: SECRET };

/** One webhook, as an endpoint gets it. */
export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly atMs: number;
}

/** An endpoint: `reply` answers each request, by default with 204. */
export class Receiver {
  readonly got: Received[] = [];
  readonly clock: FakeClock;
  reply: (init: RequestInit) => Response | Promise<Response> = () => new Response(null, { status: 204 });

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const text = new TextDecoder().decode(init.body as Uint8Array<ArrayBuffer>);
    const headers = Object.fromEntries(new Headers(init.headers));
    this.got.push({ url, headers, text, body: JSON.parse(text), atMs: this.clock.now() });
    return await this.reply(init);
  };
}

/** That an independent library accepts the signature; the clock of a test has to be that of the machine. */
export function assertSigned({ text, headers }: Received, secret: string = SECRET): void {
  ok(new Webhook(secret).verify(text, headers));
}

/** Replicas with one engine and one clock, which begins at the machine's time. */
export function replicas(wrap: (engine: Engine) => Engine = (engine) => engine) {
  const clock = new FakeClock(Date.now());
  const engine = memoryEngine({ clock });
  const shared: Engine = wrap({ ...engine, processId: undefined, close: () => {} });
  const start = (tools: readonly AnyTool[], options: Partial<ServerOptions<readonly AnyTool[]>>) => {
    return new Bench(tools, { keys: KEYS, clock, engine: shared, ...options });
  };
  return { clock, engine: shared, start, receiver: new Receiver(clock), pass: (ms: number) => pass({ clock }, ms) };
}
