import type { PromiseEngine } from "../../../core/dispatch/deferral.ts";
import { withPromises } from "../../promises/with_promises.ts";
import type { Logger } from "../../../core/handler/context.ts";
import type { Optional } from "../../../internal/json.ts";
import {
  AT_LEAST_1,
  checkOptions,
  FUNCTION,
  LOGGER,
  type OptionRules,
  required,
  TEXT,
  wholeNumber,
} from "../../../internal/options.ts";
import type { EngineWorker, WorkOptions } from "../../../core/dispatch/engine.ts";
import { ErrorThrottle } from "../store_errors.ts";
import { DurableObjectEngine, type DurableObjectSettings } from "./engine.ts";
import type { ObjectNamespace, ObjectState } from "./platform.ts";
import { answerCall, RemoteShard, type SendToObject } from "./remote_shard.ts";
import { Shard } from "./shard.ts";

/** The part of a server that {@link durableObjects} uses: it runs jobs. */
export interface ShardServer {
  /** Starts a worker that runs jobs as they come due. */
  work(options: Optional<WorkOptions>): EngineWorker;
}

/** Options of {@link durableObjects}. */
export interface DurableObjectOptions<Env, Server extends ShardServer> {
  /** The binding of the class {@link DurableObjects.Shard}. */
  readonly namespace: (env: Env) => ObjectNamespace;
  /** Creates the server: for each request of the Worker, and in each object, where it runs the jobs. It needs the same `keys` everywhere. */
  readonly server: (engine: PromiseEngine, env: Env) => Server;
  /** Number of objects that share the jobs. With another number, earlier jobs are not found. Default: 8. */
  readonly shards?: number | undefined;
  /** Start of the names of the objects. Engines of different names do not share jobs. Default: `"toolwire"`. */
  readonly name?: string | undefined;
  /** Largest number of jobs that run in one object at once. Default: 10. */
  readonly concurrency?: number | undefined;
  /** Duration of the lease of a run in a Worker, in milliseconds: of calls with an idempotency key, without `.promise()`. Default: 10,000. */
  readonly leaseMs?: number | undefined;
  /** Region of new objects, such as `"weur"`. Default: close to the first request. */
  readonly locationHint?: string | undefined;
  /** Receives errors of background work as warnings, the first of each outage; the work is retried. Default: `console`. */
  readonly logger?: Logger | undefined;
}

/** The methods of a Durable Object with jobs that the runtime calls. */
export interface ShardObject {
  /** Answers calls of Workers and other objects; not for the public. */
  fetch(request: Request): Promise<Response>;
  /** Delivers what is due. */
  alarm(info?: { readonly retryCount?: number | undefined }): Promise<void>;
}

/** Class of the objects, and the server of the Worker: result of {@link durableObjects}. */
export interface DurableObjects<Env, Server> {
  /** Class of the objects, for the binding: `export class ToolwireJobs extends jobs.Shard {}`. */
  readonly Shard: new (state: ObjectState, env: Env) => ShardObject;
  /** Creates the server for a request of the Worker. Requests cannot share one, because they cannot share what waits. */
  server(env: Env): Server;
  /**
   * Starts the schedules of the server, for a Cron Trigger of the Worker: `export default { fetch, scheduled: jobs.scheduled }`. It wakes an
   * object, which stores the next call of each schedule; the objects make the calls at their times, whatever the times of the trigger.
   */
  readonly scheduled: (event: unknown, env: Env, context?: unknown) => Promise<void>;
}

const RULES: OptionRules<DurableObjectOptions<unknown, ShardServer>> = {
  namespace: required(FUNCTION),
  server: required(FUNCTION),
  shards: wholeNumber(1),
  name: TEXT,
  concurrency: wholeNumber(1),
  leaseMs: AT_LEAST_1,
  locationHint: TEXT,
  logger: LOGGER,
};

/**
 * Creates the class of Durable Objects that store jobs in SQLite and run them, and the servers of the Worker that uses them.
 *
 * In the Worker, a call of a tool with `.promise()` is stored, run in an object, and answered within its budget, or promised. Sleeps and
 * later attempts wake the object by its alarm. Idempotency keys work for all tools.
 *
 * @param options Binding, server and number of objects.
 * @returns The class of the objects, and the server for each request.
 * @throws {TypeError} If an option is missing, invalid or unknown.
 * @throws {RangeError} If a number is too small.
 */
export function durableObjects<Env, Server extends ShardServer>(
  options: DurableObjectOptions<Env, Server>,
): DurableObjects<Env, Server> {
  checkOptions("keep jobs in Durable Objects", options, RULES as OptionRules<DurableObjectOptions<Env, Server>>);
  const { server, concurrency = 10, logger } = options;
  return {
    Shard: class implements ShardObject {
      readonly #shard: Shard;

      constructor(state: ObjectState, env: Env) {
        const errors = new ErrorThrottle("A run in a Durable Object cannot use the engine, and is repeated", logger);
        const shard = this.#shard = new Shard(state.storage, errors);
        void state.blockConcurrencyWhile(async () => {
          await shard.open();
          server(createEngine(options, env, { shard, id: `${state.id}` }), env).work({ concurrency });
        });
      }

      fetch(request: Request): Promise<Response> {
        return answerCall(this.#shard, request);
      }

      alarm({ retryCount = 0 }: { readonly retryCount?: number } = {}): Promise<void> {
        return this.#shard.alarm(retryCount);
      }
    },
    server: (env) => server(createEngine(options, env), env),
    scheduled: async (_event, env) => void await openEngine(options, env).get(""),
  };
}

function createEngine<Env, Server extends ShardServer>(
  options: DurableObjectOptions<Env, Server>,
  env: Env,
  own?: OwnShard,
): PromiseEngine {
  const engine = withPromises(openEngine(options, env, own));
  return Object.assign(engine, { "~deferral": { ...engine["~deferral"], randomKeys: refuseRandomKeys } });
}

/** The shard of an object, and the id of the object. */
interface OwnShard {
  readonly shard: Shard;
  readonly id: string;
}

/** @param own The shard of this object; absent in a Worker. */
function openEngine<Env, Server extends ShardServer>(
  { namespace, shards = 8, name = "toolwire", leaseMs = 10_000, locationHint }: DurableObjectOptions<Env, Server>,
  env: Env,
  own?: OwnShard,
): DurableObjectEngine {
  const objects = namespace(env);
  if (objects === undefined) {
    throw new TypeError(
      "Cannot keep jobs in Durable Objects: the binding is undefined; add it to the configuration of the Worker",
    );
  }
  const idAt = (index: number) => objects.idFromName(`${name}/${shards}/${index}`);
  const send = (index: number): SendToObject => (url, init) => {
    const hint = locationHint === undefined ? undefined : { locationHint };
    return objects.get(idAt(index) as never, hint as never).fetch(url, init);
  };
  const settings: DurableObjectSettings = {
    env,
    shards,
    leaseMs,
    shardAt: (index, signal) => {
      return own !== undefined && `${idAt(index)}` === own.id ? own.shard : new RemoteShard(send(index), signal);
    },
    ...(own !== undefined && { own: own.shard }),
  };
  return new DurableObjectEngine(settings);
}

/** @throws {TypeError} Always: a token of one request would be unknown to the next. */
function refuseRandomKeys(): never {
  throw new TypeError(
    "Cannot create server: its requests and objects need the same keys; pass createServer({ keys: env.TOOLWIRE_KEYS, engine })",
  );
}
