/** Secrets of 30 kinds, to be planted in calls. None of them is in use. */
import { Buffer } from "node:buffer";
import { keyRing } from "../../../../mod.ts";

/** One secret. */
export interface Planted {
  /** What it is. */
  readonly name: string;
  /** Name of a member that holds it. */
  readonly member: string;
  readonly secret: string;
  /** The part that must not be stored. Default: all of it. */
  readonly hidden?: string;
  /** Whether it is recognised without its member. */
  readonly alone: boolean;
}

/** Text that no source of this repository contains in full, so that scanners of secrets do not report it. */
function fake(start: string, length: number): string {
  return start + "Zq7Xw3Rt9Lk2Vb5Nm8Hd4Gs6Fj1".repeat(8).slice(0, length);
}

const named = (member: string): Planted => ({
  name: member,
  member,
  secret: `${member.length} of hearts/${fake("", 14)}, and more`,
  alone: false,
});

const known = (name: string, secret: string): Planted => ({ name, member: "note", secret, alone: true });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const JWT = [encode({ alg: "HS256", typ: "JWT" }), encode({ sub: "ada", iat: 1 }), fake("", 43)].join(".");

const pem = (kind: string): string =>
  [`-----BEGIN ${kind}-----`, fake("MII", 64), fake("AA", 64), `-----END ${kind}-----`].join("\n");

/** Secrets by their names, and secrets by their look. */
export const PLANTED: readonly Planted[] = [
  named("authorization"),
  named("Authorization"),
  named("proxy-authorization"),
  named("cookie"),
  named("Set-Cookie"),
  named("x-api-key"),
  named("apiKey"),
  named("api_key"),
  named("access_token"),
  named("refreshToken"),
  named("client_secret"),
  named("password"),
  // Characters that JSON escapes, also once more in JSON within JSON.
  { ...named("Passwd"), secret: `quo"te\\back's ${fake("", 14)}, "${fake("W", 9)}` },
  named("aws_credential"),
  named("x-hub-signature-256"),
  known("JWT", JWT),
  known("JWE", `${encode({ alg: "dir" })}.${fake("", 8)}.${fake("", 16)}.${fake("", 40)}.${fake("", 22)}`),
  known("bearer token", `Bearer ${fake("", 32)}`),
  known("basic credentials", `Basic ${fake("QWRh", 20)}==`),
  known("private key", pem("RSA PRIVATE KEY")),
  known("certificate", pem("CERTIFICATE")),
  known("key of OpenAI's form", fake("sk-proj-", 40)),
  known("key of Stripe's form", fake("rk_live_", 24)),
  known("token of GitHub's form", fake("ghp_", 36)),
  known("token of Slack's form", fake("xoxb-", 30)),
  { ...known("password of a URL", `postgres://ada:${fake("", 18)}@db.example/data`), hidden: fake("", 18) },
];

/** Tokens of Toolwire, one of each kind that leaves a server. */
export function plantedTokens(): Planted[] {
  const ring = keyRing("k1:a secret of at least thirty-two bytes");
  return (["promise", "continuation", "context", "answer"] as const).map((kind) =>
    known(
      kind,
      ring.sign(kind, { id: crypto.randomUUID(), tool: "report", principal: "ada", expSeconds: 2_000_000_000 }),
    )
  );
}
