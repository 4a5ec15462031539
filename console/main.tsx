/** The page: its frame, its keys and its screens. */
import { effect, signal } from "@preact/signals";
import { type JSX, render } from "preact";
import { hello, load, pageError, setToken, takeLink, token, tools } from "./api.ts";
import { FeedScreen } from "./feed_screen.tsx";
import { feedState, followFeed, rows, stats } from "./feed_store.ts";
import { ListScreen, ServerScreen, TokenScreen } from "./other_screens.tsx";
import { Icon } from "./icon.tsx";
import { go, route } from "./route.ts";
import { cancelCall, sendCurrent, ToolsScreen } from "./tools_screen.tsx";

const SCREENS: readonly { readonly id: string; readonly title: string; readonly key: string }[] = [
  { id: "tools", title: "Tools", key: "t" },
  { id: "feed", title: "Calls", key: "f" },
  { id: "list", title: "List cost", key: "l" },
  { id: "token", title: "Token", key: "k" },
  { id: "server", title: "Server", key: "s" },
];

const theme = signal(localStorage.getItem("toolwire-theme") ?? "auto");
const palette = signal(false);
const help = signal(false);

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === "auto") delete dataset["theme"];
  else dataset["theme"] = theme.value;
});

function toggleTheme(): void {
  const isDark = theme.value === "dark" ||
    (theme.value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  theme.value = isDark ? "light" : "dark";
  localStorage.setItem("toolwire-theme", theme.value);
}

function App(): JSX.Element {
  return (
    <>
      <TopBar />
      {pageError.value !== undefined && <Problem />}
      <nav class="rail" aria-label="Screens">
        {SCREENS.map(({ id, title }) => (
          <a key={id} href={`#/${id}`} aria-current={route.value.screen === id ? "page" : undefined}>
            <Icon name={id} size={18} />
            <span class="label">{title}</span>
          </a>
        ))}
      </nav>
      <main>
        <Screen />
      </main>
      {palette.value && <Palette />}
      {help.value && <Keys />}
    </>
  );
}

function Screen(): JSX.Element {
  switch (route.value.screen) {
    case "feed":
      return <FeedScreen />;
    case "list":
      return <ListScreen />;
    case "token":
      return <TokenScreen />;
    case "server":
      return <ServerScreen />;
    default:
      return <ToolsScreen />;
  }
}

function TopBar(): JSX.Element {
  const { name = "", version = "", instance = "" } = hello.value ?? {};
  const perSecond = stats.value.reduce((sum, { perSecond }) => sum + (perSecond.at(-2) ?? 0), 0);
  const running = rows.value.filter(({ status }) => status === "running").length;
  return (
    <header class="top">
      <strong>{name}</strong> <span class="dim">{version} · {instance}</span>
      <span class="space" />
      <span class="dim">
        <span class={`dot ${feedState.value}`} /> {perSecond}/s{running > 0 && ` · ${running} running`}
      </span>
      <button type="button" onClick={() => palette.value = true}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="quiet" aria-label="Dark or light" onClick={toggleTheme}>◐</button>
      <button type="button" class="quiet" aria-label="Keys" onClick={() => help.value = true}>?</button>
    </header>
  );
}

function Problem(): JSX.Element {
  const { status, message, code } = pageError.value ?? { status: 0, message: "", code: "" };
  const canSignIn = (status === 401 || status === 403) && (hello.value?.hasAuth !== false);
  return (
    <div class="problem" role="alert">
      <span>
        ⊘ {message} <code>{code}</code>
      </span>
      {canSignIn && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setToken(String(new FormData(event.currentTarget).get("token")));
            void load();
          }}
        >
          <input
            name="token"
            type="password"
            autocomplete="off"
            aria-label="Bearer token"
            placeholder="Bearer token"
            value={token.value}
          />
          <button type="submit">Sign in</button>
        </form>
      )}
    </div>
  );
}

function Palette(): JSX.Element {
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

const KEYS: readonly (readonly [string, string])[] = [
  ["Ctrl K", "search tools and screens"],
  ["Ctrl ⏎", "send the call"],
  ["Ctrl ⇧ ⏎", "send it on all wires"],
  ["Esc", "cancel the call, or close"],
  ["/", "search, or filter"],
  ["g, then t f l k s", "tools, calls, list, token, server"],
  ["?", "these keys"],
];

function Keys(): JSX.Element {
  return (
    <Dialog title="Keys" onClose={() => help.value = false}>
      <dl>
        {KEYS.map(([keys, action]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function Dialog(
  { title, onClose, children }: { readonly title: string; onClose(): void; readonly children: JSX.Element },
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

let isGoing = false;

function onKey(event: KeyboardEvent): void {
  const { key } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && key.toLowerCase() === "k") return act(event, () => palette.value = !palette.value);
  if (isCommand && key === "Enter") return act(event, () => sendCurrent(event.shiftKey));
  if (key === "Escape" && !palette.value && !help.value) {
    if (cancelCall()) return;
    if (route.value.screen === "feed" && route.value.name !== "") go("feed");
    return;
  }
  const target = event.target as HTMLElement;
  if (isCommand || event.altKey || target.closest("input, textarea, select, [contenteditable]") !== null) return;
  if (isGoing) {
    isGoing = false;
    const screen = SCREENS.find((one) => one.key === key);
    if (screen !== undefined) act(event, () => go(screen.id));
  } else if (key === "g") isGoing = true;
  else if (key === "?") act(event, () => help.value = true);
  else if (key === "/") act(event, () => document.querySelector<HTMLElement>("#filter")?.focus());
}

function act(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

addEventListener("keydown", onKey);
const frame = document.querySelector("#app");
if (frame !== null) render(<App />, frame);
void takeLink().then((canLoad) => {
  if (!canLoad) return;
  void load();
  void followFeed();
});
/** The list is read again when the server has restarted. */
let wasLive = false;
effect(() => {
  const isLive = feedState.value === "live";
  if (isLive && wasLive === false && hello.value !== undefined) void load();
  wasLive = isLive;
});
