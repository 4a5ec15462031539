/**
 * Files and text as the body of a reply, for callers that accept their media type.
 *
 * What a tool returns may come from others: nothing of it may run in a browser at the origin of the server.
 *
 * @module
 */
import { isContentBlock } from "../../../core/call/content.ts";
import { type DecodedFile, readFileBlock } from "../../../core/call/read_file_block.ts";
import { asObject } from "../../../internal/json.ts";
import type { Reply } from "../../wire.ts";
import type { FilePreferences } from "./accept.ts";

const encoder = new TextEncoder();

/** A media type without parameters. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

const MAX_NAME_CHARACTERS = 200;

/** The extension of a file name, with its dot. */
const EXTENSION = /\.\w{1,16}$/;

/** Types that browsers show without running them; others are downloaded. */
const SHOWN =
  /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$|text\/(?:plain|csv|markdown|tab-separated-values)$)/;

/** The reply to an answer that is a file or text of a type that the caller prefers to JSON; `undefined` for other answers. */
export function fileReply(value: unknown, preferences: FilePreferences): Reply | undefined {
  const file = typeof value === "string" ? textFile(value, preferences) : preferredFile(value, preferences);
  return file && { status: 200, headers: fileHeaders(file), body: file.bytes };
}

function textFile(text: string, { textType: type }: FilePreferences): DecodedFile | undefined {
  return type === undefined ? undefined : { bytes: encoder.encode(text), type, name: undefined };
}

/** The first file that the caller prefers: of a block, a list of blocks, or a result with blocks as its `content`. */
function preferredFile(value: unknown, preferences: FilePreferences): DecodedFile | undefined {
  const { content = value } = asObject(value);
  for (const block of [content].flat()) {
    const file = isContentBlock(block) ? readFileBlock(block) : undefined;
    if (file !== undefined && isPreferred(file, preferences)) return file;
  }
  return undefined;
}

/** Whether a file has a type that is fit for a header, and that the caller prefers to JSON. */
export function isPreferred({ type }: DecodedFile, preferences: FilePreferences): boolean {
  const essence = essenceOf(type);
  return MEDIA_TYPE.test(essence) && preferences.prefers(essence);
}

/** Headers of a reply whose body is a file. */
export function fileHeaders({ type, name }: Pick<DecodedFile, "type" | "name">): Readonly<Record<string, string>> {
  const essence = essenceOf(type);
  const disposition = SHOWN.test(essence) ? "inline" : "attachment";
  return {
    "content-type": essence.startsWith("text/") ? `${essence}; charset=utf-8` : essence,
    "content-disposition": name === undefined ? disposition : `${disposition}; filename*=UTF-8''${encodeName(name)}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    // Viewers of PDF do not open in a sandbox, and run no scripts of the origin.
    "content-security-policy": essence === "application/pdf" ? "default-src 'none'" : "default-src 'none'; sandbox",
  };
}

function essenceOf(type: string): string {
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

/**
 * The name, cut before its extension to {@link MAX_NAME_CHARACTERS}: a longer header is refused by proxies and clients, and no file system
 * takes a longer name.
 */
function shortName(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? "";
  const stem = name.slice(0, MAX_NAME_CHARACTERS - extension.length);
  // The cut may be within a surrogate pair.
  return (stem.isWellFormed() ? stem : stem.slice(0, -1)) + extension;
}

/** Source: RFC 8187, section 3.2. */
function encodeName(name: string): string {
  return encodeURIComponent(shortName(name.toWellFormed())).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
