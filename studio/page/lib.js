// What all screens share: the state, which is the address's hash, elements, requests and images.
import { local, send } from "./transport.js";

export const $ = (id) => document.getElementById(id);

// h makes an element. Attributes that begin with "on" are listeners; children are nodes or text.
export function h(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value === true) e.setAttribute(key, "");
    else e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

// The state, with what each field is without a word of it in the address.
const defaults = {
  screen: "corrupt", image: "d0", size: "", crop: "", seed: "0", profile: "auto", severity: "3", name: "", look: "wipe", wipe: "50",
  zoom: "1", spec: "augmix-m3-w3-d-1", set: "fractals", epoch: "1", pins: "", draws: "", runs: "", q: "", class: "-1", from: "0",
  under: "fog", eps: "0", map: "", of: "", lost: "", kept: "", train: "", step: "",
};
export const state = { ...defaults };
const listeners = [];

// onChange has f called after every change of the state with the names of the fields that changed.
export function onChange(f) { listeners.push(f); }

// setDefault changes what a field is where the address does not say it.
export function setDefault(field, value) { defaults[field] = String(value); }

export function change(fields) {
  const changed = new Set();
  for (const [key, value] of Object.entries(fields)) {
    if (state[key] !== String(value)) { state[key] = String(value); changed.add(key); }
  }
  if (changed.size === 0) return;
  writeHash();
  for (const f of listeners) f(changed);
}

let hashTimer = 0;
function writeHash() {
  clearTimeout(hashTimer); // browsers refuse a hundred changes in ten seconds, which a slider makes
  hashTimer = setTimeout(flushHash, 150);
}

function flushHash() {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== defaults[key]) words.set(key, value);
  history.replaceState(null, "", "#" + words);
}
addEventListener("pagehide", flushHash);

// readHash takes what writeHash leaves, and what --screen takes: NAME and NAME?KEY=VALUE&...
export function readHash() {
  const [, name, rest] = /^([^=?&]*)\??(.*)$/s.exec(location.hash.slice(1));
  const named = name && !rest.startsWith("=");
  const words = new URLSearchParams(named ? rest : location.hash.slice(1));
  if (named) words.set("screen", name);
  const fields = {};
  for (const key of Object.keys(defaults)) fields[key] = words.get(key) ?? defaults[key];
  change(fields);
}

// path is the address of a request, with the parameters that are not empty.
export function path(where, parameters) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== "" && value !== undefined) words.set(key, value);
  return where + "?" + words;
}

// geometry is what every request for an image of the state says of it.
export const geometry = () => ({ image: state.image, size: state.size || "0", crop: state.crop || "0", seed: state.seed });

// ask returns the JSON answer of a request, or throws an error with the server's words.
export async function ask(address, options = {}) {
  let r;
  try {
    r = await send(address, options);
  } catch (e) {
    if (e.name === "AbortError" || local) throw e;
    throw new Error("The server does not answer. Was augmix studio stopped?");
  }
  if (!r.ok) throw new Error((await r.text()).trim() || r.statusText);
  return r;
}

// show fills an img with the answer of a request, and drops an earlier request of this img that is under way. An error is written where
// the caption can show it.
const loading = new WeakMap();
export async function show(img, address) {
  if (img.dataset.address === address && !img.dataset.problem) return;
  img.dataset.address = address;
  loading.get(img)?.abort();
  const stop = new AbortController();
  loading.set(img, stop);
  img.setAttribute("aria-busy", "true");
  try {
    const r = await ask(address, { signal: stop.signal });
    const blob = await r.blob();
    const old = img.src, url = URL.createObjectURL(blob);
    img.blob = blob; // the file itself
    img.onload = () => { if (old.startsWith("blob:")) URL.revokeObjectURL(old); };
    img.src = url;
    delete img.dataset.problem;
    problemOf(img, "");
  } catch (e) {
    if (e.name === "AbortError") return;
    img.dataset.problem = e.message;
    img.removeAttribute("src");
    problemOf(img, e.message);
  }
  if (loading.get(img) === stop) img.removeAttribute("aria-busy");
}

function problemOf(img, text) {
  const frame = img.parentElement;
  if (!frame) return;
  let note = frame.querySelector(":scope > .note");
  if (!text) { note?.remove(); return; }
  if (!note) { note = h("span", { class: "note" }); frame.append(note); }
  note.textContent = text;
}

// stopAll drops the requests of the images in an element that goes away.
export function stopAll(root) {
  for (const img of root.querySelectorAll("img")) {
    loading.get(img)?.abort();
    if (img.src.startsWith("blob:")) URL.revokeObjectURL(img.src);
  }
}

export function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = !text;
}

let saidTimer = 0;
export function say(text) {
  $("said").textContent = text;
  $("said").classList.add("on");
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => $("said").classList.remove("on"), 1800);
}

// copyText puts text on the clipboard, the old way where the browser has no other.
export async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "offscreen" });
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const ok = document.execCommand("copy");
    area.remove();
    if (!ok) { say("The browser did not allow copying"); return; }
  }
  say(`Copied as ${what}`);
}

// copyButtons are the three ways to make what a request shows without the page. parameters returns those of the request.
export function copyButtons(parameters) {
  const button = (what, field) => h("button", {
    type: "button", "data-copy": field,
    onclick: async () => {
      try {
        const r = await ask(path("api/copy", parameters()));
        await copyText((await r.json())[field], what);
        problem("");
      } catch (e) { problem(e.message); }
    },
  }, what);
  return h("span", { class: "copy", role: "group", "aria-label": "Copy this image as" }, "Copy as ", button("command", "command"),
    button("Go", "go"), button("Python", "python"));
}

// slider is a labeled range with its value beside it. set is called while it moves.
export function slider(label, attributes, set, text = (v) => v) {
  const out = h("output", {}, text(attributes.value ?? ""));
  const input = h("input", { type: "range", ...attributes, oninput: () => { out.textContent = text(input.value); set(input.value); } });
  const box = h("label", { class: "slider" }, h("span", {}, label), input, out);
  box.value = (v) => { if (input.value !== v) input.value = v; out.textContent = text(input.value); };
  box.input = input;
  return box;
}

// chooser is a labeled select. options are [value, text] or [value, text, group].
export function chooser(label, options, value, set) {
  const select = h("select", { onchange: () => set(select.value) });
  let group = null;
  for (const [v, text, of] of options) {
    if (of && group?.label !== of) { group = h("optgroup", { label: of }); select.append(group); }
    (of ? group : select).append(h("option", { value: v }, text));
  }
  select.value = value;
  const box = h("label", {}, label, " ", select);
  box.value = (v) => { select.value = v; };
  return box;
}

// listen has the server stream events of a long work: handlers by their names, and done with "" or what went wrong at its end. The result
// stops it.
export function listen(address, handlers, done) {
  const source = new EventSource(address);
  const end = (text) => { source.close(); done(text); };
  for (const [name, f] of Object.entries(handlers)) source.addEventListener(name, (e) => f(JSON.parse(e.data)));
  source.addEventListener("result", () => end(""));
  source.addEventListener("failed", (e) => end(JSON.parse(e.data)));
  source.onerror = () => end("The server does not answer.");
  return () => source.close();
}

// words makes words of a published name.
export const words = (name) => name.replaceAll("_", " ");
