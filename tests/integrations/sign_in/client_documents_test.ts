/** Client id metadata documents: what is fetched, from where, and which documents are refused. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { authorizeUrl, codeForm, createWorld, REDIRECT, requestToken, signInWith } from "./world.ts";

const CLIENT = "https://client.example/oauth/client.json";
const DOCUMENT = { client_id: CLIENT, client_name: "Editor", redirect_uris: [REDIRECT, "http://localhost/cb"] };

/** A world in which documents are served by this function, and the URLs that were fetched. */
function createWeb(serve: (url: string, init: RequestInit) => Response | Promise<Response>) {
  const fetched: string[] = [];
  const world = createWorld({
    fetchDocument: async (url, init) => {
      fetched.push(url);
      strictEqual(init.redirect, "manual");
      return await serve(url, init);
    },
  }, 1);
  return { world, fetched };
}

test("a client with a document signs in without a registration, and the page names the host of the document", async () => {
  const { world, fetched } = createWeb(() => Response.json(DOCUMENT));
  const page = await (await world.browser().go(authorizeUrl(CLIENT))).text();
  match(page, /Editor/);
  match(page, /published by <strong>client\.example<\/strong>/);
  const arrived = await signInWith(world, world.browser(), authorizeUrl(CLIENT));
  strictEqual((await requestToken(world, codeForm(CLIENT, arrived))).status, 200);
  deepStrictEqual(fetched, [CLIENT]);
});

test("a document is cached for the time of its headers, within limits", async () => {
  for (
    const [header, seconds] of [
      ["max-age=3600", 3_600],
      ["public, max-age=0", 30],
      ["no-store", 30],
      ["max-age=999999999", 86_400],
      ["max-age=x", 300],
    ] as const
  ) {
    const { world, fetched } = createWeb(() => Response.json(DOCUMENT, { headers: { "cache-control": header } }));
    const open = async () => strictEqual((await world.browser().go(authorizeUrl(CLIENT))).status, 200);
    await open();
    world.clock.tick(seconds * 1000 - 1);
    await open();
    strictEqual(fetched.length, 1, header);
    world.clock.tick(1);
    await open();
    strictEqual(fetched.length, 2, header);
  }
});

test("documents of another client, of confidential clients, and without usable redirects are refused", async () => {
  const documents: readonly unknown[] = [
    { ...DOCUMENT, client_id: `${CLIENT}/` },
    { ...DOCUMENT, client_id: undefined },
    { ...DOCUMENT, client_secret: "shared" },
    { ...DOCUMENT, token_endpoint_auth_method: "client_secret_basic" },
    { ...DOCUMENT, token_endpoint_auth_method: "private_key_jwt" },
    { ...DOCUMENT, redirect_uris: [] },
    { ...DOCUMENT, redirect_uris: undefined },
    { ...DOCUMENT, redirect_uris: [REDIRECT, "javascript:alert(1)"] },
    { ...DOCUMENT, redirect_uris: ["https://client.example/a/../cb", REDIRECT] },
    { ...DOCUMENT, more: "x".repeat(6_000) },
    [DOCUMENT],
    null,
  ];
  for (const document of documents) {
    const { world } = createWeb(() => Response.json(document));
    const response = await world.browser().go(authorizeUrl(CLIENT));
    strictEqual(response.status, 400, JSON.stringify(document));
    strictEqual(response.headers.get("location"), null);
  }
});

test("a document with another redirect than the request is refused, also for loopback with another path", async () => {
  const { world } = createWeb(() => Response.json(DOCUMENT));
  const open = async (redirect_uri: string) =>
    (await world.browser().go(authorizeUrl(CLIENT, { redirect_uri }))).status;
  strictEqual(await open("http://localhost:4711/cb"), 200);
  for (
    const uri of ["http://localhost:4711/other", "http://127.0.0.1/cb", "https://evil.example/cb", `${REDIRECT}/..`]
  ) {
    strictEqual(await open(uri), 400, uri);
  }
});

test("redirects, errors, pages and failures in place of a document are refused, without their words", async () => {
  const answers: readonly (() => Response)[] = [
    () => new Response(null, { status: 302, headers: { location: "https://client.example/elsewhere.json" } }),
    () => Response.json(DOCUMENT, { status: 404 }),
    () => new Response(JSON.stringify(DOCUMENT), { headers: { "content-type": "text/html" } }),
    () => new Response("{", { headers: { "content-type": "application/json" } }),
    () => {
      throw new Error("words of the network");
    },
  ];
  for (const answer of answers) {
    const { world, fetched } = createWeb(answer);
    const response = await world.browser().go(authorizeUrl(CLIENT));
    strictEqual(response.status, 400);
    doesNotMatch(await response.text(), /words of the network/);
    strictEqual(fetched.length, 1);
  }
});

test("URLs that are not in normal form, or name no document, are not fetched", async () => {
  const { world, fetched } = createWeb(() => Response.json(DOCUMENT));
  for (
    const url of [
      "https://client.example",
      "https://client.example/",
      "https://client.example/a/../client.json",
      "https://client.example/./client.json",
      "https://CLIENT.example/client.json",
      "https://client.example:443/client.json",
      "https://a:b@client.example/client.json",
      "https://client.example/client.json#x",
      "HTTPS://client.example/client.json",
      `https://client.example/${"x".repeat(500)}`,
      "http://client.example/client.json",
    ]
  ) {
    strictEqual((await world.browser().go(authorizeUrl(url))).status, 400, url);
  }
  deepStrictEqual(fetched, []);
});

test("addresses that are not public are not connected to, in any spelling", async () => {
  const world = createWorld({}, 1);
  const hosts = [
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "[::1]", "[fe80::1]", "[fc00::1]"],
    ["[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2001:0:1:2::1]"],
    ["[::7f00:1]", "[2606:4700::5efe:a00:1]"],
  ].flat();
  for (const host of hosts) {
    const response = await world.browser().go(authorizeUrl(`https://${host}/client.json`));
    strictEqual(response.status, 400, host);
    match(await response.text(), /cannot be fetched as JSON from a public address/);
  }
});
