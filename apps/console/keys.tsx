/** Keys as they are written on the keyboard of this platform. */
import type { JSX } from "preact";

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Formats keys, such as `mod ⏎`: `mod` is ⌘ on keyboards of Apple, and Ctrl on others. */
function formatKeys(keys: string): string {
  return isApple ? keys.replace(/mod ?/, "⌘").replace("⇧ ", "⇧") : keys.replace("mod", "Ctrl");
}

export function Keys({ keys }: { readonly keys: string }): JSX.Element {
  return <kbd>{formatKeys(keys)}</kbd>;
}
