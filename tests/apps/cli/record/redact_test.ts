/** Secrets in recordings: what is replaced, what stays, and that streams, JSON in text and schemas hide nothing. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { keyRing } from "../../../../mod.ts";
import { createRedactor } from "../../../../src/core/redaction/redact.ts";
import { PLANTED, type Planted, plantedTokens } from "./planted.ts";

const { value, pieces, tools } = createRedactor();

test("each planted secret is replaced as a member, in a list, in text, in JSON text and in JSON within JSON text", () => {
  for (const { name, member, secret, hidden = secret, alone } of [...PLANTED, ...plantedTokens()]) {
    const object = { [member]: secret, kept: 1 };
    const places: Record<string, unknown> = {
      member: object,
      deep: { list: [[object]] },
      json: JSON.stringify(object),
      "indented JSON": JSON.stringify(object, undefined, 2),
      "JSON in JSON": JSON.stringify({ text: JSON.stringify(object) }),
      "JSON in a sentence": `The answer is ${JSON.stringify(object)}, as you see`,
    };
    if (alone) Object.assign(places, { text: `See ${secret} for more`, key: { [secret]: 1 } });
    for (const [place, planted] of Object.entries(places)) {
      const redacted = JSON.stringify(value(planted));
      for (const part of secretParts(hidden)) ok(!redacted.includes(part), `${name} in ${place}: ${redacted}`);
      strictEqual(JSON.stringify(value(JSON.parse(redacted))), redacted, `${name} in ${place}, twice`);
    }
  }
});

/** A secret is leaked if a long part of it is. */
function secretParts(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, secret.slice(-8), secret.slice(8, 20)].filter((part) => part.length >= 6);
}

test("no planted secret survives in values of random form: lists, members, JSON text at any depth, sentences", () => {
  let seed = 20_261_123;
  const pick = (count: number): number => (seed = (seed * 48_271) % 2_147_483_647) % count;
  const wraps: readonly ((value: unknown) => unknown)[] = [
    (value) => [1, value, null],
    (value) => ({ a: true, value, z: "text" }),
    (value) => JSON.stringify(value),
    (value) => ({ content: [{ type: "text", text: JSON.stringify(value, undefined, pick(3)) }] }),
    (value) => (typeof value === "string" ? `Result: ${value}\nDone` : value),
    (value) => `log ${JSON.stringify({ line: value })} end`,
  ];
  const planted = [...PLANTED, ...plantedTokens()];
  for (let round = 0; round < 1_000; round++) {
    const { name, member, secret, hidden = secret } = planted[round % planted.length] as Planted;
    let given: unknown = { [member]: secret };
    for (let depth = pick(8); depth > 0; depth--) given = wraps[pick(wraps.length)]?.(given);
    const redacted = JSON.stringify(value(given));
    for (const part of secretParts(hidden)) {
      ok(!redacted.includes(part), `${name}, round ${round}: ${JSON.stringify(given)} became ${redacted}`);
    }
  }
});

test("secrets that are divided over the pieces of a stream are replaced, at every position", () => {
  for (const { name, secret, hidden = secret, alone } of [...PLANTED, ...plantedTokens()]) {
    if (!alone) continue;
    const text = `before ${secret} after`;
    for (const size of [1, 3, 7, 16]) {
      const cut = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const redacted = pieces(cut);
      strictEqual(redacted.length, cut.length);
      const joined = redacted.join("");
      strictEqual(joined, pieces([text]).join(""), name);
      ok(joined.startsWith("before ") && joined.endsWith(" after"), `${name}: ${joined}`);
      ok(!joined.includes(hidden.slice(-8)), `${name}: ${joined}`);
    }
  }
});

test("ordinary values stay as they are", () => {
  const ordinary = {
    text: "Basic arithmetic, bearer of news, a signature move, prom_night, risk-free, skip-this-one-please-and-go-on",
    url: "https://example.com/a?b=c&page=2",
    email: "ada@example.com",
    count: 12,
    nothing: null,
    flags: { hasToken: true, token: null, secret: "" },
    code: "const a = 1; // eyJ",
    list: [1, "two", { three: 3 }],
    json: '{ "a": [1, 2] }',
  };
  deepStrictEqual(value(ordinary), ordinary);
});

test("a member whose schema marks it as secret is replaced, through references, alternatives and lists", () => {
  const schema = {
    type: "object",
    properties: {
      pin: { type: "string", writeOnly: true },
      word: { $ref: "#/$defs/hidden" },
      list: { type: "array", prefixItems: [{ type: "string" }], items: { type: "string", format: "password" } },
      either: { anyOf: [{ type: "number" }, { type: "object", properties: { x: { "x-secret": true } } }] },
      open: { type: "string" },
    },
    patternProperties: { "^x-": { writeOnly: true } },
    additionalProperties: { type: "object", additionalProperties: { format: "password" } },
    $defs: { hidden: { allOf: [{ type: "string" }, { format: "password" }] } },
  };
  const given = {
    pin: "1234",
    word: "abc",
    list: ["first", "second"],
    either: { x: 1, y: 2 },
    open: "abc",
    "x-a": "b",
    other: { deep: "c" },
  };
  deepStrictEqual(value(given, schema), {
    pin: "[redacted]",
    word: "[redacted]",
    list: ["first", "[redacted]"],
    either: { x: "[redacted]", y: 2 },
    open: "abc",
    "x-a": "[redacted]",
    other: { deep: "[redacted]" },
  });
});

test("names of keys and passphrases are those of secrets; names of counts and of keys of data are not", () => {
  const secrets = [
    "private_key",
    "privateKey",
    "AWS_ACCESS_KEY_ID",
    "passphrase",
    "pwd",
    "DB_PWD",
    "STRIPE_KEY",
    "signingKey",
  ];
  for (const name of [...secrets, "x-functions-key", "auth", "x-auth"]) {
    deepStrictEqual(value({ [name]: "open sesame" }), { [name]: "[redacted]" });
  }
  const plain = {
    max_tokens: 4_096,
    hasPassword: true,
    primary_key: "id",
    sortKey: "name",
    issueKey: "AB-1",
    key: "a",
    monkey: "b",
  };
  deepStrictEqual(value({ ...plain, author: "Ada", authentic: "yes" }), { ...plain, author: "Ada", authentic: "yes" });
  const schema = { properties: { password: { writeOnly: true }, pin: { format: "password" } } };
  deepStrictEqual(value({ password: 1234, pin: true }, schema), { password: "[redacted]", pin: "[redacted]" });
  const inputSchema = {
    type: "object",
    properties: { token_budget: { type: "integer", default: 4_096, examples: [1, "x"] } },
  };
  const [listed] = tools([{ inputSchema }]);
  deepStrictEqual(listed?.inputSchema.properties.token_budget, {
    type: "integer",
    default: 4_096,
    examples: [1, "[redacted]"],
  });
});

test("names that contain the name of a secret, and are not one, keep their values: in members and in text", () => {
  const plain = [
    "nextPageToken",
    "next_page_token",
    "pageToken",
    "NextToken",
    "NextContinuationToken",
    "nextSyncToken",
    "sync_token",
    "prevPageToken",
    "cursor_token",
    "tokens",
    "Tokens",
    "max_tokens",
    "inputTokens",
    "tokensUsed",
    "tokenizer",
    "tokenize",
    "tokenised",
    "Tokenization",
    "secretary",
    "secretaries",
    "x-secretary-name",
  ];
  for (const name of plain) {
    const member = { [name]: "open sesame" };
    deepStrictEqual(value(member), member);
    deepStrictEqual(value({ [name]: ["open", "sesame"] }), { [name]: ["open", "sesame"] });
    for (const text of [`${name}=sesame`, `"${name}": "open sesame"`, `a ${name}: sesame`, `?${name}=sesame&b=1`]) {
      strictEqual(value(text), text);
    }
  }
  const secrets = [
    "token",
    "TOKEN",
    "accessToken",
    "access_tokens",
    "refreshTokens",
    "apiTokens",
    "id_token",
    "x-csrf-token",
    "clientSecret",
    "SECRET_KEY",
    "secretArn",
    "client_secrets",
    "nextPageTokenSecret",
    "nextPageToken_access_token",
    "tokensecret",
    "tokenizer_secret",
    "tokenizerToken",
    "secretaryPassword",
    "password",
    "tokenValue",
  ];
  for (const name of secrets) {
    deepStrictEqual(value({ [name]: "open sesame" }), { [name]: "[redacted]" }, name);
    strictEqual(value(`${name}=sesame`), `${name}=[redacted]`);
    strictEqual(value(`{${name}: "open sesame"`), `{${name}: "[redacted]"`);
  }
  // What looks like a secret is one, whatever its name.
  const key = "sk-0123456789abcdef0123";
  deepStrictEqual(value({ tokens: [key], nextPageToken: key }), {
    tokens: ["[redacted]"],
    nextPageToken: "[redacted]",
  });
});

test("literals may be added later", () => {
  const literals = new Set<string>();
  const redactor = createRedactor(literals);
  literals.add("plain-old-key");
  strictEqual(redactor.value("you sent plain-old-key"), "you sent [redacted]");
});

test("a schema whose alternatives refer to the schema itself is read a bounded number of times for each value", () => {
  const depth = 500;
  let reads = 0;
  const alternative = (op: string) => ({
    type: "object",
    properties: { op: { const: op }, args: { type: "array", items: { $ref: "#/$defs/node" } } },
  });
  const alternatives = [
    ...["and", "or", "not"].map(alternative),
    { type: "object", properties: { word: { type: "string", format: "password" } } },
  ];
  const node = {
    get anyOf() {
      if (++reads > 20 * depth) throw new Error("too many reads");
      return alternatives;
    },
  };
  let given: unknown = { op: "eq", word: "hunter2" };
  for (let at = 0; at < depth; at++) given = { op: "not", args: [given] };
  const redacted = JSON.stringify(value(given, { $ref: "#/$defs/node", $defs: { node } }));
  ok(redacted.includes('"word":"[redacted]"') && !redacted.includes("hunter2"));
});

test("tokens of Toolwire keep prefix, key id and a digest: two tokens stay distinguishable", () => {
  const ring = keyRing("k7:a secret of at least thirty-two bytes");
  const sign = (id: string) =>
    ring.sign("promise", { id: `0000000${id}-0000-4000-8000-000000000000`, tool: "t", principal: "", expSeconds: 2e9 });
  const [one, other] = [value({ token: sign("1") }), value({ token: sign("2") })] as { token: string }[];
  ok(/^\[redacted prom_ k7 [\da-f]{8}\]$/.test(String(one?.token)));
  ok(one?.token !== other?.token);
  deepStrictEqual(value({ promise: sign("1") }), { promise: one?.token });
});

test("a listed tool keeps the names of its members, and loses examples of secret ones", () => {
  const listed = (key: unknown) => ({
    name: "sign_in",
    description: "Signs in",
    inputSchema: {
      type: "object",
      properties: {
        password: { type: "string", default: key, examples: [key], description: "The password" },
        limit: { type: "integer", default: 10 },
      },
      required: ["password"],
    },
  });
  deepStrictEqual(tools([listed("hunter2")]), [
    {
      ...listed("[redacted]"),
    },
  ]);
});

test("literal secrets are replaced wherever they are", () => {
  const redactor = createRedactor(["plain-old-key", "short"]);
  deepStrictEqual(redactor.value({ echo: "you sent plain-old-key", short: "short" }), {
    echo: "you sent [redacted]",
    short: "short",
  });
  deepStrictEqual(redactor.pieces(["pla", "in-old-", "key!"]), ["[redacted]", "", "!"]);
});

test("long texts without secrets are searched in linear time", () => {
  const timed = (text: string) => {
    const startedMs = performance.now();
    value(text);
    return performance.now() - startedMs;
  };
  for (
    const unit of ["eyJ", "a.", "token", "token=", "-----BEGIN A-----", "://", "prom_", "\\", 'token"', "Basic ", "sk-"]
  ) {
    const small = Math.max(1, timed(unit.repeat(20_000)));
    const large = timed(unit.repeat(200_000));
    ok(large < small * 60 + 500, `${unit}: ${small} ms, then ${large} ms for ten times as much`);
  }
});
