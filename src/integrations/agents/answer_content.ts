/** Content of answers: texts as they are, files in the form of each vendor, and what a model does not take named by type and size. */
import type { ContentBlock } from "../../core/call/content_blocks.ts";
import { fileBlocksOf, readBlocks } from "../../core/call/answer_blocks.ts";
import { textOfFile } from "../../core/call/file_block.ts";
import { readFileBlock } from "../../core/call/read_file_block.ts";
import { decodeBase64 } from "../../internal/encoding.ts";
import { escapeLine, shorten } from "../../internal/text.ts";

/** A part of an answer that has files. */
export type AnswerPart = AnswerText | AnswerFile;

/** A text of an answer that has files. */
export interface AnswerText {
  /** Discriminant. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
  /** URI of a text resource. Other texts have none. */
  readonly uri?: string;
}

/** A file of an answer. */
export interface AnswerFile {
  /** Discriminant. */
  readonly type: "file";
  /** The bytes, in base64. */
  readonly data: string;
  /** Media type in lower case, such as `image/png`; with its parameters for audio and video alone. */
  readonly mimeType: string;
  /** Name for the model, on one line: the last part of the URI, if the file has one. */
  readonly name: string | undefined;
}

/** Whether a model takes files of a media type in answers. */
export type TakesMedia = (mimeType: string) => boolean;

/** Images that OpenAI and Anthropic take. */
export const IMAGES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The images, and documents. */
export const IMAGES_AND_PDF: readonly string[] = [...IMAGES, "application/pdf"];

/** Returns the test of media types for a list of them; `image/*` stands for all that begin so, `*` for all. */
export function takesMedia(types: readonly string[]): TakesMedia {
  return (mimeType) => {
    const [essence = ""] = mimeType.split(";");
    return types.some((type) =>
      type === "*" || type === essence || (type.endsWith("/*") && essence.startsWith(type.slice(0, -1)))
    );
  };
}

/** Whether a file is an image. */
export function isImage({ mimeType }: AnswerFile): boolean {
  return mimeType.startsWith("image/");
}

/**
 * Reads an answer as content: blocks of MCP, or a value with files in it. `undefined` if it is any other value. Files that the model does
 * not take become texts that name them; links become texts.
 *
 * @param shown What `.render()` shows in place of the value: text or blocks.
 */
export function readContent(value: unknown, takes: TakesMedia, shown?: unknown): readonly AnswerPart[] | undefined {
  if (typeof shown === "string") return [{ type: "text", text: shown }];
  const blocks = readBlocks(shown)?.blocks ?? readBlocks(value)?.blocks ?? blocksWithFiles(value);
  return blocks?.map((block) => readBlock(block, takes));
}

function blocksWithFiles(value: unknown): readonly ContentBlock[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const blocks = fileBlocksOf(value);
  return blocks.length > 1 ? blocks : undefined;
}

function readBlock(block: ContentBlock, takes: TakesMedia): AnswerPart {
  switch (block.type) {
    case "text":
      return toText(block.text);
    case "resource_link":
      return toText(`[${toName(block.name)}: ${escapeLine(block.uri)}]`);
    case "resource": {
      const { resource } = block;
      const uri = escapeLine(resource.uri);
      if ("text" in resource) return { ...toText(resource.text), uri };
      const { blob, mimeType = "application/octet-stream" } = resource;
      const bytes = decodeBase64(blob);
      const text = bytes && textOfFile(bytes, mimeType);
      if (text !== undefined) return { ...toText(text), uri };
      return readFile(blob, mimeType, resource.uri.split("/").at(-1) || undefined, takes);
    }
    default:
      return readFile(block.data, block.mimeType, readFileBlock(block)?.name, takes);
  }
}

function readFile(data: string, type: string, name: string | undefined, takes: TakesMedia): AnswerPart {
  const mimeType = toMediaType(type);
  const file: AnswerFile = { type: "file", data, mimeType, name: name === undefined ? undefined : toName(name) };
  return takes(mimeType) ? file : toText(nameFile(file));
}

const MEDIA_TYPE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)((?:;[\w!#$&^.+-]+=[\w!#$&^.+-]+)*)/;

/**
 * A server's media type as vendors compare it: in lower case. Parameters say how audio and video are played; vendors refuse those of
 * others. Text that is not a media type may be anything, also words for the model.
 */
function toMediaType(text: string): string {
  const [, type = "application/octet-stream", parameters = ""] =
    MEDIA_TYPE.exec(text.toLowerCase().replace(/[ \t]+/g, "")) ?? [];
  return /^(audio|video)\//.test(type) ? type + parameters : type;
}

/** Maximum length of a name: that of file systems. */
const MAX_NAME = 255;

/** A foreign name for a model. A line break in it would look like the end of what the server has sent. */
function toName(text: string): string {
  return escapeLine(shorten(text, MAX_NAME));
}

function toText(text: string): AnswerText {
  return { type: "text", text };
}

/** Names a file by its type and size. */
export function nameFile({ data, mimeType, name }: AnswerFile): string {
  const bytes = Math.floor(data.replace(/=+$/, "").length * 3 / 4);
  return `[${name === undefined ? "" : `${name}: `}${mimeType}, ${bytes} bytes]`;
}
