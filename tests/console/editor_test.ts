/** The rules of the argument editor over many schemas: what opening, editing and switching do to a value. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  alternatives,
  chosenAmong,
  first,
  fits,
  type Json,
  labelOf,
  memberOf,
  type Path,
  pointerOf,
  resolve,
  type Schema,
  set,
  start,
  switchTo,
} from "../../apps/console/json_schema.ts";
import { around, DEFS, MEMBERS, NODE, SHAPES } from "./schemas.ts";
import { isSecretField, withoutSecrets } from "../../apps/console/secrets.ts";

test("editor: opening a schema puts nothing but required constants", () => {
  for (const [name, member] of MEMBERS) {
    deepStrictEqual(start(around(member, false), around(member, false)), {}, name);
    const root = around(member, true);
    const { const: constant } = resolve(member, root);
    deepStrictEqual(start(root, root), constant === undefined ? {} : { m: constant }, name);
  }
  deepStrictEqual(start(NODE, NODE), { kind: "node" }, "of a reference at the root");
  deepStrictEqual(start(SHAPES, SHAPES), {});
});

test("editor: a member begins with its default, else with the least that is required", () => {
  for (const [name, member, , begun] of MEMBERS) {
    const root = around(member, true);
    deepStrictEqual(first(resolve(member, root), root), begun, name);
    deepStrictEqual(first(root, root), { m: begun }, name);
    ok(fits(resolve(member, root), begun, root), `${name}: the begun value has the shape of its schema`);
  }
});

test("editor: schemas without an end begin with a small value", () => {
  const lists: Schema = { type: "array", minItems: 8, items: { $ref: "#" } };
  const members: Schema = { type: "object", properties: { a: { $ref: "#" } }, required: ["a"] };
  const kinds: Schema = { anyOf: [{ $ref: "#" }, { $ref: "#" }] };
  const places: Schema = { prefixItems: [{ $ref: "#" }, { $ref: "#" }] };
  for (const schema of [lists, members, kinds, places]) {
    ok(JSON.stringify(first(schema, schema)).length < 50_000, JSON.stringify(schema));
    for (const value of [{}, [], 1]) ok(typeof fits(schema, value, schema) === "boolean");
    deepStrictEqual(start(schema, schema), {});
  }
});

test("editor: set changes the value at its path and nothing else", () => {
  const value = { a: 1, b: [{ c: null }, "x"], d: { e: { f: true } } };
  const before = structuredClone(value);
  const cases: readonly (readonly [Path, Json | undefined, Json])[] = [
    [["a"], 2, { ...value, a: 2 }],
    [["a"], undefined, { b: value.b, d: value.d }],
    [["b", 0, "c"], "", { ...value, b: [{ c: "" }, "x"] }],
    [["b", 0], undefined, { ...value, b: ["x"] }],
    [["b", 2], [], { ...value, b: [...value.b, []] }],
    [["d", "e", "f"], undefined, { ...value, d: { e: {} } }],
    [["n", "m"], 1, { ...value, n: { m: 1 } }],
    [[], 7, 7],
  ];
  for (const [path, next, expected] of cases) {
    deepStrictEqual(set(value, path, next), expected, pointerOf(path));
    deepStrictEqual(value, before, "the old value stays as it was");
  }
  strictEqual((set(value, ["a"], 2) as typeof value).b, value.b, "what is beside the path is the same object");
});

test("editor: names that every object inherits are members like others", () => {
  strictEqual(memberOf({}, "constructor"), undefined);
  strictEqual(memberOf({}, "__proto__"), undefined);
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    const written = set({}, [name, "x"], 1);
    strictEqual(JSON.stringify(written), `{"${name}":{"x":1}}`);
    strictEqual(JSON.stringify(set(written, [name], undefined)), "{}");
  }
  strictEqual(({} as { x?: number }).x, undefined);
});

test("editor: a value that was written as JSON stays as it is in the form and back", () => {
  for (const [name, member, values] of MEMBERS) {
    const root = around(member, false);
    const schema = resolve(member, root);
    for (const value of values) {
      ok(fits(schema, value, root), `${name}: ${JSON.stringify(value)}`);
      // The form writes what it shows at the path that it shows.
      const args = { before: 1, m: value, after: [null] };
      const written = set(args, ["m"], memberOf(args, "m"));
      strictEqual(
        JSON.stringify(Object.entries(written as object).sort()),
        JSON.stringify(Object.entries(args).sort()),
      );
      const options = alternatives(schema, root);
      if (options.length > 0) ok(chosenAmong(options, value, root) >= 0, `${name}: ${JSON.stringify(value)}`);
    }
  }
});

test("editor: values of other types fit no alternative", () => {
  const root = around(SHAPES, false);
  const options = alternatives(SHAPES, root);
  for (const value of [1, "circle", null, [], { kind: "line" }] as const) {
    strictEqual(chosenAmong(options, value, root), -1, JSON.stringify(value));
  }
  strictEqual(fits({ enum: [1, "1"] }, "2", root), false);
  strictEqual(fits({ enum: [1] }, "1", root), false);
  strictEqual(fits({ type: "integer" }, 1.5, root), false);
  strictEqual(fits({ type: "object" }, [], root), false);
});

test("editor: a kind stays chosen while a required member is left out", () => {
  const options = alternatives(SHAPES, SHAPES);
  strictEqual(chosenAmong(options, { kind: "box", w: 1, h: 2 }, SHAPES), 1);
  strictEqual(chosenAmong(options, { kind: "box", w: 1 }, SHAPES), 1);
  strictEqual(chosenAmong(options, { kind: "box" }, SHAPES), 1);
  strictEqual(chosenAmong(options, undefined, SHAPES), -1);
});

test("editor: switching keeps the members that both alternatives have", () => {
  const [circle = {}, box = {}] = alternatives({
    anyOf: [
      { properties: { kind: { const: "a" }, name: { type: "string" }, n: { type: "number" } }, required: ["kind"] },
      { properties: { kind: { const: "b" }, name: { type: "string" }, n: { type: "string" } }, required: ["kind"] },
    ],
  }, {});
  deepStrictEqual(switchTo(box, { kind: "a", name: "x", n: 1, more: true }, {}), { kind: "b", name: "x" });
  deepStrictEqual(switchTo(circle, "text", {}), { kind: "a" });
  deepStrictEqual(switchTo({ type: "null" }, { a: 1 }, {}), null);
});

test("editor: alternatives and labels", () => {
  deepStrictEqual(alternatives({ type: ["integer", "null"], minimum: 1 }, {}), [
    { type: "integer", minimum: 1 },
    { type: "null" },
  ]);
  deepStrictEqual(alternatives({ type: ["integer", "null"], enum: [1, null] }, {}), []);
  deepStrictEqual(alternatives(SHAPES, SHAPES).map(labelOf), ["circle", "box"]);
  strictEqual(labelOf({ title: "Point", type: "object" }), "Point");
  strictEqual(labelOf({ const: null }), "null");
  strictEqual(labelOf({}), "any");
  strictEqual(pointerOf(["a/b", 0, "~"]), "/a~1b/0/~0");
});

test("editor: references are decoded, and end", () => {
  const root = { $defs: { "a/b~c d": { type: "null" } } };
  deepStrictEqual(resolve({ $ref: "#/$defs/a~1b~0c%20d" }, root), { type: "null" });
  deepStrictEqual(resolve({ $ref: "#/$defs/a~1b~0c%20d", title: "T" }, root), { type: "null", title: "T" });
  deepStrictEqual(resolve({ $ref: "#/%" }, root), {}, "a reference that is no URI");
  deepStrictEqual(resolve({ $ref: "#/constructor/prototype" }, root), {});
  ok(!("type" in resolve({ $ref: "#/$defs/Loop" }, { $defs: DEFS })));
});

test("editor: a link leaves out what is secret by its schema, its name or its look", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      user: { type: "string" },
      pin: { $ref: "#/$defs/Hidden" },
      way: { anyOf: [{ type: "null" }, { type: "object", properties: { code: { type: "string", writeOnly: true } } }] },
      list: { type: "array", items: { type: "object", properties: { word: { format: "password" } } } },
    },
    $defs: { Hidden: { type: "string", format: "password" } },
  };
  const token = `prom_${"a".repeat(40)}`;
  const args = {
    user: "ada",
    pin: "1234",
    way: { code: "c", kept: 1 },
    list: [{ word: "w", n: 1 }, null],
    apiKey: "k",
    other: { password: "p", id: token, deep: [{ secret: "s", fine: true }] },
  };
  deepStrictEqual(withoutSecrets(args, schema), {
    user: "ada",
    way: { kept: 1 },
    list: [{ n: 1 }, null],
    other: { deep: [{ fine: true }] },
  });
  deepStrictEqual(withoutSecrets(args, {}), {
    user: "ada",
    pin: "1234",
    way: { code: "c", kept: 1 },
    list: [{ word: "w", n: 1 }, null],
    other: { deep: [{ fine: true }] },
  });
});

test("editor: a link leaves out what the redactor of recordings finds", () => {
  const secret: Schema = { type: "string", format: "password" };
  const schema: Schema = {
    type: "object",
    properties: {
      x: { type: "string", "x-secret": true },
      both: { allOf: [secret] },
      pair: { type: "array", prefixItems: [secret, { type: "string" }] },
    },
    patternProperties: { "^p_": secret },
  };
  const args = {
    x: "XSECRET",
    both: "ALLOF",
    pair: ["FIRST", "kept"],
    p_1: "PATTERN",
    head: "Bearer sk-live_0123456789abcdef0123",
    list: [`prom_${"a".repeat(40)}`, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "kept"],
    empty: [null, "", 0, false],
  };
  deepStrictEqual(withoutSecrets(args, schema), { pair: ["kept"], list: ["kept"], empty: [null, "", 0, false] });
});

test("editor: fields of secrets are masked by name and by schema", () => {
  const root: Schema = { $defs: { Hidden: { format: "password" } } };
  for (const schema of [{ "x-secret": true }, { allOf: [{ $ref: "#/$defs/Hidden" }] }, { writeOnly: true }]) {
    ok(isSecretField("note", schema, root), JSON.stringify(schema));
  }
  ok(isSecretField("api_key", { type: "string" }, root));
  ok(!isSecretField("note", { type: "string" }, root) && !isSecretField(0, {}, { writeOnly: true }));
});
