/** Requests over HTTP: right ones, and all that can be wrong with them before their body is looked at. */
import { concat, isReadAsUtf8, mutateBytes } from "./bytes.ts";
import type { RandomChoices } from "./random.ts";
import { heavy, type Members, mutateMany, oddValue, type Raw, write } from "./json.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** One request. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Bytes;
}

const encoder = new TextEncoder();

/** The default limit of bodies, in bytes. */
const BODY_BYTES = 1_048_576;

/** Whether this runtime makes requests with that method: workerd does not make all that others receive. */
function canRequest(method: string): boolean {
  try {
    return new Request("http://localhost/", { method }).method !== "";
  } catch {
    return false;
  }
}

/** Methods that nothing is called by. */
export const ODD_METHODS: readonly string[] = [
  "GET",
  "HEAD",
  "PUT",
  "DELETE",
  "PATCH",
  "OPTIONS",
  "PROPFIND",
  "patch",
  "M-SEARCH",
].filter(canRequest);

const ODD_TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "application/xml",
  "application/jsonx",
  "multipart/form-data",
  "application/json, application/json",
  ";",
  "x".repeat(5_000),
] as const;

const ODD_HEADERS = [
  ["content-encoding", "gzip"],
  ["content-encoding", ""],
  ["content-length", "0"],
  ["content-length", "-1"],
  ["content-length", "abc"],
  ["content-length", "99999999999"],
  ["content-length", "1e3"],
  ["origin", "https://evil.example"],
  ["origin", "null"],
  ["origin", ""],
  ["origin", "http://localhost"],
  ["host", "evil.example"],
  ["host", ""],
  ["transfer-encoding", "chunked"],
  ["x-odd", "\u00ff\u0080"],
  ["expect", "100-continue"],
  ["authorization", "Bearer x"],
  ["last-event-id", "x:1"],
  ["traceparent", "00-0-0-0"],
] as const;

const ACCEPTS = [
  "text/event-stream",
  "application/json, text/event-stream",
  "application/json, text/event-stream;q=0.5",
  "text/event-stream;q=0",
  "*/*",
  "",
  ",,,;;;",
  "é",
  "x".repeat(5_000),
] as const;

const ODD_ENDS = [
  "",
  "/",
  "//",
  "/x",
  "%2f",
  "/..",
  " x",
  "/%",
  "/%zz",
  ";x",
  "/é",
  "/__proto__",
  `/${"a".repeat(3_000)}`,
] as const;

/** Sets a header. Some runtimes refuse a value that others take; then there is nothing to send. */
export function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // Refused.
  }
}

/** Bytes in the place of a request's JSON; `heavyParts` makes it as much work as the limit allows, now and then. */
export function jsonBody(
  random: RandomChoices,
  right: Members,
  donor: Members,
  heavyIn: (part: Raw) => unknown,
): Bytes {
  if (random.oneIn(50)) {
    return encoder.encode(write(heavyIn(heavy(random, random.pick([60_000, BODY_BYTES, BODY_BYTES])))));
  }
  switch (random.below(10)) {
    case 0:
      return random.bytes(random.below(200));
    case 1:
      return encoder.encode(write(random.oneIn(2) ? [right, donor] : oddValue(random)));
    case 2:
      return random.oneIn(3)
        ? encoder.encode(random.pick(["[", "{", '{"a":', '{"a":[']).repeat(random.pick([1, 500, 512, 513, 20_000])))
        : encoder.encode(write(right));
    case 3:
    case 4:
      return mutateBytes(random, encoder.encode(write(right)), encoder.encode(write(donor)));
    default:
      return encoder.encode(
        write(random.oneIn(3) ? mutateMany(random, right, donor) : mutateLast(random, right, donor)),
      );
  }
}

/** Damages the last member alone: what comes before it is the envelope, and once that is damaged nothing else is looked at. */
function mutateLast(random: RandomChoices, right: Members, donor: Members): Members {
  const name = Object.keys(right).at(-1) ?? "";
  return { ...right, [name]: mutateMany(random, right[name], donor[name]) };
}

/** Puts something odd into the head of a request, now and then. */
export function oddHead(random: RandomChoices, { method, path, headers, body }: Sent): Sent {
  const damaged = new Headers(headers);
  if (random.oneIn(20)) setHeader(damaged, "content-type", random.pick(ODD_TYPES));
  if (random.oneIn(40)) damaged.delete("content-type");
  if (random.oneIn(4)) setHeader(damaged, "accept", random.pick(ACCEPTS));
  if (random.oneIn(2)) damaged.set("content-length", String(body.length));
  if (random.oneIn(15)) setHeader(damaged, ...random.pick<readonly [string, string]>(ODD_HEADERS));
  return {
    method: random.oneIn(25) ? random.pick(ODD_METHODS) : method,
    path: random.oneIn(25)
      ? path + random.pick(ODD_ENDS)
      : random.oneIn(25)
      ? path + random.pick(["?x=1", "?", "?a=/calltools"])
      : path,
    headers: damaged,
    body,
  };
}

/** The request. */
export function toRequest({ method, path, headers, body }: Sent): Request {
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://localhost${path}`, { method, headers, ...(hasBody && { body: concat(body) }) });
}

/** What it says, for people. */
export function describeRequest({ method, path, headers, body }: Sent): string {
  const start = new TextDecoder().decode(body.slice(0, 600));
  const length = body.length > 600 ? ` … ${body.length} bytes` : "";
  return `${method} ${path.slice(0, 80)} ${JSON.stringify([...headers]).slice(0, 600)}\n    ${
    JSON.stringify(start)
  }${length}`;
}

/** The id that a sender of JSON-RPC could expect back; `null` if the body has no readable id. */
export function idOf(bytes: Uint8Array): unknown {
  try {
    const { id } = JSON.parse(isReadAsUtf8(bytes) ? new TextDecoder().decode(bytes) : "") as { id?: unknown };
    return typeof id === "string" || Number.isSafeInteger(id) ? id : null;
  } catch {
    return null;
  }
}
