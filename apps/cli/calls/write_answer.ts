/** Writes the file of an answer: a picture, sound or resource of its content, bytes, else its text. */
import { Buffer } from "node:buffer";
import { extname } from "node:path";
import { asObject, isJsonObject } from "../../../src/internal/json.ts";
import type { CliContext } from "../context.ts";
import { writeOut } from "../files/write_out.ts";
import { printableLine } from "../terminal/terminal.ts";
import { formatAnswer } from "./answer_text.ts";

/** A file within an answer. */
interface AnswerFile {
  readonly bytes: Uint8Array;
  /** Media type. Foreign text. */
  readonly type: string;
}

/**
 * Writes the files of an answer: the first to the named path, further ones beside it as `chart-2.png`. Without one the text of the answer
 * is written. Returns what is left to print; `undefined` if that is nothing.
 *
 * @throws {CliError} If a file cannot be written.
 */
export async function writeAnswer(value: unknown, out: string, context: CliContext): Promise<unknown> {
  const blocks = blocksOf(value);
  const found = blocks.map((block) => [block, fileOf(block)] as const);
  const files = found.flatMap(([, file]) => file === undefined ? [] : [file]);
  const rest = found.flatMap(([block, file]) => file === undefined ? [block] : []);
  const isText = files.length === 0;
  if (isText) files.push({ bytes: new TextEncoder().encode(formatAnswer(value)), type: "text" });
  for (const [index, { bytes, type }] of files.entries()) {
    const path = index === 0 ? out : numbered(out, index + 1);
    const { link } = await writeOut(path, bytes, context);
    context.terminal.note(
      `Written to ${printableLine(path)}${printableLine(link)}: ${printableLine(type)}, ${bytes.length} bytes`,
    );
  }
  return isText || rest.length === 0 ? undefined : rest;
}

/** Content blocks: of a list, of `{ content: [...] }`, or the value alone. */
function blocksOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { content } = asObject(value);
  return Array.isArray(content) ? content : [value];
}

function fileOf(block: unknown): AnswerFile | undefined {
  if (block instanceof Uint8Array) return { bytes: block, type: "application/octet-stream" };
  if (!isJsonObject(block)) return undefined;
  const { type, data, mimeType } = block;
  if ((type === "image" || type === "audio") && typeof data === "string") return decoded(data, mimeType);
  if (type !== "resource") return undefined;
  const { blob, text, mimeType: resourceType } = asObject(block["resource"]);
  if (typeof blob === "string") return decoded(blob, resourceType);
  return typeof text === "string" ? { bytes: new TextEncoder().encode(text), type: nameOf(resourceType) } : undefined;
}

function decoded(base64: string, type: unknown): AnswerFile {
  return { bytes: new Uint8Array(Buffer.from(base64, "base64")), type: nameOf(type) };
}

function nameOf(type: unknown): string {
  return typeof type === "string" ? type : "application/octet-stream";
}

/** `chart.png`: `chart-2.png`. */
function numbered(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}
