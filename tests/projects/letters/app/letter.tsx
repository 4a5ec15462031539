"use client";

import { useState } from "react";
import { createClient } from "toolwire";
import type { Server } from "../tools";

const letters = createClient<Server>("/api/mcp-lite/v1");

export function Letter() {
  const [pieces, setPieces] = useState<readonly string[]>([]);
  const [pages, setPages] = useState<number>();
  const text = pieces.join("");
  async function write() {
    setPieces([]);
    for await (const piece of letters.draft.stream({ to: "Grace" })) setPieces((before) => [...before, piece]);
  }
  return (
    <>
      <button type="button" onClick={write}>Write</button>
      <button type="button" onClick={async () => setPages((await letters.print({ text })).pages)}>Print</button>
      <p id="letter">{text}</p>
      <p id="pieces">{pieces.length}</p>
      <p id="pages">{pages}</p>
    </>
  );
}
