/**
 * What every client of the tour does, whatever it is and whichever way it takes; and what people and models of their hosts say.
 *
 * @module
 */

/** How the server is reached: at a URL, or as a program that is started. */
export type Way = { readonly url: string } | {
  readonly command: string;
  readonly args: readonly string[];
};

/** What a client has seen. */
export interface Visit {
  /** The protocol's revision that client and server agreed on. */
  readonly revision: string;
  /** The ways in which it came to the result of work that takes long. */
  readonly longWork: string;
  /** What it reads under {@link NOTES} after the notification of a change: its own note, which is the last one. */
  readonly note: string;
  /** What all have to see alike. */
  readonly seen: Seen;
}

/** What the server has, and gives. */
export interface Seen {
  /** Names of the tools. */
  readonly tools: readonly string[];
  /** Titles of what {@link SEARCH} finds, from the structured result. */
  readonly found: readonly string[];
  /** Error text of {@link MISSPELT}. */
  readonly failure: string;
  /** Rows of the table that {@link LONG_WORK} is about. */
  readonly analyzed: number;
  /** Whether it got progress. */
  readonly heardProgress: boolean;
  /** What it was asked on the way to {@link EXPORT}. */
  readonly asked: readonly string[];
  /** Rows that it then got. */
  readonly exported: number;
  /** What its model wrote for {@link SUMMARY}. */
  readonly summary: string;
  /** URIs of the resources. */
  readonly resources: readonly string[];
  /** Templates of further ones. */
  readonly templates: readonly string[];
  /** The first bytes of {@link FILE}. */
  readonly file: string;
  /** What is under {@link ROW}. */
  readonly row: string;
  /** Error text for {@link NO_ROW}. */
  readonly noRow: string;
  /** Names of the prompts. */
  readonly prompts: readonly string[];
  /** The prompt {@link EXPLAIN}, block by block. */
  readonly prompt: readonly string[];
  /** Completions of {@link TYPED_COLUMN}. */
  readonly columns: readonly string[];
  /** Completions of {@link TYPED_TABLE}. */
  readonly tables: readonly string[];
}

/** A call with a structured result. */
export const SEARCH = { query: "coppola godfather", limit: 3 };

/** A call that the tool says no to. */
export const MISSPELT = { dataset_id: "moviez" };

/** A call that takes a while. */
export const LONG_WORK = { dataset_id: "penguins", analysis_type: "comprehensive" } as const;

/** A call on whose way there are two questions. */
export const EXPORT = { dataset_id: "penguins" };

/** A call that asks the caller's model. */
export const SUMMARY = { dataset_id: "penguins" };

/** A resource that is a file. */
export const FILE = "library://files/burtin.json";

/** A resource of the template. */
export const ROW = "library://rows/burtin/1";

/** A resource of the template that is not there. */
export const NO_ROW = "library://rows/burtin/1000";

/** A resource that changes. */
export const NOTES = "library://notes";

/** A prompt, filled in. */
export const EXPLAIN = { name: "explain_column", arguments: { dataset_id: "burtin", column: "Gram_Staining" } };

/** An argument of the prompt, half typed, when another is there already. */
export const TYPED_COLUMN = {
  ref: { type: "ref/prompt", name: "explain_column" },
  argument: { name: "column", value: "beak" },
  context: { arguments: { dataset_id: "penguins" } },
} as const;

/** A variable of the template, half typed. */
export const TYPED_TABLE = {
  ref: { type: "ref/resource", uri: "library://rows/{table}/{number}" },
  argument: { name: "table", value: "c" },
} as const;

/** What the person before the host says to a form: so many rows, and yes to whatever is to be granted. */
export function fillIn(schema: unknown): { rows: number } | { granted: boolean } {
  return JSON.stringify(schema).includes('"granted"') ? { granted: true } : { rows: 22 };
}

/** What the model of the host says: nothing that would cost anything, the start of what it was asked. */
export function askModel(messages: unknown) {
  const [, subject = "nothing"] = /in one sentence: ([^."]*)/.exec(JSON.stringify(messages)) ?? [];
  const text = `This table is about ${subject.toLowerCase()}`;
  return {
    role: "assistant",
    model: "scripted",
    content: { type: "text", text },
  } as const;
}

/** The last line of the notes, without its bullet. */
export function lastNote(markdown: string | undefined): string {
  return markdown?.trimEnd().split("\n- ").at(-1) ?? "";
}

/** The text of a block of content, its own or that of the resource in it; of several blocks, the first one's. */
export function textOf(content: unknown): string {
  if (Array.isArray(content)) return textOf(content[0]);
  if (typeof content !== "object" || content === null) return "";
  if ("text" in content) return String(content.text);
  return "resource" in content ? textOf(content.resource) : "";
}

/** A structured result that is a list: before 2026-07-28 results are objects, and a list is the member `result` of one. */
export function listOf(structured: unknown): readonly { readonly title: string }[] {
  return (Array.isArray(structured) ? structured : (structured as { result: unknown }).result) as { title: string }[];
}
