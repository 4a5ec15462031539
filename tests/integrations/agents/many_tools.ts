/** A server with 500 tools in 20 groups, with parameters and descriptions as long as those of published servers. */
import { createServer, defineTool } from "../../../mod.ts";
import { group } from "../../../src/entries/compose.ts";
import * as v from "../../../src/entries/schema.ts";

const GROUPS = [
  "billing",
  "calendar",
  "chat",
  "crm",
  "deploy",
  "docs",
  "drive",
  "forms",
  "git",
  "hiring",
  "inventory",
  "mail",
  "maps",
  "metrics",
  "payroll",
  "search",
  "shipping",
  "support",
  "surveys",
  "wiki",
];
const ACTIONS = ["create", "list", "update", "delete", "export"];
const OBJECTS = ["record", "comment", "label", "schedule", "report"];

function toolOf(where: string, action: string, object: string) {
  return defineTool(`${action}_${object}`)
    .describe(
      `${action[0]?.toUpperCase()}${
        action.slice(1)
      } a ${object} of ${where}. Use it when the user asks for a ${object}; the result has ` +
        `its id, its state and the time of its last change. Needs the permission to ${action} each ${object} of the workspace.`,
    )
    .input(v.object({
      workspace: v.pipe(v.string(), v.description(`Id of the workspace that has the ${object}`)),
      title: v.optional(v.pipe(v.string(), v.maxLength(200), v.description(`Title of the ${object}`))),
      state: v.optional(v.picklist(["open", "closed", "archived"]), "open"),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
    }))
    .annotate({ destructiveHint: action === "delete" })
    .handle(({ workspace }) => `${action} ${object} of ${where} in ${workspace}`);
}

/** The server. Its tools have names like `git_create_label`. */
export function createManyTools() {
  const parts = GROUPS.map((where) => {
    const tools = ACTIONS.flatMap((action) => OBJECTS.map((object) => toolOf(where, action, object)));
    return group(where, createServer({ name: where, tools: tools as never }));
  });
  return createServer({ name: "many", version: "1.0.0", parts: parts as never, tools: [], logger: false });
}
