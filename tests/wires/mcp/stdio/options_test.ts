/** Invalid options of the stdio server and client fail at the call. */
import { rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { serve } from "../../../../src/entries/serve.ts";
import { serveStdio, stdioTransport } from "../../../../src/entries/stdio.ts";

/** Removes the types, as for a caller without a compiler. */
type Untyped = (...args: readonly unknown[]) => unknown;

const server = createServer({ tools: [defineTool("t").describe("T").handle(() => 1)] });

for (
  const [call, args, message, name = "TypeError"] of [
    [serveStdio, [{}], /^Cannot serve this over stdio: pass the server that createServer\(\) returns$/],
    [
      serveStdio,
      [server, { grace: 5 }],
      /^Cannot serve MCP over stdio: there is no option "grace"; did you mean "graceMs"\?$/,
    ],
    [serveStdio, [server, { graceMs: -1 }], /graceMs must be a whole number of milliseconds, not -1$/, "RangeError"],
    [
      serveStdio,
      [server, { maxConcurrentCalls: 0 }],
      /maxConcurrentCalls must be a whole number above 0, not 0$/,
      "RangeError",
    ],
    [serveStdio, [server, { sessions: {} }], /there is no option "sessions"/],
    [serve, [server, { prt: 0 }], /^Cannot serve this: there is no option "prt"; did you mean "port"\?$/],
    [serve, [server, { port: "80" }], /port must be the number of a port, not "80"$/],
  ] as const
) {
  test(`${call.name}: ${message.source}`, async () => {
    await rejects(async () => await (call as Untyped)(...args), { name, message });
  });
}

for (
  const [args, message] of [
    [[], /^Cannot start a server: name a program, such as stdioTransport\("npx", \["my-server"\]\)$/],
    [["x", "stdio"], /^Cannot start a server: args must be an array of strings, such as \["--stdio"\]$/],
    [["x", [], { stderr: "pipe" }], /stderr must be "inherit", "ignore" or a function, not "pipe"$/],
    [["x", [], { environ: {} }], /there is no option "environ"; did you mean "env"\?$/],
  ] as const
) {
  test(`stdioTransport: ${message.source}`, () => {
    throws(() => (stdioTransport as Untyped)(...args), { name: "TypeError", message });
  });
}
