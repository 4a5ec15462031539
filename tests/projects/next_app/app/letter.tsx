"use client";

import { useState } from "react";
import { createClient } from "toolwire";
import type { Server } from "../tools";

const letters = createClient<Server>("/api/mcp-lite/v1");

export function Letter() {
  const [text, setText] = useState("");
  const [pieces, setPieces] = useState(0);
  async function write() {
    setText("");
    for await (const piece of letters.draft.stream({ to: "Grace" })) {
      setText((before) => before + piece);
      setPieces((before) => before + 1);
    }
  }
  return (
    <>
      <button type="button" onClick={write}>Write</button>
      <p id="letter">{text}</p>
      <p id="pieces">{pieces}</p>
    </>
  );
}
