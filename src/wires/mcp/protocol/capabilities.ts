import type { AskableKind } from "../../../core/call/call.ts";
import type { Question } from "../../../core/call/outcome.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import { supportsViews } from "../../../core/call/views.ts";
import { TASKS_EXTENSION } from "./constants.ts";

/** Whether the declared capabilities of a client allow a question of a kind; for `ui`, whether the client shows views. Unknown ones do not. */
export function canAsk(capabilities: unknown, kind: AskableKind | "ui"): boolean {
  const { elicitation, sampling, roots } = asObject(capabilities);
  switch (kind) {
    case "sampling":
      return isJsonObject(sampling);
    case "roots":
      return isJsonObject(roots);
    case "ui":
      return supportsViews(capabilities) === true;
    case "url":
      return isJsonObject(elicitation) && isJsonObject(elicitation["url"]);
    default:
      // Forms are the default if no mode is declared.
      return isJsonObject(elicitation) && (isJsonObject(elicitation["form"]) || !isJsonObject(elicitation["url"]));
  }
}

/** The capabilities, as an object of MCP, that these questions need and the client has not declared; `undefined` if nothing is missing. */
export function missingFor(requests: Iterable<Question>, capabilities: unknown): Members | undefined {
  const missing: Record<string, Members> = {};
  for (const request of requests) {
    const kind = askableKind(request);
    const wantsTools = request.params?.["tools"] !== undefined || request.params?.["toolChoice"] !== undefined;
    if (kind === "sampling" && wantsTools && !hasSamplingTools(capabilities)) {
      missing["sampling"] = { tools: {} };
    } else if (canAsk(capabilities, kind)) continue;
    else if (kind === "sampling" || kind === "roots") missing[kind] ??= {};
    else missing["elicitation"] = { ...missing["elicitation"], [kind === "url" ? "url" : "form"]: {} };
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

/** Names capabilities that {@link missingFor} has returned, for messages: `elicitation (form), roots`. */
export function nameCapabilities(missing: Members): string {
  return Object.entries(missing).map(([name, features]) => {
    const needed = Object.keys(asObject(features));
    return needed.length === 0 ? name : `${name} (${needed.join(" and ")})`;
  }).join(", ");
}

/** The capability that a question needs. */
function askableKind({ kind, params }: Question): AskableKind {
  return kind === "elicitation" && params?.["url"] !== undefined ? "url" : kind;
}

function hasSamplingTools(capabilities: unknown): boolean {
  return isJsonObject(asObject(asObject(capabilities)["sampling"])["tools"]);
}

/** Whether the capabilities of a client or server declare the tasks extension of 2026-07-28. */
export function hasTasksExtension(capabilities: unknown): boolean {
  return isJsonObject(asObject(asObject(capabilities)["extensions"])[TASKS_EXTENSION]);
}

/** Whether the capabilities of a server declare tasks of 2025-11-25, for any request. */
export function hasLegacyTasks(capabilities: unknown): boolean {
  return isJsonObject(asObject(capabilities)["tasks"]);
}

/** Whether the capabilities of a server declare that it runs tool calls as tasks of 2025-11-25 on request. */
export function hasLegacyToolTasks(capabilities: unknown): boolean {
  const { requests } = asObject(asObject(capabilities)["tasks"]);
  return isJsonObject(asObject(asObject(requests)["tools"])["call"]);
}
