/** A REST server over loopback, imported, and called over MCP-lite. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createClient, createServer, mcpLiteTransport } from "../../../mod.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";

const PET = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" } },
  required: ["id", "name"],
};
const answer = (status: string) => ({
  [status]: { description: "It", content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
});
const byId = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const document = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1.0.0" },
  components: { schemas: { Pet: PET } },
  paths: {
    "/pets": {
      post: {
        operationId: "addPet",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
            },
          },
        },
        responses: answer("201"),
      },
    },
    "/pets/{id}": {
      parameters: [byId],
      get: { operationId: "getPet", responses: answer("200") },
      delete: { operationId: "removePet", responses: { "204": { description: "Gone" } } },
    },
    "/moved": { get: { operationId: "moved" } },
  },
};

const pets = new Map<number, { id: number; name: string }>();
const asked: string[] = [];

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const rest = createHttpServer(async (request, response) => {
  const { method, url = "" } = request;
  asked.push(`${method} ${url}`);
  const json = (status: number, value: unknown) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const text = await readBody(request);
  if (request.headers.authorization !== "Bearer good") return json(401, { error: "who?" });
  if (url === "/api/moved") return response.writeHead(307, { location: "/api/pets/1" }).end();
  if (method === "POST") {
    const pet = { id: pets.size + 1, name: String(JSON.parse(text).name) };
    pets.set(pet.id, pet);
    return json(201, pet);
  }
  const id = Number(url.split("/").at(-1));
  const pet = pets.get(id);
  if (pet === undefined) return json(404, { error: `no pet ${id}` });
  if (method === "GET") return json(200, pet);
  pets.delete(id);
  return response.writeHead(204).end();
});

let baseUrl = "";

before(async () => {
  await new Promise<void>((resolve) => rest.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(rest.address() as AddressInfo).port}/api`;
});

after(() => {
  rest.closeAllConnections();
  return new Promise<void>((resolve) => void rest.close(() => resolve()));
});

function connect(token: string) {
  const tools = toolsFromOpenApi(document, { baseUrl, headers: { authorization: `Bearer ${token}` } });
  const server = createServer({ tools });
  return createClient(
    mcpLiteTransport("http://localhost/mcp-lite/v1", {
      fetch: (url, init) => Promise.resolve(server.fetch(new Request(url, init))),
    }),
  );
}

test("a REST server becomes a tool server", async () => {
  const client = connect("good");
  deepStrictEqual((await client.$.list()).map(({ name }) => name), ["addPet", "getPet", "removePet", "moved"]);
  deepStrictEqual(await client.$.call("addPet", { name: "Rex" }), { id: 1, name: "Rex" });
  deepStrictEqual(await client.$.call("getPet", { id: 1 }), { id: 1, name: "Rex" });
  await rejects(client.$.call("getPet", { id: 9 }), {
    name: "Failure",
    code: "not_found",
    data: { status: 404, body: '{"error":"no pet 9"}' },
  });
  strictEqual(await client.$.call("removePet", { id: 1 }), null);
  const before = asked.length;
  await rejects(client.$.call("getPet", { id: "1" }), { code: "invalid_input" });
  strictEqual(asked.length, before);
  await rejects(client.$.call("moved", {}), { name: "Failure", code: "redirected" });
  strictEqual(asked.at(-1), "GET /api/moved");
  await rejects(connect("bad").$.call("getPet", { id: 1 }), { name: "Failure", code: "upstream_unauthenticated" });
});
