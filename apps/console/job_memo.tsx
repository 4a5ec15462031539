/** What an engine keeps of a job for its next run: steps, answers, and waits. */
import type { ComponentChildren, JSX } from "preact";
import type { JobView } from "./jobs_store.ts";
import { Time } from "./time.tsx";
import { visible } from "./value.tsx";
import { counted } from "./words.ts";

/** What later runs of the handler do not repeat, and why attempts have failed. */
export function JobMemo({ job: { steps, answers, waits, failures } }: { readonly job: JobView }): JSX.Element {
  const rows: readonly (readonly [kind: string, key: string, shown: ComponentChildren])[] = [
    ...steps.map(({ key, chars, value, failed }) =>
      [
        "step",
        key,
        (failed && visible(failed.message)) ?? (value === undefined ? counted(chars, "character") : brief(value)),
      ] as const
    ),
    ...answers.map(({ key, action, value }) => ["answer", key, value === undefined ? action : brief(value)] as const),
    ...waits.map(({ kind, key, until, done }) =>
      [
        kind === "sleep" ? "sleep" : "wait",
        key,
        done === undefined && until !== undefined
          ? (
            <>
              until <Time atMs={until} />
            </>
          )
          : done ?? "open",
      ] as const
    ),
    ...failures.map(({ attempt, message }) => ["failed", `attempt ${attempt}`, visible(message)] as const),
  ];
  return (
    <>
      <h3>Kept</h3>
      <table class="log">
        <tbody>
          {rows.map(([kind, key, shown], at) => (
            <tr key={`${kind} ${key} ${at}`}>
              <td class="dim">{kind}</td>
              <td>
                <code>{visible(key)}</code>
              </td>
              <td>{shown}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}… (${counted(text.length, "character")})`;
}
