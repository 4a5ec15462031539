/** REST as HTTP: bodies, statuses, methods, media types, problem documents, metadata and keys. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { rest } from "../../../src/entries/rest.ts";
import { ask, createLibrary } from "./library.ts";

const ENVELOPE = "application/vnd.toolwire+json";

test("POST takes the arguments as the body and returns the output as the body", async () => {
  const { server } = createLibrary();
  const { status, headers, text } = await ask(server, "POST", "/rest/tools/add", { a: 1, b: 2 });
  deepStrictEqual([status, text, headers.get("content-type")], [200, '{"sum":3}', "application/json"]);
  deepStrictEqual([headers.get("cache-control"), headers.get("x-content-type-options")], ["no-store", "nosniff"]);
  strictEqual((await ask(server, "POST", "/rest/tools/add/", { a: 1 })).text, '{"sum":11}');
});

test("a tool that returns nothing answers 204, and a body may be missing", async () => {
  const { server } = createLibrary();
  const empty = await ask(server, "POST", "/rest/tools/nothing");
  deepStrictEqual([empty.status, empty.text, empty.headers.get("content-type")], [204, "", null]);
  strictEqual(
    (await ask(server, "POST", "/rest/tools/anything", "", { "content-type": "application/json" })).text,
    "{}",
  );
});

test("a failure is a problem document of status 422 with its code and data", async () => {
  const { server } = createLibrary();
  const { status, headers, json } = await ask(server, "POST", "/rest/tools/reserve", { id: "lent" });
  strictEqual(headers.get("content-type"), "application/problem+json");
  deepStrictEqual([status, json], [422, {
    type: "urn:toolwire:failure:on_loan",
    title: "On loan",
    status: 422,
    detail: "The book is on loan",
    instance: "/rest/tools/reserve",
    code: "on_loan",
    data: { until: "2027-01-01" },
  }]);
  const gone = await ask(server, "POST", "/rest/tools/reserve", { id: "gone" });
  deepStrictEqual([gone.json.code, "data" in gone.json], ["withdrawn", false]);
});

test("an error is a problem document with its status; what a handler threw is not in it", async () => {
  const { server } = createLibrary();
  const invalid = await ask(server, "POST", "/rest/tools/add", { a: "x" });
  deepStrictEqual([invalid.status, invalid.json.type, invalid.json.code], [
    400,
    "urn:toolwire:error:invalid_input",
    "invalid_input",
  ]);
  deepStrictEqual(invalid.json.data.issues[0].path, ["a"]);
  const missing = await ask(server, "POST", "/rest/tools/ad", {});
  deepStrictEqual([missing.status, missing.json.detail], [404, "Tool not found: ad. Did you mean 'add'?"]);
  const crashed = await ask(server, "POST", "/rest/tools/crash", {});
  deepStrictEqual([crashed.status, crashed.json.instance], [500, `urn:uuid:${crashed.json.data.correlation_id}`]);
  ok(!crashed.text.includes("secret"));
});

for (
  const [path, method, allow] of [
    ["/rest/tools", "PUT", "GET, HEAD"],
    ["/rest/tools", "POST", "GET, HEAD"],
    ["/rest/tools/add", "PUT", "GET, HEAD, POST"],
    ["/rest/tools/reserve", "GET", "POST"],
    ["/rest/tools/reserve", "DELETE", "POST"],
    ["/rest/tools/unknown", "PATCH", "POST"],
    ["/rest/tools/scan/promises/x", "POST", "GET, HEAD, DELETE"],
    ["/rest/openapi.json", "DELETE", "GET, HEAD"],
  ] as const
) {
  test(`${method} ${path} is 405 and Allow names ${allow}`, async () => {
    const { server } = createLibrary();
    const { status, headers, json } = await ask(server, method, path);
    deepStrictEqual([status, headers.get("allow"), json.code, json.status], [405, allow, "invalid_request", 405]);
  });
}

test("a body has to be JSON without an encoding, in UTF-8, within its limits", async () => {
  const { server } = createLibrary({ limits: { bodyBytes: 100, depth: 5 } });
  const statusOf = async (body: string, headers: Readonly<Record<string, string>>) =>
    (await ask(server, "POST", "/rest/tools/anything", body, headers)).status;
  for (const type of ["text/plain", "application/json; charset=latin1", "application/jsonx", ""]) {
    strictEqual(await statusOf("{}", { "content-type": type }), 415, type);
  }
  strictEqual(await statusOf("{}", { "content-type": `${ENVELOPE}x` }), 415);
  strictEqual(await statusOf("{}", { "content-type": `${ENVELOPE}; charset=latin1` }), 415);
  strictEqual(await statusOf("{}", { "content-encoding": "gzip" }), 415);
  strictEqual(await statusOf("{", {}), 400);
  strictEqual(await statusOf("[[[[[[]]]]]]", {}), 400);
  strictEqual(await statusOf(`"${"x".repeat(100)}"`, {}), 413);
  // A body without a type is refused, so that a page cannot send one without a preflight.
  const untyped = new Request("http://localhost/rest/tools/anything", {
    method: "POST",
    body: new Uint8Array([123, 125]),
  });
  strictEqual((await server.fetch(untyped)).status, 415);
});

test("Accept is read leniently: what is not named here gets JSON", async () => {
  const { server } = createLibrary();
  for (const accept of ["text/html", "*/*", "application/xml", "text/event-stream;q=0"]) {
    strictEqual((await ask(server, "POST", "/rest/tools/add", { a: 1 }, { accept })).text, '{"sum":11}', accept);
  }
});

test("the envelope carries metadata both ways", async () => {
  const { server } = createLibrary();
  const headers = { "content-type": ENVELOPE, accept: `${ENVELOPE}, application/json` };
  const { json, headers: received } = await ask(
    server,
    "POST",
    "/rest/tools/add",
    { arguments: { a: 1 }, _meta: {} },
    headers,
  );
  deepStrictEqual([json, received.get("content-type")], [{ content: { sum: 11 } }, ENVELOPE]);
  const wrong = [{ _meta: 1 }, { _meta: { deadline_ms: -1 } }, []];
  for (const body of wrong) {
    strictEqual((await ask(server, "POST", "/rest/tools/add", body, headers)).status, 400, JSON.stringify(body));
  }
});

test("a question is a problem of status 422, and is answered in the envelope", async () => {
  const { server } = createLibrary();
  const { status, json } = await ask(server, "POST", "/rest/tools/remove_book", { id: "1" });
  deepStrictEqual([status, json.type, json.code], [422, "urn:toolwire:question:elicitation", "elicitation"]);
  strictEqual(json.requests.confirm.message, "Remove 1?");
  const responses = { confirm: { action: "accept", content: { sure: true } } };
  strictEqual(
    json.detail,
    `Repeat the call with Content-Type: ${ENVELOPE} and the body {"arguments": <as before>, "_meta": {"continuation": <that of the question>, ` +
      '"responses": {"confirm": {"action": "accept", "content": {"sure":true}}}}}; an action is "accept", "decline" or "cancel"',
  );
  const body = { arguments: { id: "1" }, _meta: { continuation: json.continuation, responses } };
  const answered = await ask(server, "POST", "/rest/tools/remove_book", body, { "content-type": ENVELOPE });
  deepStrictEqual([answered.status, answered.text], [200, '"accept"']);
});

test("an answer to a question in the wrong place is refused, with the body to send", async () => {
  const { server } = createLibrary();
  const { json } = await ask(server, "POST", "/rest/tools/remove_book", { id: "1" });
  const { continuation } = json;
  const responses = { confirm: { action: "accept", content: { sure: true } } };
  const send = (body: object, type: string) =>
    ask(server, "POST", "/rest/tools/remove_book", body, { "content-type": type });
  const beside = [{ id: "1", continuation, responses }, { id: "1", continuation }, {
    id: "1",
    continuation: "prom_1",
    responses,
  }];
  for (const body of beside) {
    const refused = await send(body, "application/json");
    deepStrictEqual([refused.status, refused.json.code], [400, "invalid_request"]);
    match(
      refused.json.detail,
      /^"continuation" is not an argument of the tool\. To answer a question send Content-Type: /,
    );
    ok(refused.json.detail.includes(`${ENVELOPE} and the body {"arguments": `));
  }
  const plain = await send({ arguments: { id: "1" }, _meta: { continuation, responses } }, "application/json");
  deepStrictEqual([plain.status, plain.json.code], [400, "invalid_request"]);
  match(plain.json.detail, /^"_meta" is not an argument of the tool\. To answer a question send /);

  const wrong = { arguments: { id: "1" }, continuation, responses };
  const refused = await send(wrong, ENVELOPE);
  strictEqual(refused.json.detail, 'The body has arguments and _meta, not "continuation": put it into _meta');
  const flat = await send({ id: "1", _meta: { continuation, responses } }, ENVELOPE);
  strictEqual(flat.json.detail, 'The body has arguments and _meta, not "id": put it into arguments');
  deepStrictEqual([refused.status, flat.status], [400, 400]);
});

test("a tool may have an argument that is named continuation", async () => {
  const tool = defineTool("pass").describe("Pass it").input(v.object({ continuation: v.string() }))
    .handle(({ continuation }) => continuation);
  const server = createServer({ tools: [tool], wires: [rest()], logger: false });
  strictEqual((await ask(server, "POST", "/rest/tools/pass", { continuation: "cont_1" })).json, "cont_1");
});

test("Idempotency-Key runs a call once, as text and as a string of RFC 9651", async () => {
  const { server } = createLibrary();
  const stamp = async (key: string, text = "x") =>
    await ask(server, "POST", "/rest/tools/stamp", { text }, { "idempotency-key": key });
  deepStrictEqual([(await stamp("a")).json, (await stamp('"a"')).json, (await stamp('"b\\"c"')).json], [1, 1, 2]);
  strictEqual((await stamp('b"c')).json, 2);
  const conflict = await stamp("a", "y");
  deepStrictEqual([conflict.status, conflict.json.code], [409, "conflict"]);
  strictEqual((await stamp("x".repeat(257))).status, 400);
  const both = { arguments: { text: "x" }, _meta: { idempotency_key: "other" } };
  const twice = await ask(server, "POST", "/rest/tools/stamp", both, {
    "content-type": ENVELOPE,
    "idempotency-key": "a",
  });
  match(twice.json.detail, /different values/);
});

test("the deadline header limits a call", async () => {
  const hang = defineTool("hang").describe("Never answer").handle(() => new Promise<void>(() => {}));
  const server = createServer({ tools: [hang], wires: [rest()] });
  const late = await ask(server, "POST", "/rest/tools/hang", {}, { "toolwire-deadline-ms": "20" });
  deepStrictEqual([late.status, late.json.code], [504, "deadline_exceeded"]);
  for (const value of ["0", "-1", "x", "1e3", "1.5"]) {
    const { status, json } = await ask(server, "POST", "/rest/tools/hang", {}, { "toolwire-deadline-ms": value });
    deepStrictEqual([status, json.data.issues[0].path], [400, ["toolwire-deadline-ms"]], value);
  }
  await server.close(0);
});

test("a stream has pieces and progress, and ends with the answer or a problem", async () => {
  const { server } = createLibrary();
  const accept = { accept: "text/event-stream" };
  const { text, headers } = await ask(server, "POST", "/rest/tools/read_aloud", { words: ["a", "b"] }, accept);
  strictEqual(headers.get("content-type"), "text/event-stream");
  const events = text.trim().split("\n\n").map((block) => block.replace(/^event: (\w+)\ndata: /, "$1 "));
  deepStrictEqual(events, [
    'message {"progress":{"done":1,"total":2}}',
    'message {"partial":"a"}',
    'message {"partial":"b"}',
    "done {}",
  ]);
  const refused = await ask(server, "POST", "/rest/tools/reserve", { id: "lent" }, accept);
  deepStrictEqual([refused.status, refused.json.code], [422, "on_loan"]);
});

test("HEAD has the status and headers of GET, and no body", async () => {
  const { server } = createLibrary();
  for (const path of ["/rest/tools", "/rest/tools/add?a=1", "/rest/openapi.json", "/rest/tools/nope"]) {
    const get = await ask(server, "GET", path);
    const head = await ask(server, "HEAD", path, undefined, { accept: "text/event-stream" });
    deepStrictEqual([head.status, head.text, head.headers.get("content-type")], [
      get.status,
      "",
      get.headers.get("content-type"),
    ]);
  }
});

test("the list has the tools; a path names a tool percent-encoded, with or without encoded slashes", async () => {
  const nested = defineTool("a.b-c").describe("A").handle(() => "here");
  const server = createServer({ tools: [nested], wires: [rest({ path: "/" }), mcpLite()] });
  const { json } = await ask(server, "GET", "/tools");
  deepStrictEqual(json.tools.map(({ name }: { name: string }) => name), ["a.b-c"]);
  strictEqual((await ask(server, "POST", "/tools/a%2Eb%2dc", {})).json, "here");
  for (const path of ["/tools/%", "/tools/%ff", "/tools/a%00", "/tools/promises/x", "/tools/a/promises/"]) {
    strictEqual((await ask(server, "POST", path, {})).status, 404, path);
  }
});

test("a page of another origin may read what a client needs", async () => {
  const { server } = createLibrary({ origins: ["https://app.example"], cors: true });
  const origin = { origin: "https://app.example" };
  const preflight = await ask(server, "OPTIONS", "/rest/tools/add", undefined, origin);
  strictEqual(preflight.headers.get("access-control-allow-methods"), "GET, HEAD, POST, DELETE");
  const { headers } = await ask(server, "GET", "/rest/tools", undefined, origin);
  match(headers.get("access-control-expose-headers") ?? "", /retry-after.*location.*preference-applied/);
  const foreign = await ask(server, "GET", "/rest/tools/add?a=1", undefined, { origin: "https://evil.example" });
  deepStrictEqual([foreign.status, foreign.json.code, foreign.json.status], [403, "permission_denied", 403]);
});

test("errors of authentication are problem documents with a challenge", async () => {
  const read = defineTool("read").describe("Read").scopes("docs:read").annotate({ readOnlyHint: true }).handle(() => 1);
  const auth = bearer((token) => (token === "ada" ? { id: "ada" } : undefined));
  const server = createServer({ tools: [read], wires: [rest()], auth });
  const unknown = await ask(server, "GET", "/rest/tools/read");
  deepStrictEqual([unknown.status, unknown.json.code, unknown.headers.get("content-type")], [
    401,
    "unauthenticated",
    "application/problem+json",
  ]);
  ok(unknown.headers.get("www-authenticate")?.startsWith("Bearer"));
  const denied = await ask(server, "GET", "/rest/tools/read", undefined, { authorization: "Bearer ada" });
  deepStrictEqual([denied.status, denied.json.code], [403, "permission_denied"]);
  match(denied.headers.get("www-authenticate") ?? "", /insufficient_scope.*docs:read/);
});

test("a hidden tool is unknown to GET and to other methods", async () => {
  const hidden = defineTool("hidden").describe("H").visibleTo(() => false).annotate({ readOnlyHint: true }).handle(() =>
    1
  );
  const server = createServer({ tools: [hidden], wires: [rest()] });
  strictEqual((await ask(server, "GET", "/rest/tools/hidden")).status, 404);
  strictEqual((await ask(server, "PUT", "/rest/tools/hidden")).headers.get("allow"), "POST");
  ok(!(await ask(server, "GET", "/rest/openapi.json")).text.includes("hidden"));
});

test("two wires of one path are refused when the server is created", () => {
  throws(
    () => createServer({ tools: [], wires: [rest({ path: "/" }), mcpLite({ path: "/" })] }),
    /two wires answer \/tools/,
  );
});
