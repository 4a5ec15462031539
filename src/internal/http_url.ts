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
  expected: string = 'a URL that begins with "http://" or "https://"',
  text: string = `${given}`,
): URL {
  const isSaid = typeof given === "string" || given instanceof URL;
  if (isSaid && /^https?:/i.test(text) && URL.canParse(text)) return new URL(text);
  throw new TypeError(
    `Cannot ${action}: pass ${expected}, not ${isSaid ? `"${`${given}`.slice(0, 64)}"` : typeof given}`,
  );
}
