/** Values that consist of content blocks, or have files in them, as the content of a result. */
import { type ContentBlock, isContentBlock } from "./content.ts";
import { readFileBlock } from "./read_file_block.ts";
import { isJsonObject, type Members } from "../../internal/json.ts";

/** Content blocks that a tool returned. */
export interface ReadBlocks {
  readonly blocks: readonly ContentBlock[];
  /** Whether the value is a list of blocks, one block, or an object with the blocks as `content`. */
  readonly shape: "list" | "block" | "content";
  /** Other members of the result. */
  readonly rest: Members;
}

/**
 * The blocks of a value that consists only of content blocks, or is a result of `tools/call` as handlers of other SDKs return it;
 * otherwise `undefined`.
 */
export function readBlocks(value: unknown): ReadBlocks | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (areBlocks(value)) return { blocks: value, shape: "list", rest: {} };
  if (isContentBlock(value)) return { blocks: [value], shape: "block", rest: {} };
  const { content, structuredContent, isError, ...others } = value as Members;
  if (!areBlocks(content) || Object.keys(others).length > 0) return undefined;
  const rest = {
    ...(isJsonObject(structuredContent) && { structuredContent }),
    ...(typeof isError === "boolean" && { isError }),
  };
  return { blocks: content, shape: "content", rest };
}

function areBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock);
}

/** The content of a value with files in it: its JSON, with the type and size of each file in its place, and the files as blocks. */
export function fileBlocksOf(value: unknown): readonly ContentBlock[] {
  const files: ContentBlock[] = [];
  const text = JSON.stringify(value, (_, member: unknown) => {
    const file = isContentBlock(member) ? readFileBlock(member) : undefined;
    if (file === undefined) return member;
    files.push(member as ContentBlock);
    const { type, name, bytes } = file;
    return { file: name ?? files.length, type, bytes: bytes.length };
  });
  return [{ type: "text", text }, ...files];
}
