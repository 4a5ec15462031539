/** `toolwire doctor` against a wrong server for each step, and a right one. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server as SocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, type Server } from "../../../../mod.ts";
import { bearer } from "../../../../src/entries/auth.ts";
import { mcp } from "../../../../src/entries/mcp.ts";
import { serve, toNodeHandler } from "../../../../src/entries/serve.ts";
import { runInProcess } from "../in_process.ts";

const LIMIT = { timeout: 60_000 };

interface Step {
  readonly name: string;
  readonly status: string;
  readonly seen: string;
  readonly remedy?: string;
}

interface Report {
  readonly code: number | null;
  readonly ok: boolean;
  /** Names of the steps that failed. */
  readonly failed: readonly string[];
  step(name: string): Step;
}

async function examine(url: string, ...flags: readonly string[]): Promise<Report> {
  const { code, out, errors } = await runInProcess(["doctor", url, "--json", "--timeout", "5s", ...flags], {
    env: { TOKEN: "the-token" },
  });
  const report = JSON.parse(out) as { readonly ok: boolean; readonly steps: readonly Step[] };
  strictEqual(errors, "");
  deepStrictEqual(
    report.steps.map(({ name }) => name),
    ["dns", "tcp", "tls", "host", "origin", "cors", "well-known", "protocol", "auth", "list"],
  );
  for (const { name, status, remedy } of report.steps) strictEqual(remedy !== undefined, status === "failed", name);
  return {
    code,
    ok: report.ok,
    failed: report.steps.filter(({ status }) => status === "failed").map(({ name }) => name),
    step: (name) => report.steps.find((step) => step.name === name) ?? { name, status: "", seen: "" },
  };
}

/** Listens on a free port of this machine until the callback has ended. */
async function listening(server: SocketServer, use: (port: number) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
    (server as { closeAllConnections?(): void }).closeAllConnections?.();
  }
}

function withHttp(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  return listening(createHttp(listener), (port) => use(`http://127.0.0.1:${port}/mcp`));
}

async function withServer(server: Server, use: (url: string) => Promise<void>): Promise<void> {
  const running = await serve(server, { port: 0, graceMs: 0 });
  try {
    await use(`${running.url}/mcp`);
  } finally {
    await running.close();
  }
}

const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];

test("a server without faults passes, and no tool is called", LIMIT, async () => {
  await withServer(createServer({ name: "fine", version: "2.0.0", tools, logger: false }), async (url) => {
    const { code, ok, failed, step } = await examine(url);
    deepStrictEqual([code, ok, failed], [0, true, []]);
    match(step("protocol").seen, /^MCP 2026-07-28: fine 2\.0\.0$/);
    strictEqual(step("list").seen, "1 tool");
    match(step("origin").seen, /pages of other origins are refused$/);
    strictEqual(step("cors").status, "skipped");
    match(step("cors").seen, /Try an origin of yours with --origin/);
  });
});

test("the origin of the server is enough: the endpoint is found at its default path", LIMIT, async () => {
  await withServer(createServer({ tools, logger: false }), async (url) => {
    const { code, step } = await examine(new URL(url).origin);
    strictEqual(code, 0);
    match(step("protocol").seen, /^mcp-lite at http:/);
  });
});

test("dns: a name that does not resolve", LIMIT, async () => {
  const { code, failed, step } = await examine("http://no-such-host.invalid/mcp");
  deepStrictEqual([code, failed], [4, ["dns"]]);
  match(step("dns").seen, /^no-such-host\.invalid does not resolve/);
  strictEqual(step("list").seen, "The step dns has failed");
});

test("tcp: a closed port", LIMIT, async () => {
  let closed = 0;
  await listening(createTcp(), (port) => Promise.resolve(void (closed = port)));
  const { code, failed, step } = await examine(`http://127.0.0.1:${closed}/mcp`);
  deepStrictEqual([code, failed], [4, ["tcp"]]);
  match(step("tcp").remedy ?? "", new RegExp(`^Start the server, and check that it listens on port ${closed}`));
});

/** `undefined` without openssl. */
function makeCertificate(): { readonly key: string; readonly cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-doctor-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const form = [
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-subj",
    "/CN=localhost",
  ];
  try {
    execFileSync("openssl", ["req", ...form, "-days", "2", "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const certificate = makeCertificate();
const SKIP = { ...LIMIT, skip: certificate === undefined && "openssl is not installed" };

test("tls: a certificate that no authority has signed", SKIP, async () => {
  await listening(createHttps(certificate ?? {}, (_, response) => response.end()), async (port) => {
    const { code, failed, step } = await examine(`https://localhost:${port}/mcp`);
    deepStrictEqual([code, failed], [4, ["tls"]]);
    match(step("tls").remedy ?? "", /^Use a certificate of a known authority/);
  });
});

test("tls: a port without TLS", LIMIT, async () => {
  await withHttp((_, response) => void response.end(), async (url) => {
    const { code, failed, step } = await examine(url.replace("http:", "https:"));
    deepStrictEqual([code, failed], [4, ["tls"]]);
    match(step("tls").remedy ?? "", /^The port has no TLS/);
  });
});

test("host: bytes that are not HTTP", LIMIT, async () => {
  const server = createTcp((socket) => {
    socket.on("error", () => {});
    socket.end("220 mail.example ESMTP\r\n");
  });
  await listening(server, async (port) => {
    const { code, failed, step } = await examine(`http://127.0.0.1:${port}/mcp`);
    deepStrictEqual([code, failed], [4, ["host"]]);
    match(step("host").seen, /^There is no HTTP response/);
  });
});

test("host: a name that the server does not answer for", LIMIT, async () => {
  const running = await serve(createServer({ tools, logger: false, hosts: ["api.example"] }), { port: 0, graceMs: 0 });
  const { code, failed, step } = await examine(`${running.url}/mcp`);
  await running.close();
  deepStrictEqual([code, failed], [3, ["host"]]);
  match(step("host").seen, /refuses the name 127\.0\.0\.1:\d+: status 403, This server does not answer for host/);
  match(step("host").remedy ?? "", /hosts: \["127\.0\.0\.1"\]/);
});

test("host: a proxy that routes the name elsewhere", LIMIT, async () => {
  await withHttp((_, response) => {
    response.statusCode = 421;
    response.end();
  }, async (url) => {
    const { code, failed } = await examine(url);
    deepStrictEqual([code, failed], [3, ["host"]]);
  });
});

test(
  "origin and cors: pages of an origin that is not listed; with the options of the remedy they pass",
  LIMIT,
  async () => {
    const origin = "https://app.example";
    await withServer(createServer({ tools, logger: false }), async (url) => {
      const { code, failed, step } = await examine(url, "--origin", origin);
      deepStrictEqual([code, failed], [3, ["origin", "cors"]]);
      match(step("origin").remedy ?? "", /origins: \["https:\/\/app\.example"\]/);
      match(step("cors").remedy ?? "", /cors: true/);
      strictEqual(step("list").status, "passed");
    });
    await withServer(createServer({ tools, logger: false, origins: [origin], cors: true }), async (url) => {
      const { code, step } = await examine(url, "--origin", origin);
      strictEqual(code, 0);
      strictEqual(step("cors").seen, "Pages of https://app.example may call it");
    });
  },
);

for (const [name, path, wire] of [["MCP", "/mcp", mcp()], ["MCP-lite", "/mcp-lite/v1", mcpLite()]] as const) {
  test(
    `origin and cors: of the endpoint of ${name} below an application, which is given by its origin`,
    LIMIT,
    async () => {
      const origin = "https://app.example";
      const server = createServer({ tools, logger: false, wires: [wire], origins: [origin], cors: true });
      const handler = toNodeHandler(server);
      const app: RequestListener = (request, response) => {
        if (request.url?.startsWith(path)) return void handler(request, response);
        // The application has its own rule for pages.
        response.writeHead(request.method === "GET" ? 200 : 404).end("the application");
      };
      await withHttp(app, async (url) => {
        const { code, step } = await examine(new URL(url).origin, "--origin", origin);
        strictEqual(step("cors").seen, "Pages of https://app.example may call it");
        match(step("host").seen, new RegExp(`^POST ${path}`));
        strictEqual(code, 0);
      });
    },
  );
}

test("cors: a preflight that does not allow the headers of clients", LIMIT, async () => {
  await withHttp((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "content-type");
    response.statusCode = request.method === "OPTIONS" ? 204 : 500;
    response.end();
  }, async (url) => {
    const { step } = await examine(url);
    match(step("cors").seen, /does not allow the headers authorization, mcp-protocol-version, mcp-session-id/);
  });
});

const authenticated = () =>
  createServer({ tools, logger: false, auth: bearer((token) => (token === "the-token" ? { id: "ada" } : undefined)) });

test("auth: 401 without metadata names both faults; a token passes, a wrong one does not", LIMIT, async () => {
  await withServer(authenticated(), async (url) => {
    const { code, failed, step } = await examine(url);
    deepStrictEqual([code, failed], [3, ["well-known", "auth"]]);
    match(step("well-known").remedy ?? "", /RFC 9728/);
    match(step("auth").remedy ?? "", /^Send a token: --bearer-env NAME/);
    strictEqual(step("protocol").seen, "The server answers after sign-in");
    const signedIn = await examine(url, "--bearer-env", "TOKEN");
    deepStrictEqual([signedIn.code, signedIn.failed], [0, []]);
    const wrong = await examine(url, "--token", "another");
    match(wrong.step("auth").remedy ?? "", /^The credentials are refused/);
  });
});

test("well-known: metadata of another resource, and an authorization server without metadata", LIMIT, async () => {
  const answer = (resource: string, issuer: string): RequestListener => (request, response) => {
    const isMetadata = request.url === "/.well-known/oauth-protected-resource/mcp";
    response.statusCode = isMetadata ? 200 : request.url === "/mcp" ? 401 : 404;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isMetadata ? { resource, authorization_servers: [issuer] } : {}));
  };
  await withHttp(answer("https://other.example/mcp", "https://auth.example"), async (url) => {
    const { code, step } = await examine(url);
    strictEqual(code, 3);
    match(step("well-known").seen, /is of another resource: "https:\/\/other\.example\/mcp"/);
  });
  await listening(
    createHttp((request, response) => {
      const origin = `http://${request.headers.host}`;
      answer(`${origin}/mcp`, origin)(request, response as never);
    }),
    async (port) => {
      const { step } = await examine(`http://127.0.0.1:${port}/mcp`);
      match(step("well-known").seen, /^The authorization server http:\/\/127\.0\.0\.1:\d+ has no metadata$/);
    },
  );
});

test("protocol: a web page, with the endpoint beside it", LIMIT, async () => {
  await withHttp((request, response) => {
    const isEndpoint = request.url === "/mcp-lite/v1";
    response.setHeader("content-type", isEndpoint ? "application/json" : "text/html; charset=utf-8");
    response.end(isEndpoint ? "{}" : "<!doctype html><p>Welcome");
  }, async (url) => {
    const { code, failed, step } = await examine(url);
    deepStrictEqual([code, failed], [4, ["protocol"]]);
    strictEqual(step("protocol").seen, "A web page answers (status 200)");
    match(step("protocol").remedy ?? "", /^Try http:\/\/127\.0\.0\.1:\d+\/mcp-lite\/v1$/);
  });
});

test("protocol: the transport of 2024-11-05", LIMIT, async () => {
  await withHttp((request, response) => {
    if (request.method !== "GET") {
      response.statusCode = 405;
      return void response.end();
    }
    response.setHeader("content-type", "text/event-stream");
    response.write("event: endpoint\ndata: /messages?id=1\n\n");
  }, async (url) => {
    const { code, failed, step } = await examine(url);
    deepStrictEqual([code, failed], [4, ["protocol"]]);
    match(step("protocol").seen, /HTTP\+SSE transport of 2024-11-05/);
  });
});

test("protocol: a version that no client of ours knows", LIMIT, async () => {
  await withHttp((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk).on("end", () => {
      const { id = null } = JSON.parse(body || "{}");
      response.setHeader("content-type", "application/json");
      const result = { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "old", version: "1" } };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  }, async (url) => {
    const { code, failed, step } = await examine(url);
    deepStrictEqual([code, failed], [4, ["protocol"]]);
    strictEqual(step("protocol").seen, 'The server answers with MCP "1999-01-01"');
    match(step("protocol").remedy ?? "", /2026-07-28, 2025-11-25/);
  });
});

test("protocol: a redirect names the address", LIMIT, async () => {
  await withHttp((_, response) => {
    response.statusCode = 308;
    response.setHeader("location", "https://new.example/mcp");
    response.end();
  }, async (url) => {
    const { failed, step } = await examine(url);
    deepStrictEqual(failed, ["protocol"]);
    strictEqual(step("protocol").remedy, "Use the address https://new.example/mcp");
  });
});

test("for people each line fits the terminal, and text of the server cannot control it", LIMIT, async () => {
  await withHttp((_, response) => {
    response.statusCode = 403;
    response.end("bad host \u001b[2J here");
  }, async (url) => {
    const { code, out } = await runInProcess(["doctor", url], { columns: 40, env: { NO_COLOR: "1" } });
    strictEqual(code, 3);
    for (const line of out.split("\n")) ok([...line].length <= 40 || !line.includes(" ", 14), line);
    ok(!out.includes("\u001b"), out);
    match(out, /\n– not reached: origin, cors,\n {2}well-known, protocol, auth, list\n$/);
    match(out, /^– dns {8}127\.0\.0\.1 is an address\n✓ tcp/);
  });
});

test("what is not a URL is refused", LIMIT, async () => {
  for (const target of ["./server.ts", "grpc://localhost:1", "weather"]) {
    const { code, errors } = await runInProcess(["doctor", target]);
    strictEqual(code, 2, target);
    match(errors, /is not a URL that begins with http/);
  }
  const { code, errors } = await runInProcess(["doctor", "http://localhost/mcp", "--origin", "app.example"]);
  strictEqual(code, 2);
  match(errors, /is not an origin such as https:\/\/app\.example/);
});
