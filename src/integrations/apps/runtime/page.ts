/** The page of a view: an HTML document as text, from a file, or from a URL. */
import { fetchWhole } from "../../../http_client/fetch_whole.ts";
import type { MaybePromise } from "../../../internal/async.ts";

/** Where the page of a view comes from: a text, a file or a URL, of which only one is given. */
export interface PageSource {
  /** The document. */
  readonly html?: string | undefined;
  /** Path or `file:` URL of the document, which is read now (Bun, Deno and Node). */
  readonly file?: string | URL | undefined;
  /** Address of the document, `https:` or `http:`. It is fetched when a host first reads the view, and kept. Redirects are refused. */
  readonly url?: string | URL | undefined;
}

/** The HTML page of a view: its text for hosts, and what identifies its content. */
export interface Page {
  /** The document, or its address: what makes it another page when it changes. */
  readonly identity: string;
  /** Returns the document. */
  read(): MaybePromise<string>;
}

const MAX_BYTES = 4_194_304;
const FETCH_TIMEOUT_MS = 10_000;

/**
 * Opens the page of a view: reads and checks a file now, and fetches a URL at the first reading. `undefined` if there is no source.
 *
 * @throws {TypeError} If there are several sources, a file cannot be read, or it is not a document.
 */
export function openPage({ html, file, url }: PageSource): Page | undefined {
  const given = Object.entries({ html, file, url }).filter(([, value]) => value !== undefined).map(([name]) => name);
  if (given.length === 0) return undefined;
  if (given.length > 1) throw new TypeError(`Cannot define a view: pass one of ${given.join(" and ")}`);
  if (url !== undefined) return fetchedPage(new URL(url));
  const [text, source] = file === undefined ? [html ?? "", "html"] : [readPage(file), `the file ${file}`];
  const problem = problemOf(text);
  if (problem !== undefined) throw new TypeError(`Cannot define a view: ${source} ${problem}`);
  return { identity: text, read: () => text };
}

function fetchedPage(url: URL): Page {
  let kept: string | undefined;
  return {
    identity: url.href,
    async read() {
      if (kept !== undefined) return kept;
      const response = await fetchWhole(url, {}, { maxBytes: MAX_BYTES, timeoutMs: FETCH_TIMEOUT_MS });
      const text = await response.text();
      const problem = response.ok ? problemOf(text) : `has the status ${response.status}`;
      // The log has the address, the caller has not.
      if (problem !== undefined) throw new Error(`The page of a view, ${url.href}, ${problem}`);
      return kept = text;
    },
  };
}

/** Hosts write the text into an empty frame, so that a fragment would be shown in quirks mode, or not at all. */
function problemOf(text: string): string | undefined {
  if (/^\s*<!doctype html[\s>]/i.test(text)) return undefined;
  const start = JSON.stringify(text.trimStart().slice(0, 40));
  return `has to be a whole document, which begins with <!doctype html>; it begins with ${start}`;
}

/**
 * Reads a page now, so that a missing file is an error at the start.
 *
 * @throws {TypeError} If it cannot be read, or the platform has no files.
 */
function readPage(file: string | URL): string {
  const fs = typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:fs");
  if (fs === undefined) throw new TypeError("Cannot define a view: this platform has no files; pass html, or url");
  const path = String(file).startsWith("file:") ? new URL(file) : file;
  try {
    return fs.readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? String(cause)})`;
    throw new TypeError(
      `Cannot define a view: the file ${file} ${reason}; for a file beside the module, pass new URL("./view.html", import.meta.url)`,
      { cause },
    );
  }
}
