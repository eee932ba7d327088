// The batch that a training sees, as images.
import { ask, change, chooser, h, path, problem, state, stopAll } from "./lib.js";

let parts = null, asked = 0, quick = false;

export function batchPanel() {
  const number = (id) => {
    const input = h("input", { type: "number", id, min: 1, step: 1, class: "short", onchange: () => {
      if (input.checkValidity() && input.value !== "") change({ step: [parts.epoch.value || "1", parts.step.value || "1"].join(".") });
    } });
    return input;
  };
  parts = {
    run: h("span", {}), epoch: number("batch-epoch"), step: number("batch-step"), note: h("p", { "aria-live": "polite" }), tiles: h("div", { class: "grid small" }),
    now: h("button", { type: "button", id: "batch-now", onclick: () => (state.step ? change({ step: "" }) : updateBatch()) }, "Now"),
  };
  parts.box = h("section", { "aria-label": "Batch", hidden: true }, h("h2", {}, "A batch as training sees it"),
    h("div", { class: "bar" }, parts.run, h("label", {}, "Epoch ", parts.epoch), h("label", {}, "Step ", parts.step), parts.now), parts.note, parts.tiles);
  return parts.box;
}

export function closeBatch() { asked++; }

// batchRuns says which trainings there are; while one runs its batch moves on, where that is quick.
export function batchRuns(runs) {
  const known = runs.filter((r) => !r.problem);
  parts.box.hidden = known.length === 0;
  if (known.length === 0) return;
  if (!known.some((r) => String(r.run) === state.train)) state.train = String((known.find((r) => r.left) ?? known[0]).run);
  const first = !parts.run.firstChild;
  if (first || parts.run.querySelectorAll("option").length !== known.length) {
    parts.run.replaceChildren(chooser("Run", known.map((r) => [String(r.run), r.name]), state.train, (v) => change({ train: v, step: "" })));
  }
  parts.run.firstChild.value(state.train);
  if (first || quick && !state.step && known.some((r) => r.left && String(r.run) === state.train)) updateBatch();
}

export async function updateBatch() {
  if (parts.box.hidden) return;
  const mine = ++asked, [epoch, step] = state.step.split("."), begun = performance.now();
  parts.tiles.setAttribute("aria-busy", "true");
  try {
    const b = await (await ask(path("api/batch", { runs: state.train, epoch: state.step ? epoch : "", step }))).json();
    if (mine !== asked) return;
    quick = performance.now() - begun < 1000;
    parts.epoch.max = b.epochs;
    parts.step.max = b.steps;
    parts.epoch.value = b.epoch;
    parts.step.value = b.step;
    parts.note.textContent = `Epoch ${b.epoch} of ${b.epochs}, ${state.step ? "" : "about "}step ${b.step} of ${b.steps}: ${b.samples.length} of ${b.n} samples, mix ${b.mix}. ${b.note ?? ""}`;
    fill(b.samples);
    problem("");
  } catch (e) {
    if (mine !== asked) return;
    fill([]);
    parts.note.textContent = e.message;
  }
  parts.tiles.removeAttribute("aria-busy");
}

function fill(samples) {
  stopAll(parts.tiles);
  parts.tiles.classList.toggle("views", samples.some((s) => s.views.length > 1));
  parts.tiles.replaceChildren(...samples.map((s) => h("figure", { class: "sample" }, ...s.views.map((file, i) => {
    const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
    const img = h("img", { alt: s.views.length === 1 ? s.key : `${s.key}, view ${i}` });
    img.src = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    return h("span", { class: "frame" }, img);
  }), h("figcaption", {}, s.label.map((l) => (s.label.length > 1 ? `${Math.round(100 * l.weight)} % ${l.class}` : l.class)).join(" + ")))));
}
