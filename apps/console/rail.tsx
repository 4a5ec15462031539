/** The list of screens: all of them beside the screen, or the first ones and "More" where the window is too small. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { route } from "./route.ts";
import { type PageScreen, SCREENS } from "./screens.ts";

/** Screens that a small window shows beside "More". */
const FIRST = 5;
const isOpen = signal(false);

export function Rail(): JSX.Element {
  const isInRest = SCREENS.findIndex(({ id }) => id === route.value.screen) >= FIRST;
  return (
    <nav class="rail" aria-label="Screens">
      {SCREENS.map((screen, at) => <Entry key={screen.id} screen={screen} isRest={at >= FIRST} />)}
      <button
        type="button"
        class={isInRest ? "more chosen" : "more"}
        aria-haspopup="dialog"
        onClick={() => isOpen.value = true}
      >
        <Icon name="more" size={18} />
        <span class="label">More</span>
      </button>
      {isOpen.value && <Rest />}
    </nav>
  );
}

function Entry({ screen: { id, title }, isRest }: { readonly screen: PageScreen; readonly isRest: boolean }) {
  return (
    <a
      href={`#/${id}`}
      class={isRest ? "rest" : undefined}
      aria-current={route.value.screen === id ? "page" : undefined}
      onClick={() => isOpen.value = false}
    >
      <Icon name={id} size={18} />
      <span class="label">{title}</span>
    </a>
  );
}

function Rest(): JSX.Element {
  return (
    <Dialog title="More screens" onClose={() => isOpen.value = false}>
      <div class="rest-screens">
        {SCREENS.slice(FIRST).map((screen) => <Entry key={screen.id} screen={screen} isRest={false} />)}
      </div>
    </Dialog>
  );
}
