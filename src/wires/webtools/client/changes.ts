/**
 * What has changed in a webtool's metadata, in words.
 *
 * The words name places of the metadata that was looked at before, and nothing of what is new: a model may read them, and what
 * is new may have been written for it.
 *
 * @module
 */
import { canonicalJson, isJsonObject } from "../../../internal/json.ts";
import { formatPath } from "../../../internal/text.ts";
import type { WebtoolMetadata } from "../messages/metadata.ts";

type Path = readonly (string | number)[];

/** Most changes that are told. */
const MAX_CHANGES = 20;

/**
 * Tells what is otherwise than it was.
 *
 * @param pinned The metadata that was looked at and stored.
 * @param current The metadata as it is now.
 * @returns One sentence for each change, at most 20; none if nothing has changed.
 */
export function describeChanges(pinned: WebtoolMetadata, current: WebtoolMetadata): string[] {
  const { actions, ...rest } = pinned;
  const { actions: currentActions, ...currentRest } = current;
  const changes = [...compare(rest, currentRest, [], "of the webtool"), ...compareActions(actions, currentActions)];
  return changes.slice(0, MAX_CHANGES);
}

type Actions = WebtoolMetadata["actions"];

function* compareActions(pinned: Actions, current: Actions): Generator<string> {
  const now = new Map(current.map((action) => [action.name, action]));
  const known = new Set(pinned.map(({ name }) => name));
  for (const action of pinned) {
    const other = now.get(action.name);
    const label = JSON.stringify(action.name);
    if (other === undefined) yield `action ${label} is gone`;
    else yield* compare(action, other, [], `of action ${label}`);
  }
  const added = current.filter(({ name }) => !known.has(name)).length;
  if (added > 0) yield added === 1 ? "an action was added" : `${added} actions were added`;
  const order = (actions: Actions) =>
    actions.map(({ name }) => name).filter((name) => known.has(name) && now.has(name));
  if (order(pinned).join("\n") !== order(current).join("\n")) yield "the order of the actions changed";
}

function* compare(pinned: unknown, current: unknown, path: Path, of: string): Generator<string> {
  const place = path.length === 0 ? "the members" : `the ${formatPath(path)}`;
  if (isJsonObject(pinned) && isJsonObject(current)) {
    for (const [key, value] of Object.entries(pinned)) {
      if (Object.hasOwn(current, key)) yield* compare(value, current[key], [...path, key], of);
      else yield `the ${formatPath([...path, key])} ${of} is gone`;
    }
    const hasMore = Object.keys(current).some((key) => !Object.hasOwn(pinned, key));
    if (hasMore) yield `something was added to ${place} ${of}`;
  } else if (Array.isArray(pinned) && Array.isArray(current) && pinned.length === current.length) {
    for (const [index, value] of pinned.entries()) yield* compare(value, current[index], [...path, index], of);
  } else if (canonicalJson(pinned) !== canonicalJson(current)) {
    yield `${place} ${of} changed`;
  }
}
