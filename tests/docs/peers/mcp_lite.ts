/** What docs/coming-from-mcp-lite.md compares, by heading. Parts of an answer that are left out are named beside it. */
import { Caller, type Comparison, type Peer, pick } from "./caller.ts";

const VERSION = "2025-06-18";
const callerOf = (peer: Peer) => new Caller(peer, VERSION);

/** A result as people and models get it; `isError` is false where it is missing. */
const shown = (result: Readonly<Record<string, unknown>>) => pick(result, "content", "structuredContent", "isError");

/** Converters say `$schema` or not, and close objects or not. */
const isTool = ["name", "title", "description", "_meta", "annotations"] as const;

export const comparisons: Readonly<Record<string, Comparison>> = {
  "A server": async (peer) => {
    const caller = callerOf(peer);
    const { protocolVersion, serverInfo } = await caller.begin();
    const wrong = await caller.call("get_weather", { place: 7 });
    const { protocolVersion: older } = await new Caller(peer, "2025-03-26").begin();
    return {
      protocolVersion,
      older,
      serverInfo: pick(serverInfo as Readonly<Record<string, unknown>>, "name", "version"),
      tools: await caller.list("tools/list", ...isTool),
      schemas: (await caller.list("tools/list", "inputSchema", "outputSchema")).map(essence),
      answer: shown(await caller.call("get_weather", { place: "Paris" })),
      wrong: (wrong["error"] as { code?: unknown }).code,
    };
  },
  "Without a schema": async (peer) => {
    const caller = callerOf(peer);
    // Ours has an answer for programs, too.
    return [await caller.list("tools/list", ...isTool), pick(await caller.call("status"), "content")];
  },
  "JSON Schema": async (peer) => {
    const caller = callerOf(peer);
    return [
      await caller.list("tools/list", ...isTool, "inputSchema", "outputSchema"),
      shown(await caller.call("add", { a: 1, b: 2 })),
    ];
  },
  "Structured answers": async (peer) => shown(await callerOf(peer).call("get_weather", { place: "Paris" })),
  "Metadata and annotations": async (peer) => {
    const caller = callerOf(peer);
    const result = await caller.call("set_config", { key: "a" });
    return [
      await caller.list("tools/list", ...isTool),
      result["content"],
      pick(result["_meta"] as Readonly<Record<string, unknown>>, "cached"),
    ];
  },
  "What a handler is given": async (peer) => {
    const params = { name: "import_rows", _meta: { progressToken: "p" } };
    const { messages, last } = await callerOf(peer).ask("tools/call", params);
    const reported = messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params);
    return [reported, last.result?.["content"]];
  },
  "Resources": async (peer) => {
    const caller = callerOf(peer);
    const read = async (uri: string) => {
      const { last } = await caller.ask("resources/read", { uri });
      const [contents] = last.result?.["contents"] as Readonly<Record<string, unknown>>[];
      const { cached } = (last.result?.["_meta"] ?? {}) as { cached?: boolean };
      // mcp-lite adds a `type` that MCP does not have.
      return { ...pick(contents ?? {}, "uri", "text", "mimeType", "_meta"), cached };
    };
    return [
      await caller.list("resources/list", "uri", "name", "description", "mimeType"),
      await caller.list("resources/templates/list", "uriTemplate", "name", "description", "mimeType", "_meta"),
      await read("file:///config.json"),
      await read("db://records/42"),
    ];
  },
  "Prompts": async (peer) => {
    const caller = callerOf(peer);
    const get = async (args: Readonly<Record<string, string>>) => {
      const { last } = await caller.ask("prompts/get", { name: "summarize", arguments: args });
      const { description, messages, _meta } = last.result ?? {};
      return { description, messages, _meta: pick(_meta as Readonly<Record<string, unknown>>, "template") };
    };
    return [
      await caller.list("prompts/list", "name", "title", "description", "_meta"),
      await get({ text: "Moby Dick", length: "long" }),
      await get({ text: "Moby Dick" }),
    ];
  },
  "Asking the caller": async (peer) => {
    const answers: unknown[] = [];
    for (const reply of [{ action: "accept", content: { confirmed: true } }, { action: "decline" }]) {
      const caller = callerOf(peer);
      await caller.begin({ elicitation: {} });
      const asked = await caller.ask("tools/call", { name: "delete_record", arguments: { id: "7" } }, {
        "elicitation/create": reply,
      });
      const question = asked.messages.find(({ method }) => method === "elicitation/create")?.params ?? {};
      answers.push(question["message"], asked.last.result?.["content"]);
    }
    return answers;
  },
  "Sampling": async (peer) => {
    const caller = callerOf(peer);
    await caller.begin({ sampling: {} });
    const asked = await caller.ask("tools/call", { name: "ask_capital", arguments: {} }, {
      "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Paris" }, model: "small" },
    });
    const question = asked.messages.find(({ method }) => method === "sampling/createMessage")?.params ?? {};
    return [
      pick(question, "messages", "systemPrompt", "modelPreferences", "maxTokens"),
      asked.last.result?.["content"],
    ];
  },
  "Sessions": async (peer) => {
    const caller = callerOf(peer);
    await caller.begin();
    const { session } = caller;
    const worked = await caller.ask("tools/call", { name: "work", arguments: {}, _meta: { progressToken: "p" } });
    const ask = async (method: string, id: string | undefined) => {
      const headers = { accept: "text/event-stream", "mcp-protocol-version": VERSION, "mcp-session-id": id ?? "" };
      const response = await peer.fetch(new Request("http://localhost/mcp", { method, headers }));
      await response.body?.cancel();
      // Of a session that there is not, mcp-lite says 400 where MCP has 404.
      return [method, response.ok, response.ok && response.headers.get("content-type")?.split(";")[0]];
    };
    const reported = worked.messages.filter(({ method }) => method === "notifications/progress");
    return [
      typeof session,
      reported.map(({ params }) => params),
      worked.last.result?.["content"],
      await ask("GET", session),
      await ask("GET", "nobody's"),
      (await ask("DELETE", session))[1],
      await ask("GET", session),
    ];
  },
  "Middleware": async (peer) => (await callerOf(peer).call("greet"))["content"],
  "Errors": async (peer) => {
    const caller = callerOf(peer);
    const reply = (result: Readonly<Record<string, unknown>>) => {
      const { message } = (result["error"] ?? {}) as { message?: string };
      const [block] = (result["content"] ?? []) as { text?: string }[];
      return message ?? block?.text ?? "";
    };
    return [reply(await caller.call("order")), reply(await caller.call("refuse"))];
  },
  "Composition": async (peer) => {
    const caller = callerOf(peer);
    const listed = await caller.list("tools/list", ...isTool);
    // Names are joined by a slash there, and by what every wire takes here.
    const joined = (name: unknown) => String(name).replace("/", "_");
    const git = String(listed.map(({ name }) => name).find((name) => String(name).startsWith("git")));
    return [
      listed.map((tool) => ({ ...tool, name: joined(tool["name"]) })),
      (await caller.call(git))["content"],
      (await caller.call("query"))["content"],
    ];
  },
  "Hosts and origins": async (peer) => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "ping", arguments: {} },
    });
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const all = { "content-type": "application/json", accept: "application/json", ...headers };
      const response = await peer.fetch(new Request("http://localhost/mcp", { method: "POST", headers: all, body }));
      const { error, result } = await response.json();
      return [response.status, error?.code, result?.content];
    };
    return [
      await ask({ host: "localhost", "mcp-protocol-version": VERSION }),
      await ask({ host: "evil.example", "mcp-protocol-version": VERSION }),
      await ask({ host: "localhost", origin: "https://app.example", "mcp-protocol-version": VERSION }),
      await ask({ host: "localhost", origin: "https://evil.example", "mcp-protocol-version": VERSION }),
    ];
  },
  "Hosting": async (peer) => (await callerOf(peer).call("ping"))["content"],
};

/** What a schema says of values: types, members, what is required. */
function essence(tool: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(
    Object.entries(tool).map((
      [name, schema],
    ) => [name, pick(schema as Readonly<Record<string, unknown>>, "type", "properties", "required")]),
  );
}
