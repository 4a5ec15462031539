/** What docs/coming-from-the-official-sdk.md compares, by heading. Parts of an answer that are left out are named beside it. */
import { callModern, type Json, modern } from "../../wires/mcp/server/client.ts";
import { Caller, type Comparison, type Peer, pick } from "./caller.ts";

const callerOf = (peer: Peer) => new Caller(peer, "2025-11-25");

export const comparisons: Readonly<Record<string, Comparison>> = {
  "Tools": async (peer) => {
    const caller = callerOf(peer);
    const { protocolVersion } = await caller.begin();
    // Converters say `$schema` or not, and close objects or not.
    const [tool = {}] = await caller.list("tools/list", "name", "title", "description", "annotations", "inputSchema");
    const result = await caller.call("add", { a: 1, b: 2 });
    const wrong = await caller.call("add", { a: "1" });
    return [
      protocolVersion,
      { ...tool, inputSchema: pick(tool["inputSchema"] as Json, "type", "properties", "required") },
      pick(result, "content", "structuredContent"),
      wrong["isError"],
    ];
  },
  "With 2.4": async (peer) => {
    const discovered = await modern(peer, "server/discover");
    const result = await callModern(peer, "add", { a: 1, b: 2 });
    return [
      pick(discovered.last.result ?? {}, "resultType", "instructions"),
      pick(result, "resultType", "content", "structuredContent"),
    ];
  },
  "Results and errors": async (peer) => {
    const caller = callerOf(peer);
    const { content, isError } = await caller.call("remove", { id: 1 });
    return [(await caller.call("draw"))["content"], content, isError];
  },
  "Resources": async (peer) => {
    const caller = callerOf(peer);
    const read = async (uri: string) => (await caller.ask("resources/read", { uri })).last.result?.["contents"];
    const ref = { type: "ref/resource", uri: "books://{id}" };
    const completed = await caller.ask("completion/complete", { ref, argument: { name: "id", value: "2" } });
    return [
      // Of what a template lists, the official SDK repeats the template's description and ours does not.
      await caller.list("resources/list", "uri", "name", "title", "mimeType"),
      await caller.list("resources/templates/list", "uriTemplate", "name", "description", "mimeType"),
      await read("docs://readme"),
      await read("books://22"),
      pick(completed.last.result?.["completion"] as Json, "values"),
    ];
  },
  "Prompts": async (peer) => {
    const caller = callerOf(peer);
    const args = { code: "let x", language: "rust" };
    const got = await caller.ask("prompts/get", { name: "review", arguments: args });
    const ref = { type: "ref/prompt", name: "review" };
    const completed = await caller.ask("completion/complete", { ref, argument: { name: "language", value: "r" } });
    return [
      await caller.list("prompts/list", "name", "title", "description", "arguments"),
      got.last.result?.["messages"],
      pick(completed.last.result?.["completion"] as Json, "values"),
    ];
  },
  "Progress and log lines": async (peer) => {
    const { messages, last } = await callerOf(peer).ask("tools/call", { name: "work", _meta: { progressToken: "p" } });
    const reported = messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params);
    return [reported, last.result?.["content"]];
  },
  "In a session": async (peer) => {
    const caller = callerOf(peer);
    await caller.begin({ elicitation: {}, sampling: {} });
    const reply: unknown[] = [];
    const ask = async (name: string, method: string, answer: Json, ...members: readonly string[]) => {
      const { messages, last } = await caller.ask("tools/call", { name, arguments: {} }, { [method]: answer });
      const question = messages.find((message) => message.method === method)?.params ?? {};
      reply.push(pick(question, ...members), last.result?.["content"]);
    };
    await ask("delete_record", "elicitation/create", { action: "accept", content: { confirmed: true } }, "message");
    await ask("delete_record", "elicitation/create", { action: "decline" }, "message");
    const model = { role: "assistant", content: { type: "text", text: "Paris" }, model: "small" };
    await ask("ask_capital", "sampling/createMessage", model, "messages", "maxTokens");
    return reply;
  },
  "Without a session, with 2.4": async (peer) => {
    const capabilities = { elicitation: { form: {} } };
    const answers: unknown[] = [];
    for (const confirm of [{ action: "accept", content: { confirmed: true } }, { action: "decline" }]) {
      const asked = await callModern(peer, "delete_record", {}, { capabilities });
      const { confirm: question } = asked["inputRequests"] as Readonly<Record<string, { readonly params: Json }>>;
      const more = { requestState: asked["requestState"], inputResponses: { confirm } };
      const after = await callModern(peer, "delete_record", {}, { capabilities, more });
      answers.push(asked["resultType"], question?.params["message"], after["resultType"], after["content"]);
    }
    return answers;
  },
};
