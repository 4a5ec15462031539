/** Tokens of promises and continuations, by the doors where callers bring them back: only the very token opens, in its place. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createServer, defineCallerState, defineTool, type Server } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { decodeBase64Url, encodeBase64Url } from "../../../../src/core/token/base64url.ts";
import { mutateBytes } from "../bytes.ts";
import type { RandomChoices } from "../random.ts";
import { KEYS } from "../../fixture_server.ts";
import { isObject, mutate, write } from "../json.ts";
import { assertCallerCode, assertNoLeak } from "../expected_codes.ts";
import type { Target } from "../target.ts";
import { MCP_LITE_CODES } from "../../../wires/descriptions/mcp_lite.ts";

const cart = defineCallerState("cart", v.array(v.string()));

function createIssuer(keys: string): Server {
  const promise = { ttlMs: 3_600_000 };
  return createServer({
    logger: false,
    keys,
    tools: [
      defineTool("slow").describe("Promise").promise(promise).handle((args) => args),
      defineTool("other").describe("Promise").promise(promise).handle((args) => args),
      defineTool("ask").describe("Ask").input(v.object({ id: v.string() })).handle(async ({ id }, ctx) => {
        const reply = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
        return `${id} ${reply.action}`;
      }),
      defineTool("put").describe("Keep in the context").input(v.object({ item: v.string() })).handle(
        ({ item }, ctx) => {
          const items = [...ctx.callerState.get(cart) ?? [], item].slice(-3);
          ctx.callerState.set(cart, items);
          return items;
        },
      ),
    ],
  });
}

/** What a server says to a call. */
interface CallEnd {
  readonly status: number;
  readonly text: string;
}

async function call(server: Server, name: string, args: unknown, meta: unknown): Promise<CallEnd> {
  const params = { name, arguments: args, _meta: meta };
  const body = write({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", headers, body });
  const response = await server.fetch(request);
  return { status: response.status, text: await response.text() };
}

/** What `_meta` of a result says under a name. */
function metaOf({ text }: CallEnd, name: string): string {
  const { result } = JSON.parse(text) as { readonly result: { readonly _meta: Readonly<Record<string, string>> } };
  return result._meta[name] ?? "";
}

/** Tokens that a server has given, by what they are. */
interface Issued {
  readonly promises: readonly string[];
  readonly continuations: readonly string[];
  readonly contexts: readonly string[];
}

async function issue(server: Server): Promise<Issued> {
  const promised = await Promise.all(
    ["slow", "other", "slow"].map((name) => call(server, name, {}, { promise: true })),
  );
  const asked = await Promise.all(["7", "8"].map((id) => call(server, "ask", { id }, undefined)));
  const put = await Promise.all(["a", "b"].map((item) => call(server, "put", { item }, undefined)));
  return {
    promises: promised.map((reply) => metaOf(reply, "promise_token")),
    continuations: asked.map((reply) => metaOf(reply, "continuation")),
    contexts: put.map((reply) => metaOf(reply, "context")),
  };
}

/** A text that is made of a token, and is most often not one any more. */
function forge(random: RandomChoices, token: string, others: readonly string[]): unknown {
  const prefix = /^[a-z]+_/.exec(token)?.[0] ?? "";
  const other = random.pick(others);
  const at = random.below(token.length);
  const bytes = decodeBase64Url(token.slice(prefix.length)) ?? new Uint8Array();
  const otherBytes = decodeBase64Url(other.replace(/^[a-z]+_/, "")) ?? new Uint8Array();
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return prefix + encodeBase64Url(mutateBytes(random, bytes, otherBytes));
    case 3:
      return token.slice(0, at);
    case 4:
      return token.slice(0, at) + other.slice(at);
    case 5:
      return random.pick(["prom_", "cont_", "ctx_", "conf_", "", "prom", "PROM_"]) + token.slice(prefix.length);
    case 6:
      return token + random.pick(["=", "==", "A", " ", "\n", "\0", "%3D", ".", token]);
    case 7:
      return token.slice(0, at) + random.pick(["+", "/", " ", "-", "_", "é", "%41", "\n"]) + token.slice(at + 1);
    case 8:
      return other;
    case 9:
      return prefix + encodeBase64Url(random.bytes(random.below(200)));
    case 10:
      return prefix + "A".repeat(random.pick([1, 100, 3_000, 100_000]));
    default:
      return mutate(random, token, other);
  }
}

/** Messages that have left so far: they must not distinguish one forgery from another. */
const MAX_MESSAGES = 3;

/** See above. */
export const tokensTarget: Target = {
  name: "tokens",
  async open() {
    const server = createIssuer(KEYS);
    const stranger = createIssuer("k1:another secret that is long enough for anybody else");
    const { promises, continuations, contexts } = await issue(server);
    const foreign = await issue(stranger);
    const others = [...promises, ...continuations, ...contexts, ...Object.values(foreign).flat()];
    const messages = new Map<string, Set<string>>();
    const responses = { name: { action: "accept", content: { name: "Ada" } } };

    const judge = (code: string, text: unknown, opens: boolean, { status, text: answer }: CallEnd): string => {
      assertNoLeak(answer);
      const { result, error } = JSON.parse(answer);
      if (opens) {
        ok(result !== undefined, answer);
        return "opens";
      }
      ok(isObject(error), `It opened: ${answer.slice(0, 300)}`);
      const { data, message, code: number } = error;
      ok(isObject(data));
      const reported = String(data["code"]);
      const [wanted, ...statuses] = MCP_LITE_CODES[assertCallerCode(reported, false)];
      strictEqual(number, wanted);
      ok(statuses.includes(status));
      // Input that is not text may be invalid JSON, or too deep.
      ok(reported === code || reported === "invalid_input" || typeof text !== "string", reported);
      const all = messages.get(reported) ?? new Set();
      messages.set(reported, all.add(String(message)));
      if (reported === code) ok(all.size <= MAX_MESSAGES, [...all].join(" / "));
      return reported;
    };

    return {
      make(random) {
        const kind = random.below(6);
        const token = random.pick(kind < 3 ? promises : kind < 5 ? continuations : contexts);
        const text = random.oneIn(30) ? token : forge(random, token, others);
        const id = random.pick(["7", "8", "9"]);
        return {
          describe: () => `${["redeem", "redeem", "cancel", "ask", "ask", "put"][kind]} ${write(text).slice(0, 600)}`,
          async send() {
            if (kind < 3) {
              const reply = await call(
                server,
                kind === 2 && text !== token ? "cancel" : "redeem",
                { promise: text },
                undefined,
              );
              return () => judge("invalid_promise", text, promises.includes(text as string), reply);
            }
            if (kind < 5) {
              const reply = await call(server, "ask", { id }, { continuation: text, responses });
              return () => judge("invalid_continuation", text, text === continuations[["7", "8"].indexOf(id)], reply);
            }
            const reply = await call(server, "put", { item: "z" }, { context: text });
            return () => judgeContext(text, contexts, reply);
          },
        };
      },
      async isAlive() {
        const reply = await Promise.all(promises.map((promise) => call(server, "redeem", { promise }, undefined)));
        deepStrictEqual(reply.map(({ status }) => status), promises.map(() => 200));
      },
      async close() {
        await Promise.all([server.close(0), stranger.close(0)]);
      },
    };
  },
};

/** One that is not ours counts as none. */
function judgeContext(text: unknown, contexts: readonly string[], { text: answer }: CallEnd): string {
  const { result, error } = JSON.parse(answer);
  if (typeof text !== "string") return error === undefined ? "no context" : "refused";
  ok(isObject(result), answer.slice(0, 300));
  const items = result["content"];
  ok(Array.isArray(items));
  strictEqual(items.length, contexts.includes(text) ? 2 : 1, answer.slice(0, 300));
  return items.length === 2 ? "opens" : "no context";
}
