/** Where requests go. */
const EXPECTED = 'a URL that begins with "http://" or "https://"';

/**
 * The URL that a transport is given.
 *
 * @param action What cannot be done otherwise: `reach an MCP server`.
 * @param given The text of the URL, or the URL itself.
 * @param expected What is told to pass.
 * @param text The URL, where it is made of what is given.
 * @throws {TypeError} If it is none, or not `http:` or `https:`.
 */
export function parseHttpUrl(
  action: string,
  given: unknown,
  expected: string = EXPECTED,
  text: string = String(given),
): URL {
  const isSaid = typeof given === "string" || given instanceof URL;
  const url = isSaid && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new TypeError(
    `Cannot ${action}: pass ${expected}, not ${isSaid ? `"${String(given).slice(0, 64)}"` : typeof given}`,
  );
}
