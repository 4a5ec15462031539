import { strictEqual } from "node:assert/strict";
import { connect, createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Http2Sessions } from "../../src/runtime/http2_sessions.ts";

test(
  "Http2Sessions lets go of a session whose connection was cut, after streams or none",
  { timeout: 20_000 },
  async () => {
    const server = createServer();
    const sessions = new Http2Sessions();
    server.on("session", (session) => sessions.add(session));
    server.on("stream", (stream) => {
      sessions.hold(stream);
      stream.respond({ ":status": 200 });
      stream.end("answer");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      for (const streams of [0, 3]) {
        const begun = new Promise<Http2Session>((resolve) => server.once("session", resolve));
        const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        await new Promise((resolve) => client.once("remoteSettings", resolve));
        const session = await begun;
        for (let count = 0; count < streams; count++) {
          const stream = client.request({ ":path": "/" }).resume();
          await new Promise((resolve) => stream.once("close", resolve));
        }
        const closed = new Promise((resolve) => session.once("close", resolve));
        client.destroy();
        await closed;
        strictEqual(session.destroyed, true);
      }
    } finally {
      server.close();
    }
  },
);
