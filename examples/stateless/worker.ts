/**
 * The tool server as a Cloudflare Worker. Its keys are a secret (`wrangler secret put TOOLWIRE_KEYS`), the farm is a service
 * binding; there is no other: no KV, no Durable Object, no queue.
 *
 * @module
 */
import { createRenderServer, type Fetcher, type RenderServer } from "./render_server.ts";

/** What the Worker is given. */
interface Env {
  readonly TOOLWIRE_KEYS: string;
  readonly FARM: Fetcher;
}

let server: RenderServer | undefined;

export default {
  fetch(request: Request, env: Env, context: unknown): Promise<Response> {
    // Bindings come with the first request. They stay the same as long as the instance lives.
    server ??= createRenderServer({ keys: env.TOOLWIRE_KEYS, farm: env.FARM });
    return server.fetch(request, env, context);
  },
};
