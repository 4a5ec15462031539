/** Checks of what an operator answers in place of a caller or of another service. */
import type { Question } from "../../core/call/outcome.ts";
import type { AskAnswer, Job } from "../../core/dispatch/engine.ts";
import { compileCheck, toValidate } from "../../core/json_schema/check.ts";
import { isJsonObject } from "../../internal/json.ts";
import { formatPath } from "../../internal/text.ts";
import { refused } from "./job_conditions.ts";

/** What an operator may answer. */
const ACTIONS: readonly AskAnswer["action"][] = ["accept", "decline", "cancel"];

/** Checks an answer of an operator: the handler gets it as it is. */
export function assertAnswer(id: string, key: string, answer: unknown): void {
  const action: unknown = Object(answer).action;
  if (ACTIONS.includes(action as AskAnswer["action"])) return;
  const given = JSON.stringify(action)?.slice(0, 80);
  throw refused(`Cannot answer job ${id}: action of "${key}" must be accept, decline or cancel, not ${given}`);
}

/** Checks the content of an answer: one that does not fit would be asked again at the next run, which its operator does not see. */
export function assertContent(
  id: string,
  key: string,
  { action, content }: AskAnswer,
  schema: Question["schema"],
): void {
  if (action !== "accept" || schema === undefined) return;
  const checked = toValidate(compileCheck(schema))(content ?? null);
  if (!("issues" in checked)) return;
  const [{ path, message } = { path: [], message: "" }] = checked.issues;
  throw refused(`Cannot answer job ${id}: ${formatPath(["content", ...path])} of "${key}" does not fit: ${message}`);
}

/**
 * Checks that a job waits for a value under a key, and that the value fits.
 *
 * @throws {ToolError} `invalid_request` if not, with the keys under which it waits.
 */
export function assertWait(
  { id, state, memo: { waits = {} } }: Job,
  key: string,
  value?: { readonly content: unknown },
): void {
  const open = Object.entries(waits).filter(([name, { done, schema }]) => {
    return name.startsWith("value ") && done === undefined && schema !== undefined;
  });
  const wait = open.find(([name]) => name === `value ${key}`)?.[1];
  if (wait === undefined) {
    const keys = open.map(([name]) => `"${name.slice("value ".length)}"`).join(", ");
    throw refused(
      `Cannot resolve "${key}" of job ${id}: it is ${state}, and waits for ${keys === "" ? "no value" : keys}`,
    );
  }
  if (value === undefined || !isJsonObject(wait.schema)) return;
  const checked = toValidate(compileCheck(wait.schema))(value.content ?? null);
  if (!("issues" in checked)) return;
  const [{ path, message } = { path: [], message: "" }] = checked.issues;
  throw refused(`Cannot resolve "${key}" of job ${id}: ${formatPath(["value", ...path])} does not fit: ${message}`);
}
