import type { Middleware, OnError } from "../handler/middleware.ts";
import type { Access } from "./access.ts";

/** Properties that tools, prompts and resources inherit from the part of the server to which they belong. */
export interface PartDefinition {
  /** Description of the part, for messages: `group "git"`. */
  readonly origin: string;
  /** Prefixes of its groups, outermost first. Names in different groups are independent. */
  readonly path: readonly string[];
  /** Names it had in its own server and in the intermediate servers. */
  readonly ownNames: readonly string[];
  /** Middleware of calls, inside that of the outer server. The first is the outermost. */
  readonly middleware: readonly Middleware[];
  /** Middleware of job runs, inside that of the outer server. The first is the outermost. */
  readonly jobMiddleware: readonly Middleware[];
  /** Converters of unexpected exceptions, innermost first, before those of the outer server. */
  readonly onError: readonly OnError[];
  /** Default configuration. `undefined`: that of the outer server. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  /** Default time limit of a call, in milliseconds. `undefined`: that of the outer server. */
  readonly timeoutMs: number | undefined;
  /** Maximum size of a job's outcome, in UTF-16 code units of JSON. */
  readonly resultChars: number;
  /** Whether a caller may use the part. `undefined`: all callers. */
  readonly isVisible: Access["isVisible"];
}

/** Name of the part that a tool comes from, for error messages and logs: `group "git"`, or `the server itself` without a part. */
export function originOf(part: PartDefinition | undefined): string {
  return part?.origin ?? "the server itself";
}
