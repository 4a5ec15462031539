/** Resources and prompts. */
import { content, definePrompt, defineResource, type Resource, user } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { skills } from "jsr:@toolwire/toolwire/skills";
import { PNG } from "./media.ts";
import { skillSources } from "./skills.ts";

const staticText = defineResource("test://static-text")
  .name("static-text")
  .describe("A text that does not change")
  .mimeType("text/plain")
  .read(() => "This is the content of the static text resource.");

const staticBinary = defineResource("test://static-binary")
  .name("static-binary")
  .describe("An image that does not change")
  .mimeType("image/png")
  .read(() => ({ blob: PNG }));

const watched = defineResource("test://watched-resource")
  .name("watched-resource")
  .describe("A text that callers may watch")
  .mimeType("text/plain")
  .read(() => "Nothing has happened yet.");

const template = defineResource("test://template/{id}/data")
  .name("template")
  .describe("Data by id")
  .mimeType("application/json")
  .complete({ id: (value) => ["123", "456"].filter((id) => id.startsWith(value)) })
  .read(({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }));

/** All resources, those of the skills included. */
export const resources: readonly Resource[] = [
  staticText,
  staticBinary,
  watched,
  template,
  ...await skills(skillSources),
];

const simple = definePrompt("test_simple_prompt")
  .describe("A prompt without arguments")
  .handle(() => [user("This is a simple prompt for testing.")]);

const withArguments = definePrompt("test_prompt_with_arguments")
  .describe("A prompt with arguments")
  .input(v.object({ arg1: v.string(), arg2: v.string() }))
  .complete({ arg1: (value) => ["test1", "test2", "other"].filter((one) => one.startsWith(value)) })
  .handle(({ arg1, arg2 }) => [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)]);

const withResource = definePrompt("test_prompt_with_embedded_resource")
  .describe("A prompt with a resource in it")
  .input(v.object({ resourceUri: v.string() }))
  .handle(({ resourceUri: uri }) => [
    user(content.embeddedResource({ uri, mimeType: "text/plain", text: "Embedded resource content for testing." })),
    user("Please process the embedded resource above."),
  ]);

const withImage = definePrompt("test_prompt_with_image")
  .describe("A prompt with an image in it")
  .handle(() => [user(content.image(PNG, "image/png")), user("Please analyze the image above.")]);

const asking = definePrompt("test_input_required_result_prompt")
  .describe("A prompt that asks before it is given")
  .handle(async (_, ctx) => {
    const answer = await ctx.elicit("user_context", {
      message: "What context should the prompt use?",
      schema: v.object({ context: v.string() }),
    });
    return [user(answer.action === "accept" ? `Context: ${answer.content.context}` : "No context")];
  });

/** All prompts. */
export const prompts = [simple, withArguments, withResource, withImage, asking] as const;
