/** Members of a caller that no server reads: `scope` in place of `scopes`, or a tenant. They were ignored in silence. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { authenticate } from "../../../src/entries/auth.ts";
import { every } from "../../../src/entries/schedules.ts";

const who = defineTool("who").describe("Who calls").handle((_, ctx) => ctx.principal?.id ?? "unknown");

/** A principal as untyped code gives it, such as a row of users. */
const loose = (members: object) => members as { readonly id: string };

function logged() {
  const lines: string[] = [];
  const warn = (message: string) => void lines.push(message);
  return { lines, logger: { debug: () => {}, info: () => {}, warn, error: warn } };
}

type Logger = ReturnType<typeof logged>["logger"];

const request = () =>
  new Request("http://localhost/mcp-lite/v1/calltools", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "who" } }),
  });

for (
  const [by, serve] of [
    ["auth", (caller, logger) => {
      const server = createServer({ tools: [who], logger, auth: authenticate(() => caller) });
      return () => server.fetch(request());
    }],
    ["a promise of auth, with scopes", (caller, logger) => {
      const auth = authenticate(() => Promise.resolve(caller), { requiredScopes: ["read"] });
      const server = createServer({ tools: [who], logger, auth });
      return () => server.fetch(request());
    }],
    ["the program around the server", (caller, logger) => {
      const server = createServer({ tools: [who], logger });
      return () => server.fetch(request(), { principal: caller });
    }],
  ] as readonly (readonly [string, (caller: { readonly id: string }, logger: Logger) => () => Promise<Response>])[]
) {
  test(`members of a caller from ${by} that are not read are logged, each once`, async () => {
    const { lines, logger } = logged();
    const caller = loose({ id: "ada", scopes: ["read"], scope: "admin", tenantId: "acme", email: "ada@acme.test" });
    const fetch = serve(caller, logger);
    for (let n = 0; n < 3; n++) {
      const { result } = await (await fetch()).json();
      strictEqual(result.content, "ada");
    }
    deepStrictEqual(lines.filter((line) => line.startsWith("Part of a caller")), [
      'Part of a caller is ignored: a principal has no member "scope"; did you mean "scopes"?',
      'Part of a caller is ignored: a principal has no member "tenantId"; did you mean "tenant"?',
      'Part of a caller is ignored: a principal has no member "email"; write claims: { email }, which handlers get',
    ]);
  });
}

test("a principal with a number as id, or scopes in one text, is refused with what to write", () => {
  const server = createServer({ tools: [who], logger: false });
  const give = (principal: object) => () => memoryTransport(server, { principal: loose(principal) });
  throws(give({ id: 7 }), { name: "TypeError", message: /; the id is a number: write id: String\(user\.id\)$/ });
  throws(give({ id: "ada", scopes: "a b" }), { message: /; the scopes are one text: write scopes\.split\(" "\)$/ });
});

test("a principal that is written into the program is refused if it has a member that is not read", () => {
  const server = createServer({ tools: [who], logger: false });
  throws(() => memoryTransport(server, { principal: loose({ id: "ada", scope: "read" }) }), {
    name: "TypeError",
    message: 'Cannot identify the caller: a principal has no member "scope"; did you mean "scopes"?',
  });
  const job = defineTool("job").describe("J").promise().handle(() => null);
  throws(() => every(1_000, job, {}, { principal: loose({ id: "a", organization: "b" }) }), {
    name: "TypeError",
    message:
      /no member "organization"; write claims: \{ organization \}, which handlers get, or tenant: organization, to/,
  });
});

test("a tenant that is empty, null or a number is refused with what to write", () => {
  const server = createServer({ tools: [who], logger: false });
  for (const tenant of ["", null, 7]) {
    throws(() => memoryTransport(server, { principal: loose({ id: "ada", tenant }) }), {
      name: "TypeError",
      message: /; the tenant is not a text with characters: leave it out for a caller without one$/,
    });
  }
});
