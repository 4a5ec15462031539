/** The screen and its parameters, from the fragment of the address. */
import { signal } from "@preact/signals";
import { decode } from "./json_schema.ts";

/** The shown screen. */
export interface Route {
  /** `tools`, `feed`, `list` or `token`. */
  readonly screen: string;
  /** The part after the screen: the name of a tool, or the number of a call. */
  readonly name: string;
  readonly query: URLSearchParams;
}

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [screen = "", ...rest] = path.split("/");
  return {
    screen: screen === "" ? "tools" : screen,
    name: decode(rest.join("/")),
    query: new URLSearchParams(query),
  };
}

export const route = signal<Route>(read());

addEventListener("hashchange", () => route.value = read());

export function go(screen: string, name = ""): void {
  location.hash = name === "" ? `#/${screen}` : `#/${screen}/${encodeURIComponent(name)}`;
}
