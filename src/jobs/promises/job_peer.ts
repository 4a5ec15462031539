import type { Peer, RequestHost } from "../../core/call/call.ts";
import type { Job } from "../../core/dispatch/engine.ts";

/** Peer of a deferred run. The original caller has disconnected; only its principal is known. */
export class JobPeer implements Peer {
  readonly wire = "job";
  readonly principal: Peer["principal"];
  readonly signal = undefined;
  readonly metadata: Peer["metadata"] = { get: () => null };
  readonly requestId = undefined;
  readonly client = {};
  readonly host: RequestHost | undefined;

  /** @param env Bindings of the place where the job runs. */
  constructor(job: Job, env: unknown) {
    this.principal = job.principal;
    // The engine keeps the place alive while a job runs.
    this.host = env === undefined ? undefined : { env, waitUntil: () => {} };
  }
}
