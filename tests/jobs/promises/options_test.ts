/** Invalid options: rejected where the server is created, not when the first promise is due. */
import { match, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type ServerOptions } from "../../../mod.ts";
import { assertRefused, Bench } from "../../core/dispatch/harness.ts";
import { asPromise, Gates, KEYS, pass, redeem } from "./promised.ts";

const t = defineTool("t").describe("T");
const tool = t.handle(() => 1);

for (
  const [name, options, message] of [
    ["keys: 123", { keys: 123 }, /keys are text/],
    ["keys: {}", { keys: {} }, /keys are text/],
    ["keys: null", { keys: null }, /keys are text/],
    ["keys that are too short", { keys: "k1:short" }, /32 bytes/],
    ["engine: the name of one", { engine: "sqlite" }, /engine must be one, such as memoryEngine/],
    ["engine: {}", { engine: {} }, /engine must be one, such as memoryEngine/],
    ["engine: a function that was not called", { engine: () => {} }, /engine must be one, such as memoryEngine/],
    [
      "parts: a server",
      { parts: [createServer({ tools: [] })] },
      /parts must be an array of what mount\(server\) gives/,
    ],
    ["parts: nothing", { parts: [undefined] }, /parts must be/],
    ["resources: a tool", { resources: [tool] }, /resources must be an array of what defineResource\(…\) gives/],
    ["resources: one, not in an array", { resources: {} }, /resources must be an array/],
    ["prompts: a tool", { prompts: [tool] }, /prompts must be an array of what definePrompt\(…\) gives/],
    ["auth: a function", { auth: () => {} }, /auth must be what bearer\(…\), jwt/],
    ["limits: { depth: 0 }", { limits: { depth: 0 } }, /depth must be a number above 0, not 0/],
    ["limits: { bodyBytes: NaN }", { limits: { bodyBytes: Number.NaN } }, /bodyBytes/],
    ["limits: { answerChars: -1 }", { limits: { answerChars: -1 } }, /answerChars/],
    ['limits: { resultChars: "four" }', { limits: { resultChars: "four" } }, /resultChars/],
    ["work: { concurrency: 0 }", { work: { concurrency: 0 } }, /concurrency/],
    ["work: { concurency: 1 }", { work: { concurency: 1 } }, /did you mean "concurrency"/],
    ["a misspelled auth, which would leave it open", { authh: {} }, /there is no option "authh"; did you mean "auth"/],
    ["a misspelled limit", { limits: { bodybytes: 10 } }, /did you mean "bodyBytes"/],
    ["a misspelled part of cors", { cors: { maxAge: 1 } }, /did you mean "maxAgeSeconds"/],
    [
      "cors for no origins",
      { cors: true },
      /cors needs the origins .* add origins: \["https:.* or origins: "\*" for all$/,
    ],
    ["cors with options for no origins", { cors: { maxAgeSeconds: 1 } }, /cors needs the origins/],
    ["a logger that is a function", { logger: console.log }, /such as console/],
    ["one wire, not in an array", { wires: {} }, /wires must be an array/],
    ["hosts: all of them", { hosts: ["*"] }, /without \*/],
    ["hosts: none", { hosts: [] }, /array of host names/],
    ["a name that is no text", { name: 1 }, /name must be text/],
    ['timeoutMs: "30s"', { timeoutMs: "30s" }, /timeoutMs must be a number above 0/],
  ] as const
) {
  test(`createServer() refuses ${name}`, () => {
    throws(() => createServer({ ...options, tools: [tool] } as unknown as ServerOptions<[]>), message);
  });
}

test("work is not begun again once its promise is over", async () => {
  const gates = new Gates();
  const promised = t.promise({ budgetMs: 1_000, ttlMs: 120_000, jobTimeoutMs: 119_999 }).handle(() => gates.wait());
  const bench = new Bench([promised], { keys: KEYS });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass(bench, 0);
  await pass(bench, 120_000);
  strictEqual(gates.begun, 1);
  // The first attempt ended within the promise; the second one would begin after it.
  await pass(bench, 1_000);
  await pass(bench, 120_000);
  await pass(bench, 60_000);
  strictEqual(gates.begun, 1);
  assertRefused(await redeem(bench, token), "expired_promise");
});

test("a failure says how often was tried, in good English", async () => {
  const bench = new Bench([t.promise({ retries: 0 }).handle(() => Promise.reject(new Error("no")))], { keys: KEYS });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass(bench, 0);
  const settled = await redeem(bench, token);
  match(settled.kind === "failure" ? settled.message : "", /^Gave up after 1 attempt$/);
});
