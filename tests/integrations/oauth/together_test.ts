/** oauthFetch() with requests that wait for the tokens of each other. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { agreeing, createNetwork, ISSUER, POST, SERVER, serverFor } from "./network.ts";

const skip = runtime === "workerd" && "its requests cannot wait for each other: each gets tokens for itself";

test(
  "oauthFetch() gets other tokens for who is refused while a refresh token turns out to be over",
  { skip },
  async () => {
    const [refreshing, gate, sent, refusal] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const tokens = `oauth tokens ${SERVER}`;
    const kept = { accessToken: "old", type: "bearer", issuer: ISSUER, refreshToken: "r", client: { id: "dynamic" } };
    const texts = new Map([[tokens, JSON.stringify(kept)]]);
    let [requests, readers] = [0, 0];
    const joined = Promise.withResolvers<void>();
    const store = {
      get(key: string) {
        // The second request reads the store twice, and the first one once more after it is rejected.
        if (key === tokens && ++readers === 4) joined.resolve();
        return texts.get(key);
      },
      set: (key: string, value: string) => void texts.set(key, value),
      delete: (key: string) => void texts.delete(key),
    };
    const { fetch, bodies } = createNetwork({
      async [SERVER](init) {
        if (++requests === 1) {
          sent?.resolve();
          await refusal?.promise;
        }
        return serverFor("good")(init);
      },
      async [`${ISSUER}/token`]({ body }) {
        if (!(body as URLSearchParams).has("refresh_token")) return { access_token: "good", token_type: "Bearer" };
        refreshing?.resolve();
        await gate?.promise;
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      },
    });
    const { grant, pages } = agreeing();
    const authorized = fetch(grant, { store });
    const first = authorized(SERVER, POST);
    await sent?.promise;
    texts.set(tokens, JSON.stringify({ ...kept, renewAtMs: 1 }));
    const second = authorized(SERVER, POST);
    await refreshing?.promise;
    refusal?.resolve();
    await joined.promise;
    // By then the response is processed.
    await new Promise((resolve) => setTimeout(resolve));
    gate?.resolve();
    deepStrictEqual([(await first).status, (await second).status, pages.length], [200, 200, 1]);
    deepStrictEqual(bodies.map((body) => body.get("grant_type")), ["refresh_token", "authorization_code"]);
  },
);
