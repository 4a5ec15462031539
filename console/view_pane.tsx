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
  return page === undefined ? <p class="dim">Reading {uri} …</p> : <OpenView page={page} call={call} />;
}

interface Asked {
  readonly url: string;
  readonly answer: (mayOpen: boolean) => void;
}

function OpenView({ page, call }: { readonly page: ViewPage; readonly call: ViewedCall }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const messages = useSignal<readonly string[]>([]);
  const asked = useSignal<Asked | undefined>(undefined);
  const [hasLeft, setLeft] = useState(false);
  // Its end runs while the view is in the document.
  useLayoutEffect(() => {
    if (place.current === null) return undefined;
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
      <details>
        <summary>{counted(messages.value.length, "message")} with the view</summary>
        <ol class="events">
          {messages.value.map((text, index) => (
            <li key={index}>
              <code>{text}</code>
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

/** A message on one line: who sent it, its method, and the rest. */
function describe(message: unknown, isSent: boolean): string {
  const { jsonrpc: _, method = "", params, ...rest } = asSchema(message);
  const json = JSON.stringify(params ?? rest) ?? "";
  return `${isSent ? "→" : "←"} ${String(method)} ${json.slice(0, 400)}`;
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
