/** What changed in the list of tools: since the page saw the last process of this server, or since a pin. */
import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { toListedTool } from "../../src/wires/webtools/client/metadata.ts";
import { ask, hello, listedFor, tools } from "./api.ts";
import { asSchema } from "./json_schema.ts";
import { Pane } from "./pane.tsx";
import { save } from "./save.ts";
import { Time } from "./time.tsx";
import { visible } from "./value.tsx";

interface ListChange {
  readonly level: "breaking" | "uncertain" | "compatible" | "note";
  readonly subject: string;
  readonly place: string;
  readonly message: string;
}

/** A list that the present one is compared with. */
interface KeptList {
  readonly instance: string;
  /** Where the list is from: a time in ISO 8601, or the name of a file. */
  readonly label: string;
  readonly tools: readonly unknown[];
}

/** The list of the process before this one; `undefined` if the page saw none. */
const before = signal<KeptList | undefined>(undefined);
const pinned = signal<KeptList | undefined>(undefined);
const changes = signal<readonly ListChange[] | undefined>(undefined);
const problem = signal("");

/** Keeps the present list, and compares it with that of the process before: in the browser, and with `auth` in this tab only. */
function keepList(): void {
  const { name, path, basePath, instance, hasAuth, startedAtMs } = hello.peek() ?? {};
  if (instance === undefined) return;
  const storage = hasAuth === true ? sessionStorage : localStorage;
  // Each caller has a separate list.
  const key = `toolwire-list ${basePath} ${path} ${name} ${listedFor.value}`;
  const present: KeptList = { instance, label: new Date(startedAtMs ?? 0).toISOString(), tools: listed() };
  try {
    const kept = JSON.parse(storage.getItem(key) ?? "[]") as readonly KeptList[];
    const others = kept.filter((one) => one.instance !== instance);
    before.value = others[0];
    storage.setItem(key, JSON.stringify([present, ...others].slice(0, 2)));
  } catch {
    // The list is larger than the storage.
  }
}

effect(() => {
  if (listedFor.value !== undefined) keepList();
});

function listed(): readonly unknown[] {
  return tools.value.filter(({ isListed }) => isListed).map(({ listing }) => listing);
}

/** The tools of a document: an array of tools, the output of `toolwire list --json`, or metadata of a webtool. */
function toolsOf(json: unknown): readonly unknown[] | undefined {
  const { tools: list = json, actions } = asSchema(json);
  if (Array.isArray(actions)) return actions.map((action) => toListedTool(action as never));
  const found = Array.isArray(json) ? json : list;
  return Array.isArray(found) && found.every((one) => typeof asSchema(one)["name"] === "string") ? found : undefined;
}

async function readPin(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  problem.value = "";
  try {
    const found = toolsOf(JSON.parse(await file.text()));
    if (found !== undefined) pinned.value = { instance: "", label: file.name, tools: found };
    else problem.value = `${file.name} has no list of tools. Choose a file of toolwire pin or of toolwire list --json.`;
  } catch {
    problem.value = `${file.name} is not JSON. Choose a file of toolwire pin or of toolwire list --json.`;
  }
}

export function ChangesScreen(): JSX.Element {
  const base = pinned.value ?? before.value;
  useEffect(() => {
    changes.value = undefined;
    if (base === undefined) return;
    void ask<{ changes: ListChange[] }>("diff", { before: { tools: base.tools } }).then((answer) => {
      changes.value = answer?.changes;
    });
  }, [base, tools.value]);
  return (
    <div class="screen one">
      <Pane
        title="Changes of the list"
        actions={
          <button type="button" onClick={() => save("tools.json", JSON.stringify({ tools: listed() }, null, 2))}>
            Save list
          </button>
        }
      >
        <p>
          {base === undefined
            ? "This browser saw no earlier process of the server. Changes appear here after the next start."
            : (
              <>
                Changes since {pinned.value === undefined
                  ? (
                    <>
                      the start of the process before, <Time atMs={Date.parse(base.label)} />
                    </>
                  )
                  : <strong>{visible(base.label)}</strong>}.
              </>
            )}
        </p>
        <p class="facts">
          <label class="stack">
            Compare with a file
            <input type="file" accept=".json" onChange={(event) => void readPin(event.currentTarget.files?.[0])} />
          </label>
          {pinned.value !== undefined && (
            <button type="button" onClick={() => pinned.value = undefined}>Compare with the last start</button>
          )}
        </p>
        {problem.value !== "" && <p class="issue" role="alert">{visible(problem.value)}</p>}
        {changes.value !== undefined && <ChangeTable changes={changes.value} />}
      </Pane>
    </div>
  );
}

const LEVELS: readonly ListChange["level"][] = ["breaking", "uncertain", "compatible", "note"];
const SIGNS = { breaking: "✕", uncertain: "?", compatible: "✓", note: "·" } as const;

function ChangeTable({ changes: found }: { readonly changes: readonly ListChange[] }): JSX.Element {
  if (found.length === 0) return <p class="empty" role="status">✓ No changes.</p>;
  const sorted = [...found].sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
  return (
    <table class="counts changes">
      <thead>
        <tr>
          <th scope="col">for callers</th>
          <th scope="col">where</th>
          <th scope="col">what</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ level, subject, place, message }, at) => (
          <tr key={at}>
            <td class={`change ${level}`}>{SIGNS[level]} {level}</td>
            <td>
              <code>{visible(place === "" ? subject : `${subject}, ${place}`)}</code>
            </td>
            <td>{visible(message)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
