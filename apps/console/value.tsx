/** A JSON value, in colour, with long parts cut. What comes from a server is text, never HTML. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** Characters that are shown at first. */
const FIRST = 65_536;

export function ResultValue({ value }: { readonly value: unknown }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "nothing";
  const shown = isWhole ? text : text.slice(0, FIRST);
  return (
    <>
      <pre class="value">{typeof value === "string" ? visible(shown) : colour(shown)}</pre>
      {shown.length < text.length && (
        <button type="button" onClick={() => setWhole(true)}>Show all {text.length} characters</button>
      )}
    </>
  );
}

/** Characters that change how others are read are shown by their number. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u200b\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, (char) => {
    return "\n\t\r".includes(char) ? char : `\\u${char.codePointAt(0)?.toString(16).padStart(4, "0")}`;
  });
}

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

function colour(json: string): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = [];
  let at = 0;
  for (const match of json.matchAll(TOKENS)) {
    const [whole, text, colon, word] = match;
    if (parts.length > 20_000) break;
    parts.push(json.slice(at, match.index));
    const kind = text === undefined ? word === undefined ? "number" : "word" : colon === undefined ? "text" : "key";
    parts.push(<span class={`j-${kind}`}>{visible(whole)}</span>);
    at = match.index + whole.length;
  }
  return [...parts, visible(json.slice(at))];
}
