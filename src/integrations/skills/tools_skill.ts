import { createCoreClient } from "../../client/core_client.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import { isSystemTool } from "../../core/call/transport.ts";
import { signatureOf } from "../../core/json_schema/signature.ts";
import { type MemoryServer, memoryTransport } from "../../wires/memory/client/transport.ts";
import { SKILL_FILE, type SkillSource } from "./skill.ts";

/** Options of {@link toolsSkill}: what the skill is called, and what it begins with. */
export interface ToolsSkillOptions {
  /** Path of its folder; the last part is its name. */
  readonly path: string;
  /** What the tools are good for, and when a model needs them. */
  readonly description: string;
  /** Markdown before the list of the tools. Default: none. */
  readonly introduction?: string | undefined;
}

/**
 * Makes a skill about the tools of a server, for `skills()`: name, description and signature of each, without system tools. The list is read
 * now, and does not change. No file is written.
 *
 * @example A skill of a server's tools, on the same server
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { skills, toolsSkill } from "jsr:@toolwire/toolwire/skills";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const about = await toolsSkill(createServer({ tools: [ping] }), { path: "net", description: "How to test the network" });
 * createServer({ tools: [ping], resources: await skills([about]) });
 * ```
 * @param server A server of this process.
 * @throws {ToolError} If its tools cannot be listed.
 */
export async function toolsSkill(server: MemoryServer, options: ToolsSkillOptions): Promise<SkillSource> {
  const { path, description, introduction } = options;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const tools = (await createCoreClient(memoryTransport(server)).$.list()).filter((tool) => !isSystemTool(tool));
  const head = `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n`;
  const parts = [head, ...(introduction === undefined ? [] : [introduction]), "# Tools", ...tools.map(describe)];
  return { path, files: { [SKILL_FILE]: `${parts.join("\n")}\n` } };
}

function describe({ name, description, inputSchema = {}, outputSchema }: ListedTool): string {
  return [
    `\n## ${name}`,
    ...(description === undefined ? [] : [description]),
    codeOf(`${name}${signatureOf(inputSchema, outputSchema)}`),
  ]
    .join("\n\n");
}

function codeOf(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}
