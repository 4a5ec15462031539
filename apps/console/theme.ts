/** Dark or light: as the system has it, or as the user of the page chose. */
import { computed, effect, signal } from "@preact/signals";

const theme = signal(localStorage.getItem("toolwire-theme") ?? "auto");
const system = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(system.matches);
system.addEventListener("change", ({ matches }) => isSystemDark.value = matches);

export const isDark = computed(() => theme.value === "dark" || (theme.value === "auto" && isSystemDark.value));

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === "auto") delete dataset["theme"];
  else dataset["theme"] = theme.value;
});

export function toggleTheme(): void {
  theme.value = isDark.value ? "light" : "dark";
  localStorage.setItem("toolwire-theme", theme.value);
}
