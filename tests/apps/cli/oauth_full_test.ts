/** `--oauth`: a command signs in at a real authorization server, and later commands use its tokens. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createServer, defineTool, mcp, mcpLite, type Server } from "../../../mod.ts";
import { bearer, jwtVerifier, protectedResourcePage } from "../../../src/entries/auth.ts";
import { serve } from "../../../src/entries/serve.ts";
import { browse, startIssuer } from "../../integrations/oauth/issuer.ts";
import { runHere } from "./run_here.ts";

const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal?.id);

/** A free port, for a server that has to know its address. */
async function findPort(): Promise<number> {
  const listening = await serve(createServer({ tools: [], logger: false }), { port: 0 });
  await listening.close();
  return Number(new URL(listening.url).port);
}

/** Serves at an address that the server knows. Another program may take the free port first: then the next one is tried. */
async function serveAt(create: (origin: string) => Server) {
  for (let tries = 1;; tries++) {
    const port = await findPort();
    const origin = `http://127.0.0.1:${port}`;
    try {
      return { origin, listening: await serve(create(origin), { port }) };
    } catch (thrown) {
      if ((thrown as { readonly code?: unknown }).code !== "EADDRINUSE" || tries === 20) throw thrown;
    }
  }
}

test("a command signs in once, keeps the tokens for the user alone, and renews nothing in the next", {
  timeout: 60_000,
}, async () => {
  const issuer = await startIssuer();
  const { origin, listening } = await serveAt((resource) =>
    createServer({
      logger: false,
      tools: [whoami],
      wires: [
        mcp(),
        mcpLite(),
        protectedResourcePage({ resource, authorizationServers: [issuer.url], scopes: ["docs:read"] }),
      ],
      auth: bearer(jwtVerifier({ issuer: issuer.url, audience: resource, jwksUrl: `${issuer.url}/jwks` })),
    })
  );
  const home = mkdtempSync(join(tmpdir(), "toolwire-oauth-"));
  const pages: string[] = [];
  const place = {
    cwd: home,
    async onNote(text: string) {
      const [, page] = /Sign in at (\S+)/.exec(text) ?? [];
      if (page === undefined) return;
      pages.push(page);
      await fetch(await browse(new URL(page)));
    },
  };
  try {
    const refused = await runHere({ cwd: home }, "call", origin, "whoami", "--json");
    deepStrictEqual([refused.code, JSON.parse(refused.errors).error.code], [3, "unauthenticated"]);
    const alone = await runHere({ cwd: home }, "call", origin, "whoami", "--oauth");
    strictEqual(alone.code, 6, alone.errors);
    match(alone.errors, /Signing in needs a person and a terminal/);
    const signedIn = await runHere(place, "call", origin, "whoami", "--oauth", "--no-browser");
    deepStrictEqual([signedIn.code, signedIn.out], [0, "ada\n"], signedIn.errors);
    const again = await runHere(place, "call", `${origin}/mcp`, "whoami", "--oauth");
    deepStrictEqual([again.code, again.out, pages.length], [0, "ada\n", 1], again.errors);
    const folder = join(home, ".config/toolwire/oauth");
    const [file = ""] = readdirSync(folder);
    deepStrictEqual([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777], [0o700, 0o600]);
    ok(!signedIn.errors.includes("eyJ"), "no token is printed");
  } finally {
    rmSync(home, { recursive: true });
    await listening.close();
    await issuer.stop();
  }
});

test("--oauth is for URLs", async () => {
  const { code, errors } = await runHere({ cwd: tmpdir() }, "list", "grpc://127.0.0.1:1", "--oauth");
  deepStrictEqual([code, errors], [2, "--oauth needs a URL that begins with http:// or https://\n"]);
});
