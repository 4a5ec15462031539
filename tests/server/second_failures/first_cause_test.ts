/**
 * What is closed after something has failed, and fails, too: the caller gets the first cause, never the error of the clean-up in its place,
 * and what is left is closed all the same.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import { authorizationCode, type Redirect } from "../../../src/entries/oauth.ts";
import type { SignInStore } from "../../../src/entries/sign_in.ts";
import { engineSuite, type OpenedEngine, type ReplicaServer, simulateReplicas } from "../../../src/entries/testing.ts";
import { answerTo, createNetwork, POST, SERVER } from "../../integrations/oauth/network.ts";
import { call, codeForm, createWorld, MemoryStore, obtain, requestToken } from "../../integrations/sign_in/world.ts";
import { createFaulty, type Fault, FIRST, type MethodsOf, SECOND } from "./faulty.ts";
import { messagesOf } from "./messages.ts";

const FAULTS: readonly Fault[] = ["throws", "rejects"];

const REDIRECT: readonly MethodsOf<Redirect>[] = ["visit", "close"];

for (const method of REDIRECT) {
  for (const fault of FAULTS) {
    test(`Redirect: ${method}() ${fault}, and then close() fails`, async () => {
      const url = "http://127.0.0.1:4000/callback";
      const whole: Required<Redirect> = { url, visit: (page) => Promise.resolve(answerTo(page)), close() {} };
      const faulty = createFaulty<Redirect>(whole, method, ["close"], fault);
      const authorized = createNetwork().fetch(authorizationCode({ redirect: faulty.plugIn }));
      faulty.arm(1);
      const thrown = await authorized(SERVER, POST).then(() => undefined, (error: unknown) => error);
      ok(messagesOf(thrown).includes(FIRST), String(thrown));
      strictEqual(faulty.hasFailedAgain, method === "visit", "the redirect is closed");
      faulty.arm(0);
      strictEqual((await authorized(SERVER, POST)).status, 200, "the next request asks the user again");
    });
  }
}

/** Whether the access token still has an answer when a method fails. */
const SIGN_IN_STORE: readonly MethodsOf<SignInStore>[] = ["add", "has"];

for (const method of SIGN_IN_STORE) {
  for (const fault of FAULTS) {
    test(`SignInStore: ${method}() ${fault}, and then the other fails`, async () => {
      const faulty = createFaulty<SignInStore>(new MemoryStore(), method, ["add", "has"], fault);
      const world = createWorld({ store: faulty.plugIn });
      const { clientId, arrived, tokens } = await obtain(world);
      const refresh = { grant_type: "refresh_token", client_id: clientId, refresh_token: tokens.refresh_token };
      for (const form of [refresh, codeForm(clientId, arrived)]) {
        faulty.arm(1);
        const response = await requestToken(world, form);
        if (faulty.hasFailed) {
          strictEqual(response.status, 500);
          deepStrictEqual(await response.json(), {
            error: "server_error",
            error_description: "The server cannot answer this request",
          });
        }
      }
      faulty.arm(1);
      const called = await call(world, "whoami", tokens.access_token);
      if (faulty.hasFailed) match(called.error.message, /^Internal error, correlation id /);
      faulty.arm(0);
      strictEqual((await call(world, "whoami", tokens.access_token)).status, 200, "a fault signs no user out");
    });
  }
}

for (const fault of FAULTS) {
  test(`OpenedEngine: a check fails, and then close() ${fault}`, async () => {
    const engine: Engine = Object.assign(memoryEngine(), { insert: () => Promise.reject(new Error(FIRST)) });
    const fail = (): Promise<never> => {
      const error = new Error(SECOND);
      if (fault === "throws") throw error;
      return Promise.reject(error);
    };
    const opened: OpenedEngine = { engine, close: fail };
    const [check] = engineSuite(() => Promise.resolve(opened), { patienceMs: 1_000 });
    const thrown = await check?.run().then(() => undefined, (error: unknown) => error);
    ok(messagesOf(thrown).includes(FIRST), String(thrown));
    await engine.close?.();
  });

  test(`ReplicaServer: close() ${fault}, and then that of another replica fails`, async () => {
    const closed: number[] = [];
    const replicas = simulateReplicas({
      count: 3,
      create({ index }) {
        const server = createServer({
          tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
          logger: false,
        });
        const failing: ReplicaServer = Object.assign(Object.create(server), {
          async close() {
            await server.close(0);
            // The last one is slower than the failures of the others.
            if (index === 2) await new Promise((resolve) => setTimeout(resolve, 1));
            closed.push(index);
            if (index < 2) throw new Error(index === 0 ? FIRST : SECOND);
          },
        });
        return failing;
      },
    });
    await rejects(replicas.close(0), (thrown) => {
      deepStrictEqual(messagesOf(thrown).slice(1, 3), [FIRST, SECOND]);
      return true;
    });
    deepStrictEqual(closed.toSorted(), [0, 1, 2], "all replicas are closed when close() has ended");
  });
}
