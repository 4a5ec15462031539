/** Documents of strangers: OpenAPI, and the JSON Schemas in it. They are refused in a sentence, or give tools that can be called. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createServer, Failure, ToolError } from "../../../../mod.ts";
import { openaiTools } from "../../../../src/entries/agents.ts";
import { toolsFromOpenApi } from "../../../../src/entries/openapi.ts";
import { testClient } from "../../../../src/entries/testing.ts";
import type { RandomChoices } from "../random.ts";
import { isObject, mutateMany, oddValue, write } from "../json.ts";
import type { Target } from "../target.ts";

const SCHEMA = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 20, pattern: "^[a-z]+$", description: "A name" },
    kind: { enum: ["cat", "dog", null], default: "cat" },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 9 },
    age: { type: ["integer", "null"], minimum: 0, exclusiveMaximum: 30, multipleOf: 1 },
    home: { anyOf: [{ type: "string", format: "uri" }, { $ref: "#/components/schemas/Place" }] },
    born: { type: "string", format: "date-time" },
    parent: { oneOf: [{ $ref: "#/components/schemas/Pet" }, { not: { type: "object" } }] },
    extra: { allOf: [{ if: { const: 1 }, then: { maximum: 2 }, else: { type: "string" } }] },
  },
};

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1.0.0" },
  servers: [{ url: "https://{host}/v1", variables: { host: { default: "api.example" } } }],
  paths: {
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        operationId: "getPet",
        summary: "One pet",
        parameters: [
          {
            name: "fields",
            in: "query",
            style: "form",
            explode: true,
            schema: { type: "array", items: { type: "string" } },
          },
          { name: "x-trace", in: "header", schema: { type: "string" } },
        ],
        responses: {
          200: { description: "It", content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
        },
      },
    },
    "/pets": {
      post: {
        operationId: "addPet",
        tags: ["pets"],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
        responses: { "2XX": { $ref: "#/components/responses/Done" } },
      },
    },
  },
  components: {
    schemas: {
      Pet: SCHEMA,
      Place: {
        type: "object",
        properties: { at: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }] } },
      },
    },
    responses: { Done: { description: "Done", content: { "application/json": { schema: { type: "object" } } } } },
  },
};

const ARGUMENTS = [
  { id: 7, fields: ["a", "b"], "x-trace": "t" },
  {
    body: {
      name: "rex",
      kind: "dog",
      tags: ["a"],
      age: 3,
      home: "https://example.com",
      parent: { name: "old" },
      extra: "x",
    },
  },
] as const;

/** A copy with some damage; as text, and `undefined` where that is not JSON. */
function damaged(random: RandomChoices): { readonly text: string; readonly document: unknown } {
  for (;;) {
    const text = write(random.oneIn(30) ? oddValue(random) : mutateMany(random, DOCUMENT, SCHEMA));
    try {
      return { text, document: JSON.parse(text) as unknown };
    } catch {
      // Text that is not JSON is not a document either.
    }
  }
}

async function callAll(document: unknown, args: readonly unknown[]): Promise<string> {
  const tools = toolsFromOpenApi(document, {
    baseUrl: "https://api.example",
    fetch: () => Promise.resolve(Response.json({ name: "rex" })),
  });
  const server = createServer({ logger: false, tools });
  const client = testClient(server);
  try {
    const functions = await openaiTools(client);
    ok(isObject(functions) || Array.isArray(functions));
    for (const { name } of tools) for (const one of args) await client.$.call(name, one as object).catch(assertOurs);
  } finally {
    client.$.close();
    await server.close(0);
  }
  return `${tools.length} tools`;
}

function assertOurs(thrown: unknown): void {
  if (thrown instanceof Failure) return;
  ok(thrown instanceof ToolError, thrown instanceof Error ? `${thrown.stack}` : String(thrown));
}

/** See above. */
export const documentsTarget: Target = {
  name: "documents",
  open: () =>
    Promise.resolve({
      make(random) {
        const { text, document } = damaged(random);
        const args = [...ARGUMENTS, ...ARGUMENTS.map((one) => JSON.parse(tamed(random, one)) as unknown)];
        return {
          describe: () => text.slice(0, 3_000),
          async send() {
            try {
              const kind = await callAll(document, args);
              return () => kind;
            } catch (thrown) {
              return () => {
                ok(thrown instanceof TypeError, thrown instanceof Error ? `${thrown.stack}` : String(thrown));
                ok(
                  thrown.message.length > 10 && !/undefined is not|is not a function|Cannot read/.test(thrown.message),
                  `${thrown.stack}`,
                );
                return "refused";
              };
            }
          },
        };
      },
      async isAlive() {
        strictEqual(await callAll(DOCUMENT, ARGUMENTS), "2 tools");
        deepStrictEqual(toolsFromOpenApi(DOCUMENT, {}).map(({ name }) => name), ["getPet", "addPet"]);
      },
      close: () => Promise.resolve(),
    }),
};

/** Damaged arguments, as long as they are JSON. */
function tamed(random: RandomChoices, one: unknown): string {
  const text = write(mutateMany(random, one, SCHEMA));
  try {
    return isObject(JSON.parse(text)) ? text : "{}";
  } catch {
    return "{}";
  }
}
