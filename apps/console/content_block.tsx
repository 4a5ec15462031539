/** Contents of resources and messages: text as text, pictures as pictures, and the size of what is neither. */
import type { JSX, TargetedEvent } from "preact";
import { asSchema } from "./json_schema.ts";
import { ResultValue, visible } from "./value.tsx";
import { counted } from "./words.ts";

/** Types of pictures. An image element runs no scripts of them. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;

/** A content block of a message, or one part of a resource. */
export function ContentBlock({ block }: { readonly block: unknown }): JSX.Element {
  const { text, blob, data = blob, mimeType = "", type, resource, uri, name = uri } = asSchema(block);
  if (typeof text === "string") return <ResultValue value={jsonOf(text, mimeType) ?? text} />;
  if (type === "resource") return <ContentBlock block={resource} />;
  if (typeof data === "string") return <Bytes base64={data} mimeType={String(mimeType)} />;
  if (type === "resource_link") {
    return (
      <p>
        <a href={`#/resources/${encodeURIComponent(String(uri))}`}>{visible(String(name))}</a>
      </p>
    );
  }
  return <ResultValue value={block} />;
}

interface PictureProps {
  readonly base64: string;
  readonly mimeType: string;
  readonly name?: string | undefined;
}

/** Bytes as a picture; nothing if they are of another type. */
export function Picture({ base64, mimeType, name = mimeType }: PictureProps): JSX.Element | null {
  if (!PICTURE.test(mimeType)) return null;
  return <img src={`data:${mimeType};base64,${base64}`} alt={`A picture, ${visible(name)}`} onLoad={markTiny} />;
}

function Bytes({ base64, mimeType }: PictureProps): JSX.Element {
  if (PICTURE.test(mimeType)) return <Picture base64={base64} mimeType={mimeType} />;
  const bytes = Math.floor(base64.length * 3 / 4) - (/=*$/.exec(base64)?.[0].length ?? 0);
  return <p class="dim">{counted(bytes, "byte")} of {visible(mimeType === "" ? "no stated type" : mimeType)}</p>;
}

/** Largest side of a picture whose pixels are shown as squares, in pixels. */
const TINY = 32;

function markTiny(
  { currentTarget: { naturalWidth, naturalHeight, classList } }: TargetedEvent<HTMLImageElement>,
): void {
  classList.toggle("tiny", Math.max(naturalWidth, naturalHeight) <= TINY);
}

/** Text that says it is JSON, as a value; `undefined` if it is not JSON. */
function jsonOf(text: string, mimeType: unknown): unknown {
  if (!/[/+]json\b/.test(String(mimeType))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
