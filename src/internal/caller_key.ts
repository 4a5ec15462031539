/** The text that identifies a caller: what tokens are bound to, and under which limits, caches and lists keep what is of one caller. */

/** What distinguishes callers: the members of a principal that its key is made of. */
interface CallerName {
  readonly id: string;
  readonly tenant?: string | undefined;
}

/** Begins the key of a caller with a tenant. Ids with this character at their start have it twice, so that no id is the key of another caller. */
const MARK = "\u001f";

/**
 * Returns the key of a caller: equal for two principals only if id and tenant are. That of a caller without a tenant is the id, as in tokens
 * of versions without tenants; that of an anonymous caller is `""`.
 */
export function callerKey(principal: CallerName | undefined): string {
  if (principal === undefined) return "";
  const { id, tenant } = principal;
  if (tenant !== undefined) return `${MARK}${tenant.length}:${tenant}${id}`;
  return id.startsWith(MARK) ? `${MARK}${id}` : id;
}

/** Reads what {@link callerKey} has returned. */
export function readCallerKey(key: string): CallerName {
  if (!key.startsWith(MARK)) return { id: key };
  if (key.startsWith(MARK, 1)) return { id: key.slice(1) };
  const at = key.indexOf(":") + 1;
  const end = at + Number(key.slice(1, at - 1));
  return { id: key.slice(end), tenant: key.slice(at, end) };
}
