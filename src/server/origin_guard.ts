/**
 * Checks the Origin of requests.
 *
 * Protects against pages of other origins. Does not authenticate callers. Hosts, listed origins and CORS come with the value of
 * origin_policy.ts.
 */
import { errorResult } from "../core/call/outcome.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import type { MaybePromise } from "../internal/async.ts";
import { errorReply } from "../wires/framing/json_rpc/reply.ts";
import { refusalReply } from "./pages/refusal_reply.ts";
import type { Head, MountedWire, Reply } from "../wires/wire.ts";

/** Refuses requests of pages of other origins than the server's own, by the header `Origin`. Requests without it are accepted. */
export class OriginGuard {
  readonly #log: Pick<Dispatch, "log" | "mask">;

  /** @param log Receives a warning for each refused request, and errors of wires. */
  constructor(log: Pick<Dispatch, "log" | "mask">) {
    this.#log = log;
  }

  /** Function that adds CORS headers to a reply; `undefined` without CORS. */
  get decorate(): ((head: Head, reply: Reply) => Reply) | undefined {
    return undefined;
  }

  /**
   * The reply to a request that violates the policy, or to a preflight; `undefined` for other requests.
   *
   * @param isPublic Whether pages of any origin may send it.
   */
  check(head: Head, wire: MountedWire | undefined, isPublic: boolean | undefined): MaybePromise<Reply> | undefined {
    if (isPublic) return undefined;
    const origin = head.metadata.get("origin");
    if (origin !== null && !this.allows(origin, head)) {
      return this.refuse(head, wire, `Origin ${quote(origin)} is not allowed: add it to "origins"`);
    }
    return head.method === "OPTIONS" ? this.preflight(head, origin, wire?.methods ?? ["POST"]) : undefined;
  }

  /** Whether pages of an origin may send the request: here, those of the host that the request names, with any scheme. */
  protected allows(origin: string, head: Head): boolean {
    return origin.replace(/^https?:\/\//i, "").toLowerCase() === hostOf(head).toLowerCase();
  }

  /** The reply to an `OPTIONS` request: 405, because CORS is off. `undefined` without an origin: the wire answers it. */
  protected preflight(_head: Head, origin: string | null, methods: readonly string[]): Reply | undefined {
    if (origin === null) return undefined;
    const error = errorResult(
      "invalid_request",
      "This server answers no preflight requests: pass createServer({ cors: true })",
    );
    return errorReply(null, error, 405, { allow: methods.join(", ") });
  }

  /** Logs that a request was refused, and why. */
  protected warn(head: Head, reason: string): void {
    this.#log.log("warn", "Request refused", { path: quotePath(head.path), reason });
  }

  /** Logs a refused request, and returns `permission_denied` with status 403: in the format of the wire, if there is one. */
  protected refuse(head: Head, wire: MountedWire | undefined, message: string): MaybePromise<Reply> {
    this.warn(head, message);
    const refusal = errorResult("permission_denied", message);
    return refusalReply(head, wire, refusal, this.#log, 403);
  }
}

/** Host and port that a request names: by its header `Host`, else by its URL. */
export function hostOf(head: Head): string {
  return head.metadata.get("host") ?? head.authority;
}

/** Maximum length of the texts of a request that messages and log lines repeat, in characters. */
const MAX_QUOTED = 128;

/** A path for the log. Long segments are cut, because they can be tokens, as those of promises over REST. */
function quotePath(path: string): string {
  return path.replace(/[^/]{65,}/g, (segment) => `${segment.slice(0, 8)}…`).slice(0, MAX_QUOTED);
}

/** Quotes a text of a request for messages and log lines: as a JSON string, of its first 128 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED));
}
