/**
 * Compares listed tools with their pinned definitions. A server that changes a tool after its review may have changed its intent.
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ListedTool } from "../../../core/call/transport.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** Members that are compared: the description for models, and the schemas. */
const PINNED_MEMBERS = ["description", "inputSchema", "outputSchema"] as const;
/** Maximum number of changes in an error message. */
const MAX_CHANGES = 10;

/** The error `permission_denied` for a tool that is not pinned, or whose description or schemas differ from its pin. */
export function checkPin(
  pinned: readonly ListedTool[],
  name: string,
  tool: ListedTool | undefined,
): ErrorResult | undefined {
  const pin = pinned.find((one) => one.name === name);
  if (pin === undefined) return errorResult("permission_denied", `Tool "${name}" is not among the pinned tools`);
  // The server reports a missing tool itself.
  const changes = tool === undefined
    ? []
    : PINNED_MEMBERS.flatMap((member) => describeChanges(member, pin[member], tool[member]));
  if (changes.length === 0) return undefined;
  const named = changes.slice(0, MAX_CHANGES).join("; ");
  return errorResult("permission_denied", `Tool "${name}" differs from its pin: ${named}`, { tool: name, changes });
}

/**
 * Describes the differences between two JSON values. New values and names are not quoted: a model may read the message, and a
 * malicious change may address it.
 */
function describeChanges(at: string, before: unknown, now: unknown): string[] {
  if (before === undefined || now === undefined) {
    if (before === now) return [];
    return [before === undefined ? `${at} was added` : `${at} was removed: ${quote(before)}`];
  }
  if (isJsonObject(before) && isJsonObject(now)) {
    const known = Object.keys(before);
    const hasNew = Object.keys(now).some((name) => !Object.hasOwn(before, name));
    const changed = known.flatMap((name) => describeChanges(`${at}.${name}`, own(before, name), own(now, name)));
    return hasNew ? [...changed, `${at} has new members`] : changed;
  }
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    return before.flatMap((one, index) => describeChanges(`${at}[${index}]`, one, now[index]));
  }
  return before === now ? [] : [`${at} was ${quote(before)} and is different now`];
}

function own(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
