/** What a view uses of its page. The types of the DOM are not among those that Deno checks a package with. */

/** A window to which messages are posted. */
interface MessageTarget {
  postMessage(message: unknown, targetOrigin: string): void;
}

/** The members of a `message` event that a view uses: the window that sent it, and its data. */
export interface WindowMessage {
  readonly source: unknown;
  readonly data: unknown;
}

/** An element of a page. */
interface PageElement {
  id: string;
  textContent: string | null;
  readonly dataset: Record<string, string | undefined>;
  readonly style: { colorScheme: string; setProperty(name: string, value: string): void };
  getBoundingClientRect(): { readonly height: number };
}

/** The members of `document` that a view uses. */
export interface PageDocument {
  readonly title: string;
  readonly documentElement: PageElement;
  readonly head: { appendChild(element: PageElement): PageElement };
  getElementById(id: string): PageElement | null;
  createElement(name: "style"): PageElement;
}

/** The members of `window` that a view uses. */
export interface PageWindow {
  readonly parent: MessageTarget;
  readonly document: PageDocument;
  readonly ResizeObserver: new (changed: () => void) => { observe(element: PageElement): void; disconnect(): void };
  addEventListener(type: "message", listener: (message: WindowMessage) => void): void;
  removeEventListener(type: "message", listener: (message: WindowMessage) => void): void;
}
