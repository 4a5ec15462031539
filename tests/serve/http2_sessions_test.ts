import { strictEqual } from "node:assert/strict";
import { createServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Http2Sessions } from "../../src/runtime/http2.ts";
import { grpcHeaders, openStream, RawConnection, Type } from "../hostile/requests/http2_frames.ts";

test(
  "Http2Sessions lets go of a session whose connection was cut, after streams or none",
  { timeout: 20_000 },
  async () => {
    const server = createServer();
    const sessions = new Http2Sessions();
    server.on("session", (session) => sessions.add(session));
    server.on("stream", (stream: ServerHttp2Stream) => {
      sessions.hold(stream);
      stream.respond({ ":status": 200 });
      stream.end("answer");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      for (const streams of [0, 3]) {
        const begun = new Promise<Http2Session>((resolve) => server.once("session", resolve));
        const { port } = server.address() as AddressInfo;
        const connection = new RawConnection(`http://127.0.0.1:${port}`).begin();
        const session = await begun;
        await connection.came(({ type }) => type === Type.settings);
        for (let count = 0; count < streams; count++) {
          const stream = 1 + 2 * count;
          connection.send(openStream(stream, grpcHeaders("/"), 1));
          await connection.ended(stream);
        }
        const closed = new Promise((resolve) => session.once("close", resolve));
        connection.socket.destroy();
        await closed;
        strictEqual(session.destroyed, true);
      }
    } finally {
      server.close();
    }
  },
);
