/** The key of a caller: no two callers have the same, and that of a caller without a tenant is what tokens were bound to before there were tenants. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createClient, createServer, defineTool, keyRing, memoryTransport } from "../../mod.ts";
import { callerKey, readCallerKey } from "../../src/internal/caller_key.ts";

const text = fc.string({ unit: fc.constantFrom("a", "1", ":", "\u001f", "é", "\u{1f600}") });
const caller = fc.record(
  { id: text.filter((id) => id !== ""), tenant: text.filter((tenant) => tenant !== "") },
  { requiredKeys: ["id"] },
);

test("a key is read as the caller that it was made of, so that no two callers share one", () => {
  fc.assert(fc.property(caller, (one) => deepStrictEqual(readCallerKey(callerKey(one)), { ...one })));
  fc.assert(fc.property(caller, caller, ({ id, tenant = "" }, other) => {
    const isSame = id === other.id && tenant === (other.tenant ?? "");
    strictEqual(callerKey({ id, ...(tenant !== "" && { tenant }) }) === callerKey(other), isSame);
  }));
});

test("the key of a caller without a tenant is the id, and that of an anonymous caller is empty", () => {
  deepStrictEqual([callerKey({ id: "ada" }), callerKey(undefined)], ["ada", ""]);
});

test("a promise that was signed before there were tenants is redeemed by a caller without one, and by no other", async () => {
  const keys = keyRing("k1:a secret of this test that has 32 bytes or more");
  const done = Promise.withResolvers<string>();
  const report = defineTool("report").describe("Report").promise({ budgetMs: 1 }).handle(() => done.promise);
  const server = createServer({ tools: [report], keys, logger: false });
  const as = (tenant?: string) => {
    const principal = { id: "ada", ...(tenant !== undefined && { tenant }) };
    return createClient<typeof server>(memoryTransport(server, { principal })).$;
  };
  const { token } = await as().start("report", {});
  const signed = keys.verify("promise", token, "ada", Date.now());
  if (typeof signed !== "object") throw new Error("Tokens of callers without a tenant are not as before");
  const before = keys.sign("promise", { ...signed, principal: "ada" });
  await rejects(() => as("north").redeem(before).status(), { code: "invalid_promise" });
  done.resolve("done");
  strictEqual(await as().redeem(before).result(), "done");
  await server.close(0);
});
