/**
 * What the types of resources and prompts say. Checked by `npm run check`; each positive case has the negative one beside it,
 * as `@ts-expect-error`.
 */
import { ok, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { createServer, type Server } from "../../mod.ts";
import { content, definePrompt, defineResource, type Prompt, type Resource, user } from "../../src/entries/mcp.ts";
import type { VariableNames } from "../../src/entries/mcp.ts";
import { type Equal, expectType } from "./equal.ts";

test("a reader gets the variables of its template", () => {
  const plain = defineResource("docs://readme").read((variables, ctx, uri) => {
    expectType<Equal<keyof typeof variables, never>>(true);
    expectType<Equal<typeof ctx.signal, AbortSignal>>(true);
    expectType<Equal<typeof uri, string>>(true);
    // @ts-expect-error: nothing is declared, so nothing can be failed with
    const fail = () => ctx.fail("locked", "Locked");
    return typeof fail;
  });
  expectType<Equal<typeof plain, Resource<"docs://readme">>>(true);
  defineResource("docs://{kind}/{+path}{/a,b}{?q,limit}{#part}").read((variables) => {
    expectType<Equal<typeof variables.kind, string>>(true);
    expectType<Equal<typeof variables.path, string>>(true);
    expectType<Equal<typeof variables.b, string>>(true);
    expectType<Equal<typeof variables.part, string>>(true);
    expectType<Equal<typeof variables.limit, string | undefined>>(true);
    // @ts-expect-error: no such variable
    return variables.other;
  });
  expectType<Equal<VariableNames<"s://{a}/{b,c}{?d}{&e}">, "a" | "b" | "c" | "d" | "e">>(true);
  expectType<Equal<VariableNames<string>, string>>(true);
});

test("lists and completions know the template's variables", () => {
  const template = defineResource("docs://{id}{?lang}");
  template.list((ctx) => {
    // @ts-expect-error: a list cannot ask
    ok(typeof ctx.elicit !== "string");
    return [{ variables: { id: "1" } }, { variables: { id: "2", lang: "en" }, name: "Two" }];
  });
  // @ts-expect-error: the variable id is missing
  template.list(() => [{ variables: { lang: "en" } }]);
  template.complete({ id: (value) => [value], lang: async () => await Promise.resolve({ values: [], total: 5 }) });
  // @ts-expect-error: no such variable
  throws(() => template.complete({ name: () => [] }));
  // @ts-expect-error: values are text
  template.complete({ id: () => [5] });
  // @ts-expect-error: a number is nothing to read
  template.read(() => 5);
});

test("a prompt's handler gets what its schema makes of the arguments", () => {
  const Args = v.object({ code: v.string(), lines: v.optional(v.pipe(v.string(), v.toNumber()), "1") });
  const described = definePrompt("review").describe("Review").input(Args);
  const prompt = described.complete({ lines: () => ["1"] }).handle((args, ctx) => {
    expectType<Equal<typeof args, { code: string; lines: number }>>(true);
    expectType<Equal<typeof ctx.attempt, number>>(true);
    return [user(args.code), user(content.text("x"))];
  });
  expectType<Equal<typeof prompt, Prompt<"review">>>(true);
  // @ts-expect-error: no such argument
  throws(() => described.complete({ other: () => [] }));
  // @ts-expect-error: messages are made by user(…) and assistant(…)
  described.handle(() => [{ role: "system", content: content.text("x") }]);
  definePrompt("bare").describe("Bare").handle((args) => {
    expectType<Equal<keyof typeof args, never>>(true);
    return "x";
  });
  // @ts-expect-error: call .describe() before .handle()
  throws(() => definePrompt("x").handle(() => "x"));
});

test("a server takes finished definitions only, of any URIs and names", () => {
  const resources = [defineResource("a://b").read(() => ""), defineResource("a://{b}").read(({ b }) => b)];
  const prompts = [definePrompt("a").describe("a").handle(() => ""), definePrompt("b").describe("b").handle(() => "")];
  const server = createServer({ tools: [], resources, prompts });
  expectType<Equal<typeof server, Server<readonly []>>>(true);
  // @ts-expect-error: not finished
  throws(() => createServer({ tools: [], resources: [defineResource("a://b")] }));
  // @ts-expect-error: no such list
  server.notify.listChanged("toys");
});
