/** Names of the constants that definitions become. */
import { Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { bare, type Registration } from "./registrations.ts";

/** A name for a definition, of what it is called. The file does not use it yet. */
export function definitionName(draft: Draft, { name, kind, uri }: Registration): string {
  const literal = bare(name ?? uri);
  const text = Node.isStringLiteral(literal) ? literal.getLiteralValue() : kind;
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const camel = words.map((word, index) =>
    index === 0 ? lowerFirst(word) : word.charAt(0).toUpperCase() + word.slice(1)
  ).join("");
  const suffix = kind.charAt(0).toUpperCase() + kind.slice(1);
  const isName = /^[a-z]/.test(camel) && !RESERVED.has(camel);
  return draft.freeName(...(isName ? [camel, `${camel}${suffix}`] : [`${kind}${camel}`]));
}

/** Words that a `const` cannot have as its name. */
const RESERVED: ReadonlySet<string> = new Set(
  ("arguments async await break case catch class const continue debugger default delete do else enum eval export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static super switch this " +
    "throw true try typeof undefined var void while with yield").split(" "),
);

function lowerFirst(word: string): string {
  return /^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}
