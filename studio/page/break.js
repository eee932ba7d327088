// The screen Break it: what a model sees, and what makes it see something else.
import { ask, change, chooser, h, listen, path, problem, show, slider, state, words } from "./lib.js";

export const images = true;
let info, parts = null, asked = 0, stops = {};

const parameters = () => ({ image: state.image, seed: state.seed, profile: state.profile, name: state.under, severity: state.severity, eps: state.eps });

export function open(main, given) {
  info = given;
  parts = null;
  if (!info.model) {
    main.append(h("p", {}, "No model was named. Stop the studio and start it with ", h("code", {}, "--model FILE"),
      ": a checkpoint, weights (.safetensors, .npz, .pth) or an .onnx file, as for augmix predict."));
    return;
  }
  const under = chooser("Corruption", info.corruptions.map((c) => [c.name, words(c.name)]), state.under, (v) => change({ under: v }));
  const severity = slider("Severity", { min: 0, max: 5, step: 0.25, value: state.severity, id: "break-severity" }, (v) => change({ severity: v }));
  const eps = slider("Attack", { min: 0, max: 32, step: 1, value: state.eps, id: "eps", title: "PGD, l-infinity, ten steps" },
    (v) => change({ eps: v }), (v) => (v === "0" ? "none" : `${v}/255`));
  const map = chooser("Show", [["", "the image"], ["1", "occlusion map"]], state.map, (v) => change({ map: v }));
  const img = h("img", { alt: "what the model is shown", id: "seen" });
  parts = {
    under, severity, eps, map, img, classes: h("div", { id: "classes", "aria-live": "polite" }), curves: h("div", { class: "curves" }),
    hits: h("div", { class: "grid small" }), flips: h("button", { type: "button", id: "flips", onclick: flips }, "At which severity does it flip?"),
    search: h("button", { type: "button", id: "search", onclick: search }), status: h("span", { "aria-live": "polite" }),
  };
  eps.hidden = !info.model.gradient;
  main.append(h("p", { class: "doc" }, `${info.model.name}: ${info.model.classes} classes, images of ${info.model.w}×${info.model.h}, prepared as in its training; size and crop above are not used here.`),
    h("div", { class: "bar" }, under, severity, eps, map),
    h("div", { class: "seen" }, h("div", { class: "frame large" }, img), parts.classes),
    h("section", { "aria-label": "Flips" }, h("div", { class: "bar" }, parts.flips), parts.curves),
    h("section", { "aria-label": "Search" }, h("div", { class: "bar" }, parts.search, parts.status), parts.hits));
}

export function close() {
  asked++;
  for (const stop of Object.values(stops)) stop();
  stops = {};
}

export async function update(changed) {
  if (!parts) return;
  parts.under.value(state.under);
  parts.severity.value(state.severity);
  parts.eps.value(state.eps);
  parts.map.value(state.map);
  parts.search.textContent = stops.search ? "Stop" : `Find images that ${words(state.under)} flips at severity ${Math.max(1, Math.floor(state.severity))} or less`;
  if (changed.has("image") || changed.has("seed")) parts.curves.replaceChildren();
  show(parts.img, path(state.map ? "image/occlusion" : "image/model", parameters()));
  const mine = ++asked;
  parts.classes.setAttribute("aria-busy", "true");
  try {
    const p = await (await ask(path("api/predict", parameters()))).json();
    if (mine !== asked) return;
    parts.classes.replaceChildren(
      h("p", {}, p.label ? `Label: ${p.label}. ` : "", h("b", {}, p.flips ? "It flips." : "It stays.")), column("as shown", p.now), column("clean", p.clean));
    problem("");
  } catch (e) { if (mine === asked) { parts.classes.replaceChildren(); problem(e.message); } }
  if (mine === asked) parts.classes.removeAttribute("aria-busy");
}

const column = (title, list) => h("table", {}, h("caption", {}, title), h("tbody", {}, ...list.map((c) => {
  const fill = h("i", {});
  fill.style.width = `${100 * c.p}%`;
  return h("tr", {}, h("th", { scope: "row" }, c.class), h("td", {}, `${(100 * c.p).toFixed(1)} %`), h("td", { class: "wide" }, h("span", { class: "share", "aria-hidden": "true" }, fill)));
})));

// run starts a stream, or stops it where it runs.
function run(name, button, address, handlers, idle) {
  if (stops[name]) {
    stops[name]();
    delete stops[name];
    idle("Stopped.");
    return;
  }
  button.textContent = "Stop";
  stops[name] = listen(address, handlers, (text) => { delete stops[name]; problem(text); idle(""); });
}

function flips() {
  if (!stops.flips) parts.curves.replaceChildren();
  run("flips", parts.flips, path("api/flips", { image: state.image, seed: state.seed, profile: state.profile }), { curve: (c) => parts.curves.append(curve(c)) },
    () => { parts.flips.textContent = "At which severity does it flip?"; });
}

function search() {
  if (!stops.search) parts.hits.replaceChildren();
  let said = "";
  run("search", parts.search, path("api/search", { name: state.under, severity: Math.max(1, Math.floor(state.severity)), seed: state.seed, profile: state.profile }), {
    progress: (p) => { parts.status.textContent = `${parts.hits.childElementCount} found, ${p.what} ${p.done} of ${p.of}`; },
    hit: (one) => parts.hits.append(found(one)),
    searched: (s) => {
      const of = s.looked < s.images ? `the first ${s.looked} of ${s.images} images` : `${s.images} images`;
      said = `${s.hits} found among ${of}${s.full ? ", where a search ends" : ""}`;
    },
  }, (text) => { parts.status.textContent = `${text} ${said || parts.status.textContent}`; update(new Set()); });
}

function found(one) {
  const img = h("img", { alt: "" });
  show(img, path("image/model", { image: one.id, name: state.under, severity: one.severity, seed: state.seed, profile: state.profile }));
  return h("button", { type: "button", class: "card", "aria-label": `Open ${one.key}`, onclick: () => change({ image: one.id, severity: one.severity }) },
    h("span", { class: "frame" }, img), h("span", { class: "caption" }, `${one.label && one.label !== one.from ? one.label + ": " : ""}${one.from} → ${one.to}, at ${one.severity}`));
}

// curve is the probability of the clean image's class over severities 0 to 5, with a mark where the class flips.
function curve(c) {
  const box = h("button", {
    type: "button", class: "curve", "aria-label": `${words(c.name)}: ${c.problem ?? (c.flip ? `flips to ${c.to} at severity ${c.flip}` : "stays")}`,
    onclick: () => change({ under: c.name, severity: c.flip || 5 }),
  }, h("span", { class: "caption" }, words(c.name)));
  if (c.p) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 110 44");
    svg.setAttribute("aria-hidden", "true");
    const add = (name, attributes) => {
      const e = document.createElementNS(svg.namespaceURI, name);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      svg.append(e);
    };
    const x = (i) => 5 + 20 * i, y = (p) => 40 - 36 * p;
    add("line", { x1: 5, x2: 105, y1: 40, y2: 40, class: "axis" });
    add("polyline", { points: c.p.map((p, i) => `${x(i)},${y(p).toFixed(1)}`).join(" "), class: "path" });
    if (c.flip) add("circle", { cx: x(c.flip), cy: y(c.p[c.flip]).toFixed(1), r: 4, class: "mark" });
    box.append(svg);
  }
  box.append(h("span", { class: "caption" }, c.problem ?? (c.flip ? `${c.flip}: ${c.to}` : "stays")));
  return box;
}
