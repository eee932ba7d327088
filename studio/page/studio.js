// The frame of the page: screens, the image, what is dropped, colors.
import { $, h, ask, change, onChange, path, problem, readHash, say, setDefault, state, stopAll } from "./lib.js";
import { saving } from "./save.js";
import { local } from "./transport.js";
import * as corrupt from "./corrupt.js";
import * as mix from "./mix.js";
import * as breaking from "./break.js";
import * as runs from "./runs.js";
import * as train from "./train.js";
import * as data from "./data.js";

const screens = { corrupt: ["Corrupt", corrupt], mix: ["Mix", mix], break: ["Break it", breaking], runs: ["Runs", runs], train: ["Train", train], data: ["Data", data] };
if (local) for (const id of Object.keys(screens)) if (id !== "corrupt" && id !== "mix") delete screens[id]; // the others need files
let info, open = null;

async function start() {
  theme();
  try {
    info = await (await ask("api/info")).json();
  } catch (e) { problem(e.message); return; }
  if (info.side > 299) { setDefault("size", 256); setDefault("crop", 224); } // as ImageNet's; smaller images are shown as they are
  else { setDefault("size", 0); setDefault("crop", 0); }
  if (info.sets[0].name === "own") setDefault("set", "own");
  if (!local) document.title = `${info.data} – augmix studio`;
  tabs();
  image();
  dropping();
  saving();
  readHash();
  onChange(update);
  addEventListener("hashchange", readHash);
  update(new Set(Object.keys(state)));
}

// tabs are the screens; arrow keys move between them.
function tabs() {
  for (const [id, [title]] of Object.entries(screens)) {
    $("tabs").append(h("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "main", onclick: () => change({ screen: id }) }, title));
  }
  $("tabs").addEventListener("keydown", (e) => {
    const all = [...$("tabs").children], at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    const next = all[(to + all.length) % all.length];
    next.focus();
    next.click();
  });
  $("skip").addEventListener("click", (e) => { e.preventDefault(); $("main").focus(); });
}

function update(changed) {
  if (changed.has("screen")) {
    if (!screens[state.screen]) { change({ screen: "corrupt" }); return; }
    open?.close?.();
    stopAll($("main"));
    $("main").replaceChildren();
    problem("");
    open = screens[state.screen][1];
    for (const [id] of Object.entries(screens)) {
      const tab = $("tab-" + id);
      tab.setAttribute("aria-selected", String(id === state.screen));
      tab.tabIndex = id === state.screen ? 0 : -1;
    }
    $("main").setAttribute("aria-label", screens[state.screen][0]);
    $("source").hidden = !open.images;
    open.open($("main"), info);
    changed = new Set(Object.keys(state));
  }
  for (const field of ["size", "crop", "seed"]) if ($(field).value !== state[field]) $(field).value = state[field];
  if (changed.has("image")) about();
  open.update(changed);
}

// image wires the choice of the image and how it is prepared.
function image() {
  $("index").max = info.samples - 1;
  $("index").addEventListener("change", () => { if ($("index").checkValidity() && $("index").value !== "") change({ image: "d" + $("index").value }); });
  const move = (by) => {
    const at = /^d\d+$/.test(state.image) ? Number(state.image.slice(1)) + by : 0;
    change({ image: "d" + ((at + info.samples) % info.samples) });
  };
  $("prev").addEventListener("click", () => move(-1));
  $("next").addEventListener("click", () => move(1));
  addEventListener("keydown", (e) => {
    if (e.target.closest("input,select,textarea,[role=tablist]") || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (by && open.images) { e.preventDefault(); move(by); }
  });
  for (const field of ["size", "crop", "seed"]) {
    $(field).addEventListener("change", () => {
      if ($(field).checkValidity() && $(field).value !== "") change({ [field]: $(field).value });
      else $(field).value = state[field];
    });
  }
}

let asked = 0;
async function about() {
  const mine = ++asked;
  $("index").value = /^d\d+$/.test(state.image) ? state.image.slice(1) : "";
  try {
    const i = await (await ask(path("api/image", { image: state.image }))).json();
    if (mine !== asked) return;
    $("about").textContent = `of ${info.samples}: ${i.key}${i.label ? ", " + i.label : ""}, ${i.w}×${i.h}`;
    if (state.image.startsWith("u")) $("about").textContent = `${i.key} (dropped), ${i.w}×${i.h}`;
    problem("");
  } catch (e) {
    if (mine === asked) { $("about").textContent = ""; problem(e.message); }
  }
}

// dropping takes images that are dropped, pasted or opened.
function dropping() {
  const send = async (file) => {
    if (!file) return;
    say(`Sending ${file.name}…`);
    try {
      const r = await ask(path("api/upload", { name: file.name }), { method: "POST", body: file });
      const sent = await r.json();
      const large = Math.min(sent.w, sent.h) > 299;
      change({ image: sent.id, ...(large && state.size === "0" && state.crop === "0" ? { size: 256, crop: 224 } : {}) });
      say("Shown");
      problem("");
    } catch (e) { problem(e.message); say(""); }
  };
  $("file").addEventListener("change", () => { send($("file").files[0]); $("file").value = ""; });
  addEventListener("dragover", (e) => e.preventDefault());
  addEventListener("drop", (e) => { e.preventDefault(); send(e.dataTransfer.files[0]); });
  addEventListener("paste", (e) => send(e.clipboardData.files[0]));
}

// theme is as the system has it, light or dark; the report keeps its choice under the same name.
function theme() {
  const modes = ["auto", "light", "dark"], root = document.documentElement;
  let at = Math.max(0, modes.indexOf(localStorage.getItem("augmix-theme")));
  const apply = () => {
    if (modes[at] === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", modes[at]);
    $("theme").textContent = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" }[modes[at]];
    $("theme").setAttribute("aria-label", "Colors: " + (modes[at] === "auto" ? "as the system has them" : modes[at]));
  };
  $("theme").addEventListener("click", () => {
    at = (at + 1) % modes.length;
    localStorage.setItem("augmix-theme", modes[at]);
    apply();
    open?.theme?.();
  });
  apply();
}

start();
