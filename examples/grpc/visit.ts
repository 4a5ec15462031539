/**
 * What every client of the tour does: the same four calls, whatever it is written in and whatever it knows of Toolwire.
 *
 * @module
 */

/** Arguments of a client program. */
export interface Task {
  /** gRPC address of the server: `127.0.0.1:50051`. */
  readonly address: string;
  /** A promise that was begun over HTTP. */
  readonly token: string;
}

/** What a client has seen. */
export interface Visit {
  /** Names of the tools. */
  readonly tools: readonly string[];
  /** Titles of what `SEARCH` finds. */
  readonly found: readonly string[];
  /** The report, piece by piece as it came. */
  readonly report: readonly string[];
  /** Rows of the table that the promised work was about. */
  readonly rows: number;
  /** Why `TOO_MUCH` is refused, in the server's words. */
  readonly refusal: string;
}

/** A call. */
export const SEARCH = { query: "coppola godfather", limit: 3 };

/** A call whose answer is streamed. */
export const REPORT = { topic: "penguins" };

/** A call that is refused. */
export const TOO_MUCH = { query: "coppola godfather", limit: 500 };

/** How long the server may wait for promised work. */
export const WAIT_MS = 20_000;
