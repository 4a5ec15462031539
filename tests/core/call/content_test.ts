import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { isContentBlock } from "../../../src/core/call/content.ts";
import { assistant, content, user } from "../../../src/entries/mcp.ts";

const annotations = { audience: ["user"], priority: 0, lastModified: "2026-01-01" } as const;

for (
  const [name, block, want] of [
    ["text", content.text("hi"), { type: "text", text: "hi" }],
    ["text with extras", content.text("hi", { annotations, meta: { a: 1 } }), {
      type: "text",
      text: "hi",
      annotations,
      _meta: { a: 1 },
    }],
    ["image", content.image(new Uint8Array([0, 1]), "image/png"), {
      type: "image",
      data: "AAE=",
      mimeType: "image/png",
    }],
    ["image of base64", content.image("AAE=", "image/png"), { type: "image", data: "AAE=", mimeType: "image/png" }],
    ["audio", content.audio(new Uint8Array([255]), "audio/wav"), {
      type: "audio",
      data: "/w==",
      mimeType: "audio/wav",
    }],
    ["resourceLink", content.resourceLink({ uri: "t://x", name: "x", size: 5 }, { meta: { a: 1 } }), {
      type: "resource_link",
      uri: "t://x",
      name: "x",
      size: 5,
      _meta: { a: 1 },
    }],
    ["embeddedResource of text", content.embeddedResource({ uri: "t://x", text: "hi" }, { annotations }), {
      type: "resource",
      resource: { uri: "t://x", mimeType: "text/plain", text: "hi" },
      annotations,
    }],
    [
      "embeddedResource of bytes",
      content.embeddedResource({ uri: "t://x", blob: new Uint8Array([1]), mimeType: "x/y", meta: { a: 1 } }),
      { type: "resource", resource: { uri: "t://x", mimeType: "x/y", blob: "AQ==", _meta: { a: 1 } } },
    ],
  ] as const
) {
  test(`content: ${name}`, () => {
    deepStrictEqual(block, want);
    strictEqual(isContentBlock(block), true);
    strictEqual(isContentBlock(JSON.parse(JSON.stringify(block))), true);
  });
}

test("user() and assistant() take text or one block", () => {
  deepStrictEqual(user("hi"), { role: "user", content: { type: "text", text: "hi" } });
  deepStrictEqual(assistant(content.audio("AA==", "audio/wav")), {
    role: "assistant",
    content: { type: "audio", data: "AA==", mimeType: "audio/wav" },
  });
});

for (
  const value of [
    undefined,
    null,
    "text",
    [],
    {},
    { type: "text" },
    { type: "image", data: "AA==" },
    { type: "audio", mimeType: "audio/wav" },
    { type: "resource_link", uri: "t://x" },
    { type: "resource" },
    { type: "resource", resource: { uri: "t://x" } },
    { type: "resource", resource: { text: "x" } },
    { type: "video", data: "AA==", mimeType: "video/mp4" },
  ]
) {
  test(`isContentBlock() does not take ${JSON.stringify(value)} for one`, () =>
    strictEqual(isContentBlock(value), false));
}

test("content refuses annotations that mean nothing", () => {
  throws(() => content.text("x", { annotations: { priority: -1 } }), /Cannot annotate content: priority/);
  throws(() => content.text("x", { annotations: { audience: "user" as never } }), /audience is an array/);
});
