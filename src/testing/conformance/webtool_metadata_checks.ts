/** Webtools 2025-06-30: metadata by GET, content types of responses, and schemas. */
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import { judge, judgeAll, lacks, must, type ServerCheck, should } from "./check.ts";
import { isUtf8Json } from "./send.ts";
import type { WebtoolServer } from "./webtool_server.ts";

const LATEST = "GET {webtoolUrl}/";
const VERSION = "GET {webtoolUrl}/{version}";
const SCHEMAS = "JSON Schema Requirements";

/** Version that no webtool has, for the checks of errors. */
export const UNKNOWN_VERSION = "999.999.999";

const SEMVER = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** The version of the metadata. The check does not apply if there is no version. */
async function latestOf(server: WebtoolServer): Promise<string> {
  const { members: { version } } = await server.members();
  return isText(version) ? encodeURIComponent(String(version)) : lacks("The metadata has no version");
}

/** The properties of the schemas of requests, by action and name. Those of system tools are the server's. */
async function requestProperties(server: WebtoolServer) {
  const { actions, reply } = await server.actions();
  const own = actions.filter(({ "@type": type }) => type !== "system");
  const properties = own.flatMap(({ name, requestSchema }) => {
    const members = Object.entries(asObject(asObject(requestSchema)["properties"]));
    return members.map(([member, schema]) => ({ place: `${name}.${member}`, schema: asObject(schema) }));
  });
  return { properties: properties.length > 0 ? properties : lacks("No action declares members of its request"), reply };
}

function hasExample(schema: Members): boolean {
  return ["examples", "example", "default", "enum", "const"].some((keyword) => schema[keyword] !== undefined) ||
    ["boolean", "null"].includes(String(schema["type"]));
}

/** Checks of a webtool's metadata: its members, versions, content type and schemas. No action is executed. */
export const WEBTOOL_METADATA_CHECKS: readonly ServerCheck<WebtoolServer>[] = [
  must(LATEST, "metadata", "GET gives the metadata of the webtool", "status 200 and a JSON object", async (server) => {
    const reply = await server.metadata();
    return judge(reply.status === 200 && isJsonObject(reply.json), reply);
  }),

  must(
    LATEST,
    "members",
    "The metadata has a name, a description and a version",
    "name, description, version: texts that are not empty",
    async (server) => {
      const { members: { name, description, version }, reply } = await server.members();
      return judge([name, description, version].every(isText), reply);
    },
  ),

  must(
    LATEST,
    "actions",
    "The metadata lists actions, each with a name and a description",
    "actions: [{ name, description, … }]",
    async (server) => {
      const { members: { actions }, reply } = await server.members();
      const isAction = (action: unknown) => isText(asObject(action)["name"]) && isText(asObject(action)["description"]);
      return judge(Array.isArray(actions) && actions.every(isAction), reply);
    },
  ),

  must(
    LATEST,
    "schemas",
    "Each action has a schema of its request and of its response",
    "requestSchema, responseSchema: JSON Schemas",
    async (server) => {
      const { actions, reply } = await server.actions();
      const hasBoth = (action: Members) =>
        isJsonObject(action["requestSchema"]) && isJsonObject(action["responseSchema"]);
      return judgeAll(actions, reply, hasBoth, ({ name }) => `The action ${JSON.stringify(name)} has not both schemas`);
    },
  ),

  must(
    LATEST,
    "config",
    "The metadata has a schema of the configuration, and its default",
    "configSchema: a JSON Schema, defaultConfig: an object",
    async (server) => {
      const { members: { configSchema, defaultConfig }, reply } = await server.members();
      return judge(isJsonObject(configSchema) && isJsonObject(defaultConfig), reply);
    },
  ),

  must(VERSION, "semantic-version", "The version is a semantic version", "1.0.0", async (server) => {
    const { members: { version }, reply } = await server.members();
    return judge(SEMVER.test(String(version)), reply);
  }),

  must(
    VERSION,
    "version",
    "GET of a version gives the metadata of that version",
    "status 200 and the version of the path",
    async (server) => {
      const version = await latestOf(server);
      const reply = await server.get(version);
      return judge(reply.status === 200 && asObject(reply.json)["version"] === decodeURIComponent(version), reply);
    },
  ),

  should(
    VERSION,
    "latest",
    "Without a version the metadata is that of the latest one",
    "the metadata of its version, unchanged",
    async (server) => {
      const latest = await server.metadata();
      const reply = await server.get(await latestOf(server));
      return judge(JSON.stringify(reply.json) === JSON.stringify(latest.json), reply, "The two differ");
    },
  ),

  should(
    VERSION,
    "unknown-version",
    "An unknown version is not found",
    "status 404 and the envelope of an error",
    async (server) => {
      const reply = await server.get(UNKNOWN_VERSION);
      const { status, error } = asObject(reply.json);
      return judge(reply.status === 404 && status === "error" && isText(asObject(error)["code"]), reply);
    },
  ),

  must("Content Types", "metadata-type", "Metadata is JSON", "content-type: application/json", async (server) => {
    const reply = await server.metadata();
    return judge(isUtf8Json(reply), reply);
  }),

  should(
    SCHEMAS,
    "descriptions",
    "Schemas describe the members of requests",
    "a description of each",
    async (server) => {
      const { properties, reply } = await requestProperties(server);
      const complies = ({ schema }: typeof properties[number]) => isText(schema["description"]);
      return judgeAll(properties, reply, complies, ({ place }) => `${place} has no description`);
    },
  ),

  should(
    SCHEMAS,
    "examples",
    "Schemas have values as examples",
    "examples, a default or a list of values of each",
    async (server) => {
      const { properties, reply } = await requestProperties(server);
      return judgeAll(properties, reply, ({ schema }) => hasExample(schema), ({ place }) => `${place} has no example`);
    },
  ),
];
