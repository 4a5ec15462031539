/** Webtools 2025-06-30: execution by POST, envelopes and errors. */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { hasInternals, judge, lacks, must, type ServerCheck, should, type Verdict } from "./check.ts";
import { isRefused } from "./http_checks.ts";
import { UNKNOWN_TOOL } from "./mcp_lite_server.ts";
import { conforms, wrongArguments } from "./sample_arguments.ts";
import { type HttpReply, isUtf8Json } from "./send.ts";
import { UNKNOWN_VERSION } from "./webtool_metadata_checks.ts";
import type { WebtoolServer } from "./webtool_server.ts";

const EXECUTION = "POST {webtoolUrl}/";
const ERRORS = "Error Handling";
const PRACTICES = "Error Handling & Best Practices";

function errorOf({ json }: HttpReply) {
  const { status, error } = asObject(json);
  return { status, ...asObject(error) } as { status?: unknown; code?: unknown; message?: unknown };
}

function judgeCode(reply: HttpReply, code: string): Verdict {
  const error = errorOf(reply);
  return judge(error.status === "error" && error.code === code, reply);
}

/** Executes an action that only reads, with further members of the request. */
async function executeWith(server: WebtoolServer, further: (version: unknown, defaultConfig: unknown) => object) {
  const { chosen } = await server.answer();
  const { members: { version, defaultConfig } } = await server.members();
  return await server.execute(chosen.name, chosen.args, { ...further(version, defaultConfig) });
}

function judgeOk(reply: HttpReply): Verdict {
  const { status } = asObject(reply.json);
  return judge(reply.status === 200 && status === "ok" && "data" in asObject(reply.json), reply);
}

const OK = 'status 200 and {"status": "ok", "data": …}';

/** Sends a request of an action that does not exist: no action runs. */
async function unknownAction({ sender, url }: WebtoolServer): Promise<HttpReply> {
  return await sender.sendJson(url, { action: UNKNOWN_TOOL, request: {} });
}

/** Checks of executed actions of a webtool: versions, configuration, data and envelopes of responses, and codes of errors. */
export const WEBTOOL_EXECUTION_CHECKS: readonly ServerCheck<WebtoolServer>[] = [
  must(EXECUTION, "execution", "POST executes an action of a version", OK, async (server) => {
    return judgeOk(await executeWith(server, (version) => ({ version })));
  }),

  should(EXECUTION, "version-omitted", "Without a version the latest one executes the action", OK, async (server) => {
    return judgeOk(await executeWith(server, () => ({})));
  }),

  must(EXECUTION, "session-id", "A request may have the id of a session", OK, async (server) => {
    return judgeOk(await executeWith(server, (version) => ({ version, sessionId: "conformance-session" })));
  }),

  must(EXECUTION, "config-sent", "A request may have the default configuration", OK, async (server) => {
    return judgeOk(await executeWith(server, (version, config) => ({ version, config })));
  }),

  must(
    EXECUTION,
    "response-schema",
    "The data of a response conforms to the schema of the action",
    "data that conforms to responseSchema",
    async (server) => {
      const { chosen } = await server.answer();
      const { actions } = await server.actions();
      const { responseSchema } = actions.find(({ name }) => name === chosen.name) ?? {};
      const reply = await server.execute(chosen.name, chosen.args);
      const { status, data } = asObject(reply.json);
      if (status !== "ok") lacks(`The action ${chosen.name} gave no data`);
      return judge(!isJsonObject(responseSchema) || conforms(responseSchema, data), reply);
    },
  ),

  must(
    "Response Examples",
    "error-envelope",
    "An error has the envelope of an error, with a code and a message",
    '{"status": "error", "error": {"code", "message"}}',
    async (server) => {
      const reply = await unknownAction(server);
      const { status, code, message } = errorOf(reply);
      return judge(status === "error" && typeof code === "string" && typeof message === "string", reply);
    },
  ),

  must(
    "Content Types",
    "response-type",
    "Responses are JSON, errors included",
    "content-type: application/json",
    async (server) => {
      const reply = await unknownAction(server);
      return judge(isUtf8Json(reply), reply);
    },
  ),

  must(
    "Content Types",
    "request-type",
    "A request with another content type is refused",
    "no data, and a status of 400 to 499",
    async (server) => {
      const { chosen } = await server.answer();
      const body = JSON.stringify({ action: chosen.name, request: chosen.args });
      const reply = await server.sender.send(server.url, { headers: { "content-type": "text/plain" }, body });
      return judge(isRefused(reply) && asObject(reply.json)["status"] !== "ok", reply);
    },
  ),

  must(
    ERRORS,
    "schema-error",
    "A request that does not conform to the schema is refused",
    "SCHEMA_ERROR",
    async (server) => {
      const { chosen } = await server.answer();
      const { actions } = await server.actions();
      const schema = actions.find(({ name }) => name === chosen.name)?.["requestSchema"];
      const request = isJsonObject(schema) ? wrongArguments(schema) : undefined;
      if (request === undefined) {
        lacks(
          `The schema of ${chosen.name} accepts every object that was tried; name another tool`,
        );
      }
      return judgeCode(await server.execute(chosen.name, request), "SCHEMA_ERROR");
    },
  ),

  must(ERRORS, "config-error", "A configuration that does not conform is refused", "CONFIG_ERROR", async (server) => {
    const { chosen } = await server.answer();
    const { members: { configSchema } } = await server.members();
    const config = isJsonObject(configSchema) ? wrongArguments(configSchema) : undefined;
    if (config === undefined) lacks("The schema of the configuration accepts every object that was tried");
    return judgeCode(await server.execute(chosen.name, chosen.args, { config }), "CONFIG_ERROR");
  }),

  must(ERRORS, "unknown-version-executed", "An unknown version is refused", "WEBTOOL_NOT_FOUND", async (server) => {
    const { chosen } = await server.answer();
    return judgeCode(await server.execute(chosen.name, chosen.args, { version: UNKNOWN_VERSION }), "WEBTOOL_NOT_FOUND");
  }),

  should(
    ERRORS,
    "message",
    "Messages of errors are readable for people",
    "a message of several words",
    async (server) => {
      const reply = await unknownAction(server);
      return judge(/\p{L}+\s+\p{L}+/u.test(String(errorOf(reply).message)), reply);
    },
  ),

  must(
    PRACTICES,
    "internal-error",
    "An action that breaks gives an internal error, without its stack",
    "INTERNAL_ERROR and a status of 500 to 599; no stack and no path of a file",
    async (server) => {
      const { name, args } = await server.choice.named("brokenTool") ??
        lacks("No tool that breaks is named: brokenTool");
      const reply = await server.execute(name, args);
      const { code, message } = errorOf(reply);
      return judge(code === "INTERNAL_ERROR" && reply.status >= 500 && !hasInternals(String(message)), reply);
    },
  ),

  should(
    PRACTICES,
    "status",
    "An error that a caller can repair has a status of 400 to 499",
    "400 to 499",
    async (server) => {
      const reply = await unknownAction(server);
      return judge(reply.status >= 400 && reply.status < 500, reply);
    },
  ),
];
