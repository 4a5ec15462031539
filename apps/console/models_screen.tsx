/** What a model sees: the list as each vendor gets it, its tokens, what was changed and why, and a search over the tools. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ask, listedFor, pageError, tools } from "./api.ts";
import { Pane } from "./pane.tsx";
import { go, route } from "./route.ts";
import { ResultValue } from "./value.tsx";

/** Answer of `models`. */
interface ModelView {
  readonly tools: readonly {
    readonly name: string;
    readonly sentAs: string;
    readonly tokens: number;
    readonly isStrict: boolean;
    readonly changes: number;
    readonly refused?: string;
  }[];
  readonly tokens: number;
  readonly left: readonly string[];
  readonly entry?: {
    readonly json: string;
    readonly changes: readonly { readonly pointer: string; readonly change: string; readonly reason: string }[];
  };
}

/** Answer of `search`. */
interface Found {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly signature?: string }[];
  readonly total: number;
  readonly unmatched: readonly string[];
  readonly hint?: string;
}

const VENDORS = [["mcp", "MCP"], ["openai", "OpenAI"], ["anthropic", "Anthropic"], ["gemini", "Gemini"]] as const;

const vendor = signal<typeof VENDORS[number][0]>("mcp");
const strict = signal(true);
const view = signal<ModelView | undefined>(undefined);
const words = signal("");
const found = signal<Found | undefined>(undefined);

export function ModelsScreen(): JSX.Element {
  const tool = route.value.name;
  useEffect(() => {
    let isOver = false;
    void ask<ModelView>("models", { vendor: vendor.value, strict: strict.value, tool }).then((answer) => {
      if (!isOver && answer !== undefined) view.value = answer;
    });
    return () => void (isOver = true);
  }, [vendor.value, strict.value, tool, tools.value]);
  const shown = listedFor.value === undefined ? undefined : view.value;
  return (
    <div class={tool === "" ? "screen models" : "screen models chosen"}>
      <Pane title="What a model sees" actions={<Vendors />}>
        {shown !== undefined && <List view={shown} chosen={tool} />}
      </Pane>
      {(shown !== undefined || pageError.value !== undefined) && (
        <div class="column">
          {tool !== "" && view.value?.entry !== undefined && <Entry name={tool} view={view.value} />}
          <Search />
        </div>
      )}
    </div>
  );
}

function Vendors(): JSX.Element {
  const hasStrict = vendor.value === "openai" || vendor.value === "anthropic";
  return (
    <span class="tabs small" role="group" aria-label="Vendor">
      <label class={hasStrict ? "" : "dim"} title="Schemas of strict mode, which OpenAI and Anthropic have">
        <input
          type="checkbox"
          disabled={!hasStrict}
          checked={hasStrict && strict.value}
          onChange={(event) => strict.value = event.currentTarget.checked}
        />{" "}
        strict
      </label>
      {VENDORS.map(([id, title]) => (
        <button
          key={id}
          type="button"
          aria-pressed={vendor.value === id}
          onClick={() => vendor.value = id}
        >
          {title}
        </button>
      ))}
    </span>
  );
}

function List({ view, chosen }: { readonly view: ModelView; readonly chosen: string }): JSX.Element {
  const heaviest = [...view.tools].sort((one, other) => other.tokens - one.tokens);
  const most = heaviest[0]?.tokens ?? 1;
  const hidden = tools.value.length - view.tools.length - view.left.length;
  if (tools.value.length === 0) return <p class="empty">No tools yet: a model gets an empty list.</p>;
  return (
    <>
      <p>
        <strong>{view.tools.length}</strong> {view.tools.length === 1 ? "tool takes" : "tools take"} about{" "}
        <strong>{view.tokens}</strong> tokens of every request to a model.
        {hidden > 0 && ` ${hidden} more ${hidden === 1 ? "is" : "are"} found by search.`}
        {view.left.length > 0 && ` Models do not get ${view.left.join(", ")}.`}
      </p>
      <table class="counts">
        <thead>
          <tr>
            <th scope="col">tool</th>
            <th scope="col" class="right">tokens</th>
            <th scope="col">share of the list</th>
            <th scope="col">as sent</th>
          </tr>
        </thead>
        <tbody>
          {heaviest.map(({ name, sentAs, tokens, isStrict, changes, refused }) => (
            <tr key={name}>
              <td class="word">
                <a href={`#/list/${encodeURIComponent(name)}`} aria-current={name === chosen ? "true" : undefined}>
                  {name}
                </a>
                {sentAs !== name && <span class="dim">as {sentAs}</span>}
              </td>
              <td class="right">{tokens}</td>
              <td>
                <span class="share">
                  <span class="right">{percentOf(tokens, view.tokens)}</span>
                  <meter value={tokens} max={most} aria-label={`${name} beside the largest tool`} />
                </span>
              </td>
              <td class="dim fit">
                {[
                  isStrict ? "strict" : refused === undefined ? "" : "not strict",
                  changes > 0 ? `${changes} ${changes === 1 ? "change" : "changes"}` : "",
                ].filter((text) => text !== "").join(", ") || "unchanged"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">
        An estimate by runs of characters. <code>toolwire check</code> names what can be shorter;{" "}
        <code>discover()</code> keeps long lists out of requests.
      </p>
    </>
  );
}

function percentOf(part: number, whole: number): string {
  return `${Math.round(100 * part / Math.max(1, whole))} %`;
}

function Entry({ name, view }: { readonly name: string; readonly view: ModelView }): JSX.Element {
  const { json = "", changes = [] } = view.entry ?? {};
  const { refused } = view.tools.find((tool) => tool.name === name) ?? {};
  return (
    <Pane
      title={name}
      back={{ screen: "list", title: "Models" }}
      actions={<button type="button" class="quiet close" aria-label="Close" onClick={() => go("list")}>×</button>}
    >
      {refused !== undefined && <p class="issue">Not strict: {refused}</p>}
      {changes.length > 0 && (
        <ul class="changes">
          {changes.map(({ pointer, change, reason }) => (
            <li key={pointer + reason}>
              <code>{pointer || "/"}</code> {change}: {reason}
            </li>
          ))}
        </ul>
      )}
      <ResultValue value={JSON.parse(json)} />
    </Pane>
  );
}

function Search(): JSX.Element {
  const search = async (query: string) => {
    words.value = query;
    const answer = query.trim() === "" ? undefined : await ask<Found>("search", { query });
    if (words.value === query) found.value = answer;
  };
  const { tools = [], total = 0, unmatched = [], hint } = found.value ?? {};
  return (
    <Pane title="What a search finds">
      <input
        id="filter"
        type="search"
        placeholder="Words of a task, as a model writes them"
        aria-label="Search as a model"
        value={words.value}
        onInput={(event) => void search(event.currentTarget.value)}
      />
      {found.value === undefined
        ? (
          <p class="dim">
            The search of <code>discover()</code>, over the tools that this caller may call.
          </p>
        )
        : <p role="status">{hint ?? `${total} found, the best first`}</p>}
      {unmatched.length > 0 && <p class="dim">No tool has: {unmatched.join(", ")}</p>}
      <ol class="found">
        {tools.map(({ name, description, signature }) => (
          <li key={name}>
            <a href={`#/tools/${encodeURIComponent(name)}`}>{name}</a>
            <p class="dim">{description}</p>
            {signature !== undefined && <code>{signature}</code>}
          </li>
        ))}
      </ol>
    </Pane>
  );
}
