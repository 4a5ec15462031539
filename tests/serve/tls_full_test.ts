/** One port with TLS: every protocol on it, and bytes of none. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createClient, createServer, mcpLite, mcpLiteTransport } from "../../mod.ts";
import { type Listening, serve, type TlsOptions } from "../../src/entries/serve.ts";
import { connectTransport, grpc, grpcTransport, grpcWebTransport } from "../../src/entries/grpc.ts";
import { delay, tools } from "./tools.ts";

/** A certificate of this machine's own; `undefined` without openssl. */
function makeCertificate(): TlsOptions | undefined {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-tls-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const form = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  try {
    execFileSync("openssl", ["req", ...form, ...names, "-keyout", keyFile, "-out", certFile], { stdio: "ignore" });
    return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tls = makeCertificate();
const skip = tls === undefined ? "openssl is not installed" : false;

/** As the global one, by HTTP/1.1, trusting the certificate. */
function fetchWith(ca: string): (url: string, init: RequestInit) => Promise<Response> {
  return (url, init) =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init.headers));
      const sent = request(url, { method: init.method ?? "GET", headers, ca }, (received) => {
        strictEqual(received.httpVersion, "1.1");
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            received.on("data", (piece: Buffer) => controller.enqueue(new Uint8Array(piece)));
            received.on("end", () => controller.close());
            received.on("error", (error) => controller.error(error));
          },
        });
        const { "content-type": type = "" } = received.headers;
        resolve(new Response(body, { status: received.statusCode ?? 0, headers: { "content-type": type } }));
      });
      sent.on("error", reject);
      init.signal?.addEventListener("abort", () => sent.destroy());
      sent.end(init.body as Uint8Array);
    });
}

async function withServer(work: (listening: Listening, ca: string) => Promise<void>): Promise<void> {
  const { key, cert } = tls as TlsOptions;
  const server = createServer({ tools, wires: [mcpLite(), grpc()] });
  const listening = await serve(server, { port: 0, graceMs: 0, tls: { key, cert } });
  try {
    await work(listening, cert);
  } finally {
    await listening.close();
  }
}

test("one port with TLS carries every protocol", { skip }, async () => {
  await withServer(async ({ url, grpcUrl }, ca) => {
    match(url, /^https:/);
    strictEqual(grpcUrl, url);
    const fetch = fetchWith(ca);
    const grpc = grpcTransport(url, { tls: { ca } });
    const transports = {
      "MCP-lite": mcpLiteTransport(`${url}/mcp-lite/v1`, { fetch }),
      Connect: connectTransport(url, { fetch }),
      "gRPC-Web": grpcWebTransport(url, { fetch }),
      gRPC: grpc,
    };
    for (const [name, transport] of Object.entries(transports)) {
      const client = createClient(transport);
      deepStrictEqual(await client["echo"]?.({ a: 1 }), { a: 1 }, name);
      const stream = client["count"]?.stream({ to: 3 });
      deepStrictEqual(await Array.fromAsync(stream ?? []), [1, 2, 3], name);
      await Promise.all(
        Array.from(
          { length: 40 },
          async (_, at) => strictEqual((await client["echo"]?.({ at }) as { at: number }).at, at),
        ),
      );
    }
    grpc.close?.();

    const session = connectHttp2(url, { ca });
    const stream = session.request({
      ":method": "POST",
      ":path": "/mcp-lite/v1/calltools",
      "content-type": "application/json",
      accept: "text/event-stream",
    });
    stream.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"to":2}}}');
    let events = "";
    for await (const piece of stream) events += piece;
    deepStrictEqual(events.match(/^event: .*/gm), ["event: message", "event: message", "event: done"]);
    session.close();
  });
});

test("serve() refuses a key that is not the certificate's", { skip }, async () => {
  const { key = "" } = makeCertificate() ?? {};
  const server = createServer({ tools, wires: [mcpLite(), grpc()] });
  await rejects(serve(server, { port: 0, tls: { key, cert: tls?.cert ?? "" } }), {
    name: "TypeError",
    message: /does not match the certificate/,
  });
});

test("grpcTransport() refuses a server whose certificate it does not trust", { skip }, async () => {
  await withServer(async ({ url }) => {
    const transport = grpcTransport(url);
    await rejects(createClient(transport, { retry: { attempts: 0 } }).$.call("echo"), { code: "unavailable" });
    transport.close?.();
  });
});

test("a port with TLS survives what is not", { skip }, async () => {
  await withServer(async ({ url, port }, ca) => {
    const reply = [
      "",
      "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x16\x03\x01\x02",
      "\xff".repeat(600),
    ];
    for (const text of reply) {
      const socket = connectTcp(port, "127.0.0.1").on("error", () => {});
      socket.write(text, "latin1");
      await delay(10);
      socket.destroy();
    }
    for (const ALPNProtocols of [["h2"], ["http/1.1"], ["spdy/3"], []]) {
      for (
        const text of [
          "",
          "garbage \xff\xff\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ]
      ) {
        const socket = connectTls({ port, host: "127.0.0.1", ca, ALPNProtocols }).on("error", () => {});
        await Promise.race([
          new Promise((resolve) => socket.once("secureConnect", resolve).once("close", resolve)),
          delay(500),
        ]);
        if (text !== "") socket.write(text, "latin1");
        await delay(5);
        socket.destroy();
      }
    }
    const transport = grpcTransport(url, { tls: { ca } });
    deepStrictEqual(await createClient(transport).$.call("echo", { still: "there" }), { still: "there" });
    transport.close?.();
  });
});

test("a port with TLS closes at once beside connections that do nothing", { skip }, async () => {
  const { key, cert } = tls as TlsOptions;
  const listening = await serve(createServer({ tools, wires: [mcpLite(), grpc()] }), {
    port: 0,
    tls: { key, cert },
  });
  const { port } = listening;
  const idle = [
    connectTcp(port, "127.0.0.1"),
    connectTls({ port, host: "127.0.0.1", ca: cert, ALPNProtocols: ["http/1.1"] }),
    connectTls({ port, host: "127.0.0.1", ca: cert, ALPNProtocols: ["h2"] }),
  ];
  for (const socket of idle) socket.on("error", () => {});
  await delay(100);
  const startedMs = Date.now();
  await listening.close();
  ok(Date.now() - startedMs < 3_000, `closed after ${Date.now() - startedMs} ms`);
  for (const socket of idle) socket.destroy();
});
