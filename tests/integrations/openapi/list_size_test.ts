/** Options for the size of the list of imported tools. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { type OpenApiImportOptions, toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";

const place = {
  type: "object",
  description: "Where a thing is. It has a street and a city",
  properties: { street: { type: "string" }, city: { type: "string" } },
  required: ["street"],
};
const document = {
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  paths: {
    "/moves": {
      post: {
        operationId: "move",
        summary: "Move a thing",
        description: "Moves it from one place to another.",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { type: "object", properties: { from: place, to: place } } } },
        },
        responses: { "200": { description: "It", content: { "application/json": { schema: place } } } },
      },
    },
  },
};

function serve(options: OpenApiImportOptions, answer: unknown = { street: "Main St" }) {
  const fetch = () => Promise.resolve(Response.json(answer));
  const tools = toolsFromOpenApi(document, { baseUrl: "https://api.example", fetch, ...options });
  return createServer({ tools, logger: false });
}

test("an imported tool shares parts of its schemas, and shortens descriptions", async () => {
  const server = serve({ shareSchemas: true, maxDescriptionChars: 20 });
  const { description: _, ...cut } = place;
  deepStrictEqual(server.tools[0], {
    name: "move",
    description: "Move a thing …",
    inputSchema: {
      type: "object",
      properties: { from: { $ref: "#/$defs/from" }, to: { $ref: "#/$defs/from" } },
      additionalProperties: false,
      $defs: { from: { ...cut, description: "Where a thing is. …" } },
    },
    outputSchema: { ...cut, description: "Where a thing is. …" },
    annotations: { readOnlyHint: false },
  });
  const client = testClient(server);
  deepStrictEqual(await client.$.call("move", { to: { street: "Main St" } }), { street: "Main St" });
  await rejects(() => client.$.call("move", { to: {} }), { code: "invalid_input", message: /"to.street": .*required/ });
});

test("schemas of answers that are not listed still validate answers", async () => {
  strictEqual(serve({ outputSchemas: false }).tools[0]?.outputSchema, undefined);
  deepStrictEqual(await testClient(serve({ outputSchemas: false })).$.call("move"), { street: "Main St" });
  for (const outputSchemas of [true, false]) {
    await rejects(() => testClient(serve({ outputSchemas }, { street: 7 })).$.call("move"), { code: "internal" });
  }
  throws(() => serve({ outputSchema: false } as object), /did you mean "outputSchemas"/);
  throws(() => serve({ maxArgumentChars: -1 }), { name: "RangeError" });
});
