/** Tools that ask their caller: the same handlers for every revision, and every wire. */
import { type Ctx, defineTool } from "jsr:@toolwire/toolwire";
import { content } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { rawSchema } from "./raw_schema.ts";

const NOTHING = v.object({});

/** A question to a model, in one sentence. */
function sentence(text: string, maxTokens: number) {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens } as const;
}

const NAME = { message: "What is your name?", schema: v.object({ name: v.string() }) };

const CONFIRM = { message: "Please confirm", schema: v.object({ ok: v.boolean() }) };

async function greet(ctx: Ctx): Promise<ReturnType<typeof content.text>> {
  const answer = await ctx.elicit("user_name", NAME);
  return content.text(answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello, whoever you are!");
}

const sampling = defineTool("test_sampling")
  .describe("Has the caller's model answer a prompt")
  .input(v.object({ prompt: v.string() }))
  .handle(async ({ prompt }, ctx) => {
    const answer = await ctx.sample("answer", sentence(prompt, 100));
    return content.text(
      `LLM response: ${JSON.stringify(answer.action === "accept" ? answer.content.content : answer)}`,
    );
  });

const elicitation = defineTool("test_elicitation")
  .describe("Asks the user for a name and an address")
  .input(v.object({ message: v.string() }))
  .handle(async ({ message }, ctx) => {
    const answer = await ctx.elicit("user", { message, schema: v.object({ username: v.string(), email: v.string() }) });
    return content.text(`User response: ${JSON.stringify(answer)}`);
  });

const defaults = defineTool("test_elicitation_sep1034_defaults")
  .describe("Asks with defaults")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    const schema = rawSchema<Record<string, unknown>>({
      type: "object",
      properties: {
        name: { type: "string", description: "User name", default: "John Doe" },
        age: { type: "integer", description: "User age", default: 30 },
        score: { type: "number", description: "User score", default: 95.5 },
        status: {
          type: "string",
          description: "User status",
          enum: ["active", "inactive", "pending"],
          default: "active",
        },
        verified: { type: "boolean", description: "Verification status", default: true },
      },
      required: [],
    });
    const answer = await ctx.elicit("user", { message: "Please review the form", schema });
    return content.text(completed(answer));
  });

const enums = defineTool("test_elicitation_sep1330_enums")
  .describe("Asks with choices of every kind")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    const titles = (word: string) =>
      ["First", "Second", "Third"].map((nth, index) => ({
        const: `value${index + 1}`,
        title: `${nth} ${word}`,
      }));
    const schema = rawSchema<Record<string, unknown>>({
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: titles("Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: titles("Choice") } },
      },
      required: [],
    });
    const answer = await ctx.elicit("choices", { message: "Please choose", schema });
    return content.text(completed(answer));
  });

function completed(answer: { readonly action: string; readonly content?: unknown }): string {
  return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}

const basicElicitation = defineTool("test_input_required_result_elicitation")
  .describe("Asks for a name and greets")
  .input(NOTHING)
  .handle((_, ctx) => greet(ctx));

const basicSampling = defineTool("test_input_required_result_sampling")
  .describe("Asks the caller's model a question")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    const answer = await ctx.sample("capital_question", sentence("What is the capital of France?", 100));
    return content.text(JSON.stringify(answer));
  });

const basicRoots = defineTool("test_input_required_result_list_roots")
  .describe("Asks for the folders that the caller works in")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    const answer = await ctx.roots("client_roots");
    return content.text(JSON.stringify(answer));
  });

const requestState = defineTool("test_input_required_result_request_state")
  .describe("Asks, and knows by its state what it had asked")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    await ctx.elicit("confirm", CONFIRM);
    return content.text("state-ok");
  });

const multipleInputs = defineTool("test_input_required_result_multiple_inputs")
  .describe("Asks three things at once")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    const answers = await ctx.ask({
      user_name: NAME,
      greeting: sentence("Generate a greeting", 50),
      client_roots: { roots: true },
    });
    return content.text(JSON.stringify(answers));
  });

const multiRound = defineTool("test_input_required_result_multi_round")
  .describe("Asks twice, one after the other")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    const first = await ctx.elicit("step1", {
      message: "Step 1: What is your name?",
      schema: v.object({ name: v.string() }),
    });
    const second = await ctx.elicit("step2", {
      message: "Step 2: What is your favorite color?",
      schema: v.object({ color: v.string() }),
    });
    return content.text(JSON.stringify([first, second]));
  });

const tamperedState = defineTool("test_input_required_result_tampered_state")
  .describe("Asks, with a state that cannot be changed unseen")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    await ctx.elicit("confirm", CONFIRM);
    return content.text("state-ok");
  });

const capabilities = defineTool("test_input_required_result_capabilities")
  .describe("Asks what its caller can answer")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    if (ctx.client.supports("sampling")) {
      return content.text(
        JSON.stringify(await ctx.sample("question", sentence("What is the capital of France?", 100))),
      );
    }
    return await greet(ctx);
  });

const missingCapability = defineTool("test_missing_capability")
  .describe("Needs a model of its caller")
  .input(NOTHING)
  .handle(async (_, ctx) => content.text(JSON.stringify(await ctx.sample("question", sentence("Hello?", 10)))));

const streamingElicitation = defineTool("test_streaming_elicitation")
  .describe("Tells how far it is, then asks")
  .input(NOTHING)
  .handle(async (_, ctx) => {
    ctx.progress(1, 2);
    return await greet(ctx);
  });

/** All of them. */
export const askingTools = [
  sampling,
  elicitation,
  defaults,
  enums,
  basicElicitation,
  basicSampling,
  basicRoots,
  requestState,
  multipleInputs,
  multiRound,
  tamperedState,
  capabilities,
  missingCapability,
  streamingElicitation,
] as const;
