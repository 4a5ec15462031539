import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../src/internal/json.ts";
import { encodeBase64Url } from "../../../src/core/token/base64url.ts";
import { deriveKey, macGuard, nobleHmac } from "../../../src/core/token/guard.ts";
import { bindTo, concatBytes, encodeClaims, encodeStamp, encodeText } from "../../../src/core/token/layout.ts";
import { claims, K1, KINDS, makers, NOW_MS, said } from "./fixture.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
/** Text that JavaScript allows and Unicode does not. */
const oddText = fc.string({
  unit: fc.constantFrom("\ud800", "\udfff", "\0", '"', "\\", "\u2028", "a", "é", "😀"),
  maxLength: 8,
});
const text = fc.oneof(anyText, oddText);

const anyClaims = fc.record({
  id: fc.uuid(),
  expSeconds: fc.oneof(fc.integer({ min: 0, max: 2 ** 40 - 1 }), fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, 2 ** 40 - 1)),
  tool: text,
  principal: text,
  data: fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined }),
});

/** Claims that fit the limit of every kind: a resolver has 512 characters. */
const fittingClaims = anyClaims.filter((any) => encodeClaims(any).length <= 256);

for (const [name, makeRing] of Object.entries(makers)) {
  const keys = makeRing(K1);

  test(`${name}() gives back any claims, and to nobody else`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fittingClaims, text, (kind, any, stranger) => {
        // The data comes back as JSON represents it.
        const data: Json | undefined = any.data === undefined ? undefined : JSON.parse(JSON.stringify(any.data));
        const all = { ...any, data };
        const token = keys.sign(kind, all);
        ok(/^(prom|cont|ctx|conf|more|res)_[\w-]+$/.test(token));
        deepStrictEqual(keys.verify(kind, token, all.principal, 0), said(all));
        if (stranger !== all.principal) strictEqual(keys.verify(kind, token, stranger, 0), "invalid");
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test(`${name}() is total: any text is refused, and throws nothing`, () => {
    const start = [makeRing === makers.sealed ? 2 : 1, 2, 0x6b, 0x31];
    const random = fc.uint8Array({ maxLength: 120 });
    const forged = fc.tuple(fc.constantFrom(1, 2, 3, 4, 6), random).map(([kind, rest]) =>
      encodeBase64Url(new Uint8Array([...start, kind, ...rest]))
    );
    const body = fc.oneof(anyText, oddText, forged, random.map((bytes) => encodeBase64Url(bytes)));
    const token = fc.tuple(fc.constantFrom("", "prom_", "cont_", "ctx_", "conf_", "res_"), body).map(([prefix, rest]) =>
      prefix + rest
    );
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), token, text, (kind, any, principal) => {
        strictEqual(keys.verify(kind, any, principal, NOW_MS), "invalid");
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
}

/** A token by someone who has the secret, and no idea of what belongs in a token. */
function mint(body: Uint8Array): string {
  const key = deriveKey(nobleHmac, encodeText(K1.slice(3)), "toolwire/1/promise");
  const head = concatBytes(new Uint8Array([1, 2, 0x6b, 0x31, 1]), encodeStamp(claims));
  const closed = macGuard(nobleHmac(key)).close(bindTo("ada", head), body);
  return `prom_${encodeBase64Url(concatBytes(head, closed))}`;
}

test("keyRing() refuses claims that are none, though they are signed", () => {
  const keys = makers.keyRing!(K1);
  deepStrictEqual(keys.verify("promise", mint(encodeText('["render_video"]')), "ada", NOW_MS), {
    ...said({ ...claims, data: undefined }),
  });
  for (
    const wrong of ["", "[", "[]", "[1]", "[null]", "null", "5", "{}", "true", '{"0":"a"}', '["a"', '["a"]]', "\0"]
  ) {
    strictEqual(keys.verify("promise", mint(encodeText(wrong)), "ada", NOW_MS), "invalid", wrong);
  }
  strictEqual(keys.verify("promise", mint(new Uint8Array([0xff, 0xfe])), "ada", NOW_MS), "invalid");
});
