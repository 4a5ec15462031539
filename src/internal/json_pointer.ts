/**
 * The names that a JSON pointer goes through, as references have it: of `#/$defs/a~1b` they are `$defs` and `a/b`.
 *
 * Source: {@link https://www.rfc-editor.org/rfc/rfc6901 | RFC 6901}.
 */
export function pointerKeys(pointer: string): string[] {
  return pointer.split("/").slice(1).map((raw) => decodeUri(raw).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodeUri(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    // Not percent-encoded, then.
    return raw;
  }
}
