import type { Middleware, OnError } from "../handler/middleware.ts";

/** What tools, prompts and resources keep of the server that they are a part of, within a whole. */
export interface PartDefinition {
  /** Which part it is, for people: `group "git"`. */
  readonly origin: string;
  /** The prefixes of its groups, the outermost first: what is named in one is not named in another. */
  readonly path: readonly string[];
  /** What it is called where its server is no part of anything, and in the wholes between that and this. */
  readonly ownNames: readonly string[];
  /** Around calls, inside of the whole's; the first is the outermost. */
  readonly middleware: readonly Middleware[];
  /** Around runs of jobs, inside of the whole's; the first is the outermost. */
  readonly jobMiddleware: readonly Middleware[];
  /** What callers are told of errors that nobody declared; asked before the whole's, the innermost first. */
  readonly onError: readonly OnError[];
  /** What tools get whose calls bring no config; `undefined`: what the whole has. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  /** How long a call may take when its tool says nothing, in milliseconds; `undefined`: what the whole says. */
  readonly timeoutMs: number | undefined;
  /** Largest outcome of a job, in UTF-16 code units of JSON. */
  readonly resultChars: number;
}

/** Where something is, within a whole. */
export function originOf(part: PartDefinition | undefined): string {
  return part?.origin ?? "the server itself";
}
