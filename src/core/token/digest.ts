import { sha256 } from "@noble/hashes/sha2.js";
import { canonicalJson } from "../../internal/json.ts";
import { toHex } from "../../internal/encoding.ts";
import { encodeText } from "./layout.ts";

/** SHA-256 of a tool's name and arguments, in hexadecimal. Independent of the order of members. */
export function digestOf(tool: string, args: unknown): string {
  return sha256Hex(`${tool}\0${canonicalJson(args)}`);
}

/** Derives a UUID from words. The same words result in the same UUID. */
export function uuidOf(...words: readonly string[]): string {
  return sha256Hex(JSON.stringify(words)).slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256Hex(text: string): string {
  return toHex(sha256(encodeText(text)));
}
