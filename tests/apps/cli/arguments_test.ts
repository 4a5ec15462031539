/** Words of `toolwire call` to JSON, by the schema of the tool: a table. */
import { deepStrictEqual, match, throws } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildArguments, parseObject } from "../../../apps/cli/arguments/build.ts";
import { CliError } from "../../../apps/cli/cli_error.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A schema of one property, `v`, unless it is a schema of an object. */
function of(schema: Schema | boolean): Schema {
  return { type: "object", properties: { v: schema } };
}

const text = of({ type: "string" });
const integer = of({ type: "integer" });
const number = of({ type: "number" });
const boolean = of({ type: "boolean" });
const nullable = of({ type: ["integer", "null"] });
const either = of({ anyOf: [{ type: "integer" }, { type: "null" }] });
const list = of({ type: "array", items: { type: "string" } });
const numbers = of({ type: "array", items: { type: "number" } });
const place = of({
  type: "object",
  properties: { city: { type: "string" }, zip: { type: "string" }, floor: { type: "integer" } },
});
const closed: Schema = { type: "object", properties: { city: { type: "string" } }, additionalProperties: false };
const record = of({ type: "object", additionalProperties: { type: "number" } });
const referred: Schema = {
  type: "object",
  properties: { v: { $ref: "#/$defs/Count" }, w: { $ref: "#/properties/v" } },
  $defs: { Count: { type: "integer", minimum: 0 } },
};
const shapes: Schema = of({
  oneOf: [
    { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind"] },
    { type: "object", properties: { kind: { const: "text" }, s: { type: "string" } }, required: ["kind"] },
  ],
});
const dotted: Schema = { type: "object", properties: { "user.name": { type: "string" }, "a=b": { type: "string" } } };
const intersection = of({ allOf: [{ type: "integer" }, { minimum: 1 }] });
const tuple = of({ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] });
const patterned: Schema = { type: "object", patternProperties: { "^n_": { type: "number" } } };
const tree: Schema = {
  type: "object",
  properties: { name: { type: "string" }, size: { type: "integer" }, child: { $ref: "#" } },
};

/** Schema, words, arguments. */
const TABLE: readonly (readonly [schema: Schema, words: readonly string[], expected: unknown])[] = [
  // Text before JSON.
  [text, ["v=007"], { v: "007" }],
  [text, ["v=5"], { v: "5" }],
  [text, ["v=true"], { v: "true" }],
  [text, ["v=null"], { v: "null" }],
  [text, ["v="], { v: "" }],
  [text, ["v=a=b"], { v: "a=b" }],
  [text, ["v=http://x/?a=1&b:=2"], { v: "http://x/?a=1&b:=2" }],
  [text, ["v={}"], { v: "{}" }],
  [text, ["v= spaces "], { v: " spaces " }],
  [of({ type: "string", pattern: "^\\d{3}$" }), ["v=012"], { v: "012" }],
  [of({ type: "string", pattern: "^[a-z]+$" }), ["v=12"], { v: "12" }],
  [of({ type: ["string", "number"] }), ["v=12"], { v: "12" }],
  [of({ anyOf: [{ type: "number" }, { type: "string" }] }), ["v=12"], { v: "12" }],
  [of({ type: "string", format: "date" }), ["v=2026-01-31"], { v: "2026-01-31" }],
  // JSON where text does not fit: FastMCP leaves the last four as text.
  [integer, ["v=5"], { v: 5 }],
  [integer, ["v=-5"], { v: -5 }],
  [number, ["v=1e3"], { v: 1000 }],
  [number, ["v=0.5"], { v: 0.5 }],
  [boolean, ["v=true"], { v: true }],
  [boolean, ["v=false"], { v: false }],
  [nullable, ["v=5"], { v: 5 }],
  [nullable, ["v=null"], { v: null }],
  [either, ["v=5"], { v: 5 }],
  [either, ["v=null"], { v: null }],
  // What fits nothing is sent as it is likeliest meant; the server names what it expects.
  [integer, ["v=five"], { v: "five" }],
  [integer, ["v=007"], { v: "007" }],
  [integer, ["v=1.5"], { v: 1.5 }],
  [boolean, ["v=yes"], { v: "yes" }],
  // Enumerations and constants, of mixed types.
  [of({ enum: ["1", "2"] }), ["v=1"], { v: "1" }],
  [of({ enum: [1, 2] }), ["v=1"], { v: 1 }],
  [of({ enum: [1, "1", null, true] }), ["v=1"], { v: "1" }],
  [of({ enum: [1, "b", null, true] }), ["v=null"], { v: null }],
  [of({ const: 7 }), ["v=7"], { v: 7 }],
  // Unknown schemas: text, unless JSON is asked for.
  [of({}), ["v=5"], { v: "5" }],
  [of(true), ["v=5"], { v: "5" }],
  [{ type: "object" }, ["v=5"], { v: "5" }],
  [{ type: "object" }, ["v:=5"], { v: 5 }],
  // Exactly that JSON.
  [text, ["v:=5"], { v: 5 }],
  [text, ['v:="007"'], { v: "007" }],
  [integer, ["v:=null"], { v: null }],
  [place, ['v:={"city":"Bern"}'], { v: { city: "Bern" } }],
  // Nested members and lists.
  [place, ["v.city=Bern", "v.zip=3011", "v.floor=3"], { v: { city: "Bern", zip: "3011", floor: 3 } }],
  [place, ['v={"city":"Bern"}'], { v: { city: "Bern" } }],
  [list, ["v[]=1", "v[]=b"], { v: ["1", "b"] }],
  [list, ['v=["a","b"]'], { v: ["a", "b"] }],
  [list, ["v[0]=a", "v[1]=b"], { v: ["a", "b"] }],
  [numbers, ["v[]=1", "v[]=2.5"], { v: [1, 2.5] }],
  [of({ type: "array", items: place }), ["v[].v.city=a", "v[].v.city=b"], {
    v: [{ v: { city: "a" } }, { v: { city: "b" } }],
  }],
  [tuple, ["v[]=1", "v[]=1"], { v: ["1", 1] }],
  [record, ["v.a=1", "v.b=2"], { v: { a: 1, b: 2 } }],
  [patterned, ["n_1=5"], { n_1: 5 }],
  [dotted, ["user.name=ada"], { "user.name": "ada" }],
  [{ type: "object" }, ["user\\.name=ada"], { "user.name": "ada" }],
  [{ type: "object" }, ["__proto__=x"], JSON.parse('{"__proto__":"x"}')],
  // References, unions, intersections, recursion.
  [referred, ["v=5", "w=6"], { v: 5, w: 6 }],
  [shapes, ["v.kind=circle", "v.r=2"], { v: { kind: "circle", r: 2 } }],
  [shapes, ["v.kind=text", "v.s=2"], { v: { kind: "text", s: "2" } }],
  [intersection, ["v=5"], { v: 5 }],
  [tree, ["name=1", "child.child.size=2"], { name: "1", child: { child: { size: 2 } } }],
  // Objects, whole or overridden.
  [place, ['{"v":{"city":"Bern"}}', "v.city=Basel"], { v: { city: "Basel" } }],
  [closed, [], {}],
  // An open object takes unknown names, with a warning.
  [text, ["v=a", "other=1"], { v: "a", other: "1" }],
];

const nowhere = { cwd: tmpdir(), warn() {} };

test("words become the JSON that the schema accepts", () => {
  for (const [schema, words, expected] of TABLE) {
    deepStrictEqual(buildArguments(words, undefined, schema, nowhere), expected, words.join(" "));
  }
});

test("the table has sixty rows", () => match(String(TABLE.length), /^[6-9]\d$/));

test("files are text, or JSON, or the literal @", () => {
  const cwd = mkdtempSync(join(tmpdir(), "toolwire-arguments-"));
  try {
    writeFileSync(join(cwd, "note.txt"), "12\n");
    writeFileSync(join(cwd, "data.json"), '{"a":[1]}');
    const built = buildArguments(["a=@note.txt", "b:=@data.json", "c=@@note.txt"], { a: "old", d: 1 }, {
      type: "object",
    }, {
      cwd,
      warn() {},
    });
    deepStrictEqual(built, { a: "12\n", b: { a: [1] }, c: "@note.txt", d: 1 });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test("words that cannot be meant are refused before anything is sent", () => {
  for (
    const [schema, words, message, hint] of [
      [text, ["v"], /^"v" is not an argument$/, /name=value/],
      [text, ["=5"], /is not an argument/, /name=value/],
      [text, ["v:=five"], /^The value of v is not JSON: /, /name=value/],
      [text, ["{not json"], /^The argument is not JSON/, undefined],
      [text, ["v=1", "v=2"], /^The argument v is given twice$/, /v\[\]=/],
      [text, ["v]=1"], /The name in "v\]=1" is invalid/, /\[0\]/],
      [list, ["v[3]=x"], /has no place: an index is at most 0/, undefined],
      [place, ["v.city=a", "v[]=b"], /has no place: the value before it is not a list/, undefined],
      [closed, ["citty=Bern"], /^There is no argument citty$/, /^Did you mean city\?$/],
      [closed, ["wholly=Bern"], /^There is no argument wholly$/, /^There are: city$/],
      [{ type: "object", additionalProperties: false }, ["a=1"], /no argument a/, /takes no arguments/],
      [integer, ["v=9007199254740993"], /would lose digits/, undefined],
      [text, ["v:=9007199254740993"], /would lose digits/, undefined],
      [
        text,
        ['v:={"a":[1,{"b.c":[0.5,9007199254740993]}]}'],
        /993 at a\[1\]\.b\\\.c\[1\] would lose digits/,
        undefined,
      ],
      [text, ['{"s":"x:1,","v":1e400}'], /^The number 1e400 at v is too large for JSON$/, undefined],
      [list, ["v=[-9007199254740993]"], /-9007199254740993 at \[0\] would lose/, undefined],
      [text, ["v=@no-such-file"], /^Cannot read the file .*no-such-file of the argument v$/, /v=@@/],
    ] as const
  ) {
    throws(() => buildArguments(words, undefined, schema, nowhere), (error: unknown) => {
      match((error as CliError).message, message);
      if (hint !== undefined) match((error as CliError).hint ?? "", hint);
      return error instanceof CliError && error.exitCode === 2;
    }, words.join(" "));
  }
  throws(() => parseObject("[1]", "--args"), { message: "--args is not a JSON object" });
});

test("text stays text where a reference leads to a schema of text, also if its content does not fit", () => {
  const $defs = { zip: { type: "string", pattern: "^\\d{5}$" }, self: { $ref: "#/$defs/self" } };
  for (const v of [{ $ref: "#/$defs/zip" }, { anyOf: [{ type: "null" }, { $ref: "#/$defs/zip" }] }]) {
    deepStrictEqual(buildArguments(["v=1234"], undefined, { type: "object", properties: { v }, $defs }, nowhere), {
      v: "1234",
    });
  }
  deepStrictEqual(parseObject("\uFEFF{}", "--args"), {});
});

test("an unknown name of an open object is sent with a warning that names the nearest", () => {
  const warnings: string[] = [];
  buildArguments(["limits=5"], undefined, { type: "object", properties: { limit: { type: "integer" } } }, {
    cwd: "/",
    warn: (message) => void warnings.push(message),
  });
  deepStrictEqual(warnings, [
    "There is no argument limits in the tool's schema. It is sent all the same. Did you mean limit?",
  ]);
});
