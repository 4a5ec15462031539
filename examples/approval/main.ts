/** Proposes changes, and decides on them as a browser would: `bun examples/approval/main.ts`. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { openAirports } from "../database/airports.ts";
import { createCorrections } from "./server.ts";

const database = await openAirports();
const readName = () =>
  (database.prepare("SELECT name FROM airport WHERE iata = 'ORD'").all() as { name: string }[])[0]?.name;
strictEqual(readName(), "Chicago O'Hare International");

// The mail server of this run: a queue of links.
const mails: { subject: string; link: string }[] = [];
let onMail = () => {};
const nextMail = async () => {
  if (mails.length === 0) await new Promise<void>((resolve) => onMail = resolve);
  return mails.shift() ?? { subject: "", link: "" };
};

// The links name the public address, which a proxy would pass on; here the path is enough.
const server = createCorrections({
  database,
  url: "https://tools.example",
  send: (subject, link) => {
    mails.push({ subject, link });
    onMail();
    return Promise.resolve();
  },
});
const { url, close } = await serve(server, { port: 0 });
const confirmed: string[] = [];
const client = createClient<typeof server>(`${url}/mcp-lite/v1`, {
  onElicitation: ({ message }) => {
    confirmed.push(message);
    return { action: "accept", content: { yes: true } };
  },
});

async function decide(fields: Record<string, string>) {
  const { subject, link } = await nextMail();
  const page = url + new URL(link).pathname;
  const form = await (await fetch(page)).text();
  match(form, /<form method="post">[^]*Make this change/);
  const sent = await fetch(page, { method: "POST", body: new URLSearchParams(fields) });
  strictEqual(sent.status, 202);
  // A link is good for one decision.
  match(
    await (await fetch(page, { method: "POST", body: new URLSearchParams({ approved: "true" }) })).text(),
    /already received/,
  );
  return subject;
}

const [refused, because] = await Promise.all([
  client.correct_airport({ iata: "ord", name: "Orchard Field" }),
  decide({ approved: "false", reason: "That was its name until 1949" }),
]);
console.log(`${because}: ${refused.reason}`);
deepStrictEqual(refused, { changed: false, reason: "That was its name until 1949" });
strictEqual(readName(), "Chicago O'Hare International");

const [made] = await Promise.all([
  client.correct_airport({ iata: "ord", name: "Chicago O'Hare" }),
  decide({ approved: "true" }),
]);
deepStrictEqual(made, { changed: true });
strictEqual(readName(), "Chicago O'Hare");
ok(confirmed.length === 2 && confirmed.every((message) => message.startsWith("Propose this? ORD:")));

const unknown = await client.correct_airport.outcome({ iata: "XYZ", name: "Nowhere" });
ok(unknown.kind === "failure" && unknown.code === "unknown_airport");
await close();
database.close();
console.log("All results are as expected.");
