/**
 * Full text search over the rows of every table, by `minisearch`.
 *
 * The index is built once, at the first search. A search wants every word of the query, as written; only where that
 * finds nothing does it allow misspellings, and then rows that have some of the words.
 *
 * @module
 */
import MiniSearch from "minisearch";
import type { Row } from "./cells.ts";
import type { Table } from "./tables.ts";
import { loadAllTables } from "./tables.ts";

/** One row found. */
export interface Hit {
  /** `<table>/<row>`, rows counted from 1 in the file's order. */
  readonly document_id: string;
  readonly title: string;
  readonly excerpt: string;
  /** The table the row is from. */
  readonly table: string;
}

/** What a search found. */
export interface SearchResult {
  /** Rows found in all; `hits` may hold fewer. */
  readonly total: number;
  /** Whether every word was found, or only some. */
  readonly isComplete: boolean;
  readonly hits: readonly FoundRow[];
}

/** A hit with the row behind it. */
export interface FoundRow extends Hit {
  readonly source: Table;
  readonly row: Row;
}

/** What the index is given of a row; `id` counts the rows of all tables together. */
interface IndexedRow {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

interface Library {
  readonly index: MiniSearch<IndexedRow>;
  /** The row behind each index id. */
  readonly entries: readonly { readonly table: Table; readonly rowIndex: number }[];
}

/** Words that are in almost every title and carry no meaning. */
const stopWords: ReadonlySet<string> = new Set([
  "a",
  "an",
  "and",
  "at",
  "by",
  "for",
  "from",
  "in",
  "is",
  "of",
  "on",
  "or",
  "the",
  "to",
  "with",
]);

/** Rows indexed before other work gets its turn, so that a server stays awake while the index is built. */
const chunkRows = 500;

/** A word of five letters may have one wrong, of ten two; short ones none. */
function allowMisspelling(word: string): number | false {
  return word.length > 4 ? 0.2 : false;
}

/** What to accept, strictest first; the first attempt that finds something is the answer. */
const attempts: readonly { readonly combineWith: "AND" | "OR"; readonly fuzzy: typeof allowMisspelling | false }[] = [
  { combineWith: "AND", fuzzy: false },
  { combineWith: "AND", fuzzy: allowMisspelling },
  { combineWith: "OR", fuzzy: false },
  { combineWith: "OR", fuzzy: allowMisspelling },
];

let building: Promise<Library> | undefined;

/**
 * Searches every table.
 *
 * @param query Free text. Words may be the start of a word, and longer ones may be slightly misspelt.
 * @param limit Most hits to give.
 * @returns The best hits first, and how many there are in all.
 */
export async function searchRows(query: string, limit: number): Promise<SearchResult> {
  const { index, entries } = await openLibrary();
  let found: readonly { readonly id: unknown }[] = [];
  let isComplete = true;
  for (const { combineWith, fuzzy } of attempts) {
    found = index.search(query, { combineWith, fuzzy });
    isComplete = combineWith === "AND";
    if (found.length > 0) break;
  }
  const hits = found.slice(0, limit).flatMap(({ id }) => {
    const entry = entries[Number(id)];
    return entry === undefined ? [] : [toFoundRow(entry.table, entry.rowIndex)];
  });
  return { total: found.length, isComplete, hits };
}

/** Gives what a caller sees of a found row. */
export function toHit({ document_id, title, excerpt, table }: FoundRow): Hit {
  return { document_id, title, excerpt, table };
}

/** Gives a word as the index knows it, without case or marks on its letters; undefined for a stop word. */
function normalizeWord(word: string): string | undefined {
  const plain = word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain === "" || stopWords.has(plain) ? undefined : plain;
}

function openLibrary(): Promise<Library> {
  // A failed build is not remembered: the next search tries again.
  building ??= buildLibrary().catch((error: unknown) => {
    building = undefined;
    throw error;
  });
  return building;
}

async function buildLibrary(): Promise<Library> {
  const tables = await loadAllTables();
  const entries = tables.flatMap((table) => table.rows.map((_, rowIndex) => ({ table, rowIndex })));
  const index = new MiniSearch<IndexedRow>({
    fields: ["title", "body"],
    processTerm: normalizeWord,
    searchOptions: {
      boost: { title: 3 },
      // Half a word is still a word; half a number is another number.
      prefix: (term) => term.length > 2 && !/^\d+$/.test(term),
      boostDocument: (id) => {
        const entry = entries[Number(id)];
        const row = entry?.table.rows[entry.rowIndex];
        return row === undefined ? 1 : entry?.table.weightOf?.(row) ?? 1;
      },
    },
  });
  await index.addAllAsync(entries.map(({ table, rowIndex }, id) => toIndexedRow(table, rowIndex, id)), {
    chunkSize: chunkRows,
  });
  return { index, entries };
}

function toIndexedRow(table: Table, rowIndex: number, id: number): IndexedRow {
  const row = table.rows[rowIndex] ?? {};
  // The nouns let a query name the kind of thing it wants: "coppola films", "chicago airport".
  const words = [...table.noun, ...Object.values(row).filter((cell) => typeof cell === "string"), table.excerptOf(row)];
  return { id, title: table.titleOf(row), body: words.join(" ") };
}

function toFoundRow(source: Table, rowIndex: number): FoundRow {
  const row = source.rows[rowIndex] ?? {};
  const document_id = `${source.id}/${rowIndex + 1}`;
  return { document_id, title: source.titleOf(row), excerpt: source.excerptOf(row), table: source.id, source, row };
}
