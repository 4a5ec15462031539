/** Webtools that are wrong in one point each: by the check that has to find them. */
import { asObject, type Members } from "../../../src/internal/json.ts";
import { type Changed, type Mutant, onReply, onRequest, type Seen } from "./mutate.ts";

/** Changes the JSON of responses to GET, or to POST. */
const onJson = (method: string, change: (json: Members, seen: Seen, reply: Changed) => unknown): Mutant =>
  onReply((seen, reply) => {
    if (seen.method !== method) return undefined;
    return { text: JSON.stringify(change(asObject(JSON.parse(reply.text)), seen, reply)) };
  });

const without = (name: string) => ({ [name]: _, ...rest }: Members): Members => rest;

/** Changes each action of the metadata. */
const onActions = (change: (action: Members) => Members): Mutant =>
  onJson("GET", (json) => ({ ...json, actions: (json["actions"] as Members[]).map(change) }));

/** Changes each member of the schemas of requests. */
const onProperties = (change: (schema: Members) => Members): Mutant =>
  onActions((action) => {
    const schema = asObject(action["requestSchema"]);
    const properties = Object.entries(asObject(schema["properties"])).map((
      [name, one],
    ) => [name, change(asObject(one))]);
    return { ...action, requestSchema: { ...schema, properties: Object.fromEntries(properties) } };
  });

/** Gives errors of one code another code. */
const recode = (from: string, to: string): Mutant =>
  onJson("POST", (json) => {
    const error = asObject(json["error"]);
    return error["code"] === from ? { ...json, error: { ...error, code: to } } : json;
  });

/** Refuses the requests that fit. */
const refuse = (fits: (body: Members) => boolean): Mutant =>
  onReply(({ method, json }) => {
    if (method !== "POST" || !fits(asObject(json))) return undefined;
    return {
      status: 400,
      text: JSON.stringify({ status: "error", error: { code: "SCHEMA_ERROR", message: "Not valid" } }),
    };
  });

const plain: Mutant = onReply((_, { headers }) => (headers.set("content-type", "text/plain"), { headers }));

/** Mutants by the id of the check that finds them. */
export const WEBTOOL_MUTANTS: Readonly<Record<string, Mutant>> = {
  "webtools-metadata": onReply(({ method }) => (method === "GET" ? { text: "<p>documents</p>" } : undefined)),
  "webtools-members": onJson("GET", without("description")),
  "webtools-actions": onActions(without("description")),
  "webtools-schemas": onActions(without("responseSchema")),
  "webtools-config": onJson("GET", without("configSchema")),
  "webtools-semantic-version": onJson("GET", (json) => ({ ...json, version: "2" })),
  "webtools-version": onJson(
    "GET",
    (json, { path }) => (path.endsWith("2.0.0") ? { ...json, version: "1.0.0" } : json),
  ),
  "webtools-latest": onJson(
    "GET",
    (json, { path }) => (path.endsWith("2.0.0") ? { ...json, description: "Old" } : json),
  ),
  "webtools-unknown-version": onReply((_, { status }) => (status === 404 ? { text: "Not found" } : undefined)),
  "webtools-metadata-type": plain,
  "webtools-descriptions": onProperties(without("description")),
  "webtools-examples": onProperties(without("examples")),
  "webtools-execution": onJson("POST", ({ data, ...json }) => ({ ...json, result: data })),
  "webtools-version-omitted": refuse(({ version, request }) => version === undefined && request !== undefined),
  "webtools-session-id": refuse(({ sessionId }) => sessionId !== undefined),
  "webtools-config-sent": refuse(({ config }) => config !== undefined),
  "webtools-response-schema": onJson("POST", (json) => ({ ...json, data: 42 })),
  "webtools-error-envelope": onJson("POST", ({ error, ...json }) => ({ ...json, error: asObject(error)["message"] })),
  "webtools-response-type": plain,
  "webtools-request-type": onRequest(({ method }, init) => {
    return method === "POST" ? { ...init, headers: { "content-type": "application/json" } } : undefined;
  }),
  "webtools-schema-error": recode("SCHEMA_ERROR", "INVALID_INPUT"),
  "webtools-config-error": recode("CONFIG_ERROR", "SCHEMA_ERROR"),
  "webtools-unknown-version-executed": recode("WEBTOOL_NOT_FOUND", "SCHEMA_ERROR"),
  "webtools-message": onJson("POST", (json) => ({ ...json, error: { ...asObject(json["error"]), message: "E_42" } })),
  "webtools-internal-error": onJson("POST", (json) => {
    return { ...json, error: { ...asObject(json["error"]), message: "at handler (/home/ada/server.ts:12:7)" } };
  }),
  "webtools-status": onReply((_, { status }) => (status === 404 ? { status: 200 } : undefined)),
};
