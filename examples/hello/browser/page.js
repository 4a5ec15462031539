// The whole library is one file, without a bundler and without types.
import { createClient } from "./toolwire.js";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8000";
const hello = createClient(`${server}/mcp-lite/v1`);

document.querySelector("#server").textContent = server;

onSubmit("#greet", async ({ name }, output) => {
  output.textContent = await hello.greet({ name });
});

onSubmit("#count_down", async ({ from }, output) => {
  for await (const left of hello.count_down.stream({ from: Number(from) })) output.textContent += `${left} `;
  output.textContent += "Lift-off!";
});

try {
  for (const { name, description } of await hello.$.list()) {
    document.querySelector(`#${name} p`).textContent = description;
  }
} catch (error) {
  for (const output of document.querySelectorAll("output")) show(error, output);
}

function onSubmit(selector, run) {
  const form = document.querySelector(selector);
  const [output, button] = [form.querySelector("output"), form.querySelector("button")];
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    output.className = output.textContent = "";
    try {
      await run(Object.fromEntries(new FormData(form)), output);
    } catch (error) {
      show(error, output);
    } finally {
      button.disabled = false;
    }
  });
}

function show(error, output) {
  output.className = "error";
  output.textContent = error.message;
}
