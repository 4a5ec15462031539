/** Tools that show each kind of content, and events of a running tool. */
import { defineTool, Failure } from "jsr:@toolwire/toolwire";
import { content } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { PNG, WAV } from "./media.ts";
import { rawSchema } from "./raw_schema.ts";

const NOTHING = v.object({});

/** Resolves later. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const simpleText = defineTool("test_simple_text")
  .describe("Answers with text")
  .input(NOTHING)
  .handle(() => content.text("This is a simple text response for testing."));

const image = defineTool("test_image_content")
  .describe("Answers with an image")
  .input(NOTHING)
  .handle(() => content.image(PNG, "image/png"));

const audio = defineTool("test_audio_content")
  .describe("Answers with a recording")
  .input(NOTHING)
  .handle(() => content.audio(WAV, "audio/wav"));

const embeddedResource = defineTool("test_embedded_resource")
  .describe("Answers with a resource and its contents")
  .input(NOTHING)
  .handle(() =>
    content.embeddedResource({
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    })
  );

const mixed = defineTool("test_multiple_content_types")
  .describe("Answers with text, an image and a resource")
  .input(NOTHING)
  .handle(() => [
    content.text("Multiple content types test:"),
    content.image(PNG, "image/png"),
    content.embeddedResource({
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: '{"test":"data","value":123}',
    }),
  ]);

const logging = defineTool("test_tool_with_logging")
  .describe("Logs three lines while it runs")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      ctx.log("info", line);
      await pause(50);
    }
    return content.text("Logged three lines");
  });

const quietLogging = defineTool("test_logging_tool")
  .describe("Logs a line, for those who asked for it")
  .input(NOTHING)
  .handle((_, ctx) => {
    ctx.log("info", "A line of the tool");
    return content.text("Logged");
  });

const progress = defineTool("test_tool_with_progress")
  .describe("Tells how far it is")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    for (const done of [0, 50, 100]) {
      ctx.progress(done, 100, `Completed step ${done} of 100`);
      await pause(50);
    }
    return content.text("Done");
  });

const failing = defineTool("test_error_handling")
  .describe("Always fails")
  .input(NOTHING)
  .handle(() => {
    throw new Failure("intended", "This tool intentionally returns an error for testing");
  });

const reconnection = defineTool("test_reconnection")
  .describe("Takes longer than its connection lasts")
  .input(NOTHING)
  .handle(async () => {
    await pause(800);
    return content.text("Reconnection test completed successfully.");
  });

const jsonSchema = defineTool("json_schema_2020_12_tool")
  .describe("Takes arguments that need all of JSON Schema 2020-12 to be described")
  .input(rawSchema<Record<string, unknown>>({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }))
  .handle((args) => content.text(JSON.stringify(args)));

const headerParam = defineTool("test_x_mcp_header")
  .describe("Takes an argument that is repeated in a header")
  .input(v.object({
    region: v.pipe(v.string(), v.metadata({ "x-mcp-header": "Region" })),
    level: v.optional(v.pipe(v.number(), v.integer())),
  }))
  .handle(({ region }) => content.text(`Region: ${region}`));

/** All of them. */
export const contentTools = [
  simpleText,
  image,
  audio,
  embeddedResource,
  mixed,
  logging,
  quietLogging,
  progress,
  failing,
  reconnection,
  jsonSchema,
  headerParam,
] as const;
