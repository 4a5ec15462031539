/** The palette: search over screens, tools, recent calls, resources and prompts. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { tools } from "./api.ts";
import { contents } from "./content.ts";
import { Dialog } from "./dialog.tsx";
import { rows } from "./feed_store.ts";
import { SCREENS } from "./screens.ts";
import { visible } from "./value.tsx";

/** Whether the palette is shown. */
export const palette = signal(false);

interface Entry {
  readonly path: string;
  readonly title: string;
  readonly note: string;
}

/** Entries that are shown at once, and recent calls that are searched. */
const MAX_SHOWN = 12;
const MAX_CALLS = 50;

function entries(words: string): readonly Entry[] {
  const { resources = [], prompts = [] } = contents.value ?? {};
  const all: readonly Entry[] = [
    ...SCREENS.map(({ id, title }) => ({ path: id, title, note: "screen" })),
    ...tools.value.map(({ listing: { name, description } }) => ({
      path: `tools/${encodeURIComponent(name)}`,
      title: name,
      note: description,
    })),
    ...prompts.map(({ name }) => ({ path: `prompts/${encodeURIComponent(name)}`, title: name, note: "prompt" })),
    ...resources.map(({ uri, uriTemplate, name }) => ({
      path: `resources/${encodeURIComponent(uri ?? uriTemplate ?? "")}`,
      title: name,
      note: "resource",
    })),
    ...rows.value.slice(0, MAX_CALLS).map(({ seq, tool, status, code }) => ({
      path: `feed/${seq}`,
      title: `${tool} #${seq}`,
      note: `call, ${code === "" ? status : code}`,
    })),
  ];
  const parts = words.toLowerCase().split(/\s+/);
  return all.filter(({ title, note }) => {
    const text = `${title} ${note}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  }).slice(0, MAX_SHOWN);
}

export function Palette(): JSX.Element {
  return (
    <Dialog title="Search" onClose={() => palette.value = false}>
      <PaletteList />
    </Dialog>
  );
}

function PaletteList(): JSX.Element {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const shown = entries(words);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    location.hash = `#/${entry.path}`;
    palette.value = false;
  };
  const move = (event: KeyboardEvent, by: number) => {
    event.preventDefault();
    setChosen((chosen + by + shown.length) % Math.max(1, shown.length));
  };
  return (
    <>
      <input
        autofocus
        role="combobox"
        aria-label="Search screens, tools and calls"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={shown.length === 0 ? undefined : `palette-${chosen}`}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") open(shown[chosen]);
          else if (event.key === "ArrowDown") move(event, 1);
          else if (event.key === "ArrowUp") move(event, -1);
        }}
      />
      <ul id="palette" role="listbox" aria-label="Found">
        {shown.map((entry, at) => (
          <li
            key={entry.path}
            id={`palette-${at}`}
            role="option"
            aria-selected={at === chosen}
            onClick={() => open(entry)}
          >
            {visible(entry.title)} <span class="dim one-line">{visible(entry.note)}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="dim" role="status">Nothing matches.</p>}
    </>
  );
}
