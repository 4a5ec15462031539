import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase64Url, encodeBase64Url, encodeByHand } from "../../../src/core/token/base64url.ts";

for (
  const [bytes, text] of [
    [[], ""],
    [[0], "AA"],
    [[255], "_w"],
    [[0, 0], "AAA"],
    [[251, 255], "-_8"],
    [[1, 2, 3], "AQID"],
    [[251, 239, 190, 255], "----_w"],
  ] as const
) {
  test(`encodeBase64Url() and encodeByHand() write [${bytes}] as ${JSON.stringify(text)}`, () => {
    strictEqual(encodeBase64Url(new Uint8Array(bytes)), text);
    strictEqual(encodeByHand(new Uint8Array(bytes)), text);
    deepStrictEqual(decodeBase64Url(text), new Uint8Array(bytes));
  });
}

test("encodeByHand() agrees with encodeBase64Url(), and decodeBase64Url() reverses them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64Url(bytes);
      strictEqual(encodeByHand(bytes), text);
      deepStrictEqual(decodeBase64Url(text), new Uint8Array(bytes));
      strictEqual(
        btoa(String.fromCharCode(...bytes)).replaceAll("=", ""),
        text.replaceAll("-", "+").replaceAll("_", "/"),
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("decodeBase64Url() takes each character in no spelling but one", () => {
  // Of 65,536 characters and "AA" in front, those that end a triple of bytes: just the alphabet.
  const taken: string[] = [];
  for (let code = 0; code < 0x10000; code++) {
    const char = String.fromCharCode(code);
    if (decodeBase64Url(`AAA${char}`) !== undefined) taken.push(char);
  }
  strictEqual(taken.join(""), "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
});

test("decodeBase64Url() refuses spare bits, padding, white space and a character alone", () => {
  for (
    const text of ["A", "AB", "AAB", "AAAAB", "AA==", "AA=", " AA", "AA ", "A A", "AA\n", "+w", "/w", "AA%3D", "é"]
  ) {
    strictEqual(decodeBase64Url(text), undefined, text);
  }
});
