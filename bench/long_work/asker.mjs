// Calls of MCP-lite, as a caller of promises makes them: from a request to the checked answer.
import { deepStrictEqual, strictEqual } from "node:assert/strict";

const url = "http://127.0.0.1:8000/mcp-lite/v1/calltools";
const textEncoder = new TextEncoder();
/** Longer than any wait is granted: the server answers before. */
const longestMs = 25_000;

/** Asks a server in process. Each method throws unless the answer is the right one. */
export class Asker {
  #fetch;
  #calls = 0;

  constructor(server) {
    this.#fetch = server.fetch;
  }

  /** A call that is answered at once. */
  async add(a) {
    checkSum(await this.ask("add", { a, b: 1 }), a);
  }

  /** @returns the token of a call that is promised at once. */
  async mint(a) {
    const { _meta } = await this.ask("add", { a, b: 1 }, { promise: true });
    strictEqual(_meta.response_type, "promise");
    return _meta.promise_token;
  }

  /** @returns the token of a call of `held`, whose budget is soon spent. */
  async hold(a) {
    return (await this.ask("held", { a, b: 1 }))._meta.promise_token;
  }

  /** Waits for the answer of `mint(a)`. */
  async redeem(token, a) {
    checkSum(await this.ask("redeem", { promise: token, wait_ms: longestMs }), a);
  }

  /** Asks for an answer that is not there yet. */
  async look(token) {
    const { _meta } = await this.ask("redeem", { promise: token, wait_ms: 0 });
    strictEqual(_meta.promise_token, token);
  }

  async cancel(token) {
    deepStrictEqual((await this.ask("cancel", { promise: token })).content, { cancelled: true });
  }

  /** @returns the result object of one call. */
  async ask(tool, args, meta) {
    const id = ++this.#calls;
    const response = await this.#fetch(new Request(url, toInit(id, tool, args, meta)));
    const message = await response.json();
    if (message.id !== id) throw new Error(`The answer of ${tool} belongs to call ${message.id}, not to ${id}`);
    if (message.result === undefined) throw new Error(`${tool} was refused: ${JSON.stringify(message.error)}`);
    return message.result;
  }
}

export function checkSum({ content }, a) {
  if (content?.sum !== a + 1) throw new Error(`${a} + 1 was answered with ${JSON.stringify(content)}`);
}

/** A body as bytes and its length, as an HTTP server hands a request over. */
function toInit(id, tool, args, meta) {
  const params = { name: tool, arguments: args, ...(meta && { _meta: meta }) };
  const body = textEncoder.encode(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    accept: "application/json",
  };
  return { method: "POST", headers, body };
}
