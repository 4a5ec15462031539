// A reporter for `node --test`: one line of JSON for each test that has no subtests, as the matrix reads them.
export default async function* report(source) {
  const path = [];
  /** The deepest level that has had a result since its parent began: a test that ends above it is a parent. */
  let deepest = 0;
  for await (const { type, data } of source) {
    if (type === "test:start") path.splice(data.nesting, Infinity, data.name);
    if (type === "test:stdout" || type === "test:stderr") yield `${JSON.stringify({ output: data.message })}\n`;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const isParent = deepest > data.nesting;
    deepest = data.nesting;
    const failed = type === "test:fail" && data.todo === undefined;
    if (isParent && !failed) continue;
    const reason = data.skip ?? data.todo;
    yield `${
      JSON.stringify({
        file: data.file,
        name: [...path.slice(0, data.nesting), data.name].join(" > "),
        status: failed ? "failed" : reason === undefined ? "passed" : "skipped",
        ms: data.details.duration_ms,
        reason: typeof reason === "string" ? reason : undefined,
        output: failed ? String(data.details.error.cause?.stack ?? data.details.error.message) : undefined,
      })
    }\n`;
  }
}
