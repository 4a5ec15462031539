import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool, Failure, type OnError, ToolError } from "../../../../mod.ts";
import { assertMasked, Bench } from "../harness.ts";

class SoldOut extends Error {}

const t = defineTool("t").describe("T");
const onError: OnError = (error, ctx) => {
  if (error instanceof SoldOut) return new Failure("sold_out", `${ctx.call.tool} is sold out`, { left: 0 });
  return error instanceof RangeError ? new ToolError("conflict", "Out of range") : undefined;
};

function throwing(thrown: unknown, options: { readonly onError?: OnError } = { onError }): Bench {
  const tool = t.handle(() => {
    throw thrown;
  });
  return new Bench([tool], options);
}

test("onError converts an undeclared exception to a failure or an error, and nothing is logged", async () => {
  const soldOut = throwing(new SoldOut());
  deepStrictEqual(await soldOut.call("t"), {
    kind: "failure",
    code: "sold_out",
    message: "t is sold out",
    data: { left: 0 },
  });
  const range = throwing(new RangeError("secret"));
  deepStrictEqual(await range.call("t"), { kind: "error", code: "conflict", message: "Out of range" });
  deepStrictEqual([soldOut.log.lines, range.log.lines], [[], []]);
});

test("what onError says nothing of is masked", async () => {
  const error = new Error("secret");
  const bench = throwing(error);
  strictEqual(assertMasked(await bench.call("t"), bench.log), error);
});

test("onError is not asked of what was declared", async () => {
  const asked: unknown[] = [];
  const options: { onError: OnError } = { onError: (error) => void asked.push(error) as undefined };
  strictEqual((await throwing(new Failure("no", "No"), options).call("t")).kind, "failure");
  strictEqual((await throwing(new ToolError("conflict", "No"), options).call("t")).kind, "error");
  deepStrictEqual(asked, []);
});

test("what onError itself throws, or makes internal, is masked too", async () => {
  const broken = throwing(new Error("first"), {
    onError: () => {
      throw new Error("second");
    },
  });
  const settled = await broken.call("t");
  ok(settled.kind === "error" && settled.code === "internal");
  deepStrictEqual(broken.log.lines.map(({ fields }) => String(fields["error"])), ["Error: second", "Error: first"]);
  const internal = throwing(new Error("first"), { onError: () => new ToolError("internal", "secret") });
  assertMasked(await internal.call("t"), internal.log);
});

test("onError is asked of rejections, generators, middleware and jobs, too", async () => {
  const reject = async () => await Promise.reject(new SoldOut());
  const tools = [
    t.handle(reject),
    t.handle(async function* () {
      yield 1;
      throw new SoldOut();
    }),
    t.use(reject).handle(() => 1),
  ];
  for (const tool of tools) strictEqual((await new Bench([tool], { onError }).call("t")).kind, "failure");
  strictEqual((await new Bench([t.handle(() => 1)], { onError, middleware: [reject] }).call("t")).kind, "failure");
});
