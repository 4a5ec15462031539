import { deepStrictEqual, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { describe, test } from "node:test";
import { type Hmac, nobleHmac } from "../../../src/core/token/guard.ts";
import { keyRing, randomKeyRing } from "../../../src/core/keys/key_ring.ts";
import { claims, K1, K2, KINDS, makers, NOW_MS, said } from "./fixture.ts";

for (const [name, makeRing] of Object.entries(makers)) {
  describe(`${name}()`, () => {
    const keys = makeRing(K1);

    for (const kind of KINDS) {
      test(`gives back what a ${kind} said, id and expiry included`, () => {
        for (const data of [undefined, null, 0, "", "é\u2028\ud800", [], {}, [{ a: [null, "b"] }]]) {
          const all = { ...claims, data };
          deepStrictEqual(keys.verify(kind, keys.sign(kind, all), "ada", NOW_MS), said(all));
        }
      });
    }

    test("binds a token to its principal, whatever characters tell them apart", () => {
      const names = [
        "",
        "ada",
        "ada ",
        "Ada",
        '"',
        '"ada"',
        "\\",
        "\n",
        "é",
        "e\u0301",
        "\ud800",
        "\udc00",
        "\ufffd",
        "\0",
      ];
      for (const principal of names) {
        const token = keys.sign("promise", { ...claims, principal });
        const open = names.filter((name) => keys.verify("promise", token, name, NOW_MS) !== "invalid");
        deepStrictEqual(open, [principal]);
      }
    });

    test("does not show the principal", () => {
      const principal = "ada@example.org";
      const lengths = ["", principal].map((name) => keys.sign("promise", { ...claims, principal: name }).length);
      strictEqual(lengths[0], lengths[1]);
    });

    test("lets a token live for a minute longer than it says, and no longer", () => {
      const token = keys.sign("context", claims);
      const endMs = (claims.expSeconds + 60) * 1000;
      deepStrictEqual(keys.verify("context", token, "ada", endMs - 1), said(claims));
      strictEqual(keys.verify("context", token, "ada", endMs), "expired");
      strictEqual(keys.verify("context", token, "ada", Number.NaN), "expired");
      deepStrictEqual(keys.verify("context", token, "ada", 0), said(claims));
    });

    test("says of a token that is expired and wrong only that it is wrong", () => {
      const token = keys.sign("promise", { ...claims, expSeconds: 0 });
      strictEqual(keys.verify("promise", token, "ada", NOW_MS), "expired");
      strictEqual(keys.verify("promise", token, "bob", NOW_MS), "invalid");
      strictEqual(keys.verify("context", token, "ada", NOW_MS), "invalid");
      strictEqual(keys.verify("promise", `${token}A`, "ada", NOW_MS), "invalid");
      strictEqual(makeRing(K2).verify("promise", token, "ada", NOW_MS), "invalid");
    });

    test("signs with the first key and verifies with any, so that keys can be rotated", () => {
      const [old, both, young] = [makeRing(K1), makeRing(`${K2},${K1}`), makeRing([K2])];
      const token = old.sign("promise", claims);
      deepStrictEqual(both.verify("promise", token, "ada", NOW_MS), said(claims));
      strictEqual(young.verify("promise", token, "ada", NOW_MS), "invalid");
      const next = both.sign("promise", claims);
      deepStrictEqual(young.verify("promise", next, "ada", NOW_MS), said(claims));
      strictEqual(old.verify("promise", next, "ada", NOW_MS), "invalid");
    });

    test("refuses a token of another secret under the same kid", () => {
      const token = makeRing(K2.replace("k2", "k1")).sign("promise", claims);
      strictEqual(keys.verify("promise", token, "ada", NOW_MS), "invalid");
    });

    for (
      const [kind, prefix, maxChars] of [["promise", "prom_", 2_048], ["continuation", "cont_", 32_768], [
        "context",
        "ctx_",
        6_000,
      ]] as const
    ) {
      test(`refuses to sign a ${kind} of more than ${maxChars} characters, and takes one of just as many`, () => {
        const signOf = (length: number) => keys.sign(kind, { ...claims, data: "x".repeat(length) });
        let length = Math.floor((maxChars - 250) * 3 / 4);
        while (signOf(length + 1).length < maxChars - 1) length++;
        const longest = signOf(length + 1).length <= maxChars ? length + 1 : length;
        ok(signOf(longest).startsWith(prefix));
        ok(keys.verify(kind, signOf(longest), "ada", NOW_MS) !== "invalid");
        throws(() => signOf(longest + 2), {
          name: "RangeError",
          message: new RegExp(`${kind} token: \\d+ .* ${maxChars}$`),
        });
      });
    }

    test("refuses to sign what would not come back as it is", () => {
      const { id } = claims;
      const ids = ["", "x", id.toUpperCase(), id.replaceAll("-", ""), `${id} `, `{${id}}`, id.slice(1)];
      for (const wrong of ids) throws(() => keys.sign("promise", { ...claims, id: wrong }), TypeError, wrong);
      const moments = [-1, 1.5, 2 ** 40, Number.NaN, Number.POSITIVE_INFINITY];
      for (const expSeconds of moments) throws(() => keys.sign("promise", { ...claims, expSeconds }), TypeError);
      for (const expSeconds of [0, 2 ** 32, 2 ** 40 - 1]) {
        const all = { ...claims, expSeconds };
        deepStrictEqual(keys.verify("promise", keys.sign("promise", all), "ada", 0), said(all));
      }
    });

    for (
      const [why, wrong] of [
        ["empty text", ""],
        ["an empty list", []],
        ["a secret without a kid", "correct-horse-battery-staple-correct-horse"],
        ["an empty kid", ":correct-horse-battery-staple-correct-horse"],
        ["a kid of 17 characters", "abcdefghijklmnopq:correct-horse-battery-staple-correct-horse"],
        ["a kid with a dot", "k.1:correct-horse-battery-staple-correct-horse"],
        ["a secret of 31 bytes", "k1:correct-horse-battery-staple-cc"],
        ["a secret of 31 bytes, after white space", "k1:correct-horse-battery-staple-cc   "],
        ["a comma too many", `${K1},`],
        ["a kid twice", [K1, K2.replace("k2", "k1")]],
      ] as const
    ) {
      test(`refuses a ring with ${why}, says how to mend it, and shows nothing of it`, () => {
        throws(() => makeRing(wrong), (thrown: unknown) => {
          ok(thrown instanceof TypeError);
          ok(/key [12] is not "kid:secret".*openssl rand -base64 32/.test(thrown.message), thrown.message);
          ok(!/correct|horse|staple|nothing-else/.test(thrown.message), thrown.message);
          return true;
        });
      });
    }

    test("takes white space around keys, colons in secrets, 32 bytes of any text, and 16 characters of kid", () => {
      const ring = makeRing(`  ${K2} ,\n${K1}\n`);
      deepStrictEqual(ring.verify("promise", keys.sign("promise", claims), "ada", NOW_MS), said(claims));
      const secrets = [`a:${"b".repeat(30)}`, "é".repeat(16), "0".repeat(4096), "a,b\n".repeat(8) + "c"];
      for (const secret of secrets) {
        const other = makeRing([`ABCDEFGHIJ_-0129:${secret}`]);
        deepStrictEqual(other.verify("promise", other.sign("promise", claims), "ada", NOW_MS), said(claims));
      }
    });
  });
}

test("keyRing() refuses sealed tokens, and sealed() those that are only signed", () => {
  for (const [name, other] of [["keyRing", "sealed"], ["sealed", "keyRing"]] as const) {
    for (const kind of KINDS) {
      const token = makers[name]!(K1).sign(kind, claims);
      strictEqual(makers[other]!(K1).verify(kind, token, "ada", NOW_MS), "invalid");
    }
  }
});

test("keyRing() uses another HMAC for everything, with one key schedule for each key and kind", () => {
  let schedules = 0;
  const hmac: Hmac = (key) => {
    schedules++;
    return nobleHmac(key);
  };
  const keys = keyRing([K1, K2], { hmac });
  strictEqual(schedules, 0);
  const token = keys.sign("promise", claims);
  strictEqual(token, keyRing(K1).sign("promise", claims));
  // Extracting, expanding and signing, for two keys.
  strictEqual(schedules, 6);
  for (let time = 0; time < 3; time++) deepStrictEqual(keys.verify("promise", token, "ada", NOW_MS), said(claims));
  strictEqual(schedules, 6);
  keys.sign("context", claims);
  strictEqual(schedules, 12);
});

test("keyRing() computes nothing over what is too long, or not of one of its keys", () => {
  let macs = 0;
  const hmac: Hmac = (key) => {
    const mac = nobleHmac(key);
    return (message) => {
      macs++;
      return mac(message);
    };
  };
  const keys = keyRing(K1, { hmac });
  const token = keys.sign("promise", claims);
  const before = macs;
  const stranger = keyRing(K2).sign("promise", claims);
  const sealed = makers.sealed!(K1).sign("promise", claims);
  const long = `prom_${token.slice(5, 13)}${"A".repeat(2_036)}`;
  for (const wrong of ["", "prom_", "ctx_AQJrMQE", long, `${token}=`, `${token} `, stranger, sealed]) {
    strictEqual(keys.verify("promise", wrong, "ada", NOW_MS), "invalid");
  }
  strictEqual(macs, before);
  strictEqual(keys.verify("promise", long.slice(0, -1), "ada", NOW_MS), "invalid");
  strictEqual(macs, before + 1);
});

test("sealed() makes another token each time, of the same length", () => {
  const keys = makers.sealed!(K1);
  const [one, two] = [keys.sign("promise", claims), keys.sign("promise", claims)];
  notStrictEqual(one, two);
  strictEqual(one.length, two.length);
});

test("sealed() hides tool and data, keyRing() does not", () => {
  const text = (token: string) => atob(token.slice(5).replaceAll("-", "+").replaceAll("_", "/"));
  ok(text(makers.keyRing!(K1).sign("promise", claims)).includes('["render_video",{"job"'));
  const hidden = text(makers.sealed!(K1).sign("promise", claims));
  ok(!hidden.includes("render") && !hidden.includes("job"));
});

test("randomKeyRing() keeps its keys to itself", () => {
  const [mine, yours] = [randomKeyRing(), randomKeyRing()];
  for (const kind of KINDS) {
    const token = mine.sign(kind, claims);
    deepStrictEqual(mine.verify(kind, token, "ada", NOW_MS), said(claims));
    strictEqual(yours.verify(kind, token, "ada", NOW_MS), "invalid");
  }
});

test("randomKeyRing() asks for randomness at its first use", () => {
  const { getRandomValues } = crypto;
  const fail = () => {
    throw new Error("Too early");
  };
  crypto.getRandomValues = fail;
  try {
    const keys = randomKeyRing();
    throws(() => keys.sign("promise", claims), { message: "Too early" });
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
});

test("keyRing() names missing keys, such as those of an unset variable", () => {
  const unset = undefined as unknown as string;
  throws(() => keyRing(unset), { name: "TypeError", message: /^Cannot create key ring: keys are missing; pass/ });
});

test("a secret with a comma is refused as two keys, and the message says that commas separate keys", () => {
  const secret = "k1:a secret, with a comma, of at least thirty-two bytes";
  throws(
    () => keyRing(secret),
    (error: Error) =>
      /Commas separate keys: pass an array/.test(error.message) && !error.message.includes("a secret, with"),
  );
  throws(() => keyRing("k1:short"), (error: Error) => !error.message.includes("Commas"));
  ok(keyRing([secret]));
});
