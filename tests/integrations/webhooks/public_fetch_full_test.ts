/** A request to a chosen URL over TLS: it goes to the address that was checked, with the name of the host, and follows no redirect. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { publicFetch } from "../../../src/integrations/webhooks/runtime/public_fetch.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
const isAllowed = (address: string) => address === "127.0.0.1";

/** A certificate for this name. */
async function certificateFor(name: string): Promise<{ readonly key: string; readonly cert: string }> {
  await using folder = await temporaryFolder();
  const [key, cert] = ["key.pem", "cert.pem"].map((file) => join(folder.path, file)) as [string, string];
  const form = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  execFileSync("openssl", ["req", ...form, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

test("a chosen URL is requested at the checked address, with its own name, once", async () => {
  const { key, cert: ca } = await certificateFor("hooks.example.com");
  const seen: unknown[] = [];
  const server = createServer({ key, cert: ca }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text)).on("end", () => {
      seen.push([request.method, request.url, request.headers.host, request.headers["webhook-id"], body]);
      response.writeHead(302, { location: "http://127.0.0.1/", "retry-after": "7" }).end("x".repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const url = `https://hooks.example.com:${port}/done?x=1`;
    const init = { method: "POST", headers: { "webhook-id": "1" }, body: new TextEncoder().encode("é") };
    const { status, headers } = await publicFetch({ lookup, isAllowed, ca })(url, init);
    deepStrictEqual([status, headers.get("retry-after")], [302, "7"]);
    deepStrictEqual(seen, [["POST", "/done?x=1", `hooks.example.com:${port}`, "1", "é"]]);
    const aborted = { ...init, signal: AbortSignal.abort() };
    await rejects(publicFetch({ lookup, isAllowed, ca })(url, aborted));
    await rejects(
      publicFetch({ lookup, isAllowed, ca })(url.replace("hooks", "other"), init),
      /altnames|certificate|cert/i,
    );
    deepStrictEqual(seen.length, 1);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("a status that is not one of HTTP, an upgrade and an endpoint that does not answer reject, also on abort", async () => {
  const { key, cert: ca } = await certificateFor("hooks.example.com");
  const silent = Promise.withResolvers<void>();
  const sockets = new Set<TLSSocket>();
  const server = createTlsServer({ key, cert: ca }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("data", (bytes) => {
      const path = /^POST (\S+)/.exec(bytes.toString())?.[1];
      if (path === "/700") socket.write("HTTP/1.1 700 Odd\r\ncontent-length: 0\r\n\r\n");
      else if (path === "/101") socket.write("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
      else silent.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const send = (path: string, signal?: AbortSignal) => {
      const init = { method: "POST", body: new Uint8Array(1), ...(signal && { signal }) };
      return publicFetch({ lookup, isAllowed, ca })(`https://hooks.example.com:${port}${path}`, init);
    };
    await rejects(send("/700"), /700/);
    await rejects(send("/101"), /101/);
    const abort = new AbortController();
    const waiting = rejects(send("/silent", abort.signal), /too late/);
    await silent.promise;
    abort.abort(new Error("too late"));
    await waiting;
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

test("with maxBytes a body is read, with its type; a larger one rejects, and so does one that is endless", async () => {
  const { key, cert: ca } = await certificateFor("hooks.example.com");
  const headers = { "content-type": "application/json", "cache-control": "max-age=60", "set-cookie": "a=b" };
  const server = createServer({ key, cert: ca }, ({ url }, response) => {
    response.writeHead(url === "/moved" ? 302 : 200, { ...headers, location: "https://hooks.example.com/" });
    if (url === "/endless") {
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(1_000)));
      };
      response.on("drain", write).on("error", () => {});
      return write();
    }
    response.end(url === "/large" ? "x".repeat(101) : "x".repeat(100));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const send = publicFetch({ lookup, isAllowed, ca, maxBytes: 100 });
    const read = await send(`https://hooks.example.com:${port}/`, {});
    deepStrictEqual([...read.headers].toSorted(), [["cache-control", "max-age=60"], [
      "content-type",
      "application/json",
    ]]);
    strictEqual((await read.text()).length, 100);
    const moved = await send(`https://hooks.example.com:${port}/moved`, {});
    deepStrictEqual([moved.status, await moved.text()], [302, ""]);
    await rejects(send(`https://hooks.example.com:${port}/large`, {}), /larger than 100 bytes/);
    await rejects(send(`https://hooks.example.com:${port}/endless`, {}), /larger than 100 bytes/);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("on Workers, whose node:https refuses the option lookup, the request goes to the name", async () => {
  const { key, cert: ca } = await certificateFor("localhost");
  const server = createServer({ key, cert: ca }, (_, response) => void response.writeHead(204).end());
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator")!;
  Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" }, configurable: true });
  try {
    const { port } = server.address() as AddressInfo;
    const elsewhere = () => Promise.resolve([{ address: "127.0.0.9", family: 4 }]);
    const send = publicFetch({ lookup: elsewhere, isAllowed: () => true, ca });
    strictEqual((await send(`https://localhost:${port}/`, { method: "POST" })).status, 204);
  } finally {
    Object.defineProperty(globalThis, "navigator", navigator);
    server.close();
    server.closeAllConnections();
  }
});
