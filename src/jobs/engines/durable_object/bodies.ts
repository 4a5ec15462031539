/** Large jobs in several rows: in an object, a row has at most 2 MB. */
import type { JobBodies } from "../sqlite/store.ts";
import type { ObjectStorage } from "./platform.ts";

/** Largest part in UTF-16 code units, which are up to 1.5 MB in UTF-8. */
const PART_CHARS = 500_000;

/** Start of a body that is in parts. JSON starts with another character. */
const MARK = "parts ";

/** SQL for the table of the parts of large bodies, and for triggers that delete the parts with their body. */
export const PARTS_SCHEMA: string = `
  CREATE TABLE parts (body TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (body, part)) STRICT;
  CREATE TRIGGER body_replaced AFTER UPDATE OF body ON jobs WHEN substr(old.body, 1, ${MARK.length}) = '${MARK}' BEGIN
    DELETE FROM parts WHERE body = old.body;
  END;
  CREATE TRIGGER body_deleted AFTER DELETE ON jobs WHEN substr(old.body, 1, ${MARK.length}) = '${MARK}' BEGIN
    DELETE FROM parts WHERE body = old.body;
  END;
`;

/** Creates functions that store a body above 500,000 UTF-16 code units as rows of the table of {@link PARTS_SCHEMA}, and read it. */
export function createBodies({ sql }: ObjectStorage): JobBodies {
  return {
    write(text) {
      if (text.length <= PART_CHARS) return text;
      const body = `${MARK}${crypto.randomUUID()}`;
      splitText(text).forEach((part, at) => sql.exec("INSERT INTO parts VALUES (?, ?, ?)", body, at, part));
      return body;
    },
    read(body) {
      if (!body.startsWith(MARK)) return body;
      return sql.exec("SELECT text FROM parts WHERE body = ? ORDER BY part", body).toArray()
        .map(({ text }) => text).join("");
    },
    drop(body) {
      if (body.startsWith(MARK)) sql.exec("DELETE FROM parts WHERE body = ?", body);
    },
  };
}

function splitText(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + PART_CHARS;
    // Half of a pair of surrogates would not survive UTF-8.
    const isPairCut = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    parts.push(text.slice(at, at = isPairCut ? end - 1 : end));
  }
  return parts;
}
