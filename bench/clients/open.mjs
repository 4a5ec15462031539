// How each library's client makes a call of a tool: by its name, a function of the server's URL and the tool. A call of a stream gives its
// pieces and the answer; of MCP the answer alone, since a slow caller gets the latest progress only.
import { createClient as createConnectClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import {
  Client as OfficialClient,
  StreamableHTTPClientTransport as OfficialTransport,
} from "@modelcontextprotocol/client";
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as SdkTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import { createTRPCClient, httpLink } from "@trpc/client";
import { hc } from "hono/client";
import { strictEqual } from "node:assert/strict";
import { connectTransport, createClient, MCPLite } from "../grpc/package.mjs";
import { drain } from "../tools.mjs";

export const openers = {
  toolwire: openToolwire,
  "toolwire, MCP": openToolwireMcp,
  "@modelcontextprotocol/client": (url, tool) =>
    openOfficial(
      new OfficialClient(identity),
      new OfficialTransport(new URL(`${url}/mcp`)),
      tool,
    ),
  "@modelcontextprotocol/sdk": (url, tool) =>
    openOfficial(
      new SdkClient(identity),
      new SdkTransport(new URL(`${url}/mcp`)),
      tool,
    ),
  "toolwire, Connect": (url, { name }) => createClient(connectTransport(url))[name],
  "@connectrpc/connect": openConnect,
  tRPC: openTrpc,
  oRPC: openOrpc,
  "hono RPC": openHono,
};

const identity = { name: "bench", version: "1.0.0" };

function openToolwire(url, { name, stream }) {
  const call = createClient(`${url}/mcp-lite/v1`)[name];
  if (!stream) return call;
  return async (args) => {
    const pieces = call.stream(args);
    const partials = await Array.fromAsync(pieces);
    return { partials, value: await pieces.result };
  };
}

function openToolwireMcp(url, { name, stream }) {
  const call = createClient(`${url}/mcp`)[name];
  return stream ? (args) => call(args, { onProgress() {} }) : call;
}

async function openOfficial(client, transport, { name, stream }) {
  await client.connect(transport);
  const isNew = client instanceof OfficialClient;
  const options = stream ? { onprogress() {} } : undefined;
  return async (args) => {
    const call = { name, arguments: args };
    const { structuredContent } =
      await (isNew ? client.callTool(call, options) : client.callTool(call, undefined, options));
    return structuredContent;
  };
}

function openConnect(url, { name }) {
  const client = createConnectClient(
    MCPLite,
    createConnectTransport({ baseUrl: url, httpVersion: "1.1" }),
  );
  return async (args) => (await client.callTool({ name, arguments: args })).result.content;
}

function openTrpc(url, { name }) {
  const client = createTRPCClient({ links: [httpLink({ url: `${url}/rpc` })] });
  return (args) => client[name].mutate(args);
}

function openOrpc(url, { name, stream }) {
  const client = createORPCClient(new RPCLink({ url: `${url}/rpc` }));
  if (!stream) return (args) => client[name](args);
  return async (args) => {
    const partials = [];
    return {
      value: await drain(
        await client[name](args),
        (partial) => void partials.push(partial),
      ),
      partials,
    };
  };
}

function openHono(url, { name }) {
  const client = hc(url);
  return async (args) => {
    const response = await client.rpc[name].$post({ json: args });
    strictEqual(response.status, 200);
    return response.json();
  };
}
