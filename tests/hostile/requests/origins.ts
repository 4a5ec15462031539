/** Hosts, origins and paths of requests: foreign and invalid ones are rejected before a handler runs. */
import { ok, strictEqual } from "node:assert/strict";
import { assertAlive, create, hello, runsOf } from "./echo_server.ts";
import { without } from "../../wires/descriptions/all.ts";
import type { Sending } from "../../wires/descriptions/description.ts";
import { inProcess, overHttp, overHttp2, overSockets } from "../senders.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";

/** That a request is refused before anything runs, and the next one is answered. */
async function assertRefused(sending: Sending, ...sent: Parameters<Sending["send"]>): Promise<void> {
  const before = runsOf(sending);
  const { status } = await sending.send(...sent);
  ok([403, 415, ...(sending.dialect.hasErrorsIn200 ? [200] : [])].includes(status), `status ${status}`);
  strictEqual(runsOf(sending), before, "it ran");
  await assertAlive(sending);
}

const ONE_FORGED_HOST: Cases<string> = {
  "another name": "evil.example",
  "another name with a port": "evil.example:80",
  "a name that begins like ours": "localhost.evil.example",
  "an address in front": "127.0.0.1.evil.example",
  "all addresses": "0.0.0.0",
  "a name without dots": "evil",
  "ours with a dot": "localhost.",
};

const dnsRebinding = overHttp(create).map((place) =>
  overCases(place, { ...ONE_FORGED_HOST, "our own names": "" }, async (sending, host) => {
    if (host !== "") return await assertRefused(sending, hello(sending), { host });
    for (const own of ["localhost", "LOCALHOST", "127.0.0.1", "localhost:1234", "[::1]:80"]) {
      const answer = await sending.send(hello(sending), { host: own });
      strictEqual(answer.status, 200, own);
    }
  })
);

const ODD_HOSTS: Cases<string | Uint8Array> = {
  nothing: "",
  "a user": "localhost@evil.example",
  "a path": "evil.example/localhost",
  "two ports": "localhost:80:80",
  "an address and a name": "[::1].evil.example",
  "a backslash": "localhost\\.evil.example",
  "percent signs": "%6cocalhost",
  "a list": "localhost, evil.example",
  "half an address": "[::1",
  "a port alone": ":80",
  "a query": "?",
  "a fragment": "#",
  "a URL": "http://[",
  "a space": "local host",
  "latin-1": "\u00e9",
  "bytes that are no text": Uint8Array.from([0xff, 0xfe, 0x80]),
  "4,000 characters": "x".repeat(4_000),
};

const oddHosts = overSockets(create).map((place) =>
  overCases(place, ODD_HOSTS, async (sending, host) => {
    const before = runsOf(sending);
    const { status } = await sending.send(hello(sending), { host });
    ok(status === 0 || (status >= 400 && status < 500), `status ${status}`);
    strictEqual(runsOf(sending), before, "it ran");
    await assertAlive(sending);
  })
);

const FOREIGN: Cases<Readonly<Record<string, string | undefined>>> = {
  "a form": { "content-type": "application/x-www-form-urlencoded" },
  "a form of parts": { "content-type": "multipart/form-data; boundary=x" },
  "plain text": { "content-type": "text/plain" },
  "plain text in UTF-8": { "content-type": "text/plain;charset=UTF-8" },
  "no type": { "content-type": undefined },
  "an empty type": { "content-type": "" },
  "a type that begins like ours": { "content-type": "application/jsonp" },
  "a form that names ours": { "content-type": "text/plain; application/json" },
  "two types": { "content-type": "text/plain, application/json" },
  "another origin": { origin: "https://evil.example" },
  "an opaque origin": { origin: "null" },
  "an origin that begins like ours": { origin: "http://localhost.evil.example" },
  "our name on another port": { origin: "http://127.0.0.1:1" },
  "no origin at all": { origin: "x" },
};

const csrf = overHttp(create).map((place) =>
  overCases(place, FOREIGN, async (sending, headers) => {
    const request = hello(sending);
    const all = Object.entries({ ...request.headers, ...headers });
    const given = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
    await assertRefused(sending, { ...request, headers: given });
  })
);

const ABSURD: Cases<(path: string) => string> = {
  "an asterisk": () => "*",
  "slashes": () => "///",
  "a percent sign": () => "/%",
  "a bad escape": () => "/%zz",
  "a NUL": () => "/%00",
  "latin-1": () => "/\u00e9",
  "up and down": (path) => `${path}/../..${path}`,
  "an escaped letter": (path) => path.replace("m", "%6d"),
  "an escaped slash": (path) => `${path}%2f`,
  "two slashes": (path) => `/${path}`,
  "backslashes": (path) => path.replaceAll("/", "\\"),
  "a bad query": (path) => `${path}/x?%%%`,
  "no URL": () => "http://",
  "half an address": () => `http://[::1/`,
  "another server": (path) => `http://evil.example:99999${path}`,
  "no path": () => "?",
  "a word": () => "mcp-lite",
  "upper case": (path) => path.toUpperCase(),
  "a parameter": (path) => `${path};x`,
  "a member of all objects": (path) => `${path}/__proto__`,
  constructor: () => "/constructor",
  "a fragment": (path) => `${path}#fragment`,
  "6,000 characters": () => `/${"a".repeat(6_000)}`,
  "3,000 folders": () => `/${"a/".repeat(3_000)}`,
};

/** What URLs can say. */
const ABSURD_URLS = Object.fromEntries(
  Object.entries(ABSURD).filter(([, of]) =>
    URL.canParse(`http://localhost${of("/mcp")}`) && of("/mcp").startsWith("/")
  ),
);

const absurdPath = async (sending: Sending, of: (path: string) => string): Promise<void> => {
  const request = hello(sending);
  for (const method of ["POST", "GET", "OPTIONS", "DELETE"]) {
    const { status } = await sending.send({ ...request, method, path: of(request.path) });
    ok(status < 500 || status === 501, `${method}: status ${status}`);
  }
  await assertAlive(sending);
};

const absurdPaths = [
  ...inProcess(create).map((place) => overCases(place, ABSURD_URLS, absurdPath)),
  ...overSockets(create).map((place) => overCases(place, ABSURD, absurdPath)),
  ...overHttp2(create).map((place) => overCases(place, ABSURD_URLS, absurdPath)),
];

const NO_HTTP = without("HTTP");

export const guarantees: readonly Guarantee[] = [
  {
    name: "dns-rebinding",
    statement: "Foreign host names are rejected before a handler runs, given `hosts`, as on loopback.",
    tests: dnsRebinding,
    none: NO_HTTP,
    also: ["tests/hostile/requests/http1_test.ts"],
  },
  {
    name: "odd-hosts",
    statement: "An invalid `Host` is rejected, never with a 5xx.",
    tests: oddHosts,
    none: { ...NO_HTTP, gRPC: "HTTP/2 has no `Host` line: `dns-rebinding` has its `:authority`" },
    also: ["tests/hostile/requests/http1_test.ts", "tests/hostile/fuzz/fuzz_full_test.ts"],
  },
  {
    name: "csrf",
    statement:
      "Requests that pages send without a preflight (forms, plain text, no type), and foreign origins, are rejected before a handler runs.",
    tests: csrf,
    none: NO_HTTP,
  },
  {
    name: "absurd-paths",
    statement: "Invalid paths, with any method, get a status below 500.",
    tests: absurdPaths,
    none: NO_HTTP,
    also: ["tests/hostile/requests/http1_test.ts", "tests/hostile/requests/http2_full_test.ts"],
  },
];
