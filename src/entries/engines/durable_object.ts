/**
 * An engine in Cloudflare Durable Objects, for Workers. It is needed where promised work has to run after the request has ended: it
 * continues in the objects, after evictions and deployments.
 *
 * @example A Worker whose promises outlive the request
 * ```ts fragment tools
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { durableObjects, type ObjectNamespace } from "jsr:@toolwire/toolwire/engines/durable-object";
 *
 * interface Env {
 *   TOOLWIRE_JOBS: ObjectNamespace;
 *   TOOLWIRE_KEYS: string;
 * }
 * const jobs = durableObjects({
 *   namespace: (env: Env) => env.TOOLWIRE_JOBS,
 *   server: (engine, env) => createServer({ tools, keys: env.TOOLWIRE_KEYS, engine }),
 * });
 * export class ToolwireJobs extends jobs.Shard {}
 * export default {
 *   fetch: (request: Request, env: Env, ctx: unknown) => jobs.server(env).fetch(request, env, ctx),
 *   scheduled: jobs.scheduled, // if the server has schedules: a Cron Trigger starts them
 * };
 * ```
 * @module
 */
export type {
  ObjectCursor,
  ObjectNamespace,
  ObjectResponse,
  ObjectState,
  ObjectStorage,
} from "../../jobs/engines/durable_object/platform.ts";
export {
  type DurableObjectOptions,
  type DurableObjects,
  durableObjects,
  type ShardObject,
  type ShardServer,
} from "../../jobs/engines/durable_object/durable_objects.ts";
