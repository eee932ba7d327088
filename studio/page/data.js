// The screen Data: what is in the data set, and its images.
import { ask, change, chooser, h, listen, path, problem, show, state, stopAll } from "./lib.js";

export const images = false;
let info, parts, stop = null, asked = 0;

export function open(main, given) {
  info = given;
  const query = h("input", { type: "search", id: "query", size: 18, onchange: () => change({ q: query.value, from: "0" }) });
  parts = {
    query, summary: h("div", { id: "summary" }), grid: h("div", { class: "grid small" }),
    class: chooser("Class", [["-1", "all"], ...(info.classes ?? []).map((c, i) => [String(i), c])], state.class, (v) => change({ class: v, from: "0" })),
    more: h("button", { type: "button", id: "more" }, "More"), start: h("button", { type: "button", id: "read", onclick: read }, "Read the whole data set"),
    progress: h("progress", { hidden: true, "aria-label": "Progress" }), status: h("span", { "aria-live": "polite" }),
  };
  main.append(h("p", {}, h("b", {}, info.data), ` – ${info.format}${info.part ? ", part " + info.part : ""}${info.choice ? ", " + info.choice : ""}, ${info.samples} images`),
    h("div", { class: "bar" }, parts.start, parts.progress, parts.status), parts.summary,
    h("section", { "aria-label": "Images" }, h("h2", {}, "Images"),
      h("div", { class: "bar" }, h("label", {}, "Key holds ", query), parts.class), parts.grid, h("div", { class: "bar" }, parts.more)));
}

export function close() {
  stop?.();
  stop = null;
}

const thumbnail = (sample, note) => {
  const img = h("img", { alt: "" });
  show(img, path("image/corrupt", { image: sample.id, size: "96", crop: "96" }));
  return h("button", { type: "button", class: "card", "aria-label": `Open ${sample.key}`, onclick: () => change({ image: sample.id, screen: "corrupt" }) },
    h("span", { class: "frame" }, img), h("span", { class: "caption" }, note ?? sample.key));
};

export async function update() {
  const mine = ++asked;
  parts.query.value = state.q;
  parts.class.value(state.class);
  parts.grid.setAttribute("aria-busy", "true");
  try {
    const list = await (await ask(path("api/list", { q: state.q, class: state.class, from: state.from }))).json();
    if (mine !== asked) return;
    stopAll(parts.grid);
    parts.grid.replaceChildren(...list.samples.map((s) => thumbnail(s, s.label ? `${s.label}: ${s.key}` : s.key)));
    if (list.samples.length === 0) parts.grid.append(h("p", {}, "No image here is like that."));
    parts.more.hidden = list.next < 0;
    parts.more.onclick = () => change({ from: list.next });
  } catch (e) { if (mine === asked) problem(e.message); }
  if (mine === asked) parts.grid.removeAttribute("aria-busy");
}

// read has the server read everything, which can take minutes, and can be stopped.
function read() {
  if (stop) { close(); idle("Stopped."); return; }
  parts.start.textContent = "Stop";
  parts.status.textContent = "";
  parts.progress.hidden = false;
  stop = listen("api/data", {
    summary,
    progress: (p) => {
      parts.progress.max = p.of;
      parts.progress.value = p.done;
      parts.status.textContent = `${p.what} ${p.done} of ${p.of}`;
    },
  }, (text) => { stop = null; problem(text); idle(""); });
}

function idle(text) {
  parts.start.textContent = "Read the whole data set";
  parts.progress.hidden = true;
  parts.status.textContent = text;
}

function summary(d) {
  stopAll(parts.summary);
  parts.summary.replaceChildren(...d.parts.map(part), duplicates(d));
}

const range = (r) => (r ? (r.min === r.max ? `${r.min}` : `${r.min} to ${r.max}, median ${r.median}`) : "not known");

function part(p) {
  const bad = p.unreadableCount, classes = p.classes ?? [];
  const most = Math.max(1, ...classes.map((c) => c.count));
  const rows = classes.map((c) => {
    const fill = h("i", {});
    fill.style.width = `${(100 * c.count) / most}%`;
    return h("tr", {}, h("th", { scope: "row" }, c.name || String(c.label)), h("td", {}, String(c.count)),
      h("td", { class: "wide" }, h("span", { class: "share", "aria-hidden": "true" }, fill)));
  });
  return h("section", { "aria-label": p.part || "Summary" }, h("h2", {}, p.part || "Summary"),
    h("p", {}, `${p.samples} images, ${bad ? `of which ${p.samples - bad} can be read, ` : ""}${p.unlabeled} ${bad ? "of these " : ""}without a label; ` +
      `width ${range(p.width)}; height ${range(p.height)}; ${(p.bytes / 1e6).toFixed(1)} MB.` +
      (p.large ? ` Too large to be decoded here and compared with others: ${p.large}.` : "")),
    bad > 0 && h("details", { open: true }, h("summary", {}, `${bad} cannot be read`),
      h("ul", {}, ...p.unreadable.map((r) => h("li", {}, `${r.name}: ${r.reason}`)))),
    rows.length > 0 && h("details", { open: rows.length <= 20 }, h("summary", {}, `${rows.length} classes`),
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Class"), h("th", { scope: "col" }, "Images"), h("td", {}))), h("tbody", {}, ...rows))));
}

function duplicates(d) {
  const section = h("section", { "aria-label": "Near-duplicates" }, h("h2", {}, "Images that nearly repeat"));
  const { pairs, total, seen } = d.duplicates;
  if (total === 0) section.append(h("p", {}, "None were found."));
  else {
    const first = d.parts.length > 1 ? ` ${seen} images of ${d.parts[0].part} are in another part too.` : "";
    section.append(h("p", {}, `${total < 20000 ? total : "20000 or more"} pairs${total > pairs.length ? `, of which the first ${pairs.length} are shown` : ""}.${first} Look before you believe it.`),
      h("div", { class: "pairs" }, ...pairs.map((p) => h("div", { class: "twins" }, thumbnail(p.a, p.a.key), thumbnail(p.b, p.b.key),
        h("span", { class: "weight" }, `${(100 * p.alike).toFixed(1)} %`, p.apart ? h("b", {}, "across parts") : null, p.label ? h("b", {}, "other label") : null)))));
  }
  return section;
}
