/** The tool list as the adapters of `./agents` send it to each vendor, what they changed, and why. */
import { isForModels } from "../core/call/views.ts";
import type { ListedTool, Transport } from "../core/call/transport.ts";
import { errorResult } from "../core/call/outcome.ts";
import type { ToolDefinition } from "../core/tool/definition.ts";
import { listTool } from "../core/tool/listing.ts";
import { anthropicTools } from "../integrations/agents/anthropic.ts";
import { explainSchema, type SchemaVendor } from "../integrations/agents/explain_schema.ts";
import { googleTools } from "../integrations/agents/google.ts";
import { openaiTools } from "../integrations/agents/openai.ts";
import { estimateTextTokens } from "../internal/token_estimate.ts";

/** Whose view of the tool list {@link readModelView} makes, and which tool it shows in detail. */
export interface ModelViewInput {
  /** `mcp`, or a vendor of models. */
  readonly vendor: "mcp" | SchemaVendor;
  /** Whether strict mode is used where the schema can be expressed in it. */
  readonly isStrict: boolean;
  /** Name of the tool whose entry is returned, too. */
  readonly tool: unknown;
}

/** A tool in a request to a model. */
interface ModelTool {
  readonly name: string;
  /** The name that the model knows. */
  readonly sentAs: string;
  readonly tokens: number;
  readonly isStrict: boolean;
  /** Parts of the input schema that are not sent as they are. */
  readonly changes: number;
  /** Why the tool is not strict. */
  readonly refused?: string;
}

/** The tool list as it is in a request to a model of one vendor, with estimated tokens. */
export interface ModelView {
  readonly tools: readonly ModelTool[];
  readonly tokens: number;
  /** Tools that the vendor does not get: those for views alone, and such as `redeem`, because the adapters wait for promises. */
  readonly left: readonly string[];
  /** The entry of the tool that was asked for, and the changes of its schema. */
  readonly entry?: { readonly json: string; readonly changes: readonly unknown[] };
}

/** One tool as the vendor's adapter sends it. */
interface Entry {
  readonly sentAs: string;
  readonly sent: unknown;
}

/** Converts the tool list by the vendor's adapter of `./agents`, without a request to the vendor; for `mcp` it is the plain list. */
export async function readModelView(definitions: readonly ToolDefinition[], input: ModelViewInput): Promise<ModelView> {
  const listed = definitions.map((definition): ListedTool => ({ ...listTool(definition) }));
  const entries = await entriesOf(listed, input);
  const sent = listed.filter(({ name }) => entries.has(name));
  const tools = sent.map((tool) => modelTool(tool, entries.get(tool.name) as Entry, input));
  const shown = sent.find(({ name }) => name === input.tool);
  return {
    tools,
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    left: listed.filter(({ name }) => !entries.has(name)).map(({ name }) => name),
    ...(shown !== undefined && {
      entry: {
        json: JSON.stringify(entries.get(shown.name)?.sent, undefined, 2),
        changes: explain(shown, input)?.changes ?? [],
      },
    }),
  };
}

/** The entries by the names of the tools on the server. */
async function entriesOf(
  listed: readonly ListedTool[],
  { vendor, isStrict }: ModelViewInput,
): Promise<ReadonlyMap<string, Entry>> {
  if (vendor === "mcp") {
    return new Map(listed.filter(isForModels).map((tool) => [tool.name, { sentAs: tool.name, sent: tool }]));
  }
  const source: Transport = {
    list: () => listed,
    call: () => errorResult("unavailable", "The console shows this list, and does not call it"),
  };
  const given = vendor === "openai"
    ? await openaiTools(source, { strict: isStrict })
    : vendor === "anthropic"
    ? await anthropicTools(source, { strict: isStrict })
    : await googleTools(source);
  const sent = given.tools.flatMap((tool): readonly { readonly name: string }[] =>
    "functionDeclarations" in tool ? tool.functionDeclarations : [{ ...tool, name: nameIn(tool) }]
  );
  const entries = "functionDeclarations" in (given.tools[0] ?? {}) ? sent : given.tools;
  return new Map(sent.map(({ name }, at) => [given.names.get(name) ?? name, { sentAs: name, sent: entries[at] }]));
}

/** Chat Completions has the name in `function`. */
function nameIn(tool: { readonly name: string } | { readonly function: { readonly name: string } }): string {
  return "function" in tool ? tool.function.name : tool.name;
}

function explain(tool: ListedTool, { vendor, isStrict }: ModelViewInput) {
  return vendor === "mcp" ? undefined : explainSchema(tool, vendor, { strict: isStrict });
}

function modelTool(tool: ListedTool, { sentAs, sent }: Entry, input: ModelViewInput): ModelTool {
  const { changes = [], refused } = explain(tool, input) ?? {};
  const { strict, function: declared } = sent as { readonly strict?: boolean; readonly function?: { strict: boolean } };
  return {
    name: tool.name,
    sentAs,
    tokens: estimateTextTokens(JSON.stringify(sent)),
    isStrict: declared?.strict ?? strict ?? false,
    changes: changes.length,
    ...(refused !== undefined && { refused: `${refused.pointer || "/"}: ${refused.reason}` }),
  };
}
