// The screen Train: the curves of trainings, finished or not.
import { ask, h, problem } from "./lib.js";
import { batchPanel, batchRuns, closeBatch, updateBatch } from "./batch.js";

export const images = false;
let root, table, charts, timer = 0, stop = null;

export function open(main) {
  root = main;
  table = h("div", {});
  charts = h("div", { class: "charts" });
  main.append(table, charts, batchPanel());
  look();
}

export function close() {
  clearTimeout(timer);
  stop?.abort();
  stop = null;
  closeBatch();
}

export function update(changed) { if (changed.has("train") || changed.has("step")) updateBatch(); }

const duration = (s) => (s < 1 ? "under 1 s" : s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`);

// look asks how far the trainings are, and again in a while where one runs.
async function look() {
  stop = new AbortController();
  let t;
  try {
    t = await (await ask("api/train", { signal: stop.signal })).json();
  } catch (e) {
    if (e.name !== "AbortError") problem(e.message);
    return;
  }
  if (!root.isConnected || stop === null) return;
  problem("");
  if (t.runs.length === 0) {
    table.replaceChildren(h("p", {}, "No run here has rows of a training. Start the studio with ", h("code", {}, "--runs DIR"), ", the folder that augmix train or run writes."));
    return;
  }
  table.replaceChildren(h("table", { class: "trainings" }, h("thead", {}, h("tr", {}, ...["Run", "Epoch", "An epoch takes", "Left"].map((x) => h("th", { scope: "col" }, x)))),
    h("tbody", {}, ...t.runs.map((r) => h("tr", {}, h("th", { scope: "row" }, r.name), ...(r.problem ? [h("td", { colspan: 3 }, r.problem)] : [
      h("td", {}, `${r.epoch}${r.epochs ? ` of ${r.epochs}` : ""}`), h("td", {}, r.seconds ? duration(r.seconds) : "–"),
      h("td", {}, r.left ? duration(r.left) : r.epoch === r.epochs ? "done" : "not running"),
    ]))))));
  charts.replaceChildren(...t.charts.map((forms) => h("figure", {}, ...forms.map((svg, i) => h("div", { class: i ? "narrow" : "wide" },
    document.importNode(new DOMParser().parseFromString(svg, "text/html").querySelector("svg"), true))))));
  batchRuns(t.runs);
  if (t.runs.some((r) => r.left)) timer = setTimeout(look, 5000);
}
