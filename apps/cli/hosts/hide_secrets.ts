/** Hides what may be a secret in an entry of a configuration file, before the entry is printed. */
import { redactText } from "../../../src/core/redaction/secrets.ts";
import { isRecord } from "./entries.ts";
import type { HostEntry } from "./host.ts";

/** Stands for a hidden value. */
const HIDDEN = "…";

/** Members whose values are all hidden, except references such as `${env:KEY}`. */
const VALUES: ReadonlySet<string> = new Set(["env", "headers", "http_headers"]);

const REFERENCE = /^(?:Bearer )?\$\{?[\w:-]+\}?$/;

/** Names of options and variables that have secrets. */
const SECRET_OPTION = /key|token|secret|passw|credential|auth|cookie|signature|header|^-H$/i;

/** Options whose argument is `NAME=value`. */
const VARIABLE_OPTION = /^(-e|--env)$/;

/** Copies an entry for printing, with `…` for what may be a secret. Members and items stay, so that the lines match those of the entry. */
export function hideSecrets(entry: HostEntry): HostEntry {
  return Object.fromEntries(
    Object.entries(entry).map(([member, value]) => {
      if (VALUES.has(member)) return [member, hideLeaves(value, hideValue)];
      return [member, Array.isArray(value) ? hideArguments(value) : hideLeaves(value, hideText)];
    }),
  );
}

function hideLeaves(value: unknown, hide: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => hideLeaves(item, hide));
  if (!isRecord(value)) return hide(String(value));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hideLeaves(member, hide)]));
}

function hideValue(text: string): string {
  return REFERENCE.test(text) ? text : HIDDEN;
}

/** Hides user and password of a URL, the values of its query, and what looks like a credential. */
function hideText(text: string): string {
  const bare = text.replace(/(:\/\/)[^/?#\s]*@/g, `$1${HIDDEN}@`);
  return redactText(bare.includes("://") ? bare.replace(/([?&][^=&#\s]*=)[^&#\s]+/g, `$1${HIDDEN}`) : bare);
}

/** Arguments of a program: `--token x`, `--token=x`, `-e KEY=x`. */
function hideArguments(items: readonly unknown[]): readonly unknown[] {
  return items.map((item, at) => {
    const before = String(items[at - 1] ?? "");
    if (typeof item !== "string") return hideLeaves(item, hideText);
    if (/^-/.test(before) && !before.includes("=") && SECRET_OPTION.test(before)) return HIDDEN;
    const [, name = "", value] = /^([^=\s:/]+=)(.*)$/s.exec(item) ?? [];
    const isSecret = value !== undefined && (VARIABLE_OPTION.test(before) || SECRET_OPTION.test(name));
    return isSecret ? `${name}${HIDDEN}` : hideText(item);
  });
}
