// Right and wrong calls: the reader chooses how the threshold is chosen.

function startConfusion() {
  const pick = byId("confusion-rule");
  if (!pick) return;
  const tables = [...document.querySelectorAll("#confusion [data-rule]")];
  const show = () => tables.forEach((part, i) => (part.hidden = i !== pick.selectedIndex));
  pick.replaceChildren(...payload.confusion.map(({ rule }) => make("option", {}, rule)));
  pick.addEventListener("change", show);
  show();
}
