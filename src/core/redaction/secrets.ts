/** Finds secrets in text, by their look: tokens, keys, PEM blocks, credentials in URLs, and values beside the name of a secret. */
import { decodeBase64Url } from "../token/base64url.ts";
import { sha256Hex } from "../token/digest.ts";

/** A part of a text that has to be replaced. */
interface Secret {
  readonly start: number;
  readonly end: number;
  /** Replacement. */
  readonly mark: string;
}

/** Text that replaces a secret. Tokens of Toolwire get a longer mark, with the digest of the token. */
export const REDACTED = "[redacted]";

/** Matches each mark that {@link redactText} writes: {@link REDACTED}, and that of a token of Toolwire. */
export const MARK: RegExp = /\[redacted(?: \w+_ [\w-]+ [\da-f]{8})?\]/;

const SECRET_NAME =
  /token|secret|pass(?:w|phrase)|(?:api|private|access).?key|credential|signature|(?:^|[_-])(?:pwd|auth)$|^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;

/** A name whose last word is `key`. */
const KEY_NAME = /[_-](?:key|KEY|Key)$|[a-z\d]Key$/;

/** Keys of data, which open nothing. */
const DATA_KEY =
  /(?:primary|foreign|public|unique|composite|sort|order|group|partition|shard|hash|cache|lookup|index|idempotency|routing|message|object|row|record|item|map|property|parent|project|issue|translation)[_-]?key$/i;

/** Words that contain the name of a secret, and are not one: secretaries, and positions in lists, such as `nextPageToken`. */
const HARMLESS =
  /secretar(?:y|ies|ial|iat)|(?:page|sync|cursor|continuation|pagination|next|prev(?:ious)?|starting)[_-]?token(?!s?[_-]?(?:secret|value))/gi;

/** Texts that were cut into tokens, and their number: `tokens`, `max_tokens`, `tokenizer`. Case-sensitive, for the end of a word. */
const TEXT_TOKENS =
  /[Tt]oken(?:s|i[sz](?:e[drs]?|ers|ing|ation)?)(?![a-z])|TOKEN(?:S|I[SZ](?:E[DRS]?|ERS|ING|ATION)?)(?![A-Z])/g;

/** The end of a name whose tokens are credentials in the plural, too. */
const CREDENTIAL =
  /(?:access|refresh|auth|oauth|api|bearer|id|session|csrf|xsrf|personal|deploy|bot|device|push|reset|invite|login|secret|security|service)[_-]?$/i;

/** The name without words that look like the name of a secret, and are not. */
function withoutHarmless(name: string): string {
  return name.replace(HARMLESS, "").replace(
    TEXT_TOKENS,
    (found, at: number, whole: string) => CREDENTIAL.test(whole.slice(0, at)) ? found : "",
  );
}

/** Whether this is the name of a header, variable or member whose value is a secret. */
export function isSecretName(name: string): boolean {
  return isSecretWord(withoutHarmless(name));
}

function isSecretWord(name: string): boolean {
  return SECRET_NAME.test(name) || (KEY_NAME.test(name) && !DATA_KEY.test(name));
}

/** A token of Toolwire. The look-behind keeps the search linear in long words. */
const OWN_TOKEN = /(?<![\w-])(?:prom|cont|ctx|conf|more|res)_[\w-]{24,}/g;

/** The first group, if any, is kept. */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{1,64}-----[^]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g,
  // JWT and JWE.
  /(?<![\w-])eyJ[\w-]+(?:\.[\w-]*){1,4}/g,
  /(?<!\w)(Bearer\s+)[^\s"',;]{6,}/gi,
  /(?<!\w)(Basic\s+)(?=[a-z]*[\dA-Z=+/])[\w+/]{8,}={0,2}/g,
  // Keys of services, by their prefixes.
  /(?<![\w-])(?:sk|pk|rk)[-_][\w-]{16,}/g,
  /(?<![\w-])(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-)[\w-]{10,}/g,
  /(?<![\w-])(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)|(?<![\w-])AIza[\w-]{30,}/g,
  // The password of a URL.
  /(:\/\/[^\s/@:"']{0,256}:)[^\s/@"']{1,1024}(?=@)/g,
];

/** A name and the sign between it and its value, as in a query, an INI file, a header or JSON text, and the quote of the value. */
const NAME =
  /(token|secret|pass(?:w|phrase)|pwd|(?:api|private|access).?key|credential|signature|authorization|cookie)[\w.-]{0,64}(?:\\{0,64}["'])?\s{0,8}[:=]\s{0,8}(\\{0,64}["'])?/gi;

/** A word that {@link NAME} finds. */
const NAMED =
  /token|secret|pass(?:w|phrase)|pwd|(?:api|private|access).?key|credential|signature|authorization|cookie/i;

/** Headers whose value is the rest of the line. */
const WHOLE_LINE = /^(?:authorization|cookie)$/i;

/** Replaces the literals and what looks like a secret by marks. That of a Toolwire token has its prefix, key id, and 8 digits of its digest. */
export function redactText(text: string, literals: readonly string[] = []): string {
  return replaceIn(text, 0, findSecrets(text, literals));
}

/**
 * Replaces the secrets in texts that follow each other, such as the pieces of a stream: also those that are divided over several
 * texts.
 */
export function redactPieces(pieces: readonly string[], literals: readonly string[] = []): string[] {
  const secrets = findSecrets(pieces.join(""), literals);
  let offset = 0;
  return pieces.map((piece) => {
    const start = offset;
    offset += piece.length;
    return replaceIn(piece, start, secrets);
  });
}

/** Whether a text is a token of Toolwire, or the mark of one. */
export function isOwnToken(text: string): boolean {
  return text.match(OWN_TOKEN)?.[0] === text || text.match(MARK)?.[0] === text;
}

/** @param start Index of the text within the text that was searched. */
function replaceIn(text: string, start: number, secrets: readonly Secret[]): string {
  let replaced = "";
  let at = 0;
  for (const secret of secrets) {
    if (secret.end <= start || secret.start >= start + text.length) continue;
    // The mark is written where the secret starts; the rest of the secret is left out.
    replaced += secret.start < start ? "" : text.slice(at, secret.start - start) + secret.mark;
    at = secret.end - start;
  }
  return replaced + text.slice(at);
}

/** The secrets of a text in order, without overlaps. */
function findSecrets(text: string, literals: readonly string[]): Secret[] {
  const found = [
    ...[...text.matchAll(OWN_TOKEN)].map(({ 0: token, index }) => secretAt(index, token, markOf(token))),
    ...PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)].map(afterKept)),
    ...namedValues(text),
    ...literals.flatMap((literal) => occurrences(text, literal)),
  ];
  const merged: Secret[] = [];
  for (const secret of found.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || secret.start >= last.end) merged.push(secret);
    else if (secret.end > last.end) merged[merged.length - 1] = { ...last, end: secret.end };
  }
  return merged;
}

function secretAt(start: number, text: string, mark: string = REDACTED): Secret {
  return { start, end: start + text.length, mark };
}

function afterKept({ 0: whole, 1: kept = "", index }: RegExpExecArray): Secret {
  return secretAt(index + kept.length, whole.slice(kept.length));
}

/** The values after names. The search continues after each value, so that it takes linear time. */
function namedValues(text: string): Secret[] {
  const found: Secret[] = [];
  const search = new RegExp(NAME);
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const start = search.lastIndex;
    if (isHarmless(text, match)) continue;
    const end = endOfValue(text, start, match);
    const value = text.slice(start, end);
    if (!/^(?:|true|false|null|\[redacted.*)$/s.test(value)) found.push(secretAt(start, value));
    search.lastIndex = end;
  }
  return found;
}

/** Maximum number of characters of a name that are read before the word in it. */
const MAX_NAME_BEFORE = 64;

/** Whether the whole name, of which the pattern has found the end, is not the name of a secret. */
function isHarmless(text: string, { 0: found, index }: RegExpExecArray): boolean {
  const [before = ""] = /[\w.-]*$/.exec(text.slice(Math.max(0, index - MAX_NAME_BEFORE), index)) ?? [];
  const [name = ""] = /^[\w.-]*/.exec(found) ?? [];
  const left = withoutHarmless(before + name);
  return left !== before + name && !NAMED.test(left);
}

/** A value ends at its closing quote, at the end of the line, or at the next separator. */
function endOfValue(text: string, start: number, { 1: name = "", 2: quote }: RegExpExecArray): number {
  if (quote !== undefined) return closingQuote(text, start, quote);
  return endOf(text, start, WHOLE_LINE.test(name) ? /[\r\n"']/g : /[\s"'\\&,;}\]]/g);
}

function endOf(text: string, start: number, end: RegExp): number {
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}

/**
 * Index of the quote that closes a value, with its backslashes. In JSON within JSON a quote has as many backslashes as the opening
 * one; a quote that is a part of the value has more.
 */
function closingQuote(text: string, start: number, quote: string): number {
  const level = quote.length;
  const mark = quote.slice(-1);
  for (let at = text.indexOf(mark, start); at !== -1; at = text.indexOf(mark, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > start && text[at - backslashes - 1] === "\\") backslashes++;
    if (backslashes % level === level - 1 && Math.floor(backslashes / level) % 2 === 0) return at - level + 1;
  }
  return text.length;
}

function occurrences(text: string, literal: string): Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + literal.length)) {
    found.push(secretAt(at, literal));
  }
  return found;
}

/** Prefix, key id and digest of a token: two tokens stay distinguishable, and none can be used. */
function markOf(token: string): string {
  const [prefix = ""] = token.split("_", 1);
  const [, length = 0, ...rest] = decodeBase64Url(token.slice(prefix.length + 1, prefix.length + 33)) ?? [];
  const kid = String.fromCharCode(...rest.slice(0, length));
  const digest = sha256Hex(token).slice(0, 8);
  return `[redacted ${prefix}_ ${/^[\w-]{1,16}$/.test(kid) ? kid : "-"} ${digest}]`;
}
