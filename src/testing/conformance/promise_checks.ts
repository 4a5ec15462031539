/** MCP-lite 3.5 and 3.6: promise tokens and the tool redeem, on every binding. */
import { asObject } from "../../internal/json.ts";
import type { CallReply } from "./binding.ts";
import { judge, lacks, must, type ServerCheck } from "./check.ts";
import { type McpLiteServer, RESPONSE_TYPES } from "./mcp_lite_server.ts";

/** Number of characters in which two random tokens differ at least: 48 bits in hexadecimal digits almost always do. */
const MIN_DIFFERENCES = 6;

/** Makes two promises, and returns their tokens. */
async function twoTokens(
  server: McpLiteServer,
): Promise<{ readonly tokens: [string, string]; readonly reply: CallReply }> {
  const { token, called } = await server.token();
  const reply = await server.binding.call(called.chosen.name, called.chosen.args);
  const second = reply.meta?.["promise_token"];
  if (typeof second !== "string") return lacks(`The tool ${called.chosen.name} gave a promise at the first call only`);
  return { tokens: [token, second], reply };
}

function countDifferences(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, index) => one[index] !== other[index]).filter(Boolean).length;
}

/** Replaces the digits and letters of the last part of a token, as a caller would who guesses. */
function guessFrom(token: string): string {
  const tail = token.slice(-12).replace(/[\w]/g, (sign) => (sign === "7" ? "3" : "7"));
  return token.slice(0, -12) + tail;
}

/** Whether a redemption was refused: by an error, or by a failure of the tool. */
function isRefused({ error, meta }: CallReply): boolean {
  return error !== undefined ? error.kind !== "internal" : meta?.["response_type"] === "failure";
}

/** Checks of promises on every binding: their tokens, which differ, expire and cannot be guessed, and the tool `redeem`. */
export const PROMISE_CHECKS: readonly ServerCheck<McpLiteServer>[] = [
  must("3.5", "token", "A promise carries a token", "promise_token: a text that is not empty", async (server) => {
    const { reply, chosen } = await server.promise();
    if (reply.meta?.["response_type"] !== "promise") lacks(`The tool ${chosen.name} gave no promise`);
    const token = reply.meta["promise_token"];
    return judge(typeof token === "string" && token !== "", reply);
  }),

  must(
    "3.5",
    "unique-token",
    "Each promise has another token",
    "two promises with different tokens",
    async (server) => {
      const { tokens: [one, other], reply } = await twoTokens(server);
      return judge(one !== other, reply, "Two promises have the same token");
    },
  ),

  must(
    "3.5",
    "unguessable-token",
    "A token cannot be guessed from another one",
    `two tokens that differ in at least ${MIN_DIFFERENCES} characters`,
    async (server) => {
      const { tokens: [one, other], reply } = await twoTokens(server);
      const count = countDifferences(one, other);
      return judge(one === other || count >= MIN_DIFFERENCES, reply, `Two tokens differ in ${count} characters`);
    },
  ),

  must(
    "3.5",
    "guessed-token",
    "A token that the server did not issue is refused",
    "an error about parameters, or a failure",
    async (server) => {
      const { token } = await server.token();
      const guess = guessFrom(token);
      server.binding.secrets.add(guess);
      const reply = await server.binding.call("redeem", { promise: guess });
      return judge(isRefused(reply), reply);
    },
  ),

  must("3.5", "expiry", "A token has an expiry in the future", "expires_at or ttl_ms after now", async (server) => {
    const { called: { reply } } = await server.token();
    const { expires_at: expiresAt, ttl_ms: ttlMs } = reply.meta ?? {};
    if (expiresAt === undefined && ttlMs === undefined) {
      lacks("The server does not state when the token expires, and the suite does not wait for it");
    }
    const isLater = Date.parse(String(expiresAt)) > Date.now() || Number(expiresAt) > Date.now();
    return judge(isLater || Number(ttlMs) > 0, reply);
  }),

  must("3.6", "type", "The tool redeem is a system tool", '@type: "system"', async (server) => {
    const { tool, reply } = await server.redeemTool();
    return judge(tool["@type"] === "system", reply);
  }),

  must(
    "3.6",
    "parameter",
    "The tool redeem requires one parameter, promise, which is a text",
    'required: ["promise"], properties.promise.type: "string"',
    async (server) => {
      const { tool, reply } = await server.redeemTool();
      const { required, properties } = asObject(tool["inputSchema"]);
      const isRequired = Array.isArray(required) && required.length === 1 && required[0] === "promise";
      return judge(isRequired && asObject(asObject(properties)["promise"])["type"] === "string", reply);
    },
  ),

  must(
    "3.6",
    "missing-parameter",
    "A redemption without a token is refused",
    "an error about parameters: -32602, or INVALID_ARGUMENT",
    async (server) => {
      await server.redeemTool();
      const reply = await server.binding.call("redeem", {});
      return judge(reply.error?.kind === "invalid params", reply);
    },
  ),

  must(
    "3.6",
    "redemption",
    "A redemption gives the final result or a promise again",
    `a result: ${RESPONSE_TYPES.join(", ")}`,
    async (server) => {
      const { token } = await server.token();
      const reply = await server.binding.call("redeem", { promise: token });
      const type = reply.meta?.["response_type"] ?? "answer";
      return judge(reply.result !== undefined && RESPONSE_TYPES.includes(type), reply);
    },
  ),
];
