/** A modal dialog with a title. */
import type { ComponentChildren, JSX } from "preact";

export function Dialog(
  { title, onClose, children }: { readonly title: string; onClose(): void; readonly children: ComponentChildren },
): JSX.Element {
  return (
    <dialog
      class="dialog"
      aria-label={title}
      ref={showModal}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>×</button>
      </header>
      {children}
    </dialog>
  );
}

function showModal(dialog: HTMLDialogElement | null): void {
  if (dialog !== null && !dialog.open) dialog.showModal();
}
