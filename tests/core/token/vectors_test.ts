import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { keyRing } from "../../../src/core/keys/key_ring.ts";
import { sealed } from "../../../src/entries/keys/sealed.ts";
import { said } from "./fixture.ts";
import { type TokenVector, VECTOR_KEY, vectors } from "./vectors.ts";

const PREFIXES = {
  promise: "prom_",
  continuation: "cont_",
  context: "ctx_",
  config: "conf_",
  answer: "more_",
  resolve: "res_",
} as const;
const encoder = new TextEncoder();

/** A token as examples/tokens describes it, by the runtime's own cryptography and without our code. */
async function mint(vector: TokenVector): Promise<string> {
  const { kind, id, expSeconds, tool, principal, nonceHex } = vector;
  const version = nonceHex === undefined ? 1 : 2;
  const stamp = expSeconds.toString(16).padStart(10, "0") + id.replaceAll("-", "");
  const head = [version, 2, ...encoder.encode("k1"), Object.keys(PREFIXES).indexOf(kind) + 1, ...fromHex(stamp)];
  const bound = [...encoder.encode(JSON.stringify(principal)), ...head];
  const claims = encoder.encode(JSON.stringify("data" in vector ? [tool, vector.data] : [tool]));
  const key = await derive(`toolwire/${version}/${kind}`);
  const body = nonceHex === undefined
    ? [...claims, ...await mac(key, [...bound, ...claims])]
    : [...fromHex(nonceHex), ...await encrypt(key, fromHex(nonceHex), bound, claims)];
  const base64 = btoa(String.fromCharCode(...head, ...body));
  return PREFIXES[kind] + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function derive(info: string): Promise<Uint8Array<ArrayBuffer>> {
  const secret = encoder.encode(VECTOR_KEY.slice("k1:".length));
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, 256));
}

async function mac(key: Uint8Array<ArrayBuffer>, message: readonly number[]): Promise<Uint8Array> {
  const keyed = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", keyed, new Uint8Array(message)));
}

async function encrypt(
  key: Uint8Array<ArrayBuffer>,
  iv: Uint8Array<ArrayBuffer>,
  bound: readonly number[],
  claims: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const keyed = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv, additionalData: new Uint8Array(bound) };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, keyed, claims));
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

for (const [index, vector] of vectors.entries()) {
  const { kind, token, principal, nonceHex } = vector;
  const name = `${nonceHex === undefined ? "signed" : "sealed"} ${kind}, vector ${index}`;
  const makeRing = nonceHex === undefined ? keyRing : sealed;

  test(`verify() reads the ${name}`, () => {
    deepStrictEqual(makeRing(VECTOR_KEY).verify(kind, token, principal, 0), said(vector));
    strictEqual(makeRing(VECTOR_KEY).verify(kind, token, `${principal}.`, 0), "invalid");
  });

  // A sealed one has a random nonce.
  if (nonceHex === undefined) {
    test(`sign() writes the ${name}`, () => strictEqual(keyRing(VECTOR_KEY).sign(kind, vector), token));
  }

  test(`crypto.subtle makes the ${name}`, async () => strictEqual(await mint(vector), token));
}
