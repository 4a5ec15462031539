import { sha256 } from "@noble/hashes/sha2.js";
import { canonicalJson } from "../../internal/json.ts";
import { toHex } from "../../internal/encoding.ts";
import { encodeText } from "./layout.ts";

/** What a call is, whichever way its arguments were spelled: SHA-256 of tool and arguments, in hexadecimal. */
export function digestOf(tool: string, args: unknown): string {
  return hash(`${tool}\0${canonicalJson(args)}`);
}

/** The same UUID for the same words. */
export function uuidOf(...words: readonly string[]): string {
  return hash(JSON.stringify(words)).slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function hash(text: string): string {
  return toHex(sha256(encodeText(text)));
}
