// Waits for one promise on many connections: `sockets_callers.mjs <url> <count> <token> <a>`. Prints a line once all have asked, and
// one with how many got the right answer once all are answered.
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";

const [url, countText, token, a] = process.argv.slice(2);
const { host, hostname, port, pathname } = new URL(url);
/** As many connect at once: a server keeps a queue of those who come, and it is not long. */
const together = 100;

const sockets = [];
while (sockets.length < Number(countText)) {
  const some = Math.min(together, Number(countText) - sockets.length);
  sockets.push(...await Promise.all(Array.from({ length: some }, open)));
}
const answers = sockets.map(ask);
console.log(JSON.stringify({ asked: sockets.length }));
const right = (await Promise.all(answers)).filter((isRight) => isRight).length;
console.log(JSON.stringify({ right }));
process.exit(0);

async function open() {
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket.setEncoding("utf8");
}

/** @returns whether the answer is the right one, and to this call. */
async function ask(socket, id) {
  const params = { name: "redeem", arguments: { promise: token, wait_ms: 25_000 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    "content-type: application/json",
    "connection: close",
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let text = "";
  for await (const piece of socket) text += piece;
  return text.startsWith("HTTP/1.1 200 ") && text.includes(`"id":${id},`) && text.includes(`{"sum":${Number(a) + 1}}`);
}
