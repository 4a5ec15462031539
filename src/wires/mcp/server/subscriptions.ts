/**
 * What is kept of the resources whose changes a caller wants to know of: it may be in a store that is read with every request.
 *
 * @module
 */

/** The longest URI of a resource that somebody may subscribe to, in UTF-16 code units. */
export const MAX_URI_LENGTH = 2_048;

/** Resources that one caller is told of: those it asked for last. */
const MAX_SUBSCRIPTIONS = 1_000;

/** The length of all their URIs, in UTF-16 code units. */
const MAX_LENGTH = 131_072;

/** Adds a resource to those that a caller is told of; where there are too many, it is no longer told of the first. */
export function withSubscription(uris: readonly string[], uri: string): readonly string[] {
  if (uris.includes(uri)) return uris;
  const all = [...uris, uri];
  let length = all.reduce((sum, one) => sum + one.length, 0);
  let first = 0;
  for (; all.length - first > MAX_SUBSCRIPTIONS || length > MAX_LENGTH; first++) length -= all[first]?.length ?? 0;
  return all.slice(first);
}
