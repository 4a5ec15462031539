/** The tools: list, arguments, and the answer of each wire. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Answer } from "./answer_pane.tsx";
import { hiddenTools, listedFor, type Tool, tools } from "./api.ts";
import { Arguments } from "./arguments_pane.tsx";
import { Icon } from "./icon.tsx";
import { route } from "./route.ts";
import { visible } from "./value.tsx";
import { isFor, uiOf } from "./view_host.ts";
import { counted } from "./words.ts";

const filter = signal("");

export function ToolsScreen(): JSX.Element {
  const tool = tools.value.find(({ listing }) => listing.name === route.value.name);
  return (
    <div class={tool === undefined ? "screen tools" : "screen tools chosen"}>
      <ToolList chosen={tool?.listing.name} />
      {tool === undefined ? <NoTool /> : (
        <>
          <Arguments tool={tool} key={tool.listing.name} />
          <Answer tool={tool} />
        </>
      )}
    </div>
  );
}

function NoTool(): JSX.Element {
  if (listedFor.value === undefined) return <div class="empty wide" />;
  if (tools.value.length > 0) {
    return (
      <div class="empty wide hint">
        <p>
          Choose a tool, or press <kbd>/</kbd> to search.
        </p>
      </div>
    );
  }
  const example = `const add = defineTool("add")
  .describe("Add two numbers")
  .input(object({ a: number(), b: number() }))
  .handle(({ a, b }) => a + b);

const server = createServer({ tools: [add], wires: [mcp(), consolePage()] });`;
  return (
    <div class="empty wide">
      <h2>
        {hiddenTools.value > 0
          ? `${counted(hiddenTools.value, "tool")} ${hiddenTools.value === 1 ? "is" : "are"} hidden from this caller`
          : "This server has no tools yet"}
      </h2>
      {hiddenTools.value === 0 && <pre>{example}</pre>}
    </div>
  );
}

function ToolList({ chosen }: { readonly chosen: string | undefined }): JSX.Element {
  const words = filter.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const shown = tools.value.filter(({ listing: { name, description } }) => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <nav class="list" aria-label="Tools">
      <input
        id="filter"
        type="search"
        placeholder="Search tools"
        aria-label="Search tools"
        value={filter.value}
        onInput={(event) => filter.value = event.currentTarget.value}
      />
      <ul>
        {shown.map((tool) => <ToolEntry key={tool.listing.name} tool={tool} isChosen={tool.listing.name === chosen} />)}
      </ul>
      {shown.length === 0 && tools.value.length > 0 && <p class="dim">No tool matches.</p>}
      {hiddenTools.value > 0 && <p class="dim">{hiddenTools.value} hidden from this caller</p>}
    </nav>
  );
}

function ToolEntry({ tool, isChosen }: { readonly tool: Tool; readonly isChosen: boolean }): JSX.Element {
  const { name, description } = tool.listing;
  return (
    <li>
      <a href={`#/tools/${encodeURIComponent(name)}`} aria-current={isChosen ? "true" : undefined}>
        <span class="tool-name">
          {name} <Marks tool={tool} />
        </span>
        <span class="dim one-line">{visible(description)}</span>
      </a>
    </li>
  );
}

function Marks({ tool }: { readonly tool: Tool }): JSX.Element {
  const { annotations = {} } = tool.listing;
  return (
    <>
      {tool.promises !== undefined && (
        <span class="mark promise" title={`promises: ${tool.promises}`}>
          <Icon name="promise" size={10} />
        </span>
      )}
      {tool.isSystem && <span class="mark" title="a tool of Toolwire, not of this server">system</span>}{" "}
      {annotations["readOnlyHint"] === true && <span class="mark" title="reads only">ro</span>}{" "}
      {annotations["destructiveHint"] === true && <span class="mark bad" title="may destroy">!</span>}{" "}
      {tool.scopes.length > 0 && (
        <span class="mark" title={`scopes: ${tool.scopes.join(", ")}`}>
          <Icon name="scope" size={10} />
        </span>
      )}
      {!tool.isListed && <span class="mark" title="found by search only">search</span>}{" "}
      {uiOf(tool)["resourceUri"] !== undefined && <span class="mark" title="answers with a view (MCP Apps)">view</span>}
      {" "}
      {!isFor(tool, "model") && (
        <span class="mark warning" title="hidden from models: only views of this server may call it">app</span>
      )}
    </>
  );
}
