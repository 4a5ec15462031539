/** Description and arguments of a tool, and the buttons that send the call. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { actingAs, type Tool } from "./api.ts";
import { cancelCall, currentWire, isStreamed, running, sendCurrent, stateOf, wireId } from "./call_state.ts";
import { ArgumentForm } from "./editor.tsx";
import { JsonField } from "./editor_fields.tsx";
import { first, isObject, type Json } from "./json_schema.ts";
import { Keys } from "./keys.tsx";
import { Pane } from "./pane.tsx";
import { visible } from "./value.tsx";
import { isFor } from "./view_host.ts";
import { callableWires } from "./wires.ts";
import { counted } from "./words.ts";

const isJson = signal(false);

export function Arguments({ tool }: { readonly tool: Tool }): JSX.Element {
  const { name, description, inputSchema, title } = tool.listing;
  const state = stateOf(tool);
  const change = (args: Json) => {
    state.args.value = args;
    state.issues.value = [];
  };
  const wires = callableWires();
  const actions = (
    <>
      <button type="button" aria-pressed={isJson.value} onClick={() => isJson.value = !isJson.value}>
        {isJson.value ? "Form" : "JSON"}
      </button>
      <button
        type="button"
        onClick={() => change(isObject(first(inputSchema, inputSchema)) ? first(inputSchema, inputSchema) : {})}
      >
        Fill required
      </button>
    </>
  );
  return (
    <Pane title="Arguments" actions={actions} back={{ screen: "tools", title: "Tools" }}>
      <h1>{name}</h1>
      {title !== undefined && title !== name && <p>{visible(title)}</p>}
      <p class="description">{visible(description)}</p>
      <p class="dim facts">{factsOf(tool)}</p>
      {isJson.value
        ? <JsonField value={state.args.value} label="arguments" rows={8} onChange={change} />
        : <ArgumentForm schema={inputSchema} value={state.args.value} issues={state.issues.value} onChange={change} />}
      <div class="send">
        <select
          aria-label="Wire"
          value={currentWire()?.id}
          onChange={(event) => wireId.value = event.currentTarget.value}
        >
          {wires.map((wire) => <option key={wire.id} value={wire.id}>{wire.title}</option>)}
        </select>
        {running.value === undefined
          ? (
            <button
              type="button"
              class={actingAs.value === undefined ? "primary" : "primary warn"}
              onClick={() => sendCurrent(false)}
            >
              Send {actingAs.value !== undefined && `as ${actingAs.value.id} `}
              <Keys keys="mod ⏎" />
            </button>
          )
          : (
            <button type="button" class="primary" onClick={cancelCall}>
              Cancel <kbd>Esc</kbd>
            </button>
          )}
        {wires.length > 1 && <button type="button" onClick={() => sendCurrent(true)}>On all wires</button>}
        <label>
          <input
            type="checkbox"
            checked={isStreamed.value}
            onChange={(event) => isStreamed.value = event.currentTarget.checked}
          />{" "}
          stream
        </label>
      </div>
    </Pane>
  );
}

function factsOf(tool: Tool): string {
  const { tokens, chars, timeoutMs, scopes, promises, revision } = tool;
  return [
    isFor(tool, "model") ? "" : "hidden from models, for views of this server",
    `about ${counted(tokens, "token")} in the list (${counted(chars, "character")})`,
    timeoutMs === undefined ? "" : `limit ${timeoutMs} ms`,
    scopes.length === 0 ? "" : `scopes ${scopes.join(", ")}`,
    promises === undefined ? "" : `promises: ${promises}`,
    revision === undefined ? "" : `revision ${revision}`,
  ].filter((fact) => fact !== "").join(" · ");
}
