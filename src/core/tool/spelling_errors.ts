/** Errors for definitions in the manner of other libraries: they have the same definition in ours, to be pasted. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import type { SchemaAdapter } from "../schema/adapter.ts";
import type { ToolDraft } from "./definition.ts";
import { type ForeignDefinition, isDefinition, readForeign, writeArgument, writeTool } from "./rewrite.ts";
import { CONTEXT_LINES, REGISTERING, SERVER_LINES, STEP_LINES, STEP_ORDER, STEPS, TOOL_LINES } from "./spellings.ts";

type Adapters = readonly SchemaAdapter[];

/** Error for `defineTool()` with anything but a name. */
export function wrongDefinition(given: readonly unknown[], adapters: Adapters): TypeError {
  const foreign = readForeign(given, "my_tool");
  return new TypeError(
    `Cannot define tool "${foreign.name}": a tool is defined in steps, not by an object. Write:\n\n${
      writeTool(foreign, adapters)
    }`,
  );
}

/** Error for a method of a builder that another library has. The steps that were called are left as they are. */
export function wrongStep(method: string, args: readonly unknown[], draft: ToolDraft): TypeError {
  const line = TOOL_LINES[method];
  if (line !== undefined) {
    return new TypeError(`Cannot define tool "${draft.name}": there is no .${method}(…) here. Write: ${line}`);
  }
  const step = STEPS.get(method) ?? "handle";
  const written = args.length === 0 ? "…" : writeArgument(step, args.at(-1), draft.adapters);
  const hint = method === "query" ? ".annotate({ readOnlyHint: true })" : "";
  return new TypeError(
    `Cannot define tool "${draft.name}": there is no .${method}(…) here. Write:\n\n${hint}.${step}(${written})`,
  );
}

/** Names of methods of other libraries' builders that the builder does not have. */
export function foreignSteps(): readonly string[] {
  const own: readonly string[] = STEP_ORDER;
  return [...STEPS.keys(), ...Object.keys(TOOL_LINES)].filter((name) => !own.includes(name) && name !== "name");
}

/** Error for a method that servers of other libraries have. */
function wrongServerMethod(method: string, args: readonly unknown[], adapters: Adapters): TypeError {
  const line = SERVER_LINES[method];
  if (line !== undefined) return new TypeError(`A server has no .${method}(…) here. Write: ${line}`);
  const kind = REGISTERING[method];
  if (kind !== "tool") {
    const members = isJsonObject(args[0]) ? [args[0]["uri"], args[0]["uriTemplate"], args[0]["name"]] : args;
    const texts = members.filter((one) => typeof one === "string");
    const name = JSON.stringify((kind === "resource" && texts.find((text) => text.includes("://"))) || texts[0] || "…");
    const definer = kind === "prompt"
      ? `definePrompt(${name}).describe("…").handle(…)`
      : `defineResource(${name}).read(…)`;
    return new TypeError(
      `A server has no .${method}(…) here: ${kind}s are given to createServer(). Write:\n\n` +
        `createServer({ tools: [ … ], ${kind}s: [${definer}] }), with the function of "toolwire/mcp"`,
    );
  }
  const list = args.length === 1 && Array.isArray(args[0]) ? args[0].map((one: unknown) => [one]) : [args];
  return new TypeError(
    `A server has no .${method}(…) here: tools are given to createServer(). Write:\n\n${
      writeServer(list.map((one) => readForeign(one, "my_tool")), adapters)
    }`,
  );
}

/** Adds the methods of other libraries' servers, which throw, to a server. They are not enumerable. */
export function refuseServerMethods(server: object, adapters: Adapters): void {
  for (const method of [...Object.keys(REGISTERING), ...Object.keys(SERVER_LINES)]) {
    if (method in server) continue;
    const value = (...args: readonly unknown[]): never => {
      throw wrongServerMethod(method, args, adapters);
    };
    Object.defineProperty(server, method, { value, configurable: true });
  }
}

/**
 * Adds the members of other libraries' contexts, which throw, to the prototype of contexts, and levels to its `log`. They are not enumerable,
 * and may be set.
 */
export function refuseContextMembers(prototype: { readonly log: object; readonly step: object }): void {
  const levels = ["debug", "info", "warn", "error"].map((level) =>
    [level, `ctx.log("${level === "warn" ? "warning" : level}", …)`] as const
  );
  refuseMembersOf("log", prototype.log, levels);
  refuseMembersOf("step", prototype.step, Object.entries(STEP_LINES));
  for (const [member, line] of Object.entries(CONTEXT_LINES)) {
    if (member in prototype) continue;
    Object.defineProperty(prototype, member, {
      configurable: true,
      get(): never {
        throw new TypeError(`A handler's ctx has no ${member} here. Write: ${line}`);
      },
      set(value: unknown) {
        Object.defineProperty(this, member, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}

/** Adds members, which throw with the line to write, to a function of contexts. What binds a function gives the result its prototype. */
function refuseMembersOf(
  name: string,
  method: object,
  lines: readonly (readonly [member: string, line: string])[],
): void {
  const members = lines.map(([member, line]) => {
    const value = (): never => {
      throw new TypeError(`ctx.${name}.${member} is not here. Write: ${line}`);
    };
    return [member, { value }] as const;
  });
  Object.setPrototypeOf(method, Object.create(Object.getPrototypeOf(method), Object.fromEntries(members)));
}

/**
 * Checks the option `tools`: a list of finished tools, and not an object of tools by name, or definitions of another library.
 *
 * @throws {TypeError} With the definitions in ours.
 */
export function assertOwnTools(tools: unknown, adapters: Adapters): void {
  if (isJsonObject(tools)) {
    const entries = Object.entries(tools);
    if (entries.every(([, tool]) => isOwn(tool))) {
      throw new TypeError(
        `Cannot create server: tools are a list. Write:\n\ntools: [${Object.keys(tools).join(", ")}]`,
      );
    }
    throw foreignTools(entries.map(([name, tool]) => ({ ...readForeign([tool], name), name })), adapters);
  }
  if (tools === undefined) {
    throw new TypeError("Cannot create server: its tools are an option. Write:\n\ncreateServer({ tools: [ … ] })");
  }
  if (!Array.isArray(tools) || tools.every(isOwn)) return;
  const foreign = tools.filter((tool: unknown) => isJsonObject(tool) && !isOwn(tool) && isDefinition(tool));
  if (foreign.length > 0) throw foreignTools(foreign.map((tool: unknown) => readForeign([tool], "my_tool")), adapters);
}

function foreignTools(tools: readonly ForeignDefinition[], adapters: Adapters): TypeError {
  return new TypeError(
    `Cannot create server: its tools are not defined by defineTool(). Write:\n\n${writeServer(tools, adapters)}`,
  );
}

/** A finished tool, or a builder, which has its own error. */
function isOwn(tool: unknown): boolean {
  return tool instanceof Object && ("~definition" in tool || typeof (tool as Members)["handle"] === "function");
}

function writeServer(tools: readonly ForeignDefinition[], adapters: Adapters): string {
  const definitions = tools.map((tool) => `const ${constantOf(tool.name)} = ${writeTool(tool, adapters)};`);
  return `${definitions.join("\n\n")}\n\ncreateServer({ tools: [${
    tools.map(({ name }) => constantOf(name)).join(", ")
  }] })`;
}

/** Name of a constant for a tool: `get-weather` is `getWeather`. */
function constantOf(name: string): string {
  const camel = name.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? "");
  return /^[A-Za-z]/.test(camel) ? camel : `tool${camel}`;
}
