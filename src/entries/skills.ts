/**
 * Skills over MCP: a server lists instructions for models with digests, and a client reads and verifies them. It is needed where a model
 * has to know how tools are used together.
 *
 * @example Serve a folder of skills
 * ```ts fragment
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { skills } from "jsr:@toolwire/toolwire/skills";
 *
 * export default createServer({ name: "shop", version: "1.0.0", tools: [], resources: await skills("./skills") });
 * ```
 *
 * @module
 */
export { skills } from "../integrations/skills/skills.ts";
export { toolsSkill, type ToolsSkillOptions } from "../integrations/skills/tools_skill.ts";
export { readSkills, type SkillFile, type SkillReader } from "../integrations/skills/client.ts";
export type { Skill, SkillResource, SkillSource } from "../integrations/skills/skill.ts";
export type { SkillFrontmatter } from "../integrations/skills/frontmatter.ts";
