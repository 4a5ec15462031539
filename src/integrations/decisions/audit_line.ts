/** Lines of an audit: JSON whose last members are the hash of the line before and that of the line itself. */
import { sha256Hex } from "../../core/token/digest.ts";

/** Hash before the first line. */
export const GENESIS: string = "0".repeat(64);

/** Where the next line is added: the number and the hash of the last one. */
export interface ChainEnd {
  /** Number of the last line, from 1; 0 before the first. */
  readonly n: number;
  readonly hash: string;
}

/** A line that is whole: its number, and the hashes of the line before and of itself. */
export interface ChainedLine extends ChainEnd {
  readonly prev: string;
  /** SHA-256 of the piece of a line before this one, which a process left when it died. Absent for none. */
  readonly torn: string | undefined;
}

/** Makes the line after `end`, without its line end. It is ASCII, so that a piece of it is text as well. */
export function chainLine(members: object, end: ChainEnd): ChainEnd & { readonly text: string } {
  const n = end.n + 1;
  const json = JSON.stringify({ n, ...members, prev: end.hash });
  const body = json.slice(0, -1).replace(
    /[^\0-~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const hash = sha256Hex(body);
  return { n, hash, text: `${body},"hash":"${hash}"}` };
}

/** Reads a line. `undefined` if it is not whole, or was changed: its bytes are hashed, not its members. */
export function readLine(text: string): ChainedLine | undefined {
  const [, body = "", hash = ""] = /^(\{[^]*),"hash":"([\da-f]{64})"\}$/.exec(text) ?? [];
  if (hash === "" || sha256Hex(body) !== hash) return undefined;
  const { n, prev, torn } = JSON.parse(`${body}}`);
  return { n, prev, hash, torn };
}
