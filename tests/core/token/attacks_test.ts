/**
 * Tokens as an attacker would change them: each case is a text that is not the token, or a question that the token does not
 * answer, and must come out `"invalid"`.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64Url, encodeBase64Url } from "../../../src/core/token/base64url.ts";
import type { TokenKind } from "../../../src/core/token/token.ts";
import { claims, K1, K2, KINDS, makers, NOW_MS, said } from "./fixture.ts";

const PREFIXES: Readonly<Record<TokenKind, string>> = {
  promise: "prom_",
  continuation: "cont_",
  context: "ctx_",
  config: "conf_",
  answer: "more_",
  resolve: "res_",
};

/** A token, and another of the same ring and kind that says something else. */
interface Target {
  readonly kind: TokenKind;
  readonly token: string;
  readonly other: string;
}

/** Every way to change a token that we know of. */
const attacks: Readonly<Record<string, (target: Target) => Iterable<string>>> = {
  *"a flipped bit of its bytes"({ kind, token }) {
    const bytes = decodeBase64Url(token.slice(PREFIXES[kind].length)) ?? new Uint8Array();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << bit % 8;
      yield PREFIXES[kind] + encodeBase64Url(flipped);
    }
  },
  *"a flipped bit of its characters"({ token }) {
    for (let bit = 0; bit < token.length * 16; bit += 1) {
      const at = bit >> 4;
      // Most of the upper bits give characters that are alike in being no ASCII: one in four of them will do.
      if (bit % 16 > 8 && at % 4 !== 0) continue;
      const code = token.charCodeAt(at) ^ 1 << bit % 16;
      yield token.slice(0, at) + String.fromCharCode(code) + token.slice(at + 1);
    }
  },
  *"a cut"({ token }) {
    for (let end = 0; end < token.length; end++) yield token.slice(0, end);
    for (let start = 1; start < token.length; start++) yield token.slice(start);
  },
  *"a byte left out"({ kind, token }) {
    const bytes = [...decodeBase64Url(token.slice(PREFIXES[kind].length)) ?? []];
    for (let at = 0; at < bytes.length; at++) {
      yield PREFIXES[kind] + encodeBase64Url(new Uint8Array(bytes.toSpliced(at, 1)));
    }
  },
  *"a suffix"({ token, other }) {
    for (const suffix of ["A", "AA", "AAA", "AAAA", "=", "==", ".", "\0", "\n", " ", "%00", ",", token, other]) {
      yield token + suffix;
    }
  },
  *"a splice of two tokens"({ token, other }) {
    const ends = Math.min(token.length, other.length);
    for (let at = 1; at < ends; at++) {
      for (const splice of [token.slice(0, at) + other.slice(at), other.slice(0, at) + token.slice(at)]) {
        if (splice !== token && splice !== other) yield splice;
      }
    }
  },
  *"another spelling"({ kind, token }) {
    const prefix = PREFIXES[kind];
    const text = token.slice(prefix.length);
    for (const pad of ["=", "==", "===", "%3D", "%3d%3d"]) yield token + pad;
    for (const space of [" ", "\t", "\n", "\r\n", "\u00a0", "\ufeff", "\u200b"]) {
      yield space + token;
      yield token + space;
      for (let at = 1; at < token.length; at += 7) yield token.slice(0, at) + space + token.slice(at);
    }
    yield* spareBits(prefix, text);
    yield prefix.toUpperCase() + text;
    yield prefix[0]!.toUpperCase() + token.slice(1);
    yield prefix.slice(0, -1) + text;
    yield prefix.replace("_", "-") + text;
    yield prefix.replace("_", "%5F") + text;
    yield prefix + prefix + text;
    yield `${prefix}_${text}`;
    yield text;
    yield token.toUpperCase();
    yield token.toLowerCase();
    yield `"${token}"`;
    yield `Bearer ${token}`;
    yield `${prefix}${text.replaceAll("-", "+").replaceAll("_", "/")}=`;
    yield prefix + [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("");
    for (let at = 0; at < token.length; at++) {
      const code = token.charCodeAt(at);
      yield `${token.slice(0, at)}%${code.toString(16)}${token.slice(at + 1)}`;
      // The same character in full width.
      yield token.slice(0, at) + String.fromCharCode(code - 0x20 + 0xff00) + token.slice(at + 1);
    }
  },
};

/** The other last characters that lax decoders read as the same bytes. */
function* spareBits(prefix: string, text: string): Iterable<string> {
  const same = (one: string, two: string) => atobLax(one) === atobLax(two);
  for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
    const respelt = text.slice(0, -1) + char;
    if (respelt !== text && same(respelt, text)) yield prefix + respelt;
  }
}

function atobLax(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

let cases = 0;
let respellings = 0;

for (const [name, makeRing] of Object.entries(makers)) {
  const keys = makeRing([K1, K2]);
  for (const [index, kind] of KINDS.entries()) {
    // Lengths that differ by one byte each: some tokens end in spare bits, whatever the kind.
    const all = { ...claims, data: "x".repeat(index) };
    // Not made before the tests run, since workerd has no randomness then.
    const makeTarget = (): Target => ({
      kind,
      token: keys.sign(kind, all),
      other: keys.sign(kind, { ...all, id: "ffffffff-ffff-4fff-bfff-ffffffffffff", tool: "render_audio" }),
    });
    const refuse = (text: string, principal = "ada", asked = kind, ring = keys) => {
      strictEqual(ring.verify(asked, text, principal, NOW_MS), "invalid", JSON.stringify(text));
      cases++;
    };

    for (const [what, makeCases] of Object.entries(attacks)) {
      test(`${name}() refuses a ${kind} with ${what}`, () => {
        const target = makeTarget();
        // Without it, a ring that refuses all would pass.
        deepStrictEqual(keys.verify(kind, target.token, "ada", NOW_MS), said(all));
        const texts = [...makeCases(target)];
        if (what === "another spelling") {
          respellings += [...spareBits("", target.token.slice(PREFIXES[kind].length))].length;
        }
        ok(texts.length > 10);
        for (const text of texts) refuse(text);
      });
    }

    test(`${name}() refuses a ${kind} for another kind, principal, prefix or key`, () => {
      const { token } = makeTarget();
      for (const another of KINDS.filter((one) => one !== kind)) {
        const renamed = PREFIXES[another] + token.slice(PREFIXES[kind].length);
        const rewritten = withByte(kind, token, 4, KINDS.indexOf(another) + 1);
        const both = PREFIXES[another] + rewritten.slice(PREFIXES[kind].length);
        for (const text of [token, renamed, rewritten, both]) refuse(text, "ada", another);
        for (const text of [renamed, rewritten, both]) refuse(text);
      }
      for (const principal of ["", "a", "ad", "ada\0", "adaa", "ADA", "bob", " ada", '"ada"']) refuse(token, principal);
      for (const ring of [K2, K1.replace("k1", "k2"), K1.replace("k1", "k"), `${K1}x`, K1.replace("k1:a", "k1:A")]) {
        refuse(token, "ada", kind, makeRing(ring));
      }
    });

    test(`${name}() refuses a ${kind} that has been moved to the other key of the ring`, () => {
      const { token } = makeTarget();
      strictEqual(withByte(kind, token, 3, "1".charCodeAt(0)), token);
      refuse(withByte(kind, token, 3, "2".charCodeAt(0)));
    });
  }
}

function withByte(kind: TokenKind, token: string, at: number, byte: number): string {
  const bytes = decodeBase64Url(token.slice(PREFIXES[kind].length)) ?? new Uint8Array();
  bytes[at] = byte;
  return PREFIXES[kind] + encodeBase64Url(bytes);
}

test("keyRing() refuses a token whose principal has been moved into it", () => {
  const keys = makers.keyRing!(K1);
  const bare = { ...claims, principal: "" };
  const body = decodeBase64Url(keys.sign("promise", { ...bare, principal: "ada" }).slice(5)) ?? new Uint8Array();
  for (const front of ['"ada"', 'ada"', "ada", '"ada']) {
    const moved = new Uint8Array([...new TextEncoder().encode(front), ...body]);
    strictEqual(keys.verify("promise", `prom_${encodeBase64Url(moved)}`, "", NOW_MS), "invalid");
  }
});

test("the attacks are many, and include other spellings of the last character", () => {
  ok(cases >= 7_000, String(cases));
  ok(respellings >= 15, String(respellings));
});
