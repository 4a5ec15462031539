/** One part of a screen, with a title and its own scroll area. */
import type { ComponentChildren, JSX } from "preact";

export function Pane(
  { title, children, actions }: {
    readonly title: string;
    readonly children: ComponentChildren;
    readonly actions?: ComponentChildren;
  },
): JSX.Element {
  return (
    <section class="pane" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <div class="actions">{actions}</div>
      </header>
      <div class="scroll" tabIndex={0}>{children}</div>
    </section>
  );
}
