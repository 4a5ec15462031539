/** Headers: credentials that are sent twice, and what every answer in JSON says to caches and browsers. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createServer, defineTool } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { DIALECTS, STATELESS, without } from "../../wires/descriptions/all.ts";
import type { Sending } from "../../wires/descriptions/description.ts";
import { RawObject } from "../../wires/descriptions/raw_messages.ts";
import { codeOf } from "../callers.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";
import { overHttp, overSockets } from "../senders.ts";

const NO_ARGS = new RawObject([]);
const ping = defineTool("ping").describe("Answer").handle((_, ctx) => ctx.principal?.id ?? "pong");

const guarded = () =>
  createServer({ tools: [ping], wires: STATELESS, auth: bearer((token) => ({ id: token })), logger: false });

const TWICE: Cases<string> = {
  "two tokens": "Bearer ada\r\nauthorization: Bearer bob",
  "one token, twice": "Bearer ada\r\nauthorization: Bearer ada",
  "names in different case": "Bearer ada\r\nAUTHORIZATION: Bearer bob",
  "another scheme second": "Bearer ada\r\nauthorization: Basic YTpi",
};

async function assertSeen({ dialect, send }: Sending, authorization: string, id: string | undefined): Promise<void> {
  const request = dialect.call("ping", NO_ARGS);
  const end = dialect.read(await send({ ...request, headers: { ...request.headers, authorization } }));
  if (id === undefined) strictEqual(codeOf(end), "unauthenticated", JSON.stringify(end));
  else deepStrictEqual(end, { kind: "answer", value: id });
}

const twice = overSockets(guarded).map((place) =>
  overCases(place, TWICE, async (sending, authorization) => {
    await assertSeen(sending, authorization, undefined);
    await assertSeen(sending, "Bearer ada", "ada");
  })
);

const open = () => createServer({ tools: [ping], wires: STATELESS, logger: false });

const REFUSED: Cases<string> = { "an origin that is not allowed": "https://evil.example" };
const JSON_DIALECTS = new Set(DIALECTS.filter(({ dialect }) => dialect.post !== undefined).map(({ name }) => name));

const json = overHttp(open).filter(({ where }) => JSON_DIALECTS.has(where.split(", ")[0] ?? "")).map((place) =>
  overCases(place, REFUSED, async ({ dialect, send }, origin) => {
    const request = dialect.call("ping", NO_ARGS);
    const { headers } = await send({ ...request, headers: { ...request.headers, origin } });
    match(headers.get("content-type") ?? "", /^application\/(problem\+)?json$/);
    deepStrictEqual([headers.get("cache-control"), headers.get("x-content-type-options")], ["no-store", "nosniff"]);
  })
);

const NOT_JSON = "its answers are not JSON";

export const guarantees: readonly Guarantee[] = [
  {
    name: "two-authorizations",
    statement: "A request with two `Authorization` headers is `unauthenticated`.",
    tests: twice,
    none: {
      ...without("HTTP"),
      gRPC:
        "its clients send one such header; [http2_headers_test](../tests/serve/http2_headers_test.ts) sends two as frames",
    },
  },
  {
    name: "json-headers",
    statement:
      "JSON that a cache may keep (to GET, or a status other than 200) has `cache-control: no-store` and `x-content-type-options: nosniff`.",
    tests: json,
    none: { ...without("HTTP"), "gRPC-Web": NOT_JSON, gRPC: NOT_JSON },
  },
];
