/** Parts of types as text, which signatures and contracts share. */
import { escapeControls } from "../../internal/text.ts";
import type { LiteralNode, TypeNode } from "./type_node.ts";

/** Returns a name as the key of a member of a TypeScript type. Other names than identifiers are quoted. */
export function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literalText(name);
}

/** Returns a value as a literal type of TypeScript. Characters that change the display of others are escaped. */
export function literalText(value: LiteralNode["value"]): string {
  return escapeControls(JSON.stringify(value));
}

/** Puts the text of a union or an intersection in parentheses, so that it can be a part of another type. Other texts are unchanged. */
export function enclose({ kind }: TypeNode, text: string): string {
  return (kind === "union" || kind === "intersection") && / [|&] /.test(text) ? `(${text})` : text;
}

/**
 * Joins the texts of the parts of a union with `|`, of an intersection with `&`, each once.
 *
 * @param most Maximum number of parts; `…` is in place of the others.
 */
export function joinTypes(node: TypeNode, parts: readonly string[], most: number = Infinity): string {
  const distinct = [...new Set(parts)];
  const shown = distinct.length > most ? [...distinct.slice(0, most), "…"] : distinct;
  return shown.join(node.kind === "union" ? " | " : " & ");
}
