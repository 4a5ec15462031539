/**
 * Skills over MCP: a server lists instructions for models with digests, and a client reads and verifies them.
 *
 * @module
 */
export { skills } from "../integrations/skills/skills.ts";
export { toolsSkill, type ToolsSkillOptions } from "../integrations/skills/tools_skill.ts";
export { readSkills, type SkillFile, type SkillReader } from "../integrations/skills/client.ts";
export type { Skill, SkillResource, SkillSource } from "../integrations/skills/skill.ts";
export type { SkillFrontmatter } from "../integrations/skills/frontmatter.ts";
