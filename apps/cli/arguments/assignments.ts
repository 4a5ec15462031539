/** Parses the words of a call into assignments: `k=text`, `k:=json`, `k=@file`, `a.b=1`, `tags[]=x`. Nothing is converted yet. */
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

/** A step of a path such as `a.b[0][]`: the name of a member, an index, or {@link APPENDED_ITEM}. */
export type PathStep = string | number | typeof APPENDED_ITEM;

/** The step `[]`, which appends an item. */
export const APPENDED_ITEM: unique symbol = Symbol("append");

/** One word of `toolwire call` that sets an argument, such as `name=text` or `name:=json`, parsed. */
export interface Assignment {
  /** The word, for errors. */
  readonly word: string;
  /** Path of the value. */
  readonly path: readonly PathStep[];
  /** Path as it was written, which may be the name of a member. */
  readonly name: string;
  /** Whether the value is JSON (`:=`). Otherwise it is text. */
  readonly isJson: boolean;
  /** The value, or a file that contains it. */
  readonly value: { readonly text: string } | { readonly file: string };
}

/** Where the parts of a word are: a path, `=` or `:=`, the value. */
const WORD = /^((?:\\.|[^\\=:]|:(?!=))+?)(:?=)(.*)$/s;

/** A part of a path: `.name`, `[0]`, `[]`. */
const STEP = /\.?((?:\\.|[^\\.[\]])+)|\[(\d*)\]|(.)/gs;

/**
 * Parses a word such as `name=text`, `name:=json` or `name=@file`. JSON is not parsed, and files are not read.
 *
 * @throws {CliError} If it is not an assignment, or its path is invalid.
 */
export function parseAssignment(word: string): Assignment {
  const [, name = "", sign, value = ""] = WORD.exec(word) ?? [];
  if (sign === undefined) {
    throw new CliError(EXIT.usage, `${JSON.stringify(word)} is not an argument`, {
      hint: `Write name=value, name:=json, name=@file, or one JSON object: '{"name": "value"}'`,
    });
  }
  return { word, name, path: parsePath(name, word), isJson: sign === ":=", value: parseValue(value) };
}

/** Formats a path as a word has it: `a.b[0][]`. Special characters of names are escaped by a backslash. */
export function formatArgumentPath(path: readonly PathStep[]): string {
  return path.map((step, at) => {
    if (step === APPENDED_ITEM) return "[]";
    if (typeof step === "number") return `[${step}]`;
    return `${at === 0 ? "" : "."}${step.replace(/[\\.[\]=:]/g, "\\$&")}`;
  }).join("");
}

function parsePath(name: string, word: string): readonly PathStep[] {
  return Array.from(name.matchAll(STEP), ([, member, index, stray]) => {
    if (stray !== undefined) {
      throw new CliError(EXIT.usage, `The name in ${JSON.stringify(word)} is invalid`, {
        hint: "Names are like a, a.b, a[0] and a[]; write \\. for a dot in a name",
      });
    }
    if (member !== undefined) return member.replace(/\\(.)/gs, "$1");
    return index === "" ? APPENDED_ITEM : Number(index);
  });
}

function parseValue(value: string): Assignment["value"] {
  if (value.startsWith("@@")) return { text: value.slice(1) };
  return value.startsWith("@") ? { file: value.slice(1) } : { text: value };
}
