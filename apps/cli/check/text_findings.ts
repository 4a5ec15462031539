/** Findings in names, texts and hints of a tool. */
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { asObject, isJsonObject } from "../../../src/internal/json.ts";
import { escapeControls } from "../../../src/internal/text.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** Shortest description that says something, in characters. */
const MIN_DESCRIPTION = 12;
/** Longest description that every vendor takes, in characters. */
const MAX_DESCRIPTION = 1_024;

/** Checks the characters and length of a name: an error if vendors refuse it, a note if it has a dot. */
export function nameFindings({ name }: ListedTool): Finding[] {
  const find = findingsOf(name);
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return [];
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    return [find("name", "note", "it contains a dot, which models get as another character")];
  }
  return [find("name", "error", "vendors refuse it: use 1 to 64 letters, digits, hyphens and underscores")];
}

/** Warns if the description is missing, repeats the name, or is too short or long. A note names arguments without one. */
export function descriptionFindings(tool: ListedTool): Finding[] {
  const { name, description = "", inputSchema } = tool;
  const find = findingsOf(name);
  const text = typeof description === "string" ? description.trim() : "";
  const problem = problemOf(text, name);
  const findings = problem === undefined ? [] : [find("description", "warning", problem)];
  const properties = Object.entries(asObject(inputSchema?.["properties"]));
  const bare = properties.filter(([, part]) => !isJsonObject(part) || !hasText(part["description"] ?? part["title"]));
  if (bare.length > 0) {
    const names = bare.slice(0, 5).map(([argument]) => argument).join(", ");
    const rest = bare.length > 5 ? ` and ${bare.length - 5} more` : "";
    findings.push(find("description", "note", `no description: ${names}${rest}`, "arguments"));
  }
  return findings;
}

function problemOf(text: string, name: string): string | undefined {
  if (text === "") return "it has no description: models choose tools by it";
  const words = (value: string) => value.toLowerCase().replaceAll(/[^a-z0-9]+/g, "");
  if (words(text) === words(name)) return "its description repeats its name: say what it does, and when to use it";
  if (text.length < MIN_DESCRIPTION) return "its description is very short: say what it does, and when to use it";
  if (text.length > MAX_DESCRIPTION) {
    return `its description has ${text.length} characters: some vendors cut it at 1,024`;
  }
  return undefined;
}

function hasText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Reports an error if any text of a tool has control or invisible characters, which only models see. Tabs and joiners are permitted. */
export function hiddenTextFindings(tool: ListedTool): Finding[] {
  const hidden = textsOf(tool).some((text) => {
    const visible = text.replaceAll(/[\t\r\u200c\u200d\ufeff]/g, "");
    return escapeControls(visible) !== visible;
  });
  const message = "a text has invisible characters, which a model reads and a person does not see";
  return hidden ? [findingsOf(tool.name)("hidden-text", "error", message)] : [];
}

/** All texts of a tool, in any member. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsOf(part)]);
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** Names that begin with a verb of change. Tools that only read do not have them. */
const CHANGING =
  /^(delete|remove|drop|write|create|update|set|send|post|put|patch|insert|kill|cancel|move|rename)([_.-]|[A-Z]|$)/;

/** Checks the hints: they are booleans, and `readOnlyHint` contradicts neither `destructiveHint` nor the name, such as `delete_file`. */
export function annotationFindings({ name, annotations = {} }: ListedTool): Finding[] {
  const find = findingsOf(name);
  const hints = asObject(annotations);
  const findings = HINTS.filter((hint) => hints[hint] !== undefined && typeof hints[hint] !== "boolean").map((hint) => {
    return find("annotations", "error", "it is not true or false", `annotations.${hint}`);
  });
  if (hints["readOnlyHint"] !== true) return findings;
  if (hints["destructiveHint"] === true) {
    findings.push(find("annotations", "error", "a tool that only reads cannot be destructive", "annotations"));
  }
  if (CHANGING.test(name)) {
    const message = "its name says that it changes something, but readOnlyHint is true: hosts call it without asking";
    findings.push(find("annotations", "warning", message, "annotations.readOnlyHint"));
  }
  return findings;
}
