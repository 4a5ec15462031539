// The plain bridge from `node:http` to a `fetch` function: a Request made of each message, a Response taken apart.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";

/** @returns the port. */
export async function listenWithRequests(fetch) {
  const server = createServer(async (message, out) => {
    const request = new Request(`http://${message.headers.host}${message.url}`, {
      method: message.method,
      headers: message.headers,
      body: Readable.toWeb(message),
      duplex: "half",
    });
    const response = await fetch(request);
    out.writeHead(response.status, Object.fromEntries(response.headers));
    Readable.fromWeb(response.body).pipe(out);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}
