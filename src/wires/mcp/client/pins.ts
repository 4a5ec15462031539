/**
 * Holds tools to what they were when somebody looked at them: a server that later says something else of a tool may want
 * something else, too.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ListedTool } from "../../../core/call/transport.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** What is compared: what a model is told of the tool, and what goes in and out. */
const PINNED_MEMBERS = ["description", "inputSchema", "outputSchema"] as const;
/** How many changes are named. */
const MAX_CHANGES = 10;

/** Why a tool must not be called; `undefined` if it is as it was. */
export function checkPin(
  pinned: readonly ListedTool[],
  name: string,
  tool: ListedTool | undefined,
): ErrorResult | undefined {
  const pin = pinned.find((one) => one.name === name);
  if (pin === undefined) return errorResult("permission_denied", `Tool "${name}" is not among those that are pinned`);
  // Of a tool that is gone, the server says so itself.
  const changes = tool === undefined
    ? []
    : PINNED_MEMBERS.flatMap((member) => describeChanges(member, pin[member], tool[member]));
  if (changes.length === 0) return undefined;
  const named = changes.slice(0, MAX_CHANGES).join("; ");
  return errorResult("permission_denied", `Tool "${name}" is not as it was pinned: ${named}`, { tool: name, changes });
}

/**
 * What differs between two JSON values, in sentences. Of what is new they quote nothing, names of members included: a model may read
 * them, and that is whom a change may be meant for.
 */
function describeChanges(at: string, before: unknown, now: unknown): string[] {
  if (before === undefined || now === undefined) {
    if (before === now) return [];
    return [before === undefined ? `${at} was added` : `${at} was removed: ${show(before)}`];
  }
  if (isJsonObject(before) && isJsonObject(now)) {
    const known = Object.keys(before);
    const hasNew = Object.keys(now).some((name) => !Object.hasOwn(before, name));
    const changed = known.flatMap((name) => describeChanges(`${at}.${name}`, own(before, name), own(now, name)));
    return hasNew ? [...changed, `${at} has members that it had not`] : changed;
  }
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    return before.flatMap((one, index) => describeChanges(`${at}[${index}]`, one, now[index]));
  }
  return before === now ? [] : [`${at} was ${show(before)} and is something else`];
}

function own(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
