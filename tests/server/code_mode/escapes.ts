/** Programs that try to leave the sandbox, to stop it, or to deceive its host. */

/** How a program has to end: with this value, or with an error of one of these kinds. */
export type Wanted = { readonly value: unknown } | { readonly kinds: readonly string[] };

/** A hostile program. */
export interface Escape {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  readonly want: Wanted;
}

const value = (value: unknown): Wanted => ({ value });
const kinds = (...kinds: string[]): Wanted => ({ kinds });
const escape = (kind: string, name: string, want: Wanted, source: string): Escape => ({ kind, name, source, want });

const REACH = "reaches for the host";
const POLLUTE = "changes the built-ins";
const DECEIVE = "deceives the reader of its result";
const LOOP = "does not return";
const FILL = "fills the memory";
const DEEP = "recurses";
const FLOOD = "floods its host";

/** Globals of hosts; a program has none of them. */
const GLOBALS =
  `["process", "require", "Bun", "Deno", "fetch", "XMLHttpRequest", "WebSocket", "WebAssembly", "Worker", "importScripts",
  "navigator", "setTimeout", "setInterval", "performance", "crypto", "SharedWorker", "caches", "structuredClone"]`;

export const ESCAPES: readonly Escape[] = [
  escape(REACH, "globals", value([]), `return ${GLOBALS}.filter((name) => typeof globalThis[name] !== "undefined")`),
  escape(
    REACH,
    "the constructor of a function",
    value("undefined"),
    `return (function () {}).constructor("return typeof process")()`,
  ),
  escape(
    REACH,
    "the constructor of an async function",
    value("undefined"),
    `return await (async () => {}).constructor("return typeof process")()`,
  ),
  escape(
    REACH,
    "the constructor of tools",
    value("undefined"),
    `return tools.x.constructor.constructor("return typeof process")()`,
  ),
  escape(
    REACH,
    "the constructor of console.log",
    value("undefined"),
    `return console.log.constructor("return typeof process")()`,
  ),
  escape(REACH, "eval", value("undefined"), `return eval("typeof process")`),
  escape(
    REACH,
    "an import of a module of Node",
    kinds("runtime", "syntax"),
    `const { readFileSync } = await import("node:fs"); return readFileSync("/etc/passwd", "utf8")`,
  ),
  escape(
    REACH,
    "an import of a data URL",
    kinds("runtime", "syntax"),
    `return await import("data:text/javascript,export default 1")`,
  ),
  escape(
    REACH,
    "the caller of its function",
    value("closed"),
    `try { return typeof (function f() { return f.caller })().constructor("return process")(); } catch { return "closed"; }`,
  ),
  escape(
    REACH,
    "the stack of an error",
    value("no path"),
    `const { stack } = new Error("x"); return /[/\\\\\\\\](work|home|node_modules|usr)/.test(stack) ? stack : "no path"`,
  ),
  escape(
    REACH,
    "prepareStackTrace",
    value([]),
    `Error.prepareStackTrace = (_, frames) => frames; const { stack } = new Error("x"); return (Array.isArray(stack) ? stack : []).map((frame) => frame.getFileName()).filter((name) => name !== null && !/^(program|prelude)\\.js$/.test(name))`,
  ),
  escape(
    REACH,
    "the end of the function around it",
    kinds("syntax"),
    `}); globalThis.out = 1; (async function () { return 1`,
  ),
  escape(
    REACH,
    "the end of the function around it, in an expression",
    kinds("syntax"),
    `}, async function () { return 1`,
  ),
  escape(POLLUTE, "Object.prototype", value("mine"), `Object.prototype.polluted = "mine"; return ({}).polluted`),
  escape(
    POLLUTE,
    "Array.prototype",
    value(1),
    `Array.prototype.push = Array.prototype.map = () => { throw 1; }; return (await tools.echo({ a: 1 })).a`,
  ),
  escape(
    POLLUTE,
    "Promise.prototype.then",
    kinds("open", "runtime", "limit", "value"),
    `Promise.prototype.then = () => { throw new Error("then"); }; return await tools.echo({ a: 1 })`,
  ),
  escape(
    POLLUTE,
    "Promise",
    value(1),
    `globalThis.Promise = class { constructor() { throw 1; } }; return (await tools.echo({ a: 1 })).a`,
  ),
  escape(
    POLLUTE,
    "JSON",
    value(2),
    `JSON.stringify = () => '{"forged":true}'; JSON.parse = () => ({ forged: true }); return (await tools.echo({ a: 2 })).a`,
  ),
  escape(
    POLLUTE,
    "Reflect and Object",
    value(3),
    `const { getOwnPropertyNames } = Object; for (const of of [Reflect, Object, String.prototype, WeakMap.prototype]) for (const name of getOwnPropertyNames(of)) { if (name !== "constructor") try { of[name] = () => { throw 1; }; } catch {} } return 3`,
  ),
  escape(DECEIVE, "toJSON", value({ forged: true }), `return { toJSON: () => ({ forged: true }) }`),
  escape(DECEIVE, "a toJSON that throws", kinds("runtime"), `return { toJSON() { throw new Error("no"); } }`),
  escape(DECEIVE, "a getter that throws", kinds("runtime"), `return { get value() { throw new Error("no"); } }`),
  escape(DECEIVE, "a thenable", value(4), `return { then: (resolve) => resolve(4) }`),
  escape(DECEIVE, "a thenable that never resolves", kinds("stuck"), `return { then() {} }`),
  escape(
    DECEIVE,
    "a proxy",
    value({ a: "a" }),
    `return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, name) => name === "then" || name === "toJSON" ? undefined : name })`,
  ),
  escape(DECEIVE, "a circle", kinds("runtime"), `const a = {}; a.a = a; return a`),
  escape(
    DECEIVE,
    "an error whose members throw",
    kinds("runtime"),
    `throw { get name() { throw 1; }, get message() { throw 2; }, get stack() { throw 3; } }`,
  ),
  escape(
    DECEIVE,
    "an error that is a proxy",
    kinds("runtime"),
    `throw new Proxy(function () {}, { get() { throw 1; }, has() { throw 2; } })`,
  ),
  escape(
    DECEIVE,
    "a forged failure of a call",
    kinds("runtime"),
    `const error = new Error("forged"); error.name = "ToolError"; error.code = "internal"; error.call = 1; throw error`,
  ),
  escape(
    DECEIVE,
    "__proto__ in arguments",
    value(["__proto__"]),
    `return Object.keys(await tools.echo(JSON.parse('{"__proto__":{"polluted":1}}')))`,
  ),
  escape(DECEIVE, "__proto__ in its result", value({ ["__proto__"]: 1 }), `return JSON.parse('{"__proto__":1}')`),
  escape(
    DECEIVE,
    "an error after its result",
    value(5),
    `Promise.resolve().then(() => { throw 1; }).catch(() => {}); return 5`,
  ),
  escape(LOOP, "a plain loop", kinds("limit"), `for (;;) ;`),
  escape(LOOP, "a loop that catches", kinds("limit"), `for (;;) { try { for (;;) ; } catch {} finally { continue; } }`),
  escape(LOOP, "an asynchronous loop", kinds("limit"), `for (;;) await 1`),
  escape(
    LOOP,
    "a chain of promises",
    kinds("limit", "stuck"),
    `const next = () => Promise.resolve().then(next); next(); await new Promise(() => {})`,
  ),
  escape(LOOP, "a regular expression", kinds("limit"), `return /(a+)+$/.test("a".repeat(40) + "b")`),
  escape(LOOP, "a function of sort", kinds("limit"), `return [3, 2, 1].sort(() => { for (;;) ; })`),
  escape(LOOP, "a getter of its result", kinds("limit"), `return { get a() { for (;;) ; } }`),
  escape(LOOP, "a getter of an error", kinds("limit"), `throw { get message() { for (;;) ; } }`),
  escape(
    LOOP,
    "a generator without an end",
    kinds("limit"),
    `function* all() { for (;;) yield 1; } return [...all()].length`,
  ),
  escape(
    LOOP,
    "Atomics.wait",
    kinds("runtime", "limit"),
    `return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
  ),
  escape(LOOP, "a promise that never resolves", kinds("stuck"), `await new Promise(() => {})`),
  escape(FILL, "an array", kinds("limit"), `const all = []; for (;;) all.push(new Array(10_000).fill(1))`),
  escape(FILL, "a text", kinds("limit", "runtime"), `let text = "x"; for (;;) text += text`),
  escape(FILL, "a BigInt", kinds("limit", "runtime"), `let large = 2n; for (;;) large *= large`),
  escape(FILL, "typed arrays", kinds("limit", "runtime"), `const all = []; for (;;) all.push(new Uint8Array(1 << 20))`),
  escape(
    FILL,
    "objects in one job",
    kinds("limit"),
    `let list; for (let at = 0; at < 4e6; at++) list = { list, at }; return 1`,
  ),
  escape(FILL, "a loop of a built-in", kinds("limit", "runtime"), `return (new Array(30_000_000) + "").length`),
  escape(DEEP, "a function", kinds("runtime"), `const deep = () => deep() + 1; return deep()`),
  escape(DEEP, "JSON", kinds("runtime", "limit"), `return JSON.parse("[".repeat(200_000) + "]".repeat(200_000))`),
  escape(
    DEEP,
    "its result",
    kinds("runtime", "limit"),
    `let deep = []; for (let at = 0; at < 100_000; at++) deep = [deep]; return deep`,
  ),
  escape(
    DEEP,
    "a regular expression",
    kinds("runtime", "limit", "syntax", "value"),
    `return new RegExp("(".repeat(50_000) + ")".repeat(50_000)).test("")`,
  ),
  escape(DEEP, "a toString", kinds("runtime"), `const one = { toString: () => one + "" }; throw one + ""`),
  escape(FLOOD, "calls", kinds("limit"), `await Promise.all(Array.from({ length: 10_000 }, () => tools.echo({})))`),
  escape(
    FLOOD,
    "calls whose errors it catches",
    kinds("limit"),
    `for (let at = 0; at < 10_000; at++) try { tools.echo({}).catch(() => {}); } catch {} return 1`,
  ),
  escape(FLOOD, "long arguments", kinds("runtime"), `return await tools.echo({ text: "x".repeat(2_000_000) })`),
  escape(FLOOD, "log lines", value(6), `for (let at = 0; at < 20_000; at++) console.log("line", at); return 6`),
  escape(FLOOD, "a long log line", value(7), `console.log("x".repeat(3_000_000)); return 7`),
];
