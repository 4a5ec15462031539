/** The document of a view: styles of the host, and the height that its content needs. */
import type { PageDocument, PageWindow } from "./page_window.ts";
import type { HostContext } from "./types.ts";

/** Id of the element with the fonts of the host. */
const FONTS_ID = "toolwire-host-fonts";

/** Sets theme, CSS variables and fonts of the host. Variables that the host does not set stay as they are. */
export function applyStyles(document: PageDocument, { theme, styles }: HostContext): void {
  const { documentElement: root } = document;
  if (theme !== undefined) {
    root.dataset["theme"] = theme;
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  }
  const fonts = styles?.css?.fonts;
  if (typeof fonts !== "string") return;
  const element = document.getElementById(FONTS_ID) ?? document.head.appendChild(document.createElement("style"));
  element.id = FONTS_ID;
  element.textContent = fonts;
}

/**
 * Reports the height of the document now, and when it changes, in CSS pixels, rounded up.
 *
 * @returns Ends the reports.
 */
export function watchHeight(window: PageWindow, report: (height: number) => void): () => void {
  const { documentElement: root } = window.document;
  let last: number | undefined;
  const observer = new window.ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height !== last) report(height);
    last = height;
  });
  observer.observe(root);
  return () => observer.disconnect();
}
