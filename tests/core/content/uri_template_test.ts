import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UriTemplate } from "../../../src/core/content/uri_template/uri_template.ts";

const VALUES = { var: "value", hello: "Hello World!", path: "/foo/bar", x: "1024", y: "768", empty: "" };

// RFC 6570, section 1.2: the examples of levels 1 to 3.
for (
  const [template, uri] of [
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{+var}", "value"],
    ["{+hello}", "Hello%20World!"],
    ["{+path}/here", "/foo/bar/here"],
    ["here?ref={+path}", "here?ref=/foo/bar"],
    ["X{#var}", "X#value"],
    ["X{#hello}", "X#Hello%20World!"],
    ["map?{x,y}", "map?1024,768"],
    ["{x,hello,y}", "1024,Hello%20World%21,768"],
    ["{+x,hello,y}", "1024,Hello%20World!,768"],
    ["{+path,x}/here", "/foo/bar,1024/here"],
    ["{#x,hello,y}", "#1024,Hello%20World!,768"],
    ["{#path,x}/here", "#/foo/bar,1024/here"],
    ["X{.var}", "X.value"],
    ["X{.x,y}", "X.1024.768"],
    ["{/var}", "/value"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{;x,y,empty}", ";x=1024;y=768;empty"],
    ["{?x,y}", "?x=1024&y=768"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{&x,y,empty}", "&x=1024&y=768&empty="],
  ] as const
) {
  test(`${template} and ${uri} are each other's`, () => {
    const compiled = new UriTemplate(template);
    strictEqual(compiled.expand(VALUES), uri);
    const variables: Record<string, string> = {};
    for (const name of compiled.variables) variables[name] = VALUES[name as keyof typeof VALUES];
    deepStrictEqual(compiled.match(uri), variables);
  });
}

for (
  const [template, uri, want] of [
    ["test://template/{id}/data", "test://template/123/data", { id: "123" }],
    ["test://template/{id}/data", "test://template/123/data/", undefined],
    ["test://template/{id}/data", "test://template//data", undefined],
    ["s://{id}", "s://a/b", undefined],
    ["s://{id}", "s://", undefined],
    ["s://{id}", "s://a%2Fb", { id: "a/b" }],
    ["s://{id}", "s://a%2", undefined],
    ["s://{id}", "s://%ff", undefined],
    ["s://{id}", "s://a b", undefined],
    ["s://{id}", "S://a", undefined],
    ["s://{email}", "s://ada@example.com", { email: "ada@example.com" }],
    ["s://{id}", "s://größe", { id: "größe" }],
    ["s://größe/{id}", "s://gr%C3%B6%C3%9Fe/1", { id: "1" }],
    ["s://{name}.{ext}", "s://archive.tar.gz", { name: "archive.tar", ext: "gz" }],
    ["file:///{+path}", "file:///a/b c", undefined],
    ["file:///{+path}", "file:///a/b%20c?d#e", { path: "a/b c?d#e" }],
    ["file:///{+path}{?raw}", "file:///a/b?raw=1", { path: "a/b", raw: "1" }],
    ["file:///{+path}{?raw}", "file:///a/b", { path: "a/b" }],
    ["file:///{+folder}/{name}", "file:///a/b/c", { folder: "a/b", name: "c" }],
    ["s://d{?q,limit}", "s://d", {}],
    ["s://d{?q,limit}", "s://d?limit=1&q=a%20b", { limit: "1", q: "a b" }],
    ["s://d{?q,limit}", "s://d?q", { q: "" }],
    ["s://d{?q,limit}", "s://d?q=a=b", { q: "a=b" }],
    ["s://d{?q,limit}", "s://d?", undefined],
    ["s://d{?q,limit}", "s://d?q=1&q=2", undefined],
    ["s://d{?q,limit}", "s://d?other=1", undefined],
    ["s://d{?q,limit}", "s://d?q=1&", undefined],
    ["s://d{?q}{&limit}", "s://d?limit=1", { limit: "1" }],
    ["s://d{?q}{#part}", "s://d?q=1#top", { q: "1", part: "top" }],
    ["s://d{;v}/x", "s://d;v=2/x", { v: "2" }],
    ["s://{id}{;v}", "s://a;v=2", { id: "a", v: "2" }],
    ["s://d{?constructor}", "s://d?__proto__=1", undefined],
    ["s://d{?__proto__}", "s://d?__proto__=1", JSON.parse('{"__proto__":"1"}')],
  ] as const
) {
  test(`${template} makes ${JSON.stringify(want)} of ${uri}`, () => {
    const found = new UriTemplate(template).match(uri);
    strictEqual(JSON.stringify(found), JSON.stringify(want));
  });
}

for (
  const [template, reason] of [
    ["s://{id", /a brace is not closed/],
    ["s://id}", /a brace is not closed/],
    ["s://{{id}}", /a brace is not closed/],
    ["s://{}", /does not name its variables/],
    ["s://{a,}", /does not name its variables/],
    ["s://{a b}", /does not name its variables/],
    ["s://{=a}", /does not name its variables/],
    ["s://{path*}", /level 4; leave it out, or take \{\+path\}/],
    ["s://{id:3}", /level 4/],
    ["s://{a}/{a}", /the variable a is used twice/],
    ["s://{a}{b}", /a delimiter between a and what follows/],
    ["s://d{?a}&b=1", /is ambiguous/],
    ["s://d{?a}/x", /is ambiguous/],
    ["s://d{;a}x", /is ambiguous/],
  ] as const
) {
  test(`${template} is refused when it is defined`, () => {
    throws(() => new UriTemplate(template), (error) => error instanceof TypeError && reason.test(error.message));
  });
}

const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => text.isWellFormed());
/** Characters that `{+x}` keeps mean the same to any reader, except percent signs, which may be an encoding. */
const reserved = value.filter((text) => !text.includes("%"));

for (
  const [template, variables] of [
    ["s://{a}", { a: value }],
    ["s://{a}/{b}", { a: value, b: value }],
    ["s://x{/a,b}", { a: value, b: value }],
    ["s://x/{a,b}", { a: value, b: value.filter((text) => !text.includes(",")) }],
    ["s://x/{+a}", { a: reserved }],
    ["s://x{#a}", { a: reserved }],
    ["s://{a}{?b}", { a: value, b: value }],
    ["s://{a}{;b}", { a: value, b: value }],
  ] as const
) {
  test(`${template} gives back the variables that it was expanded with`, () => {
    const compiled = new UriTemplate(template);
    fc.assert(
      fc.property(fc.record(variables as Record<string, typeof value>), (values) => {
        deepStrictEqual(compiled.match(compiled.expand(values)), { ...values });
      }),
      { seed: 1, numRuns: 300 },
    );
  });
}

test("named values may be missing, each by itself, and be empty", () => {
  const named = fc.record({ a: fc.string(), b: fc.string(), c: fc.string() }, { requiredKeys: [] });
  for (const template of ["s://x{?a,b,c}", "s://x{;a,b,c}", "s://x?y=1{&a,b,c}"]) {
    const compiled = new UriTemplate(template);
    fc.assert(
      fc.property(named, (values) => {
        deepStrictEqual(compiled.match(compiled.expand(values)), { ...values });
      }),
      { seed: 2, numRuns: 200 },
    );
  }
});

test("what is matched can be expanded to something that is matched alike; anything else is no match", () => {
  const pieces = fc.constantFrom("a", "/", "?", "&", "=", ",", ".", ";", "#", "%41", "%", "%2F", "é", "x=1", " ");
  const uri = fc.array(pieces, { maxLength: 12 }).map((parts) => `s://${parts.join("")}`);
  for (const template of ["s://{a}", "s://{a}/{b}{?x}", "s://{a}.{b}", "s://{a,b}{;x}", "s://{a}{/b}{?x,y}{#z}"]) {
    const compiled = new UriTemplate(template);
    fc.assert(
      fc.property(uri, (text) => {
        const variables = compiled.match(text);
        if (variables !== undefined && !Object.hasOwn(variables, "z")) {
          deepStrictEqual(compiled.match(compiled.expand(variables)), variables);
        }
      }),
      { seed: 3, numRuns: 500 },
    );
  }
});

// Each of these would keep a backtracking matcher busy for longer than any caller waits.
for (
  const [template, uri] of [
    ["s://{a}.{b}.{c}.{d}.{e}.{f}.{g}.{h}!", `s://${".".repeat(8_000)}`],
    ["s://{+a}/{+b}/{+c}/{+d}/{+e}/{+f}/{g}", `s://${"/".repeat(8_000)}`],
    ["s://{+a},{+b},{+c},{+d},{+e}?", `s://${"a,".repeat(4_000)}`],
    ["s://{a,b,c,d,e,f,g,h}#", `s://${",a".repeat(4_000)}`],
    ["s://{?a,b,c,d,e}#{x}", `s://?${"a&".repeat(4_000)}`],
  ] as const
) {
  test(`${template} is done with a hostile URI in no time`, () => {
    strictEqual(uri.length > 8_000, true);
    strictEqual(new UriTemplate(template).match(uri), undefined);
  });
}

test("a URI longer than 8,192 characters is no match", () => {
  const template = new UriTemplate("s://{a}");
  ok(template.match(`s://${"a".repeat(8_188)}`) !== undefined);
  strictEqual(template.match(`s://${"a".repeat(8_189)}`), undefined);
});

test("half a surrogate pair neither throws nor matches as another", () => {
  const template = new UriTemplate("s://{a}/{+b}");
  strictEqual(template.expand({ a: "\ud800", b: "\udfff" }), "s://%EF%BF%BD/%EF%BF%BD");
  deepStrictEqual(template.match("s://\ud800/x"), { a: "\ud800", b: "x" });
});
