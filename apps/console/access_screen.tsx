/** Who the page is, what that caller may use, and, where the server allows it, the same for another caller. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type ActingAs, actingAs, ask, hello, isInspector, listedFor, setToken, token, tools } from "./api.ts";
import { Pane } from "./pane.tsx";
import { visible } from "./value.tsx";
import { callerOf } from "./words.ts";

interface ToolAccess {
  readonly tool: string;
  readonly isVisible: boolean;
  readonly missing: readonly string[];
}

interface AccessAnswer {
  readonly tools: readonly ToolAccess[];
  /** Tools that are not named, because this caller may not see them. */
  readonly hidden: number;
}

const access = signal<AccessAnswer | undefined>(undefined);

export function AccessScreen(): JSX.Element {
  const { hasAuth, canActAs = false, principal } = hello.value ?? {};
  useEffect(() => {
    void ask<AccessAnswer>("access", { as: actingAs.value }).then((answer) => access.value = answer);
  }, [actingAs.value, tools.value]);
  const shown = actingAs.value ?? principal;
  if (hello.value === undefined) return <div class="screen one" />;
  return (
    <div class="screen feed flow access">
      <Pane title="Act as another caller">
        {isInspector() && <p class="dim">The link of toolwire inspect gives access to this page.</p>}
        {hasAuth === true && !isInspector() && (
          <label class="stack">
            Token that the page sends (kept in this tab)
            <input
              type="password"
              autocomplete="off"
              value={token.value}
              onChange={(event) => {
                setToken(event.currentTarget.value);
                location.reload();
              }}
            />
          </label>
        )}
        {hasAuth === false && (canActAs ? <ActAs /> : (
          <p class="dim">
            This server has no <code>auth</code>, so that all callers are anonymous.{" "}
            <code>{"consolePage({ key, actAs: true })"}</code> lets this page call as other callers, for development.
          </p>
        ))}
        {hasAuth === true && !isInspector() && (
          <p class="dim">A server with auth decides itself who a caller is. Paste a token of the caller to act as.</p>
        )}
      </Pane>
      <Pane title="What this caller may use">
        <p>
          <strong>{visible(callerOf(shown?.id))}</strong>
          {shown !== undefined &&
            `, with ${shown.scopes.length === 0 ? "no scopes" : `the scopes ${shown.scopes.join(", ")}`}`}
          {actingAs.value !== undefined && ". Calls are made in the process of the server, as this caller."}
        </p>
        {access.value !== undefined && listedFor.value !== undefined && <AccessTable {...access.value} />}
      </Pane>
    </div>
  );
}

function AccessTable({ tools: unsorted, hidden }: AccessAnswer): JSX.Element {
  const rows = systemLast(unsorted);
  if (rows.length === 0 && hidden === 0) return <p class="empty">This server has no tools yet.</p>;
  return (
    <>
      <table class="counts">
        <thead>
          <tr>
            <th scope="col">tool</th>
            <th scope="col">access</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ tool, isVisible, missing }) => (
            <tr key={tool}>
              <td class="word">
                <a href={`#/tools/${encodeURIComponent(tool)}`}>{visible(tool)}</a>
              </td>
              <td class={isVisible && missing.length === 0 ? "answer" : "error"}>
                {!isVisible ? "⊘ hidden" : missing.length === 0 ? "✓ may call" : `✕ lacks ${missing.join(", ")}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && <p class="dim">{hidden} more {hidden === 1 ? "is" : "are"} hidden from this caller.</p>}
    </>
  );
}

/** Tools of the server in their order, and those of Toolwire after them. */
function systemLast(rows: readonly ToolAccess[]): readonly ToolAccess[] {
  const ofToolwire = new Set(tools.value.filter(({ isSystem }) => isSystem).map(({ listing }) => listing.name));
  return rows.toSorted((one, other) => Number(ofToolwire.has(one.tool)) - Number(ofToolwire.has(other.tool)));
}

function ActAs(): JSX.Element {
  const act = (event: { readonly currentTarget: HTMLFormElement; preventDefault(): void }) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const id = String(form.get("id")).trim();
    const scopes = String(form.get("scopes")).split(/[\s,]+/).filter((scope) => scope !== "");
    actingAs.value = id === "" ? undefined : { id, scopes } satisfies ActingAs;
  };
  return (
    <form class="sends" onSubmit={act}>
      <label class="stack">
        Id of the caller
        <input name="id" autocomplete="off" defaultValue={actingAs.value?.id ?? ""} />
      </label>
      <label class="stack">
        Scopes
        <input
          name="scopes"
          autocomplete="off"
          placeholder="read write"
          defaultValue={actingAs.value?.scopes.join(" ") ?? ""}
        />
      </label>
      <p class="facts">
        <button type="submit" class="primary">Act as</button>
      </p>
    </form>
  );
}
