/** The theme: VitePress's without its web fonts, our colours, and the page that runs code. */
import { defineAsyncComponent, nextTick, onMounted, watch } from "vue";
import { useRoute, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { toHash } from "./share.mjs";
import { showTypes } from "./types.mjs";
import "./style.css";

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(showTypes);
    onMounted(() => watch(() => route.path, () => nextTick(mendSidebar), { immediate: true }));
  },
  enhanceApp({ app }) {
    app.component(
      "Playground",
      defineAsyncComponent(() => import("./Playground.vue")),
    );
    if (typeof document !== "undefined") {
      document.addEventListener("click", openCode, true);
    }
  },
};

/** "Edit and run" takes the code of its block along. */
function openCode(event) {
  const link = event.target instanceof Element ? event.target.closest("a[data-run]") : null;
  const code = link?.parentElement?.querySelector("pre code")?.textContent;
  if (code !== undefined && link !== null) {
    link.href = withBase("/play") + toHash(code);
  }
}

/** The heading of a group is a button that has another inside, which assistive technology cannot reach. */
function mendSidebar() {
  for (const caret of document.querySelectorAll(".VPSidebarItem > .item[role=button] > .caret")) {
    for (const name of ["role", "tabindex", "aria-label"]) caret.removeAttribute(name);
  }
  document.documentElement.dataset.ready = "";
}
