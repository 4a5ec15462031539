/** Smaller screens: what a token shows, and the server. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { ask, hello } from "./api.ts";
import { Pane } from "./pane.tsx";
import { Time } from "./time.tsx";

interface TokenAnswer {
  readonly kind: string | null;
  readonly kid: string;
  readonly id: string;
  readonly expSeconds: number;
  readonly isExpired: boolean;
  readonly isSealed: boolean;
  readonly tool?: string;
}

const pasted = signal("");
const read = signal<TokenAnswer | undefined>(undefined);

export function TokenScreen(): JSX.Element {
  const decode = async (text: string) => {
    pasted.value = text;
    read.value = text.trim() === "" ? undefined : await ask<TokenAnswer>("token", { token: text });
  };
  return (
    <div class="screen one">
      <Pane title="What a token shows">
        <p>
          Promises, continuations and resolve tokens say without a key what they are for. Nothing is verified here, and
          nothing is kept.
        </p>
        <textarea
          class="code"
          rows={4}
          aria-label="Token"
          placeholder="prom_…"
          spellcheck={false}
          value={pasted.value}
          onInput={(event) => void decode(event.currentTarget.value)}
        />
        {read.value !== undefined && (read.value.kind === null
          ? <p class="issue">This is not a token of Toolwire.</p>
          : <TokenFacts read={read.value} />)}
      </Pane>
    </div>
  );
}

function TokenFacts(
  { read: { kind, kid, id, expSeconds, isExpired, isSealed, tool } }: { readonly read: TokenAnswer },
): JSX.Element {
  const facts = [
    ["kind", kind],
    ["tool", isSealed ? "sealed" : tool ?? ""],
    ["key", kid],
    ["call", id],
    ["principal", "bound to it, not readable"],
    [isExpired ? "expired" : "expires", <Time key="time" atMs={expSeconds * 1_000} />],
  ] as const;
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ServerScreen(): JSX.Element {
  if (hello.value === undefined) return <div class="screen one" />;
  const { name, version, toolwire, instance, startedAtMs, wires } = hello.value;
  return (
    <div class="screen one">
      <Pane title="Server">
        <h1>
          {name} <span class="dim">{version}</span>
        </h1>
        <p class="dim">
          Toolwire {toolwire} · process {instance} · started <Time atMs={startedAtMs} />
        </p>
        <h3>Wires</h3>
        <table class="counts">
          <tbody>
            {wires.map(({ wire, paths }) => (
              <tr key={wire}>
                <th scope="row">{wire}</th>
                <td class="paths">{paths.map((path) => <code key={path}>{path}</code>)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Pane>
    </div>
  );
}
