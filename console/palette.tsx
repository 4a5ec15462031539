/** The palette: search over screens and tools. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { tools } from "./api.ts";
import { Dialog } from "./dialog.tsx";
import { SCREENS } from "./screens.ts";

/** Whether the palette is shown. */
export const palette = signal(false);

export function Palette(): JSX.Element {
  const words = signal("");
  return (
    <Dialog title="Search" onClose={() => palette.value = false}>
      <PaletteList words={words} />
    </Dialog>
  );
}

function PaletteList({ words }: { readonly words: { value: string } }): JSX.Element {
  const entries = [
    ...SCREENS.map(({ id, title }) => ({ href: `#/${id}`, title, note: "screen" })),
    ...tools.value.map(({ listing: { name, description } }) => ({
      href: `#/tools/${encodeURIComponent(name)}`,
      title: name,
      note: description,
    })),
  ].filter(({ title, note }) => `${title} ${note}`.toLowerCase().includes(words.value.toLowerCase()));
  const open = (href: string | undefined) => {
    if (href !== undefined) location.hash = href;
    palette.value = false;
  };
  return (
    <>
      <input
        autofocus
        type="search"
        aria-label="Search screens and tools"
        onInput={(event) => words.value = event.currentTarget.value}
        onKeyDown={(event) => event.key === "Enter" && open(entries[0]?.href)}
      />
      <ul>
        {entries.slice(0, 12).map(({ href, title, note }) => (
          <li key={href}>
            <a
              href={href}
              onClick={() => palette.value = false}
            >
              {title} <span class="dim one-line">{note}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
