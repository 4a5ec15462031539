/** Whether a `Content-Type` names JSON in UTF-8: `application/json`, with no charset or with `utf-8`. */
export function isJsonMediaType(contentType: string | null): boolean {
  if (contentType === "application/json") return true;
  if (contentType === null) return false;
  const [type, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  return type === "application/json" && parameters.every(isUtf8Parameter);
}

function isUtf8Parameter(parameter: string): boolean {
  return !/^charset\s*=/.test(parameter) || /^charset\s*=\s*"?utf-?8"?$/.test(parameter);
}

/** Whether an `Accept` header names `text/event-stream` with a quality above zero. Wildcards do not name it. */
export function acceptsEventStream(accept: string | null): boolean {
  return acceptsType(accept, "text/event-stream");
}

/** Whether an `Accept` header names a media type, given in lower case, with a quality above zero. Wildcards do not name it. */
export function acceptsType(accept: string | null, name: string): boolean {
  // Clients of calls without streams send this one.
  if (accept === null || accept === "application/json") return name === accept;
  if (!accept.toLowerCase().includes(name)) return false;
  return accept.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === name && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}

/** Host of relative URLs outside of a page, where a client may be created but not used: a page is also rendered by its server. */
export const NO_PAGE = "no-page.invalid";

/** A host and port without a scheme, and what follows. A dot, a port or `localhost` distinguishes it from other text. */
const HOST = /^(?:localhost|\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d{1,5})?(?:[/?#]|$)/i;

/**
 * Parses the URL of a transport.
 *
 * A host without a scheme is reached by http on this machine, and by https elsewhere. A path is relative to the page.
 *
 * @param action Failed action for the error message: `reach an MCP server`.
 * @param text Text to parse, if it differs from `input`.
 * @throws {TypeError} If it is not a URL with `http:` or `https:`.
 */
export function parseHttpUrl(
  action: string,
  input: unknown,
  expected: string = 'a URL that begins with "http://" or "https://"',
  text: string = `${input}`,
): URL {
  const isText = typeof input === "string" || input instanceof URL;
  const whole = isText ? withScheme(text) : "";
  if (/^https?:/i.test(whole) && URL.canParse(whole)) return new URL(whole);
  throw new TypeError(
    `Cannot ${action}: pass ${expected}, not ${isText ? `"${`${input}`.slice(0, 64)}"` : typeof input}`,
  );
}

function withScheme(text: string): string {
  if (HOST.test(text)) return isLoopback(new URL(`http://${text}`)) ? `http://${text}` : `https://${text}`;
  if (!text.startsWith("/") || text.startsWith("//")) return text;
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  return `${location?.origin ?? `http://${NO_PAGE}`}${text}`;
}

/** Whether a URL's host is this machine by its name: `localhost`, `127.*` or `[::1]`. Names are not resolved. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Whether requests to a URL cannot be intercepted: it is https, or on this machine. */
export function isConfidential(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

/** A path as wires match it: with one slash before each segment, and none at the end. `/api` for `api/`, `""` for `/`. */
export function normalizePath(path: string): string {
  return `/${path}`.replace(/\/+/g, "/").replace(/\/$/, "");
}
