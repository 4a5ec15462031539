/** Pages of a resolver for people: a form at `GET`, and what happened at `POST`. They have no script. */
import type { ErrorResult } from "../../core/call/outcome.ts";
import type { OpenWait } from "../../core/dispatch/deferral.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import { asObject } from "../../internal/json.ts";
import type { Reply } from "../wire.ts";
import { escapeHtml, renderForm } from "./resolver_form.ts";

const STYLE = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}" +
  "label{display:block;margin:1rem 0}input,select,textarea{display:block;width:100%;font:inherit;padding:.4rem;box-sizing:border-box}" +
  "button{font:inherit;padding:.5rem 1.2rem;margin:1rem .6rem 0 0}small{display:block;color:#555}pre{white-space:pre-wrap;font:inherit}";

/** SHA-256 of {@link STYLE}, in base64; a test compares both. */
const STYLE_HASH = "cGJgeQNqD2D5E1LErtl/IQKkxp1ySdF+7dQ0XNysG4I=";

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
};

/** Texts for each end of a wait. */
const ENDS: Readonly<Record<string, string>> = {
  accepted: "Thank you. Your answer was received.",
  repeated: "Your answer was already received.",
  resolved: "An answer was already received.",
  refused: "This answer was refused.",
  timeout: "It is too late to answer.",
  expired: "This link has expired.",
  cancelled: "The work was cancelled: no answer is needed.",
  over: "The work has ended: no answer is needed.",
  lost: "The work is no longer known.",
  invalid_promise: "There is no such link.",
  unavailable: "Your answer cannot be received at the moment. Please try again.",
};

function page(status: number, title: unknown, content: string, headers?: Readonly<Record<string, string>>): Reply {
  const body =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${
      escapeHtml(title)
    }</h1>${content}</body></html>`;
  return { status, headers: { ...HEADERS, ...headers }, body };
}

/** The page of an open wait. Title and description are those of the schema. */
export function formPage({ key, schema }: OpenWait, status: number = 200, problem: string = ""): Reply {
  const text = (value: unknown) => typeof value === "string" && value !== "" ? `<pre>${escapeHtml(value)}</pre>` : "";
  if (schema === undefined) {
    return page(status, key, text("This link is not ready. Please reload the page in a moment."));
  }
  const { title = key, description } = schema;
  return page(status, title, text(description) + text(problem) + renderForm(schema));
}

/** The page of a wait that has ended, and of errors. */
export function endPage(
  result: Resolution | ErrorResult,
  status: number,
  headers?: Readonly<Record<string, string>>,
): Reply {
  const end = "kind" in result
    ? result.code
    : result.resolved
    ? (result.repeated ? "repeated" : "accepted")
    : result.reason;
  return page(status, ENDS[end] ?? ("kind" in result ? result.message : end), "", headers);
}

/** Describes what does not fit, from the data of an error. */
export function describeIssues({ message, data }: ErrorResult): string {
  const { issues } = asObject(data);
  if (!Array.isArray(issues)) return message;
  return issues.map((issue) => {
    const { path, message: text } = asObject(issue);
    return `${Array.isArray(path) && path.length > 0 ? path.join(".") : "The value"} ${text}`;
  }).join("\n");
}
