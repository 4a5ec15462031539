// Memory of idle WebSockets on Bun: `node bench/sockets.mjs [--sockets 10000]`.
//
// A server with `webSocket()` in one process, its clients in another. Prints the resident memory of the server without sockets, with all
// of them open, and the difference for each; ends with 1 if that is over 20 kB.
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: { sockets, role, url } } = parseArgs({
  options: { sockets: { type: "string", default: "10000" }, role: { type: "string" }, url: { type: "string" } },
});
const COUNT = Number(sockets);
const MAX_BYTES = 20_000;
/** Number of sockets that are opened at the same time. */
const BATCH = 100;

if (role === "server") await runServer();
else if (role === "client") await runClient();
else await measure();

async function runServer() {
  const { createServer, defineTool } = await import("../mod.ts");
  const { serve } = await import("../src/entries/serve.ts");
  const { webSocket } = await import("../src/entries/websocket.ts");
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const server = createServer({ tools: [ping], wires: [webSocket({ maxConnections: COUNT })] });
  const listening = await serve(server, { port: 0 });
  console.log(`url ${listening.url}`);
  process.stdin.on("data", () => {
    globalThis.Bun.gc(true);
    console.log(`memory ${process.memoryUsage().rss}`);
  });
}

async function runClient() {
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url}/mcp-lite/v1`, ["mcp-lite.v1"]);
      socket.addEventListener("message", () => resolve(socket));
      socket.addEventListener("error", reject);
      // Each socket has made a call before it is idle.
      socket.addEventListener("open", () => {
        socket.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}');
      });
    });
  const opened = [];
  while (opened.length < COUNT) {
    const batch = Array.from({ length: Math.min(BATCH, COUNT - opened.length) }, open);
    opened.push(...await Promise.all(batch));
  }
  console.log(`open ${opened.length}`);
  await new Promise((resolve) => process.stdin.on("data", resolve));
  process.exit();
}

async function measure() {
  const server = start("server");
  const [, address] = await server.printed(/url (\S+)/g);
  // Twice: the first call compiles what the second uses.
  const warm = start("client", "--url", address.replace("http", "ws"), "--sockets", "200");
  await warm.printed(/open (\d+)/g);
  warm.send();
  await warm.ended;
  const before = await memoryOf(server);
  const client = start("client", "--url", address.replace("http", "ws"), "--sockets", sockets);
  const [, count] = await client.printed(/open (\d+)/g);
  const after = await memoryOf(server);
  client.send();
  server.kill();
  const each = Math.round((after - before) / Number(count));
  console.log(
    `${count} idle sockets: ${megabytes(before)} MB before, ${megabytes(after)} MB after, ${each} bytes each`,
  );
  process.exitCode = each <= MAX_BYTES ? 0 : 1;
}

async function memoryOf(server) {
  server.send();
  const [, bytes] = await server.printed(/memory (\d+)/g);
  return Number(bytes);
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

function start(as, ...args) {
  const bun = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url));
  const child = spawn(bun, [fileURLToPath(import.meta.url), "--role", as, "--sockets", sockets, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  let look = () => {};
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    look();
  });
  return {
    ended: new Promise((resolve) => child.once("close", resolve)),
    kill: () => child.kill("SIGKILL"),
    send: () => child.stdin.write("\n"),
    // Removes what it has found.
    printed: (pattern) =>
      new Promise((resolve) => {
        look = () => {
          pattern.lastIndex = 0;
          const match = pattern.exec(output);
          if (match === null) return;
          output = output.slice(match.index + match[0].length);
          look = () => {};
          resolve(match);
        };
        look();
      }),
  };
}
