/** Turns the ends of jobs into webhooks: each is a job itself, whose run sleeps between its tries. */
import type { CompletionTarget, Notifier, NotifierHost } from "../../core/dispatch/job_notifier.ts";
import { Failure } from "../../core/errors/failure.ts";
import type { Ctx } from "../../core/handler/context.ts";
import { digestOf, uuidOf } from "../../core/token/digest.ts";
import { EMPTY_DEFINITION, type ToolDefinition } from "../../core/tool/definition.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { MaybePromise } from "../../internal/async.ts";
import {
  type Attempt,
  type Destination,
  EndpointSender,
  MAX_RETRY_AFTER_MS,
  PAUSE_MS,
  type SendRequest,
} from "./endpoint.ts";

/** Name of the tool that sends. Not a valid name for callers. */
const TOOL = "webhook@completion";

/** Number of pauses of its endpoint that a webhook waits for; a try in a further one is left out. */
const MAX_POSTPONED = 60;

/** Number of processes that may die during one webhook's tries. */
const MAX_CRASHES = 100;

/** A call that has ended, as the function that chooses an endpoint gets it. */
export interface EndedCall {
  /** Name of the tool. */
  readonly tool: string;
  /** `ctx.callId` of the call. */
  readonly callId: string;
  /** Id of the caller; `undefined` for an anonymous one. */
  readonly principalId: string | undefined;
  /** Tenant of the caller; `undefined` for a caller without one. */
  readonly tenant?: string | undefined;
}

/** What a target sends and where: the options of `webhook()` with their defaults, and the endpoint for each call. */
interface TargetDefinition {
  readonly tools: ReadonlySet<string> | undefined;
  readonly retryMs: readonly number[];
  readonly timeoutMs: number;
  readonly fetch: SendRequest;
  /** `undefined`: no webhook is sent for this call. May throw. */
  readonly destinationOf: (call: EndedCall) => MaybePromise<Destination | undefined>;
}

/** A completion target that `webhook()` has created, with its definition. */
export interface WebhookTarget extends CompletionTarget {
  readonly "~target": TargetDefinition;
}

/** Arguments of the tool that sends. */
interface Webhook extends EndedCall {
  readonly target: string;
  readonly body: string;
}

/**
 * Creates the notifier of a server: at the end of a job, it inserts a job for each target that wants it, whose run sends the webhook.
 *
 * @throws {TypeError} If two targets have the same name.
 */
export function createNotifier(targets: readonly CompletionTarget[], host: NotifierHost): Notifier {
  const senders = new Map<string, Sender>();
  for (const target of targets as readonly WebhookTarget[]) {
    if (senders.has(target.name)) {
      throw new TypeError(`Cannot create server: two webhooks are "${target.name}"; give one another name`);
    }
    senders.set(target.name, new Sender(target["~target"], host));
  }
  const promise = promiseOf([...senders.values()]);
  host.attach(toolOf(promise, senders, host));
  const wants = ({ tool }: Job) => tool !== TOOL && [...senders.values()].some((sender) => sender.wants(tool));
  return {
    wants,
    async notify(job) {
      for (const [name, sender] of senders) {
        if (sender.wants(job.tool)) await host.insert(newJob(name, job, host, promise.ttlMs));
      }
    },
  };
}

/** Sends the webhooks of one target of a server, in its jobs. */
class Sender {
  readonly target: TargetDefinition;
  readonly endpoint: EndpointSender;
  readonly #logger: NotifierHost["logger"];

  constructor(target: TargetDefinition, { clock, logger }: NotifierHost) {
    this.target = target;
    this.#logger = logger;
    this.endpoint = new EndpointSender({ clock, logger, timeoutMs: target.timeoutMs, fetch: target.fetch });
  }

  wants(tool: string): boolean {
    return this.target.tools?.has(tool) ?? true;
  }

  /** Tries until the endpoint accepts; sleeps in between, on any replica. */
  async deliver(webhook: Webhook, ctx: Ctx): Promise<string> {
    const { retryMs } = this.target;
    for (let tries = 0, postponed = 0;;) {
      const name = `${tries}.${postponed}`;
      const attempt = await ctx.step(`try ${name}`, () => this.#try(webhook, ctx, tries === retryMs.length));
      if (attempt.isOver) return attempt.reply;
      if (attempt.pausedMs !== undefined && postponed < MAX_POSTPONED) {
        await ctx.sleep(`pause ${name}`, attempt.pausedMs);
        postponed++;
        continue;
      }
      const delayMs = retryMs[tries++];
      if (delayMs === undefined) {
        throw new Failure("undeliverable", `Gave up after ${tries} tries, the last: ${attempt.reply}`);
      }
      await ctx.sleep(`pause ${name}`, Math.max(delayMs, attempt.retryAfterMs ?? 0));
    }
  }

  async #try(webhook: Webhook, { callId: id, signal }: Ctx, isLast: boolean): Promise<Attempt> {
    const { target, tool, callId, body, principalId, tenant } = webhook;
    let destination: Destination | undefined;
    try {
      destination = await this.target.destinationOf({
        tool,
        callId,
        principalId,
        ...(tenant !== undefined && { tenant }),
      });
    } catch (error) {
      this.#logger?.error("The endpoint of a webhook cannot be read: it is tried again", {
        target,
        tool,
        callId,
        error,
      });
      return { isOver: false, reply: "the endpoint cannot be read" };
    }
    if (destination === undefined) return { isOver: true, reply: "no endpoint" };
    return await this.endpoint.send(destination, { id, body, signal, isLast });
  }
}

/** Times of the tool that sends, for the target that tries for longest. */
function promiseOf(senders: readonly Sender[]): NonNullable<ToolDefinition["promise"]> {
  const longestMs = Math.max(...senders.map(({ target: { retryMs, timeoutMs } }) => {
    return retryMs.reduce((sum, delayMs) => sum + Math.max(delayMs, MAX_RETRY_AFTER_MS) + timeoutMs, timeoutMs);
  }));
  const jobTimeoutMs = 2 * Math.max(...senders.map(({ target }) => target.timeoutMs));
  // Its tries may be late by as much.
  return {
    budgetMs: 2_000,
    ttlMs: 2 * longestMs + MAX_POSTPONED * PAUSE_MS,
    retries: MAX_CRASHES,
    jobTimeoutMs,
    required: false,
    keepFailed: false,
    durable: "budget",
    tags: [],
    undoMs: 0,
  };
}

function toolOf(
  promise: ToolDefinition["promise"],
  senders: ReadonlyMap<string, Sender>,
  { logger }: NotifierHost,
): ToolDefinition {
  return {
    ...EMPTY_DEFINITION,
    name: TOOL,
    description: "Send a webhook",
    promise,
    errors: new Map([["undeliverable", undefined]]),
    async handler(input, ctx) {
      const webhook = input as Webhook;
      const fields = { target: webhook.target, tool: webhook.tool, callId: webhook.callId };
      try {
        const sender = senders.get(webhook.target);
        if (sender === undefined) throw new Failure("undeliverable", "The server has no such target");
        return await sender.deliver(webhook, ctx);
      } catch (thrown) {
        if (thrown instanceof Failure) logger?.error(`A webhook was not delivered: ${thrown.message}`, fields);
        throw thrown;
      }
    },
  };
}

/** The caller as arguments: JSON has no `undefined`. */
function callerOf(principal: Job["principal"]): Partial<EndedCall> {
  if (principal === undefined) return {};
  const { id: principalId, tenant } = principal;
  return tenant === undefined ? { principalId } : { principalId, tenant };
}

function newJob(target: string, job: Job, host: NotifierHost, ttlMs: number): Job {
  const { tool, principal, callId = job.id, epoch } = job;
  const nowMs = host.clock.now();
  const body = JSON.stringify({ type: typeOf(job), timestamp: new Date(nowMs).toISOString(), data: dataOf(job, host) });
  const args = { target, tool, callId, ...callerOf(principal), body };
  return {
    // The end of each run of a job has one webhook for each target, however often it is notified. A cancellation is final, and has one,
    // although the handler is run once more to undo.
    id: uuidOf("webhook", target, job.id, job.state === "cancelled" ? "" : `${epoch}`, typeOf(job)),
    state: "queued",
    epoch: 0,
    attempt: 0,
    version: 1,
    tool: TOOL,
    args,
    digest: digestOf(TOOL, args),
    ...(principal && { principal }),
    createdAtMs: nowMs,
    // Kept as long as the job itself, so that a late repeat is known as one.
    expiresAtMs: Math.max(nowMs + ttlMs, job.expiresAtMs),
    endedExpiresAtMs: job.expiresAtMs,
    maxAttempts: MAX_CRASHES + 1,
    memo: { answers: {}, steps: {} },
  };
}

function typeOf({ state, outcome }: Job): string {
  if (state === "cancelled") return "job.cancelled";
  return outcome?.kind === "answer" ? "job.completed" : "job.failed";
}

/** The result is not part of it: the receiver redeems the promise. */
function dataOf(job: Job, { tokenOf }: NotifierHost) {
  const { tool, outcome, callId = job.id } = job;
  const code = outcome?.kind === "failure" || outcome?.kind === "error" ? outcome.code : undefined;
  return { tool, call_id: callId, promise: tokenOf(job), ...(code !== undefined && { code }) };
}
