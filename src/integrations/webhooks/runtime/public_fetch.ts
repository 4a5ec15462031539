/** Requests to public addresses only, for URLs that the server's author has not written. */
import ipaddr from "ipaddr.js";
import type { LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { SendRequest } from "../endpoint.ts";

/** Resolves a host name to all of its IP addresses, which are then checked. */
type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Options of {@link publicFetch}. All but `maxBytes` are for tests. */
export interface PublicFetchOptions {
  /** Default: that of the runtime. */
  readonly lookup?: Lookup;
  /** Whether an address may be connected to. Default: if it is public. */
  readonly isAllowed?: (address: string) => boolean;
  /** Certificate authority. Default: those of the runtime. */
  readonly ca?: string;
  /** Maximum size of a body in bytes; a larger one rejects. Default: no body is read. */
  readonly maxBytes?: number;
}

/**
 * Creates a `fetch` for HTTPS URLs of public hosts. It reads the addresses of a name once, refuses it if one of them is not public, and
 * connects to these addresses, so that a name cannot get another address in between. It follows no redirects.
 * Workers connect by name, so that there the name may have another address by then.
 */
export function publicFetch(options: PublicFetchOptions = {}): SendRequest {
  const { lookup = lookUp, isAllowed = isPublic, ca, maxBytes } = options;
  return async (href, init) => {
    const { signal } = init;
    const url = new URL(href);
    assertPublic(url, isAllowed);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const send = async (): Promise<Response> => {
      const addresses = await publicAddresses(url.hostname, lookup, isAllowed);
      const { request } = await import("node:https");
      signal?.throwIfAborted();
      return await answerOf(request(url, optionsOf(init, addresses, ca)), init, maxBytes);
    };
    try {
      return await Promise.race([aborted.promise, send()]);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  };
}

function optionsOf({ method = "GET", headers }: RequestInit, addresses: readonly LookupAddress[], ca?: string) {
  return {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    agent: false,
    // Workers refuse the option.
    ...(!isWorkers() && { lookup: lookupOf(addresses) }),
    ...(ca !== undefined && { ca }),
  };
}

function isWorkers(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}

/** Sends a request. Resolves with status and `Retry-After`; with `maxBytes` also with the body, its type and how long it may be cached. */
function answerOf(sent: ClientRequest, { body, signal }: RequestInit, maxBytes?: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    // Listened to until the end, as errors may come after the answer.
    sent.on("error", reject);
    signal?.addEventListener("abort", () => sent.destroy());
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new TypeError("The endpoint answered with status 101, after which no response follows"));
    });
    sent.on("response", (answer) => {
      responseOf(answer, maxBytes).then(resolve, reject).finally(() => sent.destroy());
    });
    sent.end(body as Uint8Array);
  });
}

/** @throws {TypeError} If the status is not one of HTTP, or the body is larger than `maxBytes`. */
async function responseOf(answer: IncomingMessage, maxBytes: number | undefined): Promise<Response> {
  const { statusCode: status = 0, headers: given } = answer;
  const names = maxBytes === undefined ? ["retry-after"] : ["retry-after", "content-type", "cache-control"];
  const headers = new Headers(names.flatMap((name) => typeof given[name] === "string" ? [[name, given[name]]] : []));
  const empty = status >= 200 && status < 600 ? new Response(null, { status, headers }) : undefined;
  if (empty === undefined) {
    throw new TypeError(`The endpoint answered with status ${status}, which HTTP does not have`);
  }
  if (maxBytes === undefined || !empty.ok || [204, 205].includes(status)) return empty;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TypeError(`The answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Response(await new Blob(chunks as BlobPart[]).bytes(), { status, headers });
}

/**
 * Addresses of a host name; none for an address.
 *
 * @throws {TypeError} If one of them is not public, or all are missing.
 */
async function publicAddresses(host: string, lookup: Lookup, isAllowed: (address: string) => boolean) {
  if (ipaddr.isValid(addressOf(host))) return [];
  const addresses = await lookup(host);
  if (addresses.length > 0 && addresses.every(({ address }) => isAllowed(address))) return addresses;
  throw new TypeError(`Cannot send to ${host}: its address is not public`);
}

/** The option `lookup` of a request: the addresses that were checked. */
function lookupOf(addresses: readonly LookupAddress[]) {
  return (_: string, { all }: { readonly all?: boolean | undefined }, done: LookupCallback): void => {
    const [first] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first?.address ?? [], first?.family);
  };
}

async function lookUp(host: string): Promise<readonly LookupAddress[]> {
  const { lookup } = await import("node:dns/promises");
  return await lookup(host, { all: true });
}

/** @throws {TypeError} If a URL is not HTTPS, has a user name, or names an address that is not public. */
function assertPublic({ protocol, hostname, username, password }: URL, isAllowed: (address: string) => boolean): void {
  const address = addressOf(hostname);
  const isRefused = ipaddr.isValid(address) && !isAllowed(address);
  if (protocol === "https:" && username === "" && password === "" && !isRefused) return;
  throw new TypeError("Cannot send a request: the URL must be https, with a public host and without a user name");
}

/** A host without the brackets of IPv6. */
function addressOf(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** Whether an address is one of the public Internet: not private, local, reserved, or an IPv4 address in disguise that is. */
function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && !(parsed instanceof ipaddr.IPv6 && hasIpv4(parsed.parts));
}

/** Whether an IPv6 address is IPv4-compatible (RFC 4291, section 2.5.5.1) or one of ISATAP (RFC 5214), which the library takes for public. */
function hasIpv4(parts: readonly number[]): boolean {
  return parts.slice(0, 6).every((part) => part === 0) || ([0, 0x200].includes(parts[4]!) && parts[5] === 0x5efe);
}
