/** Functions as both APIs of OpenAI describe them, and their calls. */
import { BOOLEAN, checkOptions, type OptionRules } from "../../internal/options.ts";
import type { AgentCallOptions, AgentTool, ToolCallResult } from "./agent_tool.ts";
import { IMAGES_AND_PDF } from "./answer_content.ts";
import { OPENAI_STRICT } from "./dialects.ts";
import { toStrict } from "./explain_schema.ts";
import { approvalOf, LOOP_RULES, type LoopOptions } from "./approval.ts";
import type { AgentSource } from "./options.ts";
import { toParameters } from "./parameters.ts";
import type { ReducedSchema } from "./schema_count.ts";
import { openToolbox, readArguments, type Toolbox } from "./toolbox.ts";

/** A tool of the server, as OpenAI's Chat Completions and Responses describe a function. */
export interface OpenAiFunction {
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Whether the model's output is constrained to the schema. */
  strict: boolean;
}

/** Options of {@link openaiTools} and {@link openaiResponsesTools}. */
export interface OpenAiOptions extends LoopOptions {
  /** Whether to use strict mode for tools whose schema it can express. Default: true. */
  readonly strict?: boolean | undefined;
}

/** Refuses items of the other API of OpenAI, which would otherwise be skipped silently. @throws {TypeError} If an item has the type `type`. */
export function assertNoItems(
  items: readonly { readonly type: string }[] | null | undefined,
  type: string,
  owner: string,
): void {
  if (items?.some((item) => item.type === type)) {
    throw new TypeError(`Cannot run calls: "${type}" is of ${owner}`);
  }
}

/** Validation rules for {@link OpenAiOptions}. */
export const OPENAI_RULES: OptionRules<OpenAiOptions> = { ...LOOP_RULES, strict: BOOLEAN };

/** Lists the tools of a source as functions of OpenAI: of Responses, which loads tools that were found and takes files, or of Chat Completions. */
export async function openFunctions(
  source: AgentSource,
  given: OpenAiOptions,
  isResponses: boolean,
): Promise<OpenAiFunctions> {
  checkOptions("give tools to a model", given, OPENAI_RULES);
  const { strict = true, approve: _approve, needsApproval: _needs, ...options } = given;
  const approval = approvalOf(source, given);
  const toolbox = await openToolbox(source, options, {
    toParameters,
    loadsFound: isResponses,
    media: isResponses ? IMAGES_AND_PDF : [],
    approval,
  });
  return new OpenAiFunctions(toolbox, strict);
}

/** Describes and calls the tools of a toolbox as OpenAI functions. With `isStrict`, a schema is strict if it can be expressed that way. */
export class OpenAiFunctions {
  /** The tools. */
  readonly toolbox: Toolbox;
  readonly #isStrict: boolean;
  readonly #forms = new Map<AgentTool, ReducedSchema | undefined>();

  constructor(toolbox: Toolbox, isStrict: boolean) {
    this.toolbox = toolbox;
    this.#isStrict = isStrict;
  }

  /** Describes a tool under a name. */
  describe(tool: AgentTool, name: string = tool.name): OpenAiFunction {
    const { description, parameters } = tool;
    const strict = this.#strictFormOf(tool);
    return {
      name,
      ...(description !== undefined && { description }),
      parameters: { ...(strict ?? parameters).schema },
      strict: strict !== undefined,
    };
  }

  /** Calls a tool by the name that the model knows, with what should be the JSON of its arguments. */
  call(name: string, text: unknown, options: AgentCallOptions): Promise<ToolCallResult> {
    return this.run(name, readArguments(text), options);
  }

  /** Calls a tool by the name that the model knows, with the arguments that it wrote. */
  async run(name: string, given: unknown, options: AgentCallOptions): Promise<ToolCallResult> {
    const tool = this.toolbox.find(name);
    const strict = tool && this.#strictFormOf(tool);
    return await this.toolbox.call(name, strict === undefined ? given : strict.toArguments(given), options);
  }

  /** The strict form of a tool; `undefined` if it is not strict. */
  #strictFormOf(tool: AgentTool): ReducedSchema | undefined {
    if (!this.#isStrict) return undefined;
    if (!this.#forms.has(tool)) {
      const reduced = toStrict(tool.parameters, OPENAI_STRICT);
      this.#forms.set(tool, "reason" in reduced ? undefined : reduced);
    }
    return this.#forms.get(tool);
  }
}
