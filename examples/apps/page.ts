/** The page of the tool "sales": a chart whose bars are buttons. */
import { connectView } from "jsr:@toolwire/toolwire/apps/view";
import type { Sales } from "./server.ts";

const title = document.querySelector("h1") as HTMLElement;
const chart = document.querySelector("main") as HTMLElement;
const note = document.querySelector("p") as HTMLElement;

const view = await connectView<Sales, "sales">({
  onInput: ({ region }) => title.textContent = `Sales in the ${region} …`,
  onResult(result) {
    if (result.kind !== "answer") return void (title.textContent = "There are no numbers");
    const { region, months } = result.value;
    title.textContent = `Sales in the ${region}`;
    const most = Math.max(...months.map(({ sold }) => sold));
    chart.replaceChildren(...months.map(({ name, sold }) => {
      const bar = document.createElement("button");
      bar.textContent = name;
      bar.style.height = `${(100 * sold) / most}%`;
      bar.onclick = async () => {
        const share = await view.share({ region, month: name }); // a number: the type is the tool's
        note.textContent = `${name}: ${Math.round(100 * share)} % of all sales`;
      };
      return bar;
    }));
  },
});
