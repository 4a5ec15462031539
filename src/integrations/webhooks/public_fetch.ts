/** Requests to public addresses only, for URLs that the server's author has not written. */
import ipaddr from "ipaddr.js";
import type { LookupAddress } from "node:dns";
import type { SendRequest } from "./endpoint.ts";

/** Reads the addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Options of {@link publicFetch}, for tests. */
export interface PublicFetchOptions {
  /** Default: that of the runtime. */
  readonly lookup?: Lookup;
  /** Whether an address may be connected to. Default: if it is public. */
  readonly isAllowed?: (address: string) => boolean;
  /** Certificate authority. Default: those of the runtime. */
  readonly ca?: string;
}

/**
 * Creates a `fetch` for HTTPS URLs of public hosts. It reads the addresses of a name once, refuses it if one of them is not public, and
 * connects to these addresses, so that a name cannot get another address in between. It follows no redirects, and reads no body.
 */
export function publicFetch({ lookup = lookUp, isAllowed = isPublic, ca }: PublicFetchOptions = {}): SendRequest {
  return async (href, { method = "GET", signal, headers, body }) => {
    const url = new URL(href);
    assertPublic(url, isAllowed);
    const addresses = await publicAddresses(url.hostname, lookup, isAllowed);
    const { request } = await import("node:https");
    return await new Promise<Response>((resolve, reject) => {
      const sent = request(url, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        agent: false,
        lookup: lookupOf(addresses),
        ...(signal && { signal }),
        ...(ca !== undefined && { ca }),
      }, ({ statusCode: status = 0, headers: { "retry-after": retryAfter } }) => {
        resolve(new Response(null, { status, headers: retryAfter ? { "retry-after": retryAfter } : {} }));
        // The body is not read. The error of a request that ends early is ignored, as its promise has settled.
        sent.destroy();
      });
      sent.on("error", reject);
      sent.end(body as Uint8Array);
    });
  };
}

/**
 * Addresses of a host name; none for an address.
 *
 * @throws {TypeError} If one of them is not public, or there is none.
 */
async function publicAddresses(host: string, lookup: Lookup, isAllowed: (address: string) => boolean) {
  if (ipaddr.isValid(addressOf(host))) return [];
  const addresses = await lookup(host);
  if (addresses.length > 0 && addresses.every(({ address }) => isAllowed(address))) return addresses;
  throw new TypeError(`Cannot send to ${host}: its address is not public`);
}

/** The option `lookup` of a request, which Workers ignore: they connect by name, and to public addresses only. */
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
  throw new TypeError("Cannot send a webhook: the URL must be https, with a public host and without a user name");
}

/** A host without the brackets of IPv6. */
function addressOf(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** Whether an address is one of the public Internet: not private, local, reserved, or an IPv4 address in disguise that is. */
function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === "unicast";
}
