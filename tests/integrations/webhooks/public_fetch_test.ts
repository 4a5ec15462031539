/** URLs that callers choose: which are refused before a request is sent. */
import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { publicFetch } from "../../../src/integrations/webhooks/runtime/public_fetch.ts";

const PRIVATE = [
  ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"],
  ["255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1"],
  ["::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1"],
  ["::7f00:1", "::a00:1", "2606:4700::5efe:a00:1", "2606:4700::200:5efe:a00:1", "2001:0:1:2::1", "64:ff9b:1::a00:1"],
].flat();

/** The error of a request to a URL, whose name has these addresses. */
async function refusalOf(url: string, ...addresses: readonly string[]): Promise<string> {
  const lookup = () => {
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  };
  try {
    await publicFetch({ lookup })(url, { method: "POST", body: new Uint8Array(1) });
  } catch (thrown) {
    return String(thrown);
  }
  return "sent";
}

test("a name with a private address is refused, also if it has a public one; no address is connected to", async () => {
  for (const address of PRIVATE) {
    for (const addresses of [[address], ["1.1.1.1", address]]) {
      const refusal = await refusalOf("https://hooks.example.com/", ...addresses);
      strictEqual(refusal, "TypeError: Cannot send to hooks.example.com: its address is not public", address);
    }
  }
  strictEqual(
    await refusalOf("https://hooks.example.com/"),
    "TypeError: Cannot send to hooks.example.com: its address is not public",
  );
});

test("URLs with a private address in any spelling, without TLS, or with a user name are refused", async () => {
  const literals = PRIVATE.map((address) => `https://${address.includes(":") ? `[${address}]` : address}/`);
  const spellings = ["https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/"];
  const others = ["http://hooks.example.com/", "file:///etc/passwd", "https://a:b@hooks.example.com/"];
  for (const url of [...literals, ...spellings, ...others]) {
    await rejects(publicFetch()(url, { method: "POST" }), /must be https, with a public host/, url);
  }
});

test("a request ends when it is aborted, also while the addresses are read", async () => {
  const lookup = () => new Promise<never>(() => {});
  const abort = new AbortController();
  const sent = publicFetch({ lookup })("https://hooks.example.com/", { method: "POST", signal: abort.signal });
  abort.abort(new Error("too late"));
  await rejects(sent, /too late/);
});
