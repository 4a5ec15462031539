/** What the checks observe on the old library, and which of it differs after a move: `<name>.json`. */
import { readFileSync } from "node:fs";

/** A difference that clients see, and which side the specification supports. */
export interface Difference {
  /** What differs, on the old library, and here: a row of the page. */
  readonly what: string;
  readonly there: string;
  readonly here: string;
  /** Who follows the sentence: both, where it leaves a choice. */
  readonly right: "here" | "there" | "both";
  /** A sentence of a specification, and its address. */
  readonly rule: string;
  readonly source: string;
  /** What the moved server gives in these checks. */
  readonly checks: Readonly<Record<string, unknown>>;
}

/** The data of one server. */
export interface MoveTable {
  /** The page with the rows. */
  readonly page: string;
  /** What each check observes on the old library. A check over stdio is in it if it differs from the one over HTTP. */
  readonly old: Readonly<Record<string, unknown>>;
  readonly differences: readonly Difference[];
  /** What `toolwire migrate` alone leaves: reasons of todos, number of errors of the compiler, and checks that neither side gives yet. */
  readonly migrated: { readonly left: readonly string[]; readonly errors: number; readonly open: readonly string[] };
}

/** Names of the tables. */
export const TABLES = ["official", "fastmcp", "mcp_lite"] as const;

/** Reads the table of a server. */
export function readTable(name: string): MoveTable {
  return JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8"));
}

/** What a check gives on the old library. */
export function expectedBefore({ old }: MoveTable, check: string): unknown {
  return valueOf(old, check);
}

/** What a check gives after the move. */
export function expectedAfter(table: MoveTable, check: string): unknown {
  const changed = Object.assign({}, ...table.differences.map(({ checks }) => checks));
  return valueOf(changed, check) ?? expectedBefore(table, check);
}

/** The value of a check: over stdio that over HTTP, unless it has another. */
function valueOf(values: Readonly<Record<string, unknown>>, check: string): unknown {
  return values[check] ?? values[check.replace(/^stdio: /, "")];
}
