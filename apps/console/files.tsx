/** Files in the answer of a call: pictures as pictures, and each of them to save. */
import type { JSX } from "preact";
import { type DecodedFile, readFileBlock } from "../../src/core/call/read_file_block.ts";
import { Picture } from "./content_block.tsx";
import { save } from "./save.ts";
import { visible } from "./value.tsx";
import { counted } from "./words.ts";

/** A file, and the base64 of its bytes if the answer has them so. */
interface ShownFile extends DecodedFile {
  readonly base64: string | undefined;
}

/** Number of files that are shown. Those after them are in the value only. */
const MAX_FILES = 50;

/** The value of an answer with its files apart: their bytes are replaced by their size. */
export function splitFiles(value: unknown): { readonly files: readonly ShownFile[]; readonly rest: unknown } {
  const files: ShownFile[] = [];
  const rest = withoutFiles(value, files);
  return { files, rest: files.length === 0 ? value : rest };
}

function withoutFiles(value: unknown, files: ShownFile[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutFiles(item, files));
  if (typeof value !== "object" || value === null) return value;
  const file = files.length < MAX_FILES ? readFileBlock(value) : undefined;
  const members = Object.entries(value);
  if (file === undefined) {
    return Object.fromEntries(members.map(([name, member]) => [name, withoutFiles(member, files)]));
  }
  const { resource } = value as { readonly resource?: Readonly<Record<string, unknown>> };
  const { data, blob } = (resource ?? value) as { readonly data?: string; readonly blob?: string };
  files.push({ ...file, base64: data ?? blob });
  const size = counted(file.bytes.length, "byte");
  const cut = (holder: object): unknown =>
    Object.fromEntries(
      Object.entries(holder).map(([name, member]) => [name, /^(data|blob)$/.test(name) ? size : member]),
    );
  return resource === undefined ? cut(value) : { ...value, resource: cut(resource) };
}

export function Files({ files, tool }: { readonly files: readonly ShownFile[]; readonly tool: string }): JSX.Element {
  return (
    <ul class="files" aria-label="Files">
      {files.map(({ base64, bytes, type, name }, at) => {
        const saved = name ?? `${tool}${files.length > 1 ? `_${at + 1}` : ""}${endingOf(type)}`;
        return (
          <li key={at}>
            {base64 !== undefined && <Picture base64={base64} mimeType={type} name={name} />}
            <button type="button" onClick={() => save(saved, bytes)}>Save {visible(saved)}</button>{" "}
            <span class="dim">{counted(bytes.length, "byte")} of {visible(type)}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** The ending of a file name for a media type, such as `.png`. */
function endingOf(type: string): string {
  const [, kind = ""] = /^[\w-]+\/(?:x-)?([\w-]+)/.exec(type) ?? [];
  if (kind === "plain") return ".txt";
  return kind === "octet-stream" ? "" : `.${kind.toLowerCase()}`;
}
