/** A request to a chosen URL over TLS: it goes to the address that was checked, with the name of the host, and follows no redirect. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { publicFetch } from "../../../src/integrations/webhooks/public_fetch.ts";
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
