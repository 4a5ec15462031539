// Asks a server what its answers should be, and whether it keeps a connection, before anything is timed.
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Agent, request } from "node:http";
import { drain } from "../tools.mjs";

/** The requests of a workload, as a contender's callers send them to its server. */
export function createRequests(contender, url, { tool, inputs }) {
  return inputs.map((args, index) => createRequest(contender, url, tool, args, index + 1));
}

export function createRequest(contender, url, tool, args, id) {
  const call = { id, tool: tool.name, args, streams: tool.stream !== undefined };
  const encoded = contender.encode(call);
  const body = encoded.message === undefined ? undefined : JSON.stringify(encoded.message);
  const headers = body === undefined ? encoded.headers : { "content-type": "application/json", ...encoded.headers };
  const method = encoded.method ?? "POST";
  return { call, method, url: encoded.url.replace("http://127.0.0.1:8000", url), headers, body };
}

/**
 * Throws if an answer is wrong, or if the server asks for a new connection.
 *
 * @returns how many bytes the answer to the first request has.
 */
export async function check(contender, url, workload) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set();
  let bytes;
  try {
    for (const one of createRequests(contender, url, workload)) {
      const { status, text, localPort } = await ask(one, agent);
      ports.add(localPort);
      strictEqual(status, 200, text);
      bytes ??= Buffer.byteLength(text);
      deepStrictEqual(contender.decodeCall(text, one.call), await expected(workload.tool, one.call.args));
    }
    strictEqual(ports.size, 1, "The server does not keep its connections");
    return bytes;
  } finally {
    agent.destroy();
  }
}

function ask({ method, url, headers, body }, agent) {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const asked = request(url, { method, headers: { ...headers, ...length }, agent }, async (response) => {
      const { localPort } = response.socket;
      try {
        let text = "";
        for await (const piece of response.setEncoding("utf8")) text += piece;
        resolve({ status: response.statusCode, text, localPort });
      } catch (error) {
        reject(error);
      }
    });
    asked.on("error", reject).end(body);
  });
}

/** What a tool's handler gives when called directly. */
export async function expected(tool, args) {
  const partials = [];
  const value = tool.stream ? await drain(tool.stream(args), (partial) => void partials.push(partial)) : tool.run(args);
  return { value, partials };
}
