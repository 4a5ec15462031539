/** The page: its frame, its keys and its screens. */
import { effect, signal } from "@preact/signals";
import { type JSX, options, render } from "preact";
import { actingAs, hello, isInspector, load, pageError, setToken, takeLink, token } from "./api.ts";
import { cancelCall, sendCurrent } from "./call_state.ts";
import { Dialog } from "./dialog.tsx";
import { feedState, followFeed, rows, stats } from "./feed_store.ts";
import { Keys } from "./keys.tsx";
import { Palette, palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { go, route } from "./route.ts";
import { SCREENS } from "./screens.ts";
import { toggleTheme } from "./theme.ts";
import { visible } from "./value.tsx";

const help = signal(false);

/** Every screen has text of servers and callers, so that all text is made visible where it becomes a node. */
const { vnode: onNode } = options;
options.vnode = (node) => {
  const text = node as { type: unknown; props: unknown };
  if (text.type === null && typeof text.props === "string") text.props = visible(text.props);
  onNode?.(node);
};

function App(): JSX.Element {
  return (
    <>
      <TopBar />
      {actingAs.value !== undefined && <Acting />}
      {pageError.value !== undefined && <Problem />}
      <Rail />
      <main>
        <Screen />
      </main>
      {palette.value && <Palette />}
      {help.value && <KeyList />}
    </>
  );
}

function Screen(): JSX.Element {
  const { View } = SCREENS.find(({ id }) => id === route.value.screen) ?? SCREENS[0];
  return <View />;
}

function TopBar(): JSX.Element {
  const { name = "", version = "", instance = "" } = hello.value ?? {};
  const perSecond = stats.value.reduce((sum, { perSecond }) => sum + (perSecond.at(-2) ?? 0), 0);
  const running = rows.value.filter(({ status }) => status === "running").length;
  return (
    <header class="top">
      <strong>{name}</strong> <span class="dim">{instance !== "" && `${version} · ${instance}`}</span>
      <span class="space" />
      <span class="dim" title={`Calls a second; the feed is ${feedState.value}`}>
        <span class={`dot ${feedState.value}`} /> {perSecond}/s{running > 0 && ` · ${running} running`}
      </span>
      <button type="button" onClick={() => palette.value = true}>
        Search <Keys keys="mod K" />
      </button>
      <button type="button" class="quiet" aria-label="Dark or light" onClick={toggleTheme}>◐</button>
      <button type="button" class="quiet" aria-label="Keys" onClick={() => help.value = true}>?</button>
    </header>
  );
}

/** Shown on every screen, because calls then have the rights of another caller. */
function Acting(): JSX.Element {
  const { id = "", scopes = [] } = actingAs.value ?? {};
  return (
    <div class="acting" role="status">
      <span>
        ⚠ Acting as <strong>{visible(id)}</strong>,{" "}
        {scopes.length === 0 ? "with no scopes" : `with the scopes ${scopes.join(", ")}`}
      </span>
      <button type="button" onClick={() => actingAs.value = undefined}>Stop acting as {visible(id)}</button>
    </div>
  );
}

/** Whether a refusal is for the scope of the caller: a server without auth refuses for the key, before the page knows it. */
function needsScope(message: string): boolean {
  return hello.value?.hasAuth ?? /\bscope\b/.test(message);
}

function Problem(): JSX.Element {
  const { status, message, code } = pageError.value ?? { status: 0, message: "", code: "" };
  const isEnded = isInspector() && (status === 401 || status === 403);
  // Without auth the key of the console is missing: a token does not help.
  const canSignIn = !isEnded && (status === 401 || (status === 403 && needsScope(message)));
  return (
    <div class="problem" role="alert">
      <span>
        ⊘ {isEnded ? "This link is of an earlier run. Start toolwire inspect again." : message}{" "}
        {/[a-z]/.test(code) && <code>{code}</code>}
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

const KEYS: readonly (readonly [string, string])[] = [
  ["mod K", "search tools and screens"],
  ["mod ⏎", "send the call"],
  ["mod ⇧ ⏎", "send it on all wires"],
  ["Esc", "cancel the call, or close"],
  ["/", "search, or filter"],
  [`g, then ${SCREENS.map(({ key }) => key).join(" ")}`, SCREENS.map(({ title }) => title.toLowerCase()).join(", ")],
  ["?", "these keys"],
];

function KeyList(): JSX.Element {
  return (
    <Dialog title="Keys" onClose={() => help.value = false}>
      <dl>
        {KEYS.map(([keys, action]) => (
          <div key={keys}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Sends the form of the screen, or the call of the tool. */
function send(onAll: boolean): void {
  const form = document.querySelector<HTMLFormElement>("form.sends");
  if (form === null) sendCurrent(onAll);
  else form.requestSubmit();
}

let isGoing = false;

function onKey(event: KeyboardEvent): void {
  const { key } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && key.toLowerCase() === "k") return act(event, () => palette.value = !palette.value);
  if (isCommand && key === "Enter") return act(event, () => send(event.shiftKey));
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
/** The list is that of the caller whom the page acts as. */
let wasActing = actingAs.value;
effect(() => {
  const isOther = actingAs.value !== wasActing;
  wasActing = actingAs.value;
  if (isOther) void load();
});
/** The list is read again when the server has restarted. */
let wasLive = false;
effect(() => {
  const isLive = feedState.value === "live";
  if (isLive && wasLive === false && hello.value !== undefined) void load();
  wasLive = isLive;
});
