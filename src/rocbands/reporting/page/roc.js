// The chart of curves: its switches, and the models in focus.

function startRoc() {
  const first = bandsOf(models[0]).find((band) => band.level === payload.level) ?? allBands[0];
  if (first) settle({ method: first.method, target: first.target, level: first.level });
  const chart = new Chart("roc-chart", () => VIEWS[choice.view].plan(), VIEWS.roc.start);
  const methods = distinct(allBands.map((band) => band.method));
  const kind = (method) => allBands.find((band) => band.method === method).coverage;
  const pick = byId("roc-method");
  pick.append(...methods.map((method) => make("option", { value: method }, `${method} (${kind(method)})`)));
  const change = (wish) => {
    settle(wish);
    redrawAll();
  };
  const words = { true: "True curve", future: "Future curve" };
  const targets = distinct(allBands.map((band) => band.target)).map((target) => [target, words[target]]);
  const levels = distinct(allBands.map((band) => band.level)).sort((a, b) => a - b);
  const setTarget = segments(byId("roc-target"), "target", targets, (target) => change({ target }));
  const setLevel = segments(byId("roc-level"), "level", levels.map((level) => [level, percent(level)]), (level) => change({ level }));
  const axes = [[false, "Linear"], [true, "Log, for low rates"]];
  const setAxis = segments(byId("roc-axis"), "axis", axes, (log) => change({ log }));
  const views = Object.entries(VIEWS).map(([name, { words: title }]) => [name, title]);
  const setView = segments(byId("roc-view"), "view", views, (view) => {
    chart.value = VIEWS[view].start;
    change({ view });
  });
  const parts = { title: byId("roc-title"), lead: byId("roc-lead"), hint: byId("roc-hint") };
  for (const [name, part] of Object.entries(parts)) VIEWS.roc[name] = part.textContent;
  const exists = (wish) => allBands.some((band) => fits(band, wish));
  pick.addEventListener("change", () => change({ method: pick.value }));
  function update() {
    const { method, target } = choice;
    pick.value = method;
    setTarget(target, (other) => exists({ method, target: other }));
    setLevel(choice.level, (level) => exists({ method, target, level }));
    setAxis(choice.log);
    setView(choice.view);
    byId("roc-axis-pick").hidden = choice.view !== "roc";
    for (const [name, part] of Object.entries(parts)) part.textContent = VIEWS[choice.view][name] ?? "";
    byId("roc-caption").textContent = bandCaption();
    byId("roc-notes").replaceChildren(...bandNotes().map((note) => make("li", {}, note)));
    byId("trust-coverage").textContent = coverageWords();
  }
  byId("roc-bands").hidden = allBands.length === 0;
  redraws.unshift(update);
  update();
  return chart;
}

// With many models the reader chooses one or two whose bands and readings are shown.
function startFocus() {
  byId("focus-pick").hidden = models.length <= MANY;
  const picks = [byId("focus-first"), byId("focus-second")];
  const [first, second] = [...focus];
  picks.forEach((pick, i) => {
    const options = ranking.map((k) => make("option", { value: k }, models[k].name));
    if (i) options.unshift(make("option", { value: "" }, `no second ${noun}`));
    pick.append(...options);
    pick.value = String((i ? second : first) ?? "");
    pick.addEventListener("change", () => {
      focus.clear();
      for (const { value } of picks) if (value !== "") focus.add(Number(value));
      redrawAll();
    });
  });
}
