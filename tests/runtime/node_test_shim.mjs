// What the tests use of `node:test`, for runtimes that have none (workerd). Tests run one after another, file by file.

const DEFAULT_TIMEOUT_MS = 20_000;

class Suite {
  constructor(name, parent, options = {}) {
    this.name = name;
    this.parent = parent;
    this.skip = options.skip || parent?.skip;
    this.children = [];
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  }

  path(name) {
    return this.parent === undefined ? name : this.parent.path(`${this.name} > ${name}`);
  }
}

/** A suite without a name for each file, which has the hooks of its top level. */
const files = [];
let current;

/** What is defined from now on belongs to a file. */
export function beginFile(file) {
  current = new Suite("", undefined);
  files.push({ file, suite: current });
}

function readArguments(args) {
  const name = typeof args[0] === "string" ? args.shift() : args.find((arg) => typeof arg === "function")?.name ?? "";
  const options = typeof args[0] === "object" ? args.shift() : {};
  return { name, options, run: args[0] ?? (() => {}) };
}

export function test(...args) {
  const { name, options, run } = readArguments(args);
  current.children.push({ name, options, run });
  return Promise.resolve();
}

export function describe(...args) {
  const { name, options, run } = readArguments(args);
  const suite = new Suite(name, current, options);
  current.children.push(suite);
  current = suite;
  // A promise would not be awaited: `node:test` has no tests in async suites that are worth the trouble here.
  if (run(suite) instanceof Promise) throw new TypeError(`The suite ${JSON.stringify(name)} must not be async`);
  current = suite.parent;
}

for (const define of [test, describe]) {
  for (const marker of ["skip", "todo"]) {
    define[marker] = (...args) => {
      const { name, options, run } = readArguments(args);
      return define(name, { ...options, [marker]: true }, run);
    };
  }
}

export const before = (run) => void current.hooks.before.push(run);
export const after = (run) => void current.hooks.after.push(run);
export const beforeEach = (run) => void current.hooks.beforeEach.push(run);
export const afterEach = (run) => void current.hooks.afterEach.push(run);
export { describe as suite, test as it };
export default test;

/** Runs what the files defined; `report` gets `{ file, name, status, ms, reason?, output? }` for each test, and `{ file, end: true }`. */
export async function runTests(report) {
  const rejections = [];
  globalThis.addEventListener("unhandledrejection", (event) => rejections.push(event.reason));
  for (const { file, suite } of files) {
    const say = (result) => report({ file, ...result });
    await runSuite(suite, say);
    await new Promise((resolve) => setTimeout(resolve));
    for (const reason of rejections.splice(0)) {
      say({ name: "unhandled rejection", status: "failed", output: describeError(reason) });
    }
    say({ end: true });
  }
}

async function runSuite(suite, report) {
  if (!suite.skip) { for (const hook of suite.hooks.before) await hook(); }
  for (const child of suite.children) {
    if (child instanceof Suite) await runSuite(child, report);
    else await runTest(suite, child, report);
  }
  if (!suite.skip) { for (const hook of suite.hooks.after) await hook(); }
}

async function runTest(suite, { name, options, run }, report) {
  const path = suite.path(name);
  const reason = suite.skip || options.skip || options.todo;
  if (reason) return report({ name: path, status: "skipped", reason: textOf(reason) });
  const context = new TestContext(name);
  const startMs = performance.now();
  const say = (result) => report({ name: path, ms: performance.now() - startMs, ...result });
  try {
    for (const hook of hooksOf(suite, "beforeEach")) await hook(context);
    await withTimeout(context.run(run), options.timeout ?? DEFAULT_TIMEOUT_MS);
    for (const hook of hooksOf(suite, "afterEach").reverse()) await hook(context);
    if (context.skipped) return say({ status: "skipped", reason: textOf(context.skipped) });
    say({ status: "passed" });
  } catch (thrown) {
    say({ status: "failed", output: describeError(thrown) });
  } finally {
    context.abort();
  }
}

function hooksOf(suite, kind) {
  return suite === undefined ? [] : [...hooksOf(suite.parent, kind), ...suite.hooks[kind]];
}

/** The `t` of a test. */
class TestContext {
  skipped = false;
  #aborter = new AbortController();
  #cleanups = [];
  #children = [];

  constructor(name) {
    this.name = name;
    this.signal = this.#aborter.signal;
  }

  async run(body) {
    try {
      await new Promise((resolve, reject) => {
        // A body with a second parameter takes a callback.
        if (body.length > 1) body(this, (error) => (error ? reject(error) : resolve()));
        else Promise.resolve(body(this)).then(resolve, reject);
      });
      await Promise.all(this.#children);
    } finally {
      for (const cleanup of this.#cleanups) await cleanup(this);
    }
  }

  test(...args) {
    const { name, options, run } = readArguments(args);
    if (options.skip || options.todo) return Promise.resolve();
    const child = new TestContext(`${this.name} > ${name}`).run(run).catch((cause) => {
      throw new Error(`Subtest ${JSON.stringify(name)} failed: ${describeError(cause)}`, { cause });
    });
    this.#children.push(child);
    return child;
  }

  skip(reason = true) {
    this.skipped = reason;
  }

  todo(reason = true) {
    this.skipped = reason;
  }

  after(cleanup) {
    this.#cleanups.push(cleanup);
  }

  diagnostic() {}

  abort() {
    this.#aborter.abort();
  }

  get mock() {
    throw new TypeError("The shim of node:test has no mocks");
  }
}

function withTimeout(promise, limitMs) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Test timed out after ${limitMs} ms`)), limitMs);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

function textOf(reason) {
  return typeof reason === "string" ? reason : undefined;
}

function describeError(thrown) {
  return String(thrown?.stack ?? thrown);
}
