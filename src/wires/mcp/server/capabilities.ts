import type { AskableKind } from "../../../core/call/call.ts";
import type { Question } from "../../../core/call/outcome.ts";
import { isJsonObject } from "../../../internal/json.ts";
import type { Members } from "../protocol/messages.ts";
import { TASKS_EXTENSION } from "../protocol/constants.ts";

/** Whether a caller with these capabilities can be asked questions of a kind. */
export function canAsk(capabilities: unknown, kind: AskableKind): boolean {
  if (!isJsonObject(capabilities)) return false;
  const { elicitation, sampling, roots } = capabilities;
  switch (kind) {
    case "sampling":
      return isJsonObject(sampling);
    case "roots":
      return isJsonObject(roots);
    case "url":
      return isJsonObject(elicitation) && isJsonObject(elicitation["url"]);
    default:
      // Without a word of modes it is forms.
      return isJsonObject(elicitation) && (isJsonObject(elicitation["form"]) || !isJsonObject(elicitation["url"]));
  }
}

/** Whether a caller takes a task for an answer. */
export function takesTasks(capabilities: unknown): boolean {
  if (!isJsonObject(capabilities)) return false;
  const { extensions } = capabilities;
  return isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]);
}

/** What has to be declared for these questions and was not; `undefined` if nothing is missing. */
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

/** What a caller has to be able to do, to be asked this. */
function askableKind({ kind, params }: Question): AskableKind {
  return kind === "elicitation" && params?.["url"] !== undefined ? "url" : kind;
}

function hasSamplingTools(capabilities: unknown): boolean {
  const { sampling }: Members = isJsonObject(capabilities) ? capabilities : {};
  return isJsonObject(sampling) && isJsonObject(sampling["tools"]);
}
