import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { isJsonObject, type Json } from "../../internal/json.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import { digestOf } from "../../core/token/digest.ts";
import { nameOfWait } from "../../core/dispatch/questions/wait_tracker.ts";
import type {
  DispatchServices,
  OpenWait,
  ResolvedDeferralOptions,
  WaitResolution,
} from "../../core/dispatch/deferral.ts";
import { resolveJobWait } from "./job_waits.ts";
import type { Jobs } from "./jobs.ts";

/** Largest value of a wait, in UTF-16 code units of JSON. */
const MAX_VALUE_CHARS = 262_144;

/** The claims of a resolve token: key of the wait, and the process that has the job if others have not. */
interface ResolverTokenData {
  readonly k: string;
  readonly i?: string;
}

/** Reads or resolves the wait of a job that a resolver token names. Invalid tokens give error results. */
export class WaitResolver {
  readonly #services: DispatchServices;
  readonly #jobs: Jobs;
  readonly #options: ResolvedDeferralOptions;

  constructor(services: DispatchServices, jobs: Jobs, options: ResolvedDeferralOptions) {
    this.#services = services;
    this.#jobs = jobs;
    this.#options = options;
  }

  /** Resolves the wait of a token. An error for an invalid token, and for a value that is too long or, with the option `resolver`, does not fit. */
  async resolve(token: string, resolution: WaitResolution): Promise<Resolution | ErrorResult> {
    const found = this.#verify(token);
    return "resolved" in found || "kind" in found ? found : await this.resolveKey(found.id, found.key, resolution);
  }

  /** Resolves a wait of a job by its key, for an operator. */
  async resolveKey(id: string, key: string, resolution: WaitResolution): Promise<Resolution | ErrorResult> {
    const json = JSON.stringify(resolution.done === "accept" ? resolution.content ?? null : resolution.reason ?? null);
    if (json.length > MAX_VALUE_CHARS) {
      return errorResult(
        "payload_too_large",
        `The value has ${json.length} characters; at most ${MAX_VALUE_CHARS} are kept`,
      );
    }
    const value: Json = JSON.parse(json);
    return await this.#resolve(id, nameOfWait(key), resolution.done, value);
  }

  /** Reads the wait of a token without resolving it: key and schema if it is open, else the refusal that a value would get. */
  async read(token: string): Promise<OpenWait | Resolution | ErrorResult> {
    const found = this.#verify(token);
    if ("resolved" in found || "kind" in found) return found;
    const name = nameOfWait(found.key);
    const job = await this.#jobs.engine.get(found.id);
    if (job === undefined) return { resolved: false, reason: "over" };
    const [, result] = resolveJobWait(job, name, { done: "accept", digest: "" });
    const schema = job.memo.waits?.[name]?.schema;
    return result.resolved ? { key: found.key, schema: isJsonObject(schema) ? schema : undefined } : result;
  }

  #verify(token: string): { readonly id: string; readonly key: string } | Resolution | ErrorResult {
    const { keys, engine } = this.#options;
    const verified = keys.verify("resolve", token, "", this.#services.clock.now());
    if (verified === "invalid") return errorResult("invalid_promise", "Not a resolver token of this server");
    if (verified === "expired") return { resolved: false, reason: "expired" };
    const { k: key, i } = verified.data as unknown as ResolverTokenData;
    return i === engine.processId ? { id: verified.id, key } : { resolved: false, reason: "lost" };
  }

  async #resolve(
    id: string,
    name: string,
    done: WaitResolution["done"],
    value: Json,
  ): Promise<Resolution | ErrorResult> {
    const digest = digestOf(done, value);
    if (done === "decline") {
      return await this.#jobs.resolve(id, name, { done, digest, ...(typeof value === "string" && { reason: value }) });
    }
    return await this.#misfit(id, name, value) ?? await this.#jobs.resolve(id, name, { done, digest, content: value });
  }

  /** The error for a value that does not fit the schema of an open wait, if a run has come to it. */
  async #misfit(id: string, name: string, value: Json): Promise<ErrorResult | undefined> {
    const { waitEndpoint } = this.#options;
    const wait = waitEndpoint && (await this.#jobs.engine.get(id))?.memo.waits?.[name];
    if (waitEndpoint === undefined || wait?.done !== undefined || !isJsonObject(wait?.schema)) return undefined;
    const issues = waitEndpoint.check(wait.schema, value);
    return issues && errorResult("invalid_input", "The value does not fit the schema of the wait", { issues });
  }
}
