/**
 * What a program has in its sandbox: `tools`, `sleep` and `console`, in plain JavaScript, which every executor evaluates before the program.
 *
 * It takes the built-ins that it needs before the program runs, so that a program which replaces them harms itself alone. It is a function
 * of `post(kind, id, name, text)`, which sends to the host, and of the limits; what it returns is called by the host.
 */
export const PRELUDE: string = `(function (post, settings) {
  "use strict";
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { defineProperty, create } = Object;
  const { slice, replace } = String.prototype;
  const { has, get, set } = WeakMap.prototype;
  const NativePromise = Promise, NativeError = Error, NativeRangeError = RangeError, NativeTypeError = TypeError;
  const NativeDate = Date, { floor } = Math, { isFinite } = Number;
  const MAX_TEXT = 2000;
  const failed = new WeakMap();
  const pending = create(null);
  let last = 0, open = 0, logged = 0, nowMs = settings.nowMs, seed = settings.seed | 0;

  function text(value) {
    try {
      const all = typeof value === "string" ? value : typeof value === "symbol" ? "Symbol" : "" + value;
      return apply(slice, all, [0, MAX_TEXT]);
    } catch { return ""; }
  }

  function describe(thrown) {
    const isObject = typeof thrown === "object" && thrown !== null || typeof thrown === "function";
    const read = (member) => { try { return thrown[member]; } catch { return ""; } };
    const known = isObject && apply(has, failed, [thrown]) ? apply(get, failed, [thrown]) : undefined;
    return stringify({
      name: isObject ? text(read("name") ?? "Error") : "Error",
      message: isObject ? text(read("message") ?? "") : text(thrown),
      stack: isObject ? text(read("stack") ?? "") : "",
      isError: isObject,
      call: known,
    });
  }

  function begin(kind, name, given) {
    const input = stringify(given === undefined ? (kind === "call" ? {} : null) : given);
    if (input === undefined) throw new NativeTypeError("The arguments of " + name + " are not JSON: pass an object");
    if (input.length > settings.argumentChars) {
      throw new NativeRangeError("The arguments of " + name + " have " + input.length + " characters; at most " + settings.argumentChars + " are allowed");
    }
    if (last >= settings.calls) {
      post("limit", 0, "calls", "");
      throw new NativeRangeError("limit of calls");
    }
    const id = ++last;
    const { stack } = new NativeError();
    const entry = { id, stack: text(stack), resolve: undefined, reject: undefined, sleptMs: kind === "sleep" ? given : 0 };
    const promise = new NativePromise((resolve, reject) => { entry.resolve = resolve; entry.reject = reject; });
    pending[id] = entry;
    open++;
    post(kind, id, name, input);
    return promise;
  }

  function deliver(id, isError, json) {
    const entry = pending[id];
    delete pending[id];
    open--;
    nowMs += entry.sleptMs;
    const value = parse(json);
    if (!isError) return entry.resolve(value);
    const error = new NativeError(value.message);
    const define = (name, member) => defineProperty(error, name, { value: member, enumerable: name !== "stack", writable: true, configurable: true });
    define("name", "ToolError");
    define("code", value.code);
    if (value.data !== undefined) define("data", value.data);
    if (value.data !== null && typeof value.data === "object" && value.data.issues !== undefined) define("issues", value.data.issues);
    define("stack", entry.stack);
    apply(set, failed, [error, id]);
    entry.reject(error);
  }

  function toolOf(name) {
    const call = (input) => begin("call", name, input);
    call.items = async function* (input) {
      let page = await begin("call", name, input);
      for (;;) {
        const list = page?.items ?? page?.text;
        if (list === undefined) throw new NativeTypeError(name + " has no pages: its answer has neither items nor text. Call tools." + name + "(input)");
        if (typeof list === "string") yield list;
        else yield* list;
        if (page.more === undefined) return;
        page = await begin("more", name, page.more);
      }
    };
    return call;
  }

  const byName = create(null);
  const tools = new Proxy(create(null), {
    get: (_, name) => {
      // Else "await tools" would call a tool.
      if (typeof name !== "string" || name === "then") return undefined;
      return byName[name] ??= toolOf(name);
    },
    set: () => false,
  });

  const sleep = async (ms) => {
    if (!(typeof ms === "number" && isFinite(ms) && ms >= 0)) throw new NativeRangeError("sleep takes milliseconds from 0");
    await begin("sleep", "", ms);
  };

  const shown = (value) => {
    if (typeof value === "string") return value;
    try { return stringify(value) ?? text(value); } catch { return text(value); }
  };
  function log(...values) {
    let line = "";
    for (let at = 0; at < values.length; at++) line += (at === 0 ? "" : " ") + shown(values[at]);
    if (logged >= settings.logChars) return;
    const room = settings.logChars - logged;
    logged += line.length;
    post("log", 0, "", line.length <= room ? line : apply(slice, line, [0, room]) + "… (limit of console.log)");
  }
  const write = { log, info: log, warn: log, error: log, debug: log };

  // The same in each run of a program: it runs again after a restart.
  globalThis.Date = class Date extends NativeDate {
    constructor(...values) { if (values.length === 0) super(nowMs); else super(...values); }
    static now() { return nowMs; }
  };
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  async function run(program) {
    let json;
    try {
      json = stringify(await program(tools, sleep, write)) ?? "null";
    } catch (thrown) {
      return post("thrown", 0, "", describe(thrown));
    }
    if (open === 0) return post("value", 0, "", json);
    let ids = "";
    for (const id in pending) ids += (ids === "" ? "" : ",") + id;
    post("open", 0, "", ids);
  }

  return { run, deliver, describe };
})`;
