/** Frame of the screens of resources and prompts: a list, a form, and what came back. */
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { actingAs, hello } from "./api.ts";
import { contents, contentsProblem, loadContents, messageOf, requestContent } from "./content.ts";
import { ArgumentForm } from "./editor.tsx";
import { Sign } from "./icon.tsx";
import { first, isObject, type Json, type Schema } from "./json_schema.ts";
import { Keys } from "./keys.tsx";
import { Pane } from "./pane.tsx";
import { QuestionForms } from "./question_forms.tsx";
import type { Answered } from "./questions.ts";
import { visible } from "./value.tsx";
import type { Outcome } from "./outcome.ts";

/** An entry of the list. */
interface ContentEntry {
  /** Second part of the fragment. */
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly isTemplate?: boolean;
}

interface ContentScreenProps {
  readonly screen: "resources" | "prompts";
  readonly entries: readonly ContentEntry[];
  readonly chosen: string | undefined;
  /** Definition that a server without any could begin with. */
  readonly example: string;
  readonly children: ComponentChildren;
}

const filter = signal("");

export function ContentScreen({ screen, entries, chosen, example, children }: ContentScreenProps): JSX.Element {
  const instance = hello.value?.instance;
  useEffect(() => {
    if (instance !== undefined) void loadContents();
  }, [instance, actingAs.value]);
  const isEmpty = contents.value !== undefined && entries.length === 0;
  const problem = contentsProblem.value;
  return (
    <div class={chosen === undefined ? "screen tools" : "screen tools chosen pair"}>
      <ContentList screen={screen} entries={entries} chosen={chosen} />
      {chosen !== undefined ? children : (
        <div class={problem === "" && !isEmpty ? "empty wide hint" : "empty wide"}>
          {problem !== "" ? <p role="alert">{visible(problem)}</p> : isEmpty
            ? (
              <>
                <h2>This server has no {screen}</h2>
                <pre>{example}</pre>
              </>
            )
            : <p>Choose one of the {screen}.</p>}
        </div>
      )}
    </div>
  );
}

function ContentList(
  { screen, entries, chosen }: Pick<ContentScreenProps, "screen" | "entries" | "chosen">,
): JSX.Element {
  const words = filter.value.toLowerCase();
  const shown = entries.filter(({ id, title, note }) => `${id} ${title} ${note}`.toLowerCase().includes(words));
  return (
    <nav class="list" aria-label={`All ${screen}`}>
      <input
        id="filter"
        type="search"
        placeholder={`Search ${screen}`}
        aria-label={`Search ${screen}`}
        value={filter.value}
        onInput={(event) => filter.value = event.currentTarget.value}
      />
      <ul>
        {shown.map(({ id, title, note, isTemplate }) => (
          <li key={id}>
            <a href={`#/${screen}/${encodeURIComponent(id)}`} aria-current={id === chosen ? "true" : undefined}>
              <span class="tool-name">
                {visible(title)} {isTemplate === true && <span class="mark">template</span>}
              </span>
              <span class="dim one-line">{visible(note)}</span>
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 && entries.length > 0 && <p class="dim">Nothing matches.</p>}
    </nav>
  );
}

interface ContentPaneProps {
  readonly screen: "resources" | "prompts";
  readonly title: string;
  readonly name: string;
  readonly description: string;
  readonly note: ComponentChildren;
  /** Arguments; an object of text. */
  readonly schema: Schema;
  readonly args: Json;
  onArgs(args: Json): void;
  complete?: ((name: string, value: string) => Promise<readonly string[]>) | undefined;
  readonly action: string;
  onSend(): void;
  readonly children: ComponentChildren;
}

/** Description, form and result of one resource or prompt. */
export function ContentPane(props: ContentPaneProps): JSX.Element {
  const { screen, title, name, description, note, schema, args, onArgs, complete, action, onSend, children } = props;
  return (
    <Pane title={title} back={{ screen, title: screen === "prompts" ? "Prompts" : "Resources" }}>
      <form
        class="sends"
        onSubmit={(event) => {
          event.preventDefault();
          onSend();
        }}
      >
        <h1>{visible(name)}</h1>
        {description !== "" && <p class="description">{visible(description)}</p>}
        <p class="dim facts">{note}</p>
        {isObject(first(schema, schema)) && Object.keys(schema["properties"] as object).length > 0 && (
          <ArgumentForm schema={schema} value={args} issues={[]} onChange={onArgs} complete={complete} />
        )}
        <p>
          <button type="submit" class="primary">
            {action} <Keys keys="mod ⏎" />
          </button>
        </p>
      </form>
      {children}
    </Pane>
  );
}

/** Key of a view, whose result belongs to one caller. */
export function viewKey(id: string): string {
  const { id: caller = "", scopes = [] } = actingAs.value ?? {};
  return JSON.stringify([id, caller, ...scopes]);
}

/** Sends a request and keeps its outcome. Its questions are answered by a repeated request. */
export function useRequest(method: string, name: () => string, params: () => Readonly<Record<string, unknown>>) {
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const [count, setCount] = useState(0);
  const last = useRef(0);
  const ask = async (answered?: Answered) => {
    const own = ++last.current;
    const answer = await requestContent(method, name(), params(), answered);
    // A later request has taken the place of this one.
    if (own !== last.current) return;
    setOutcome(answer);
    setCount((before) => before + 1);
  };
  return { outcome, count, ask };
}

/** An outcome that is not an answer, or `shown` for an answer. */
export function RequestOutcome(
  { outcome, count, ask, shown }: ReturnType<typeof useRequest> & {
    readonly shown: (value: unknown) => ComponentChildren;
  },
): JSX.Element | null {
  if (outcome === undefined) return null;
  const { kind, value, asked } = outcome;
  if (asked !== undefined) {
    return (
      <QuestionForms
        key={count}
        asked={asked}
        before={{}}
        onAnswer={(responses) => void ask({ asked, responses })}
      />
    );
  }
  if (kind === "answer") return <>{shown(value)}</>;
  return (
    <p class="issue" role="alert">
      <Sign state={kind} /> {visible(messageOf(outcome))}
    </p>
  );
}
