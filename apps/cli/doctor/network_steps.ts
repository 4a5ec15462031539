/** The steps below HTTP: the name, the port and the certificate. */
import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { failed, passed, skipped, type StepResult } from "./steps.ts";

/** Result of the step `dns`, with the addresses of the host: an empty list if it does not resolve. */
export interface ResolvedHost {
  readonly result: StepResult;
  readonly addresses: readonly string[];
}

/** Step `dns`: resolves the URL's host name by the system. An IP address is returned as it is, and the step is skipped. */
export async function resolveHost(url: URL): Promise<ResolvedHost> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return { result: skipped(`${host} is an address`), addresses: [host] };
  try {
    const addresses = [...new Set((await lookup(host, { all: true })).map(({ address }) => address))];
    return { result: passed(`${host} is ${addresses.join(", ")}`), addresses };
  } catch (thrown) {
    const remedy = `Check the spelling of ${host}, and the network: VPN, /etc/hosts, the DNS record`;
    return { result: failed(`${host} does not resolve: ${codeOf(thrown)}`, remedy), addresses: [] };
  }
}

/** Step `tcp`: connects to all addresses at the port of the URL, then closes. It passes if at least one accepts. */
export async function openPort(url: URL, addresses: readonly string[], timeoutMs: number): Promise<StepResult> {
  const port = portOf(url);
  const attempts = await Promise.all(addresses.map(async (host) => {
    const error = await opens(connectTcp({ host, port }), "connect", timeoutMs);
    return { host, error };
  }));
  const open = attempts.filter(({ error }) => error === undefined).map(({ host }) => host);
  const closed = attempts.filter(({ error }) => error !== undefined).map(({ host, error }) => `${host} ${error}`);
  if (open.length === 0) {
    const remedy =
      `Start the server, and check that it listens on port ${port}; a server in a container has to listen on 0.0.0.0, ` +
      "and a firewall has to let the port through";
    return failed(`Port ${port} is closed: ${closed.join(", ")}`, remedy);
  }
  const rest = closed.length === 0 ? "" : `; closed: ${closed.join(", ")}`;
  return passed(`Port ${port} is open at ${open.join(", ")}${rest}`);
}

/** Step `tls`: makes a handshake with the trusted authorities of the runtime. Skipped for `http:`. */
export async function verifyCertificate(url: URL, timeoutMs: number): Promise<StepResult> {
  if (url.protocol !== "https:") return skipped("The URL begins with http://, so there is no TLS");
  const host = hostOf(url);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket: TLSSocket = connectTls({ host, port: portOf(url), ALPNProtocols: ["http/1.1"], ...servername });
  let seen = "";
  const error = await opens(socket, "secureConnect", timeoutMs, () => seen = describeTls(socket));
  if (error === undefined) return passed(seen);
  return failed(`TLS with ${host} fails: ${error}`, remedyOfTls(error, host));
}

function describeTls(socket: TLSSocket): string {
  const { valid_to: expires } = socket.getPeerCertificate() ?? {};
  const until = expires === undefined ? "" : `, valid until ${expires}`;
  return `${socket.getProtocol() ?? "TLS"}, the certificate is trusted${until}`;
}

/** Remedies by the code or the message of the error; messages differ between runtimes. */
const TLS_REMEDIES: readonly (readonly [pattern: RegExp, remedy: (host: string) => string])[] = [
  [/EXPIRED|has expired/i, () => "Renew the certificate, and check the clock of this machine"],
  [
    /ALTNAME|NotValidForName|does not match/i,
    (host) => `Use a name that the certificate has, or get a certificate for ${host}`,
  ],
  [
    /SELF.?SIGNED|UNABLE_TO_(?:VERIFY|GET)|UnknownIssuer|self.signed|CaUsedAsEndEntity/i,
    () =>
      "Use a certificate of a known authority, and send its whole chain; for development, trust your own authority with " +
      "NODE_EXTRA_CA_CERTS (Node, Bun) or DENO_CERT (Deno)",
  ],
  [
    /WRONG_VERSION|EPROTO|InvalidContentType|packet length|corrupt message/i,
    () => "The port has no TLS: use http://, or the port that has TLS",
  ],
];

function remedyOfTls(error: string, host: string): string {
  const remedy = TLS_REMEDIES.find(([pattern]) => pattern.test(error))?.[1];
  return remedy?.(host) ?? `Check TLS of ${host} with: openssl s_client -connect ${host}:443 -servername ${host}`;
}

/** Waits until a socket is open. Returns the error if it fails. The socket is closed in any case. */
function opens(
  socket: Socket,
  event: string,
  timeoutMs: number,
  onOpen: () => void = () => {},
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (error: string | undefined): void => {
      clearTimeout(timer);
      resolve(error);
      socket.destroy();
    };
    const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.once(event, () => {
      onOpen();
      end(undefined);
    });
    socket.on("error", (thrown) => end(codeOf(thrown)));
    socket.once("close", () => end("closed by the other side"));
  });
}

/** Code and message of a system error. */
function codeOf(thrown: unknown): string {
  const { code, message = String(thrown) } = Object(thrown) as { readonly code?: unknown; readonly message?: string };
  return typeof code === "string" && !message.includes(code) ? `${code}, ${message}` : message;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}
