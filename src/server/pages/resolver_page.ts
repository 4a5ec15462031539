/** Pages of a resolver for people: a form at `GET`, and what happened at `POST`. They have no script. */
import type { ErrorResult } from "../../core/call/outcome.ts";
import type { OpenWait } from "../../core/dispatch/deferral.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import { asObject } from "../../internal/json.ts";
import type { Reply } from "../../wires/wire.ts";
import { htmlPage } from "./html_page.ts";
import { escapeHtml, renderForm } from "./resolver_form.ts";

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

/** The page of an open wait: its form, with title and description of the schema. Without a schema, it asks to reload. */
export function formPage({ key, schema }: OpenWait, status: number = 200, problem: string = ""): Reply {
  const text = (value: unknown) => typeof value === "string" && value !== "" ? `<pre>${escapeHtml(value)}</pre>` : "";
  if (schema === undefined) {
    return htmlPage(status, key, text("This link is not ready. Please reload the page in a moment."));
  }
  const { title = key, description } = schema;
  return htmlPage(status, title, text(description) + text(problem) + renderForm(schema));
}

/** The page that follows a sent answer, and the page of a wait that has ended or of an error. It has no form. */
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
  return htmlPage(status, ENDS[end] ?? ("kind" in result ? result.message : end), "", headers);
}

/** Describes the issues in the data of an `invalid_input` error, one a line. Without issues, it is the error's message. */
export function describeIssues({ message, data }: ErrorResult): string {
  const { issues } = asObject(data);
  if (!Array.isArray(issues)) return message;
  return issues.map((issue) => {
    const { path, message: text } = asObject(issue);
    return `${Array.isArray(path) && path.length > 0 ? path.join(".") : "The value"} ${text}`;
  }).join("\n");
}
