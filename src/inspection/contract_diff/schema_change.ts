/** Changes of a schema, and what they mean for the callers of a tool. */
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";

/**
 * Effect of a change on the set of valid values: fewer, more, or unknown. `removed` is a member that is no longer declared, and breaks
 * callers in any case; `added` is a new optional member. `note` is a changed text or default, and changes no values.
 */
export type Effect = "narrower" | "wider" | "uncertain" | "removed" | "added" | "note";

/** A change at one place of a schema. The message contains nothing of the new schema. */
export interface ValueChange {
  /** Names and indexes from the root. `*` is any other member, `[]` any other item. */
  readonly path: readonly (string | number)[];
  readonly effect: Effect;
  readonly message: string;
}

/** Where values of a schema go: from the caller to the tool, or back. */
export type Direction = "input" | "output";

/** What a change means for callers that were written before it. `uncertain`: it may break them. `note`: a model may act differently. */
export type Level = "breaking" | "uncertain" | "compatible" | "note";

const LEVELS: Readonly<Record<Direction, Readonly<Record<Effect, Level>>>> = {
  input: {
    narrower: "breaking",
    wider: "compatible",
    removed: "breaking",
    added: "compatible",
    uncertain: "uncertain",
    note: "note",
  },
  output: {
    narrower: "compatible",
    wider: "breaking",
    removed: "breaking",
    added: "compatible",
    uncertain: "uncertain",
    note: "note",
  },
};

/** Returns what a change means for callers: fewer valid arguments and more valid outputs are `breaking`. */
export function levelOf(effect: Effect, direction: Direction): Level {
  return LEVELS[direction][effect];
}

/** Compares subschemas of two schemas, such as those of a property in both. */
export interface PartComparer {
  /** Returns the changes of a part, with paths from the part. */
  compare(before: SchemaPlace, after: SchemaPlace): readonly ValueChange[];
}

/** Creates a change of the compared schema itself, not of a part: its path is empty. */
export function changeHere(effect: Effect, message: string): ValueChange {
  return { path: [], effect, message };
}

/** Maximum length of a path. Deeper places are reported at the place above them. */
const MAX_PATH = 64;
/** Maximum number of changes of one schema by effect. Further ones have the same meaning. */
const MAX_CHANGES = 50;

/** Returns changes of a part as changes of the whole: `name` is prepended to each path, which is cut after 64 keys. */
export function changesAt(name: string | number, changes: readonly ValueChange[]): ValueChange[] {
  return changes.map((change) => ({ ...change, path: [name, ...change.path.slice(0, MAX_PATH - 1)] }));
}

/** Returns at most the first 50 changes of each effect, since foreign schemas may have thousands. */
export function boundChanges(changes: readonly ValueChange[]): readonly ValueChange[] {
  if (changes.length <= MAX_CHANGES) return changes;
  const counts = new Map<Effect, number>();
  return changes.filter(({ effect }) => {
    const count = (counts.get(effect) ?? 0) + 1;
    counts.set(effect, count);
    return count <= MAX_CHANGES;
  });
}
