/** The view of a tool, with the messages between it and the page. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { asSchema } from "./json_schema.ts";
import { openView, readViewPage, type ViewedCall, type ViewPage } from "./view_host.ts";
import { counted } from "./words.ts";

/** Messages that are shown. */
const MAX_MESSAGES = 200;

interface ViewProps {
  /** URI of its resource. */
  readonly uri: string;
  readonly call: ViewedCall;
}

export function View({ uri, call }: ViewProps): JSX.Element {
  const [page, setPage] = useState<ViewPage | undefined>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    readViewPage(uri).then(setPage, ({ message }: Error) => setProblem(`The view cannot be read: ${message}`));
  }, [uri]);
  if (problem !== "") return <p class="issue" role="alert">{problem}</p>;
  return page === undefined ? <p class="dim">Reading {uri} …</p> : <OpenView uri={uri} page={page} call={call} />;
}

interface Asked {
  readonly url: string;
  readonly answer: (mayOpen: boolean) => void;
}

function OpenView({ uri, page, call }: ViewProps & { readonly page: ViewPage }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const messages = useSignal<readonly Shown[]>([]);
  const asked = useSignal<Asked | undefined>(undefined);
  const [hasLeft, setLeft] = useState(false);
  // Its end runs while the view is in the document.
  useLayoutEffect(() => {
    if (place.current === null) return undefined;
    const describe = describer();
    return openView({
      place: place.current,
      page,
      call,
      onMessage: (message, isSent) => {
        // The theme of the page is observed by an effect, which must not depend on its own message.
        messages.value = [...messages.peek(), describe(message, isSent)].slice(-MAX_MESSAGES);
      },
      mayOpen: (url) => {
        asked.peek()?.answer(false);
        return new Promise((resolve) => asked.value = { url, answer: resolve });
      },
      onLeft: () => setLeft(true),
    });
  }, []);
  return (
    <>
      {page.warning !== "" && <p class="warning" role="status">{page.warning}</p>}
      {hasLeft && <p class="issue" role="alert">The view has left its page, and was removed.</p>}
      <div ref={place} />
      <p class="dim">
        {uri} · {originsOf(page)}
      </p>
      <details>
        <summary>{counted(messages.value.length, "message")} with the view</summary>
        <ol class="events">
          {messages.value.map(({ title, json }, index) => (
            <li key={index}>
              {title} <code class="dim">{json}</code>
            </li>
          ))}
        </ol>
      </details>
      {asked.value !== undefined && (
        <OpenLink
          url={asked.value.url}
          onAnswer={(mayOpen) => {
            asked.value?.answer(mayOpen);
            asked.value = undefined;
          }}
        />
      )}
    </>
  );
}

/** The origins that a view declares, in words. */
function originsOf({ ui }: ViewPage): string {
  const declared = Object.entries(asSchema(ui["csp"])).map(([member, origins]) => `${member} ${String(origins)}`);
  return declared.length === 0 ? "no other origins" : declared.join(" · ");
}

/** A message of JSON-RPC: its method, or the method that it answers, and the rest as JSON. */
interface Shown {
  readonly title: string;
  readonly json: string;
}

/** Longest message that is shown, in characters. */
const MAX_JSON = 400;

/** Describes messages in their order: an answer has the method of its request. */
function describer(): (message: unknown, isSent: boolean) => Shown {
  const methods = new Map<string, string>();
  return (message, isSent) => {
    const { id, method, params, result, error = result } = asSchema(message);
    const isAnswer = method === undefined;
    // Each side has its ids.
    const key = JSON.stringify([id, isSent !== isAnswer]);
    if (!isAnswer && id !== undefined) methods.set(key, String(method));
    const title = isAnswer ? `answer to ${methods.get(key) ?? "nothing"}` : String(method);
    return {
      title: `${isSent ? "→" : "←"} ${title}`,
      json: cut(JSON.stringify(params ?? error) ?? ""),
    };
  };
}

function cut(json: string): string {
  return json.length > MAX_JSON ? `${json.slice(0, MAX_JSON)}…` : json;
}

interface OpenLinkProps {
  readonly url: string;
  onAnswer(mayOpen: boolean): void;
}

function OpenLink({ url, onAnswer }: OpenLinkProps): JSX.Element {
  return (
    <Dialog title="The view asks to open a page" onClose={() => onAnswer(false)}>
      <p>
        <code>{url}</code>
      </p>
      <div class="actions">
        <button type="button" onClick={() => onAnswer(false)}>Do not open</button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            open(url, "_blank", "noopener,noreferrer");
            onAnswer(true);
          }}
        >
          Open the page
        </button>
      </div>
    </Dialog>
  );
}
