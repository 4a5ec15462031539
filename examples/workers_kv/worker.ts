/**
 * The server as a Cloudflare Worker: its keys are a secret, its sessions in a KV namespace.
 *
 * @module
 */
import type { KeyValues } from "./kv_sessions.ts";
import { createBookings } from "./server.ts";

/** What the Worker is given. */
interface Env {
  readonly TOOLWIRE_KEYS: string;
  readonly SESSIONS: KeyValues;
}

let server: ReturnType<typeof createBookings> | undefined;

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    // Bindings come with the first request. They stay the same as long as the instance lives.
    server ??= createBookings({ keys: env.TOOLWIRE_KEYS, sessions: env.SESSIONS });
    return server.fetch(request);
  },
};
