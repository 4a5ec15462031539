/** Two `Authorization` headers over HTTP/2, where `node:http2` keeps the first. Sent as frames: clients merge such headers. */
import { match, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { serve } from "../../src/entries/serve.ts";
import { grpc } from "../../src/entries/grpc.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const [HEADERS, SETTINGS] = [1, 4];
const END_STREAM_AND_HEADERS = 5;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header without compression (RFC 7541, 6.2.2). */
function literal([name, value]: readonly [string, string]): Buffer {
  return Buffer.from(
    `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`,
    "latin1",
  );
}

/** Lists the tools with these credentials. Returns what the server sent, as text, once it has the end of a JSON body. */
async function list(url: string, credentials: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const fields: [string, string][] = [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/mcp-lite/v1/tools"],
    [":authority", `${hostname}:${port}`],
    ...credentials.map((value): [string, string] => ["authorization", value]),
  ];
  const socket = connect(Number(port), hostname);
  const ended = Promise.withResolvers<string>();
  let received = "";
  socket.on("error", ended.reject);
  socket.on("close", () => ended.resolve(received));
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
    if (received.includes("}")) ended.resolve(received);
  });
  socket.write(Buffer.concat([
    Buffer.from(PREFACE),
    frame(SETTINGS, 0, 0, Buffer.alloc(0)),
    frame(HEADERS, END_STREAM_AND_HEADERS, 1, Buffer.concat(fields.map(literal))),
  ]));
  const text = await ended.promise;
  socket.destroy();
  return text;
}

test("a request over HTTP/2 with two Authorization headers is unauthenticated, whichever is valid", async () => {
  const seen: string[] = [];
  const server = createServer({
    tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
    auth: bearer((token) => {
      seen.push(token);
      return { id: token };
    }),
    wires: [mcpLite(), grpc()],
    logger: false,
  });
  const listening = await serve(server, { port: 0, grpc: { port: 0 } });
  const url = listening.grpcUrl!;
  match(await list(url, ["Bearer ada"]), /"name":"ping"/);
  for (const second of ["Bearer bob", "Bearer ada", "Basic YTpi"]) {
    match(await list(url, ["Bearer ada", second]), /"unauthenticated"/);
  }
  strictEqual(seen.join(), "ada");
  await listening.close();
});
