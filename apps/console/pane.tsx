/** One part of a screen, with a title and its own scroll area. */
import type { ComponentChildren, JSX } from "preact";

/** The list that a pane belongs to. A narrow window shows the pane in place of the list, with a way back. */
export interface Back {
  /** First part of the fragment of the list. */
  readonly screen: string;
  readonly title: string;
}

export function Pane(
  { title, children, actions, back }: {
    readonly title: string;
    readonly children: ComponentChildren;
    readonly actions?: ComponentChildren;
    readonly back?: Back;
  },
): JSX.Element {
  return (
    <section class="pane" aria-label={title}>
      <header>
        {back !== undefined && <a class="back" href={`#/${back.screen}`}>← {back.title}</a>}
        <h2>{title}</h2>
        <div class="actions">{actions}</div>
      </header>
      <div class="scroll" tabIndex={0}>{children}</div>
    </section>
  );
}
