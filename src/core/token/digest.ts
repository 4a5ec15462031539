import { sha256 } from "@noble/hashes/sha2.js";
import { canonicalJson } from "../../internal/json.ts";
import { toHex } from "../../internal/encoding.ts";
import { encodeText } from "./layout.ts";

/** SHA-256 of a tool's name and arguments, in hexadecimal, to recognize the same call. The order of members does not matter. */
export function digestOf(tool: string, args: unknown): string {
  return sha256Hex(`${tool}\0${canonicalJson(args)}`);
}

/** The parts of a run that its digest is made of. */
export interface DigestedRun {
  readonly definition: { readonly name: string };
  readonly request: { readonly args: unknown; readonly config?: { reveal(): unknown } | undefined };
}

/** Digest of the tool, the arguments and the config of a run: another config makes it another call. */
export function digestOfRun({ definition: { name }, request: { args, config } }: DigestedRun): string {
  return digestOf(name, config === undefined ? args : { args, config: config.reveal() });
}

/** Derives an id in the form of a UUID from words, by SHA-256. The same words in the same order result in the same id. */
export function uuidOf(...words: readonly string[]): string {
  return sha256Hex(JSON.stringify(words)).slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** SHA-256 of a text in UTF-8, in hexadecimal, lower case. */
export function sha256Hex(text: string): string {
  return toHex(sha256(encodeText(text)));
}

/** SHA-256 of texts that are added one after the other. */
export class RunningDigest {
  readonly #hash: ReturnType<typeof sha256.create>;

  constructor(hash: ReturnType<typeof sha256.create> = sha256.create()) {
    this.#hash = hash;
  }

  add(text: string): void {
    this.#hash.update(encodeText(text));
  }

  /** A digest that begins with what was added to this one. */
  clone(): RunningDigest {
    return new RunningDigest(this.#hash.clone());
  }

  /** The digest in hexadecimal, lower case. Nothing can be added after it. */
  hex(): string {
    return toHex(this.#hash.digest());
  }
}
