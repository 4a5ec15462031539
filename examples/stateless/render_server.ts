/**
 * The tool server: it starts renderings at a farm, and keeps nothing, not even in memory. What it would have to remember of a
 * rendering is in the promise token, which the caller keeps; so any instance with the same keys can continue it.
 *
 * @module
 */
import { createServer, defineTool, ToolError } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import type { FarmOrder, FarmStatus } from "./farm.ts";

/** What can be asked over HTTP: a service binding of a Worker, or anything else with a `fetch`. */
export interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/** Options of {@link createRenderServer}. */
export interface RenderServerOptions {
  /** What tokens are signed with: the same for each instance. */
  readonly keys: string;
  /** Who renders. */
  readonly farm: Fetcher;
}

const video = v.object({ scene: v.string(), file: v.string() });

/** A video, rendered. */
export type Video = v.InferOutput<typeof video>;

/** Makes one instance of the server. */
export function createRenderServer({ keys, farm }: RenderServerOptions) {
  const renderVideo = defineTool("render_video")
    .describe("Render a scene as a video. Takes its time: the answer is a promise")
    .input(v.object({
      scene: v.pipe(v.string(), v.regex(/^[a-z_]{1,32}$/), v.description("Lower-case letters and underscores")),
      frames: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)),
    }))
    .output(video)
    .errors({ cancelled: null, job_gone: null })
    .external({
      ttlMs: 600_000,
      async start({ scene, frames }, ctx) {
        // A call has the same id however often it is run, so the farm renders it once.
        await askFarm(farm, ctx.callId, "PUT", ctx.signal, { scene, frames });
        return { job: ctx.callId, scene };
      },
      async check({ job, scene }, ctx) {
        const status = await askFarm(farm, job, "GET", ctx.signal);
        if (status === undefined) throw ctx.fail("job_gone", "The farm does not know the job any more");
        const { done, total, file, isCancelled } = status;
        if (isCancelled) throw ctx.fail("cancelled", "The rendering was cancelled");
        if (file !== undefined) return { scene, file };
        return ctx.pending({ retryAfterMs: 250, progress: { done, total, message: "rendering" } });
      },
      async cancel({ job }, ctx) {
        const status = await askFarm(farm, job, "DELETE", ctx.signal);
        return status?.isCancelled === true;
      },
    });
  return createServer({
    name: "render",
    version: "1.0.0",
    tools: [renderVideo],
    keys,
    hosts: ["localhost", "127.0.0.1"],
    logger: console,
  });
}

/** The server's type, for typed clients. */
export type RenderServer = ReturnType<typeof createRenderServer>;

/** Asks the farm about a job; `undefined` if it knows none of that id. */
async function askFarm(
  farm: Fetcher,
  job: string,
  method: "PUT" | "GET" | "DELETE",
  signal: AbortSignal,
  order?: FarmOrder,
): Promise<FarmStatus | undefined> {
  const body = order === undefined ? null : JSON.stringify(order);
  const response = await farm.fetch(new Request(`http://farm/jobs/${job}`, { method, body, signal }));
  if (response.status === 404) return undefined;
  // Not the caller's fault, and temporary: a client tries again by itself.
  if (!response.ok) throw new ToolError("unavailable", "The render farm does not answer");
  return await response.json() as FarmStatus;
}
