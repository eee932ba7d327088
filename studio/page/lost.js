// The images behind a number of the report: those that one run gets wrong and another right.
import { ask, change, chooser, h, path, problem, show, state, stopAll, words } from "./lib.js";

let info, parts, models = [], asked = 0;

// lostPanel is the panel; it is hidden until a number is chosen.
export function lostPanel(given) {
  info = given;
  parts = {
    title: h("h2", {}), note: h("p", { "aria-live": "polite" }), grid: h("div", { class: "grid small" }), choices: h("span", { class: "fields" }),
    more: h("button", { type: "button", hidden: true }, "More"),
  };
  parts.box = h("section", { id: "lost", "aria-label": "Images", tabindex: "-1", hidden: true },
    h("div", { class: "bar" }, parts.title, h("button", { type: "button", class: "last", id: "lost-close", onclick: () => change({ of: "" }) }, "Close")),
    h("div", { class: "bar" }, parts.choices), parts.note, parts.grid, h("div", { class: "bar" }, parts.more));
  return parts.box;
}

// openLost opens the panel for a mark or a cell of the report: RUN/MODEL/DATASET/CORRUPTION/SEVERITY, of the report's runs.
export function openLost(of, runs) {
  const [run, model, set, corruption, severity] = of.split("/");
  const before = place();
  change({
    lost: `${runs[run]}/${model}`,
    of: [set, corruption || before.corruption || state.under, severity !== "0" ? severity : state.severity === "0" ? 3 : state.severity].join("/"),
  });
  parts.box.scrollIntoView({ block: "nearest" });
  parts.box.focus();
}

// place is what the panel is about.
function place() {
  const [set, corruption, severity] = state.of.split("/").map(decodeURIComponent);
  return { set, corruption, severity };
}

export async function updateLost(changed) {
  if (!["of", "lost", "kept", "runs"].some((f) => changed.has(f))) return;
  parts.box.hidden = !state.of;
  if (!state.of) { stopAll(parts.grid); parts.grid.replaceChildren(); return; }
  const mine = ++asked;
  parts.grid.setAttribute("aria-busy", "true");
  try {
    models = await (await ask(path("api/records", { runs: state.runs }))).json();
    if (mine === asked) await list(mine);
    if (mine === asked) problem("");
  } catch (e) { if (mine === asked) { stopAll(parts.grid); parts.grid.replaceChildren(); parts.note.textContent = e.message; } }
  if (mine === asked) parts.grid.removeAttribute("aria-busy");
}

async function list(mine) {
  const at = place(), able = models.filter((m) => m.sets?.some((s) => s.name === at.set));
  const clean = able.some((m) => m.sets.some((s) => s.name === at.set && s.clean));
  const lost = able.find((m) => m.of === state.lost), kept = able.find((m) => m.of === state.kept && m !== lost) ?? able.find((m) => m !== lost);
  const where = clean ? at.set : `${words(at.corruption)}, severity ${at.severity}`;
  const missing = models.filter((m) => m.problem).map((m) => `${m.name}: ${m.problem}`);
  const set = (c, s) => change({ of: [encodeURIComponent(at.set), c, s].join("/") });
  parts.title.textContent = where;
  stopAll(parts.grid);
  parts.grid.replaceChildren();
  parts.more.hidden = true;
  parts.choices.replaceChildren(...able.length < 2 ? [] : [
    chooser("Wrong in", able.map((m) => [m.of, m.name]), lost?.of, (v) => change({ lost: v, kept: v === kept?.of && lost ? lost.of : state.kept })),
    chooser("right in", able.map((m) => [m.of, m.name]), kept?.of, (v) => change({ kept: v, lost: v === lost?.of && kept ? kept.of : state.lost })),
    ...clean ? [] : [chooser("Corruption", info.corruptions.map((c) => [c.name, words(c.name)]), at.corruption, (v) => set(v, at.severity)),
      chooser("Severity", ["1", "2", "3", "4", "5"].map((v) => [v, v]), at.severity, (v) => set(at.corruption, v))],
  ]);
  if (!lost || !kept) {
    parts.note.textContent = [able.length < 2 ? "Two runs whose predictions are recorded are needed." : "This run has no record of it; choose another.", ...missing].join(" ");
    return;
  }
  const get = async (from) => (await ask(path("api/lost", {
    lost: lost.of, kept: kept.of, dataset: at.set, name: clean ? "" : at.corruption, severity: clean ? "0" : at.severity, from,
  }))).json();
  const add = (found) => {
    parts.grid.append(...found.samples.map((s) => card(s, clean ? { name: "", severity: "0" } : { name: at.corruption, severity: at.severity }, found.seed)));
    parts.more.hidden = found.next < 0;
    parts.more.onclick = async () => { try { add(await get(found.next)); } catch (e) { problem(e.message); } };
  };
  const found = await get(0);
  if (mine !== asked) return;
  parts.note.textContent = `Of ${found.n} images ${found.lost} are wrong in ${lost.name} and right in ${kept.name}; ${found.back} the other way round; ${found.both} are wrong in both.`;
  if (missing.length) parts.note.textContent += ` Without a record – ${missing.join(" ")}`;
  add(found);
}

// card opens an image as the run saw it: with the seed of its corruption.
function card(one, under, seed) {
  const img = h("img", { alt: "" }), drawn = seed === null ? state.seed : String(seed);
  show(img, path("image/corrupt", { image: one.id, size: "96", crop: "96", seed: drawn, ...under }));
  return h("button", {
    type: "button", class: "card", "aria-label": `Open ${one.key}`,
    onclick: () => change({
      image: one.id, severity: under.severity, seed: drawn, ...(info.model ? { screen: "break", under: under.name || state.under } : { screen: "corrupt", name: under.name }),
    }),
  }, h("span", { class: "frame" }, img), h("span", { class: "caption" }, one.label ? `${one.label}: ${one.key}` : one.key));
}
