/** Compares the lists of a server: tools, resources, templates and prompts. */
import { type ListedContract, readContract } from "../../core/call/listed_contract.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import { compareSchemas } from "./compare_schemas.ts";
import { isDifferent } from "./scalar_changes.ts";
import { type Direction, type Level, levelOf, type ValueChange } from "./schema_change.ts";

/** What a server lists at one time, for {@link compareLists}. A list that is absent is not compared. */
export interface ComparedLists {
  readonly tools?: readonly ListedTool[];
  readonly resources?: readonly object[];
  readonly resourceTemplates?: readonly object[];
  readonly prompts?: readonly object[];
}

/** A change between two lists of a server. Names are those of the first list; the second is not quoted, since a model may read it. */
export interface ListChange {
  readonly level: Level;
  /** Kind and name of what changed: `tool "add"`. */
  readonly subject: string;
  /** Place within it: `arguments.limit`. Empty for the whole. */
  readonly place: string;
  readonly message: string;
}

/** Compares earlier lists of a server with later ones: tools, resources, templates, prompts. A list that one side lacks is skipped. */
export function compareLists(before: ComparedLists, after: ComparedLists): readonly ListChange[] {
  return [
    ...compareNamed("tool", before.tools, after.tools, "name", compareTools),
    ...compareNamed("resource", before.resources, after.resources, "uri", compareResources),
    ...compareNamed("template", before.resourceTemplates, after.resourceTemplates, "uriTemplate", compareResources),
    ...compareNamed("prompt", before.prompts, after.prompts, "name", comparePrompts),
  ];
}

/** A change of a subject. */
type Change = Omit<ListChange, "subject">;

function change(level: Level, place: string, message: string): Change {
  return { level, place, message };
}

function compareNamed<Item>(
  kind: string,
  before: readonly Item[] | undefined,
  after: readonly Item[] | undefined,
  key: string,
  compare: (before: Item, after: Item) => readonly Change[],
): ListChange[] {
  if (before === undefined || after === undefined) return [];
  const [known, current] = [byName(before, key), byName(after, key)];
  const changes = [...known].flatMap(([name, item]): ListChange[] => {
    const subject = `${kind} ${JSON.stringify(name)}`;
    const now = current.get(name);
    if (now === undefined) {
      return [{ level: "breaking", subject, place: "", message: "it was removed or renamed" }];
    }
    return compare(item, now).map((found) => ({ ...found, subject }));
  });
  const added = [...current.keys()].filter((name) => !known.has(name)).length;
  if (added === 0) return changes;
  const message = added === 1 ? "one was added" : `${added} were added`;
  return [...changes, { level: "compatible", subject: `${kind}s`, place: "", message }];
}

function byName<Item>(items: readonly Item[], key: string): ReadonlyMap<string, Item> {
  const named = items.filter((item) => typeof asObject(item)[key] === "string");
  return new Map(named.map((item) => [asObject(item)[key] as string, item]));
}

function compareTools(before: ListedTool, after: ListedTool): readonly Change[] {
  const [contract, current] = [readContract(before), readContract(after)];
  return [
    ...compareTexts(before, after),
    ...compareValueSchemas("arguments", "input", argumentsOf(before), argumentsOf(after)),
    ...compareOutputs(outputOf(before, contract), outputOf(after, current)),
    ...compareErrors(contract.errors ?? {}, current.errors ?? {}),
    ...comparePartials(contract.partialSchema, current.partialSchema),
    ...comparePromises(contract.promises ?? "never", current.promises ?? "never"),
    ...compareHints(asObject(before.annotations), asObject(after.annotations)),
  ];
}

function compareTexts(before: Members, after: Members): Change[] {
  return ["title", "description"].filter((name) => isDifferent(before[name], after[name])).map((name) => {
    return change("note", name, "it changed, and models read it");
  });
}

function compareValueSchemas(place: string, direction: Direction, before: SchemaPlace, after: SchemaPlace): Change[] {
  return compareSchemas(before, after).map((found) => {
    return change(levelOf(found.effect, direction), `${place}${formatPlace(found.path)}`, found.message);
  });
}

/** Formats a path below a schema: `.a[0]`, `.*`, `[]`. Names that are not identifiers are quoted. */
function formatPlace(path: ValueChange["path"]): string {
  return path.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    if (key === "[]") return key;
    return /^([\w$-]+|\*)$/.test(key) ? `.${key}` : `.${JSON.stringify(key)}`;
  }).join("");
}

function argumentsOf({ inputSchema: schema = { type: "object" } }: ListedTool): SchemaPlace {
  return { schema, root: schema };
}

function outputOf({ outputSchema: root }: ListedTool, { wrapsOutput }: ListedContract): SchemaPlace | undefined {
  return root && { schema: wrapsOutput ? asObject(root["properties"])["result"] : root, root };
}

function compareOutputs(before: SchemaPlace | undefined, after: SchemaPlace | undefined): Change[] {
  if (before !== undefined && after !== undefined) return compareValueSchemas("output", "output", before, after);
  if (after !== undefined) return [change("compatible", "output", "its schema was added")];
  return before === undefined ? [] : [change("breaking", "output", "its schema was removed")];
}

function compareErrors(
  before: NonNullable<ListedContract["errors"]>,
  after: NonNullable<ListedContract["errors"]>,
): Change[] {
  const added = Object.keys(after).filter((code) => !Object.hasOwn(before, code)).length;
  const changes = Object.entries(before).flatMap(([code, data]): Change[] => {
    const place = `failure ${JSON.stringify(code)}`;
    const now = Object.hasOwn(after, code) ? after[code] : undefined;
    if (now === undefined) return [change("compatible", place, "it is no longer declared")];
    if (data !== null && now !== null) {
      return compareValueSchemas(place, "output", { schema: data, root: data }, { schema: now, root: now });
    }
    return data === now ? [] : [change("breaking", place, data === null ? "it has data now" : "its data was removed")];
  });
  const message = added === 1 ? "a code was added" : `${added} codes were added`;
  return added === 0 ? changes : [...changes, change("breaking", "failures", message)];
}

function comparePartials(before: Members | undefined, after: Members | undefined): Change[] {
  if (before !== undefined && after !== undefined) {
    return compareValueSchemas("partial", "output", { schema: before, root: before }, { schema: after, root: after });
  }
  if (after !== undefined) return [change("compatible", "partial", "its schema was added")];
  return before === undefined ? [] : [change("breaking", "partial", "its schema was removed")];
}

/** Whether callers of a tool never get a promise, may get one, or have to support promises. */
type Promises = "never" | "optional" | "required";

function comparePromises(before: Promises, after: Promises): Change[] {
  if (before === after) return [];
  if (after === "required") {
    return [change("breaking", "promises", "callers without support for promises are refused now")];
  }
  if (after === "never") return [change("breaking", "promises", "the tool gives none any more")];
  const message = before === "never"
    ? "the tool may give one now"
    : "callers without support for promises are accepted now";
  return [change("compatible", "promises", message)];
}

/** Hints with the value that a tool without the hint has. Source: MCP, revision 2026-07-28, "ToolAnnotations". */
const HINTS: readonly (readonly [name: string, absent: boolean, safe: boolean])[] = [
  ["readOnlyHint", false, true],
  ["idempotentHint", false, true],
  ["destructiveHint", true, false],
  ["openWorldHint", true, false],
];

/** Hosts and clients act on hints: a host calls a read-only tool without asking, a client repeats one that is safe to repeat. */
function compareHints(before: Members, after: Members): Change[] {
  return HINTS.flatMap(([name, absent, safe]): Change[] => {
    const [hint = absent, now = absent] = [before[name], after[name]];
    if (hint === now) return [];
    if (now === safe) return [change("compatible", `annotations.${name}`, "the tool is safer now")];
    return [change("breaking", `annotations.${name}`, "a hint of a safer tool was taken back")];
  });
}

function compareResources(before: object, after: object): Change[] {
  const [one, other] = [asObject(before), asObject(after)];
  const changes = compareTexts(one, other);
  if (!isDifferent(one["mimeType"], other["mimeType"])) return changes;
  const isFirst = one["mimeType"] === undefined;
  return [
    ...changes,
    change(isFirst ? "compatible" : "breaking", "mimeType", isFirst ? "it is stated now" : "it changed"),
  ];
}

function comparePrompts(before: object, after: object): Change[] {
  const [one, other] = [asObject(before), asObject(after)];
  const [args, current] = [argumentsOfPrompt(one), argumentsOfPrompt(other)];
  const changes = compareTexts(one, other);
  for (const [name, arg] of args) {
    const now = current.get(name);
    const place = `arguments${formatPlace([name])}`;
    if (now === undefined) changes.push(change("breaking", place, "it is no longer declared"));
    else if (arg["required"] !== true && now["required"] === true) {
      changes.push(change("breaking", place, "it is required now"));
    } else if (arg["required"] === true && now["required"] !== true) {
      changes.push(change("compatible", place, "it is no longer required"));
    }
    if (now !== undefined) {
      changes.push(...compareTexts(arg, now).map((text) => ({ ...text, place: `${place}.${text.place}` })));
    }
  }
  for (const [, arg] of [...current].filter(([name]) => !args.has(name))) {
    const isRequired = arg["required"] === true;
    changes.push(
      change(
        isRequired ? "breaking" : "compatible",
        "arguments",
        `${isRequired ? "a required" : "an optional"} one was added`,
      ),
    );
  }
  return changes;
}

function argumentsOfPrompt({ arguments: args }: Members): ReadonlyMap<string, Members> {
  return byName(Array.isArray(args) ? args.filter(isJsonObject) : [], "name");
}
