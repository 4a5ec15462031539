/** Responses to rejected callers, byte by byte: statuses, headers and trailers of each protocol. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { ToolError } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { StatusSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/status_pb.ts";
import { frame, framesOf, textOf } from "../../wires/grpc/frames.ts";
import { call, callAs, createGuarded, METADATA_URL, post } from "./fixture.ts";

const skip = globalThis.navigator?.userAgent === "Cloudflare-Workers" && "workerd opens no sockets";

const CALL = "/mcplite.MCPLite/CallTool";
const STREAM = "/mcplite.MCPLite/CallToolStream";

/** Accepts only the token of ada, who has only the scope to read. */
const create = () =>
  createGuarded(bearer((token) => Promise.resolve(token === "ada" ? { id: "ada", scopes: ["docs:read"] } : undefined)));

const UNKNOWN = `Bearer resource_metadata="${METADATA_URL}"`;
const INVALID =
  `Bearer error="invalid_token", error_description="The token is unknown", resource_metadata="${METADATA_URL}"`;
const INSUFFICIENT =
  `Bearer error="insufficient_scope", error_description="Needs scopes docs:read, docs:write", scope="docs:read docs:write", resource_metadata="${METADATA_URL}"`;

test("MCP-lite: an unknown caller gets 401, with what to do", async () => {
  const { server, runs } = create();
  for (const path of ["/calltools", "/rpc", "/call", "/tools", "/listtools"]) {
    const response = await post(server, `/mcp-lite/v1${path}`, "{}");
    strictEqual(response.status, 401, path);
    strictEqual(response.headers.get("www-authenticate"), UNKNOWN);
    strictEqual(response.headers.get("content-type"), "application/json");
    deepStrictEqual(await response.json(), {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32000,
        message: "Send a token, as Authorization: Bearer <token>",
        data: { code: "unauthenticated" },
      },
    });
  }
  deepStrictEqual(runs, []);
});

test("MCP-lite: an unknown caller is refused before the rest of the request is read", async () => {
  const { server } = create();
  const url = "https://api.example/mcp-lite/v1/calltools";
  strictEqual((await server.fetch(new Request(url))).status, 401);
  strictEqual((await server.fetch(new Request(url, { method: "POST", body: "x" }))).status, 401);
  strictEqual((await post(server, "/mcp-lite/v1/calltools", "x".repeat(2_000_000))).status, 401);
  strictEqual((await call(server, "ping", { accept: "text/event-stream" })).status, 401);
  strictEqual((await server.fetch(new Request("https://api.example/elsewhere"))).status, 404);
});

test("MCP-lite: a token in the URL is ignored", async () => {
  const { server } = create();
  strictEqual((await post(server, "/mcp-lite/v1/tools?access_token=ada", "{}")).status, 401);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  strictEqual((await post(server, "/mcp-lite/v1/tools", "access_token=ada", form)).status, 401);
});

test("MCP-lite: a token that is not good is answered 401, and called that", async () => {
  const { server } = create();
  const response = await callAs(server, "ping", "mallory");
  strictEqual(response.status, 401);
  strictEqual(response.headers.get("www-authenticate"), INVALID);
  const { error } = await response.json() as { error: { data: unknown } };
  deepStrictEqual(error.data, { error: "invalid_token", code: "unauthenticated" });
});

test("a token that verify() refuses by a ToolError is an invalid token, too", async () => {
  const refuse = (details?: Readonly<Record<string, unknown>>) => {
    throw new ToolError("unauthenticated", "The token has expired", details && { details });
  };
  for (
    const [verify, error] of [
      [() => refuse(), "invalid_token"],
      [() => Promise.reject(new ToolError("unauthenticated", "The token has expired")), "invalid_token"],
      [() => refuse({ error: "expired_token" }), "expired_token"],
    ] as const
  ) {
    const { server } = createGuarded(bearer(verify));
    const response = await callAs(server, "ping", "eve");
    strictEqual(response.status, 401);
    strictEqual(
      response.headers.get("www-authenticate"),
      `Bearer error="${error}", error_description="The token has expired", resource_metadata="${METADATA_URL}"`,
    );
    await response.body?.cancel();
  }
});

test("MCP-lite: who lacks a scope is answered 403, with all that are needed", async () => {
  const { server, runs } = create();
  strictEqual((await callAs(server, "ping", "ada")).status, 200);
  for (const accept of ["application/json", "text/event-stream"]) {
    const response = await call(server, "write", { authorization: "Bearer ada", accept });
    strictEqual(response.status, 403);
    strictEqual(response.headers.get("www-authenticate"), INSUFFICIENT);
    deepStrictEqual(await response.json(), {
      jsonrpc: "2.0",
      id: 7,
      error: {
        code: -32000,
        message: "Needs scopes docs:read, docs:write",
        data: { required_scopes: ["docs:read", "docs:write"], code: "permission_denied" },
      },
    });
  }
  deepStrictEqual(runs, ["ada"]);
});

test("Connect: statuses and the header, in JSON and in bytes", async () => {
  const { server } = create();
  for (const type of ["application/json", "application/proto"]) {
    const body = type === "application/json" ? '{"name":"write"}' : new Uint8Array([0x0a, 5, ...textBytes("write")]);
    const headers = { "content-type": type };
    const nobody = await post(server, CALL, body, headers);
    strictEqual(nobody.status, 401);
    strictEqual(nobody.headers.get("www-authenticate"), UNKNOWN);
    strictEqual((await nobody.json() as { code: string }).code, "unauthenticated");
    const ada = await post(server, CALL, body, { ...headers, authorization: "Bearer ada" });
    strictEqual(ada.status, 403);
    strictEqual(ada.headers.get("www-authenticate"), INSUFFICIENT);
    strictEqual((await ada.json() as { code: string }).code, "permission_denied");
  }
});

test("Connect: streams say it at their end, and lists are refused as well", async () => {
  const { server } = create();
  const streamed = await post(server, STREAM, frame("{}"), { "content-type": "application/connect+json" });
  strictEqual(streamed.status, 200);
  const [end] = framesOf(new Uint8Array(await streamed.arrayBuffer()));
  strictEqual(
    (JSON.parse(textOf(end?.data ?? new Uint8Array())) as { error: { code: string } }).error.code,
    "unauthenticated",
  );
  strictEqual((await post(server, "/mcplite.MCPLite/GetTools", "{}")).status, 401);
});

test("gRPC-Web: the status, and what to do about it, in trailers", async () => {
  const { server } = create();
  for (const [path, status] of [[CALL, 200], [STREAM, 200]] as const) {
    const headers = { "content-type": "application/grpc-web+proto" };
    const nobody = await post(server, path, frame(""), headers);
    strictEqual(nobody.status, status);
    strictEqual(await grpcStatus(nobody), "16");
    const ada = await post(server, path, frame(`\n\x05write`), { ...headers, authorization: "Bearer ada" });
    strictEqual(await grpcStatus(ada), "7");
  }
});

test("Connect: what cannot be answered in its own words is not let through either", async () => {
  const { server, runs } = create();
  strictEqual((await post(server, CALL, "{}", { "content-type": "text/plain" })).status, 415);
  strictEqual((await server.fetch(new Request(`https://api.example${CALL}`))).status, 405);
  deepStrictEqual(runs, []);
});

test(
  "gRPC itself: a status without a message, its challenge beside it; health is anybody's",
  { skip },
  async () => {
    const { serve } = await import("../../../src/entries/serve.ts");
    const { server, runs } = create();
    const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
    const url = (listening.grpcUrl ?? "").replace(/^grpc:/, "http:");
    try {
      for (const path of [CALL, STREAM, "/mcplite.MCPLite/GetTools"]) {
        const nobody = await grpc(url, path, "");
        strictEqual(nobody["grpc-status"], "16", path);
        strictEqual(nobody["www-authenticate"], UNKNOWN);
        const { code, details } = fromBinary(StatusSchema, bytesOf(nobody["grpc-status-details-bin"] ?? ""));
        deepStrictEqual([code, details.map(({ typeUrl }) => typeUrl)], [16, [
          "type.googleapis.com/google.rpc.ErrorInfo",
        ]]);
      }
      for (const path of [CALL, STREAM]) {
        const ada = await grpc(url, path, "\n\x05write", { authorization: "Bearer ada" });
        strictEqual(ada["grpc-status"], "7");
        strictEqual(ada["www-authenticate"], INSUFFICIENT);
      }
      const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
      strictEqual((await grpc(url, reflection, undefined))["grpc-status"], "16");
      strictEqual((await grpc(url, "/grpc.health.v1.Health/Check", ""))["grpc-status"], "0");
      deepStrictEqual(runs, []);
    } finally {
      await listening.close();
    }
  },
);

test("serve(): the connection of a refused caller stays open", { skip }, async () => {
  const { serve } = await import("../../../src/entries/serve.ts");
  const { server } = create();
  const listening = await serve(server, { port: 0, graceMs: 0 });
  try {
    for (let round = 0; round < 3; round++) {
      const url = `${listening.url}/mcp-lite/v1/tools`;
      const headers = { "content-type": "application/json" };
      const refused = await fetch(url, { method: "POST", headers, body: " ".repeat(300_000) });
      strictEqual(refused.status, 401);
      match(await refused.text(), /unauthenticated/);
      const body = { method: "POST", body: "{}", headers: { ...headers, authorization: "Bearer ada" } };
      const answered = await fetch(url, body);
      strictEqual(answered.status, 200);
      await answered.text();
    }
  } finally {
    await listening.close();
  }
});

test("pages of allowed origins may read the challenge", async () => {
  const { server } = create();
  const cors = server.withOriginPolicy({ origins: ["https://app.example"], cors: true });
  const response = await call(cors, "ping", { origin: "https://app.example" });
  strictEqual(response.status, 401);
  strictEqual(response.headers.get("access-control-allow-origin"), "https://app.example");
  ok(response.headers.get("access-control-expose-headers")?.includes("www-authenticate"));
});

function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function grpcStatus(response: Response): Promise<string | undefined> {
  const frames = framesOf(new Uint8Array(await response.arrayBuffer()));
  const trailers = textOf(frames.at(-1)?.data ?? new Uint8Array());
  // Errors before the body is read are in the headers.
  match(response.headers.get("www-authenticate") ?? trailers, /^Bearer|www-authenticate: Bearer/);
  return /grpc-status: (\d+)/.exec(trailers)?.[1];
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Headers and trailers of a gRPC response. Without a message, the request is never ended. */
async function grpc(
  url: string,
  path: string,
  message: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const { connect } = await import("node:http2");
  const session = connect(url);
  try {
    return await new Promise((resolve, reject) => {
      const reply: Record<string, string> = {};
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      const keep = (more: object) => void Object.assign(reply, more);
      stream.on("response", keep).on("trailers", keep).on("error", reject).on("data", () => {});
      stream.on("end", () => setTimeout(() => resolve(reply), 20));
      if (message === undefined) stream.write(frame(""));
      else stream.end(frame(message));
    });
  } finally {
    session.destroy();
  }
}

test("MCP: statuses and the header, in each revision", async () => {
  const { server } = create();
  for (const version of ["2026-07-28", "2025-11-25"]) {
    const call = (name: string, headers: Readonly<Record<string, string>>) => {
      const _meta = version === "2026-07-28" && {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { name, arguments: {}, ...(_meta && { _meta }) };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const named = { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": name };
      return post(server, "/mcp", body, { accept: "application/json", ...named, ...headers });
    };
    const nobody = await call("write", {});
    deepStrictEqual([nobody.status, nobody.headers.get("www-authenticate")], [401, UNKNOWN], version);
    const ada = await call("write", { authorization: "Bearer ada" });
    deepStrictEqual([ada.status, ada.headers.get("www-authenticate")], [403, INSUFFICIENT], version);
    // As for errors before a call is read: the HTTP status has the meaning, and the error is not an internal one.
    strictEqual((await ada.json() as { error: { code: number } }).error.code, -32000);
    strictEqual((await call("ping", { authorization: "Bearer ada" })).status, 200);
  }
});

test("Webtools: statuses, the header and the envelope", async () => {
  const { server } = create();
  const body = '{"action":"write","request":{}}';
  for (
    const [headers, status, challenge, code] of [
      [{}, 401, UNKNOWN, "UNAUTHENTICATED"],
      [{ authorization: "Bearer ada" }, 403, INSUFFICIENT, "PERMISSION_DENIED"],
    ] as const
  ) {
    const response = await post(server, "/webtools/fixture", body, headers);
    deepStrictEqual([response.status, response.headers.get("www-authenticate")], [status, challenge]);
    ok((await response.text()).includes(code));
  }
});
