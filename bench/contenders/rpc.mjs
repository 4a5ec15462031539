// A plain remote call, as a caller sees it: the tool is in the path, the arguments are the body. No list, no envelope, no id.
import { parseEvents } from "../sse.mjs";

/** @returns the request for one call. */
export function encode({ tool, args }, { wrap = (message) => message } = {}) {
  return { url: `http://127.0.0.1:8000/rpc/${tool}`, headers: {}, message: wrap(args) };
}

/** An answer of JSON, or a stream of `{ partial }` that ends in `{ content }`. */
export function decodeCall(text, { streams }) {
  if (!streams) return { value: JSON.parse(text), partials: [] };
  const pieces = parseEvents(text).map(({ data }) => data);
  return { value: pieces.pop().content, partials: pieces.map(({ partial }) => partial) };
}

/** What a streaming handler yields, then what it returns, each as a separate object. */
export async function* toPieces(stream) {
  while (true) {
    const { done, value } = await stream.next();
    yield done ? { content: value } : { partial: value };
    if (done) return;
  }
}
