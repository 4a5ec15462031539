/** Shows the type of a name in a snippet, above or below it, while the pointer or the focus is on it. */
export function showTypes() {
  const tip = document.createElement("div");
  tip.className = "type-tip";
  tip.hidden = true;
  tip.id = "type-tip";
  tip.setAttribute("role", "tooltip");
  document.body.append(tip);
  const show = ({ target }) => {
    const name = target instanceof Element ? target.closest(".typed") : null;
    tip.hidden = name === null;
    if (name !== null) place(tip, name);
  };
  for (const type of ["mouseover", "focusin", "click"]) document.addEventListener(type, show);
  const hide = () => tip.hidden = true;
  for (const type of ["scroll", "focusout"]) document.addEventListener(type, hide, { capture: true, passive: true });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
}

function place(tip, name) {
  tip.textContent = name.dataset.type;
  name.setAttribute("aria-describedby", tip.id);
  const { left, top, bottom } = name.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const above = top - height - 6;
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  tip.style.top = `${above > 70 ? above : bottom + 6}px`;
}
