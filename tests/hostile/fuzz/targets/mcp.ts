/** MCP over HTTP: 2026-07-28, and the older revisions with sessions and without. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { SseDecoder } from "../../../../src/http_client/sse.ts";
import { modernHeaders } from "../../../wires/mcp/server/client.ts";
import { isReadAsUtf8 } from "../bytes.ts";
import type { RandomChoices } from "../random.ts";
import { createFixtureServer } from "../../fixture_server.ts";
import { isObject, type Members, mutateMany, write } from "../json.ts";
import { assertNoLeak, mayBreak } from "../expected_codes.ts";
import { heavyMessage, judgeMessage, legacyMessage, modernMessage } from "../mcp_messages.ts";
import { describeRequest, jsonBody, oddHead, type Sent, setHeader, toRequest } from "../requests.ts";
import type { Judge, OpenTarget, Target } from "../target.ts";

type House = ReturnType<typeof createFixtureServer>;

const logged: string[] = [];

/** What the headers of a request say. */
type HeadersOf = (random: RandomChoices, message: Members) => Readonly<Record<string, string>>;

const PING = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[2]}}}';

function target(
  server: House,
  path: string,
  messageOf: (random: RandomChoices) => Members,
  headersOf: HeadersOf,
  after: (sent: Sent, status: number) => Promise<void> = () => Promise.resolve(),
): OpenTarget {
  return {
    make(random) {
      const right = messageOf(random);
      const isBatch = random.oneIn(15);
      const body = jsonBody(
        random,
        isBatch ? { batch: [right, messageOf(random)] } : right,
        messageOf(random),
        (part) => heavyMessage(random, right, part),
      );
      const headers = new Headers({
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      });
      for (const [name, value] of Object.entries(headersOf(random, right))) {
        setHeader(headers, name, random.oneIn(25) ? write(mutateMany(random, value, "x")) : value);
      }
      const sent = oddHead(random, { method: "POST", path, headers, body });
      return {
        describe: () => describeRequest(sent),
        async send() {
          const response = await server.fetch(toRequest(sent));
          const text = await textOf(sent, response);
          await after(sent, response.status);
          return () => judge(sent, response, text);
        },
      };
    },
    async isAlive() {
      deepStrictEqual(logged.splice(0), []);
      const headers = { "content-type": "application/json" };
      const response = await server.fetch(
        new Request("http://localhost/stateless", { method: "POST", headers, body: PING }),
      );
      strictEqual((await response.json() as { result: { content: { text: string }[] } }).result.content[0]?.text, "3");
    },
    close: () => server.close(0),
  };
}

/** All of it; of a stream that only its reader ends, nothing. */
async function textOf({ method, body }: Sent, response: Response): Promise<string> {
  const isOpen = method === "GET" || new TextDecoder().decode(body).includes("listen");
  if (!isOpen || response.headers.get("content-type") !== "text/event-stream") return await response.text();
  await response.body?.cancel();
  return "";
}

function judge({ method, body }: Sent, { status, headers }: Response, text: string): ReturnType<Judge> {
  assertNoLeak(text);
  ok([200, 202, 204, 400, 403, 404, 405, 413, 415].includes(status), `${status} ${text.slice(0, 200)}`);
  const breaks = mayBreak(new TextDecoder().decode(body));
  if (text === "") return `${method === "POST" ? "" : `${method} `}${status}, nothing`;
  if (status === 200) ok(isReadAsUtf8(body), "It took what is not UTF-8");
  if (headers.get("content-type") === "text/event-stream") {
    const events = new SseDecoder().decode(text).filter(({ data }) => data !== "");
    const kinds = events.flatMap(({ data }) => judgeMessages(JSON.parse(data), breaks, status));
    ok(kinds.length > 0 && !["notification", "question"].includes(kinds.at(-1) ?? ""), `It ends in ${kinds.at(-1)}`);
    return `stream, ${kinds.at(-1)}`;
  }
  strictEqual(headers.get("content-type"), "application/json", `${status} ${text.slice(0, 200)}`);
  return judgeMessages(JSON.parse(text), breaks, status).join();
}

/** One message, or those of a batch; the kind of the last one is returned. */
function judgeMessages(json: unknown, breaks: boolean, status: number): string[] {
  if (!Array.isArray(json)) return [judgeMessage(json, breaks, status)];
  return json.map((one) => `batch of ${judgeMessage(one, breaks, status)}`).slice(-1);
}

/** MCP 2026-07-28. */
export const mcpModernTarget: Target = {
  name: "mcp",
  open: () =>
    Promise.resolve(target(createFixtureServer(logged), "/mcp", modernMessage, (_, message) => modernHeaders(message))),
};

/** MCP before that, without sessions. */
export const mcpLegacyTarget: Target = {
  name: "mcp-legacy",
  open: () =>
    Promise.resolve(
      target(createFixtureServer(logged), "/stateless", legacyMessage, (random): Readonly<Record<string, string>> => {
        return random.oneIn(3)
          ? {}
          : { "mcp-protocol-version": random.pick(["2025-11-25", "2025-06-18", "2025-03-26"]) };
      }),
    ),
};

/** MCP before that, in sessions. */
export const mcpSessionsTarget: Target = {
  name: "mcp-sessions",
  async open() {
    const server = createFixtureServer(logged);
    let session = await begin(server);
    let requests = 0;
    return target(
      server,
      "/mcp",
      legacyMessage,
      (random) => ({
        "mcp-session-id": session,
        ...(random.oneIn(3) && { "mcp-protocol-version": "2025-03-26" }),
        ...(random.oneIn(20) && { "last-event-id": random.pick(["x:1", "get:0", `${"9".repeat(30)}:1`, "a:-1"]) }),
      }),
      async ({ method }, status) => {
        // Some end it; and it keeps the events of its streams, for a while.
        if (method !== "DELETE" && status !== 404 && ++requests % 500 !== 0) return;
        await server.fetch(
          new Request("http://localhost/mcp", { method: "DELETE", headers: { "mcp-session-id": session } }),
        );
        session = await begin(server);
      },
    );
  },
};

async function begin(server: House): Promise<string> {
  const clientInfo = { name: "fuzz", version: "1" };
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const headers = { "content-type": "application/json" };
  const response = await server.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
  ok(isObject(await response.json()));
  return response.headers.get("mcp-session-id") ?? "";
}
