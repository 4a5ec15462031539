/** A REST API of another company of 60 operations, and its OpenAPI document. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

const THINGS = [
  "users",
  "teams",
  "projects",
  "tickets",
  "invoices",
  "orders",
  "products",
  "contracts",
  "meetings",
  "rooms",
];
const idParameter = { name: "id", in: "path", required: true, schema: { type: "string" } };
const thing = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } }, required: ["name"] };
const body = { required: true, content: { "application/json": { schema: thing } } };
const responses = { "200": { description: "Done", content: { "application/json": { schema: {} } } } };

export const document = {
  openapi: "3.1.0",
  info: { title: "Company", version: "1.0.0" },
  paths: Object.fromEntries(THINGS.flatMap((name) => [
    [`/${name}`, {
      get: { operationId: `list_${name}`, summary: `List ${name}`, responses },
      post: { operationId: `create_${name}`, summary: `Create one of the ${name}`, requestBody: body, responses },
    }],
    [`/${name}/{id}`, {
      parameters: [idParameter],
      get: { operationId: `get_${name}`, summary: `Get one of the ${name}`, responses },
      put: { operationId: `replace_${name}`, summary: `Replace one of the ${name}`, requestBody: body, responses },
      patch: { operationId: `change_${name}`, summary: `Change one of the ${name}`, requestBody: body, responses },
      delete: { operationId: `delete_${name}`, summary: `Delete one of the ${name}`, responses },
    }],
  ])),
};

/** Requests that arrived, as `METHOD path user`. */
export const arrived: string[] = [];

export async function startCompany() {
  const http = createServer((request, response) => {
    arrived.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify([{ id: "1", name: "first" }]));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close: () => http.close() };
}
