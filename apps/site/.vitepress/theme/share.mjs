/** Code in the fragment of a URL, which is sent to no server. */

/** `#code=…` */
export function toHash(code) {
  const bytes = new TextEncoder().encode(code);
  const text = btoa(String.fromCharCode(...bytes));
  return `#code=${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The code of a fragment; `undefined` if it has none. */
export function fromHash(hash) {
  const [, text] = /^#code=([\w-]+)$/.exec(hash) ?? [];
  if (text === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(
      atob(text.replaceAll("-", "+").replaceAll("_", "/")),
      (char) => char.charCodeAt(0),
    );
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
