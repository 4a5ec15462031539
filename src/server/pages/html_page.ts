/** Pages for people, without scripts. */
import type { Reply } from "../../wires/wire.ts";
import { escapeHtml } from "./resolver_form.ts";

const STYLE = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}" +
  "label{display:block;margin:1rem 0}input,select,textarea{display:block;width:100%;font:inherit;padding:.4rem;box-sizing:border-box}" +
  "button{font:inherit;padding:.5rem 1.2rem;margin:1rem .6rem 0 0}small{display:block;color:#555}pre{white-space:pre-wrap;font:inherit}";

/** SHA-256 of {@link STYLE}, in base64; a test compares both. */
const STYLE_HASH = "cGJgeQNqD2D5E1LErtl/IQKkxp1ySdF+7dQ0XNysG4I=";

/** Content Security Policy for {@link htmlPage} without a limit on where a form posts: its own style, no scripts, no frames. */
export const HTML_PAGE_POLICY: string =
  `base-uri 'none'; frame-ancestors 'none'; default-src 'none'; style-src 'sha256-${STYLE_HASH}'`;

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": `form-action 'self'; ${HTML_PAGE_POLICY}`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
};

/**
 * Creates the reply for an HTML page with a title. The page has no script, and its form may only post to its own origin.
 *
 * @param content HTML, in which all values are escaped.
 */
export function htmlPage(
  status: number,
  title: unknown,
  content: string,
  headers?: Readonly<Record<string, string>>,
): Reply {
  const body =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${
      escapeHtml(title)
    }</h1>${content}</body></html>`;
  return { status, headers: { ...HEADERS, ...headers }, body };
}
