/** Parts of types as text, which signatures and contracts share. */
import { escapeControls } from "../../internal/text.ts";
import type { LiteralNode, TypeNode } from "./type_node.ts";

/** A name as the key of a member. Other names than identifiers are quoted. */
export function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literalText(name);
}

/** A literal type. Characters that change the display of others are escaped. */
export function literalText(value: LiteralNode["value"]): string {
  return escapeControls(JSON.stringify(value));
}

/** Encloses the text of a union or an intersection, so that it can be a part of another type. */
export function enclose({ kind }: TypeNode, text: string): string {
  return (kind === "union" || kind === "intersection") && / [|&] /.test(text) ? `(${text})` : text;
}

/**
 * Joins the parts of a union or an intersection, each once.
 *
 * @param most Maximum number of parts; `…` is in place of the others.
 */
export function joinTypes(node: TypeNode, parts: readonly string[], most: number = Infinity): string {
  const distinct = [...new Set(parts)];
  const shown = distinct.length > most ? [...distinct.slice(0, most), "…"] : distinct;
  return shown.join(node.kind === "union" ? " | " : " & ");
}
