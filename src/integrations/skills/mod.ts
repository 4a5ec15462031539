/**
 * Skills over MCP: a server lists instructions for models with digests, and a client reads and verifies them.
 *
 * @module
 */
export { skills } from "./skills.ts";
export { toolsSkill, type ToolsSkillOptions } from "./tools_skill.ts";
export { readSkills, type SkillFile, type SkillReader } from "./client.ts";
export type { Skill, SkillResource, SkillSource } from "./skill.ts";
export type { SkillFrontmatter } from "./frontmatter.ts";
