import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { keysFromEnv } from "../../../src/runtime/keys_from_env.ts";
import { keyRing } from "../../../src/core/keys/key_ring.ts";
import { claims, K1, K2, KINDS, NOW_MS, said } from "./fixture.ts";

function withEnv(name: string, value: string | undefined, run: () => void): void {
  const before = process.env[name];
  const set = (text: string | undefined) => {
    if (text === undefined) delete process.env[name];
    else process.env[name] = text;
  };
  set(value);
  try {
    run();
  } finally {
    set(before);
  }
}

test("keysFromEnv() reads TOOLWIRE_KEYS, and signs as keyRing() does", () => {
  withEnv("TOOLWIRE_KEYS", `${K2},${K1}`, () => {
    const keys = keysFromEnv();
    for (const kind of KINDS) {
      const token = keyRing(K2).sign(kind, claims);
      strictEqual(keys.sign(kind, claims), token);
      deepStrictEqual(keys.verify(kind, keyRing(K1).sign(kind, claims), "ada", NOW_MS), said(claims));
      strictEqual(keys.verify(kind, token, "bob", NOW_MS), "invalid");
    }
  });
});

test("keysFromEnv() reads another variable, by its name", () => {
  withEnv("TOOLWIRE_TEST_KEYS", K1, () => {
    strictEqual(keysFromEnv("TOOLWIRE_TEST_KEYS").sign("promise", claims), keyRing(K1).sign("promise", claims));
  });
});

for (const value of [undefined, ""]) {
  test(`keysFromEnv() says how to make keys where the variable is ${value === "" ? "empty" : "missing"}`, () => {
    withEnv("TOOLWIRE_TEST_KEYS", value, () => {
      throws(() => keysFromEnv("TOOLWIRE_TEST_KEYS"), {
        name: "TypeError",
        message: /no TOOLWIRE_TEST_KEYS.*`openssl rand -base64 32`/,
      });
    });
  });
}

test("keysFromEnv() shows nothing of keys that are wrong", () => {
  withEnv("TOOLWIRE_TEST_KEYS", "correct-horse", () => {
    throws(() => keysFromEnv("TOOLWIRE_TEST_KEYS"), (thrown: unknown) => {
      ok(thrown instanceof TypeError && !thrown.message.includes("horse"));
      return true;
    });
  });
});
