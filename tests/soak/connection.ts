/** A caller's way to the replicas: a typed client of nginx that knows who has answered it. */
import { REPLICA_HEADER } from "../../examples/replicas/nginx.ts";
import { type Client, type ClientOptions, createClient, ToolError } from "../../mod.ts";
import type { Resolution } from "../../src/entries/types.ts";
import { resolveWait } from "../../src/entries/waits.ts";
import type { Random } from "../../src/testing/faults.ts";
import type { Tally } from "./tally.ts";
import type { WebhookReceiver } from "./webhook_receiver.ts";
import type { SoakServer } from "./tools.ts";

/** How often a caller makes a call again, and how long it waits before, in milliseconds. */
const INSISTENCE = 60;
const PAUSE_MS = 250;

/** A client, and who has answered it. */
export interface Connection {
  readonly client: Client<SoakServer>;
  /** The replica that answered last. */
  answeredBy(): string;
}

/** What callers have in common. */
export interface Scene {
  /** Where nginx is. */
  readonly url: string;
  readonly tally: Tally;
  /** Takes the webhooks. */
  readonly webhooks: WebhookReceiver;
}

/** Opens a connection. */
export function connect({ url, tally }: Scene, options: ClientOptions = {}): Connection {
  let address = "";
  const client = createClient<SoakServer>(`${url}/mcp-lite/v1`, {
    retry: { attempts: 4, baseDelayMs: 100 },
    async fetch(to, init) {
      const response = await fetch(to, init).catch((error) => {
        tally.brokenRequests++;
        throw error;
      });
      tally.requests++;
      if (response.status >= 500) tally.brokenRequests++;
      address = response.headers.get(REPLICA_HEADER)?.split(", ").at(-1) ?? "";
      return response;
    },
    ...options,
  });
  return { client, answeredBy: () => address };
}

/** Sends a value to a wait, until it is answered. */
export async function resolveAt({ url, tally }: Scene, token: string, value: unknown): Promise<Resolution> {
  for (let tries = 1;; tries++) {
    try {
      return await resolveWait(`${url}/resolve/${token}`, value);
    } catch (error) {
      if (!(error instanceof ToolError) || !MAY_PASS.has(error.code) || tries >= INSISTENCE) throw error;
    }
    tally.brokenRequests++;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** No server was there; or servers died so often that the call's time was over. A call that may be repeated is repeated. */
const MAY_PASS: ReadonlySet<string> = new Set(["unavailable", "deadline_exceeded"]);

/**
 * Makes a call again and again while no server answers it. Any other error is the caller's.
 *
 * @throws {ToolError} What the last one gave.
 */
export async function insist<Value>(
  tally: Tally,
  random: Random,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1;; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ToolError) || !MAY_PASS.has(error.code) || tries >= INSISTENCE) throw error;
    }
    tally.insisted++;
    await new Promise((resolve) => setTimeout(resolve, random.share() * PAUSE_MS));
  }
}
