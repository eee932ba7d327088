// The screen Mix: how a method makes an image, drawn open.
import { ask, change, chooser, copyButtons, geometry, h, path, problem, show, slider, state, stopAll } from "./lib.js";

export const images = true;
let info, parts, asked = 0, stop = null;

const parameters = (more = {}) => ({ ...geometry(), spec: state.spec, set: state.set, epoch: state.epoch, pins: state.pins, ...more });
const tile = (part, label, more = {}) => {
  const img = h("img", { alt: label });
  show(img, path("image/mix", parameters({ part, ...more })));
  return h("figure", { class: "tile" }, h("span", { class: "frame" }, img), h("figcaption", {}, label));
};

export function open(main, given) {
  info = given;
  const spec = h("input", {
    type: "text", id: "spec", spellcheck: "false", autocomplete: "off", size: 34, onchange: () => change({ spec: spec.value.trim(), pins: "" }),
  });
  const method = chooser("Method", [...info.mixes.map((m) => [m.Name, m.Name]), ["", "(several)"]], "", (v) => {
    const m = info.mixes.find((x) => x.Name === v);
    if (m) change({ spec: m.Spec, pins: "" });
  });
  const set = chooser("Mixing set", info.sets.map((s) => [s.name, s.name === "own" ? s.doc : s.name]), state.set, (v) => change({ set: v }));
  const epoch = h("input", {
    type: "number", id: "epoch", min: 0, max: 1 << 30, class: "short",
    onchange: () => { if (epoch.checkValidity() && epoch.value !== "") change({ epoch: epoch.value }); },
  });
  const redraw = h("button", { type: "button", id: "redraw", onclick: () => change({ epoch: Number(state.epoch) + 1 }) }, "Draw another");
  parts = {
    spec, method, set, epoch, options: h("div", { class: "bar options", role: "group", "aria-label": "Parameters" }),
    doc: h("p", { class: "doc" }), drawing: h("div", { class: "drawing", role: "group", tabindex: "0", "aria-label": "How the image is made" }),
    views: h("div", { class: "grid three" }),
    draws: h("details", { id: "draws", ontoggle: () => change({ draws: parts.draws.open ? "1" : "" }) },
      h("summary", {}, "64 draws"), h("div", { class: "grid eight" })),
  };
  main.append(
    h("div", { class: "bar" }, method, h("label", {}, "Spec ", spec), set, h("label", {}, "Draw (epoch) ", epoch), redraw),
    parts.options, parts.doc, parts.drawing, h("div", { class: "bar" }, copyButtons(() => parameters())),
    h("section", { "aria-label": "Views" }, h("h2", {}, "Three views of the consistency loss"), parts.views), parts.draws,
    h("details", {}, h("summary", {}, "Operations"), h("ul", { class: "ops" }, ...info.ops.map((o) =>
      h("li", {}, h("b", {}, o.name), ` ${o.doc}${o.augmix ? (o.overlap ? " (AugMix: with “all”)" : " (AugMix)") : ""}`)))));
}

export function close() {
  asked++;
  stop?.abort();
}

export function update(changed) {
  if ([...changed].every((f) => f === "draws")) { showDraws(); return; }
  if (document.activeElement !== parts.spec || changed.has("spec")) parts.spec.value = state.spec;
  parts.epoch.value = state.epoch;
  parts.set.value(state.set);
  draw();
}

// draw asks for what was drawn and shows it. An answer that came too late is dropped.
async function draw() {
  const mine = ++asked;
  stop?.abort();
  stop = new AbortController();
  parts.drawing.setAttribute("aria-busy", "true");
  let d;
  try {
    d = await (await ask(path("api/mix", parameters()), { signal: stop.signal })).json();
  } catch (e) {
    if (mine === asked) { problem(e.message); parts.drawing.removeAttribute("aria-busy"); }
    return;
  }
  if (mine !== asked) return;
  problem("");
  parts.drawing.removeAttribute("aria-busy");
  if (d.spec !== state.spec) { // written by hand: its canonical form
    state.spec = d.spec;
    parts.spec.value = d.spec;
  }
  parts.set.hidden = !d.set;
  options(d);
  stopAll(parts.drawing);
  parts.drawing.replaceChildren(...anatomy(d));
  stopAll(parts.views);
  parts.views.replaceChildren(...(d.views
    ? [tile("clean", "view 0: clean", { pins: "" }), tile("result", "view 1", { pins: "" }), tile("result", "view 2", { pins: "", view: "2" })]
    : [h("p", {}, "This method mixes labels, which the consistency loss does not take.")]));
  showDraws();
}

function showDraws() {
  const grid = parts.draws.lastElementChild;
  parts.draws.open = state.draws === "1";
  stopAll(grid);
  grid.replaceChildren();
  if (!parts.draws.open) return;
  for (let i = 0; i < 64; i++) {
    const epoch = Number(state.epoch) + i, img = h("img", { alt: "" });
    show(img, path("image/mix", parameters({ pins: "", epoch })));
    grid.append(h("button", { type: "button", class: "card", "aria-label": `draw ${epoch}`, onclick: () => change({ epoch, pins: "" }) },
      h("span", { class: "frame" }, img)));
  }
}

// anatomy draws what the server says of the draw.
function anatomy(d) {
  const arrow = () => h("span", { class: "arrow", "aria-hidden": "true" }, "→");
  const named = (s) => (s.value ? `${s.op} ${s.value}` : s.op);
  const first = d.stages.length === 1 ? "result" : "stage.0";
  const out = [];
  if (d.chains) {
    const pins = new Map(state.pins.split(",").filter(Boolean).map((p) => p.split(":")));
    const chains = h("div", { class: "chains" }, ...d.chains.map((c, i) => h("div", { class: "chain" },
      ...c.steps.flatMap((s, k) => [arrow(), tile(`chain.${i}.${k}`, named(s))]),
      h("span", { class: "weight" }, bar(c.weight), `w${i + 1} = ${c.weight.toFixed(2)}`,
        h("button", {
          type: "button", "aria-pressed": String(pins.has(String(i))), "aria-label": `Pin chain ${i + 1}`,
          onclick: () => {
            if (pins.has(String(i))) pins.delete(String(i)); else pins.set(String(i), state.epoch);
            change({ pins: [...pins].map((p) => p.join(":")).join(",") });
          },
        }, pins.has(String(i)) ? "Unpin" : "Pin")))));
    out.push(h("div", { class: "anatomy" }, tile("clean", "original"), chains, arrow(), tile("mixture", "mixture: Σ wᵢ · chainᵢ"),
      h("span", { class: "weight" }, bar(d.m), `m = ${d.m.toFixed(2)}`), arrow(),
      tile(state.pins ? "result" : first, `${d.m.toFixed(2)} · mixture + ${(1 - d.m).toFixed(2)} · original`)));
  } else if (d.pixmix) {
    const rounds = d.rounds ?? [];
    out.push(h("div", { class: "rounds" }, tile("clean", "original"),
      ...(d.start ? [arrow(), tile("round.0", `start: ${named(d.start)}`)] : []),
      ...rounds.flatMap((r, i) => [
        h("span", { class: "round" }, h("b", {}, r.multiply ? "×" : "+"), `a = ${r.a.toFixed(2)}, b = ${r.b.toFixed(2)}`),
        tile(`other.${i}`, r.step ? `original, ${named(r.step)}` : `of ${d.set}`), arrow(), tile(`round.${i + 1}`, `round ${i + 1}`),
      ]),
      ...(rounds.length === 0 ? [h("p", {}, "No round was drawn: the image stays as it is after the start.")] : [])));
  } else if (d.steps) {
    out.push(h("div", { class: "rounds" }, tile("clean", "original"), ...d.steps.flatMap((s, i) => [arrow(), tile(`step.${i}`, named(s))])));
  }
  if (d.stages.length > 1 || out.length === 0) {
    out.push(h("div", { class: "rounds" }, tile("clean", "original"), ...d.stages.flatMap((s, i) => [arrow(), tile(`stage.${i}`, s)])));
  }
  if (d.label) out.push(h("p", {}, "Label: ", d.label.map((l) => `${(100 * l.weight).toFixed(1)} % ${l.class}`).join(" + ")));
  return out;
}

const bar = (share) => {
  const fill = h("i", {});
  fill.style.width = `${100 * share}%`;
  return h("span", { class: "share", "aria-hidden": "true" }, fill);
};

// options are the parameters of each stage. They write the spec, as the spec's text writes them.
function options(d) {
  const methods = d.stages.map((s) => s.split("-")[0]);
  parts.method.value(methods.length === 1 ? methods[0] : "");
  const docs = methods.map((m) => info.mixes.find((x) => x.Name === m));
  parts.doc.textContent = docs.map((m) => `${m.Name}: ${m.Doc}. ${m.Paper}`).join(" · ");
  if (parts.options.dataset.methods === methods.join("+")) {
    for (const box of parts.options.children) box.read?.(d.stages);
    return;
  }
  parts.options.dataset.methods = methods.join("+");
  parts.options.replaceChildren(...docs.flatMap((m, stage) => (m.Options ?? []).map((o) => option(o, stage))));
  for (const box of parts.options.children) box.read(d.stages);
}

const known = (stage) => info.mixes.find((x) => x.Name === stage.split("-")[0]).Options ?? [];

// read splits the spec of a stage into the values of its options.
function read(stage) {
  const values = new Map();
  let rest = stage.split("-").slice(1).join("-");
  while (rest) {
    const o = known(stage).filter((x) => (x.kind === "word" ? rest === x.key || rest.startsWith(x.key + "-") : rest.startsWith(x.key)))
      .sort((a, b) => b.key.length - a.key.length)[0];
    if (!o) break;
    const value = o.kind === "word" ? "" : (rest.slice(o.key.length).match(o.kind === "range" ? /^[0-9]+(-[0-9]+)?/ : /^(-?[0-9.]+|[0-9a-f]{6})/) ?? [""])[0];
    values.set(o.key, value);
    rest = rest.slice(o.key.length + value.length).replace(/^-/, "");
  }
  return values;
}

function option(o, stage) {
  const set = (value) => {
    const stages = state.spec.split("+");
    const values = read(stages[stage]);
    if (value === null) values.delete(o.key); else values.set(o.key, value);
    stages[stage] = [stages[stage].split("-")[0], ...[...values].map(([k, v]) => k + v)].join("-");
    change({ spec: stages.join("+"), pins: "" });
  };
  const label = o.doc.split(/[:;,]| of /)[0];
  let box;
  if (o.kind === "word") {
    const input = h("input", { type: "checkbox", onchange: () => set(input.checked ? "" : null) });
    box = h("label", { class: "check", title: o.doc }, input, o.key);
    box.read = (stages) => { input.checked = read(stages[stage]).has(o.key); };
  } else if (o.kind === "range") {
    const input = h("input", { type: "text", size: 3, title: `A-B, ${o.allowed}`, onchange: () => set(input.value) });
    box = h("label", { title: o.doc }, label, " ", input);
    box.read = (stages) => { input.value = read(stages[stage]).get(o.key) ?? o.default; };
  } else if (o.kind === "color") {
    const input = h("input", { type: "color", onchange: () => set(input.value.slice(1)) });
    box = h("label", { title: o.doc }, o.doc.startsWith("fill") ? "fill" : o.key, " ", input);
    box.read = (stages) => { input.value = "#" + (read(stages[stage]).get(o.key) ?? (/^[0-9a-f]{6}$/.test(o.default) ? o.default : "000000")); };
  } else {
    const [low, high] = span(o);
    const random = (o.allowed ?? "").includes("-1"); // the value below the least stands for a random one
    const text = (v) => (random && Number(v) < low ? "random" : v);
    box = slider(label, { min: random ? low - 1 : low, max: high, step: o.kind === "integer" ? 1 : 0.1, value: low, title: `${o.doc} (${o.allowed})` },
      (v) => set(random && Number(v) < low ? "-1" : v), text);
    box.read = (stages) => {
      const v = read(stages[stage]).get(o.key) ?? (o.default || String(low));
      box.value(random && v === "-1" ? String(low - 1) : v);
    };
  }
  return box;
}

// span is the range of a slider: what is allowed, cut to what is usual. The spec takes the rest.
function span(o) {
  const m = (o.allowed ?? "").match(/(?:more than )?(-?[0-9.]+),? to ([0-9.]+)/);
  const low = m ? Number(m[1]) : 0.1, high = m ? Number(m[2]) : 5;
  const usual = o.kind === "integer" ? 8 : 10;
  return [m && o.allowed.startsWith("more") ? Math.max(low, 0.1) : low, high > 100 ? usual : Math.min(high, high <= 31 ? high : usual)];
}
