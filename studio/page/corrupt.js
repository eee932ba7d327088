// The screen Corrupt: one image under every corruption, and one of them large.
import { change, chooser, copyButtons, geometry, h, path, show, slider, state, words } from "./lib.js";

export const images = true;
const groups = [
  ["noise", "Noise"], ["blur", "Blur"], ["weather", "Weather"], ["digital", "Digital"], ["validation", "For validation"],
  ["cbar", "C-bar"],
];
let cards, large, controls, root;

const parameters = (name, severity = state.severity) => ({ ...geometry(), name, severity, profile: state.profile });

export function open(main, info) {
  root = main;
  controls = {
    severity: slider("Severity", { min: 0, max: 5, step: 0.25, value: state.severity, id: "severity" }, (v) => change({ severity: v }),
      (v) => (v === "0" ? "0, the image" : v)),
    zoom: slider("Zoom", { min: 1, max: 8, step: 0.5, value: state.zoom, id: "zoom" }, (v) => change({ zoom: v }), (v) => `${v}×`),
    profile: chooser("Parameters", [["auto", "by size"], ["32", "of 32×32"], ["64", "of 64×64"], ["224", "of 224×224"], ["299", "of 299×299"]],
      state.profile, (v) => change({ profile: v })),
  };
  main.append(h("div", { class: "bar sticky" }, controls.severity, controls.zoom, controls.profile));
  cards = new Map();
  const all = h("div", { class: "groups" });
  for (const [id, title] of groups) {
    const members = info.corruptions.filter((c) => (c.set === "common" ? c.group === id : c.set === id));
    const grid = h("div", { class: "tiles" });
    for (const c of members) {
      const img = h("img", { alt: "" });
      const card = h("button", {
        type: "button", class: "card", "data-name": c.name, "aria-label": `${words(c.name)}, open large`, onclick: () => change({ name: c.name }),
      }, h("span", { class: "frame" }, img), h("span", { class: "caption" }, words(c.name)));
      cards.set(c.name, img);
      grid.append(card);
    }
    all.append(h("section", { "aria-label": title }, h("h2", {}, title), grid));
  }
  main.append(all);
  main.addEventListener("pointermove", origin);
  large = makeLarge();
  main.append(large.dialog);
}

// origin is the point that stays where it is when all images are enlarged: the same of all.
function origin(e) {
  const frame = e.target.closest?.(".card .frame");
  if (!frame || state.zoom === "1") return;
  const box = frame.getBoundingClientRect();
  root.style.setProperty("--ox", `${(100 * (e.clientX - box.left)) / box.width}%`);
  root.style.setProperty("--oy", `${(100 * (e.clientY - box.top)) / box.height}%`);
}

export function update() {
  controls.severity.value(state.severity);
  controls.zoom.value(state.zoom);
  controls.profile.value(state.profile);
  root.style.setProperty("--zoom", state.zoom);
  const shown = state.name && cards.has(state.name);
  if (shown) large.update();
  for (const [name, img] of cards) show(img, path("image/corrupt", parameters(name)));
  if (shown && !large.dialog.open) large.dialog.showModal();
  if (!shown && large.dialog.open) large.dialog.close();
}

export function close() {
  root.removeEventListener("pointermove", origin);
  root.style.removeProperty("--zoom"); // the images of the other screens are whole
}

// makeLarge is the dialog of one corruption: before and after with a line that moves, the difference, the spectrum.
function makeLarge() {
  const before = h("img", { alt: "before", id: "before" }), after = h("img", { alt: "after", id: "after" }), other = h("img", { id: "other", alt: "" });
  const pair = h("div", { class: "pair" }, before, after, h("i", { class: "line" }));
  const single = h("div", { class: "single" }, other);
  const title = h("h2", { id: "large-title" });
  const severity = slider("Severity", { min: 0, max: 5, step: 0.25, value: state.severity, id: "large-severity" }, (v) => change({ severity: v }));
  const wipe = slider("Before | after", { min: 0, max: 100, step: 1, value: state.wipe, id: "wipe" }, (v) => change({ wipe: v }), (v) => `${v} %`);
  const look = chooser("Show", [["wipe", "before and after"], ["difference", "difference"], ["spectrum", "spectrum"]], state.look,
    (v) => change({ look: v }));
  const step = (by) => {
    const names = [...cards.keys()];
    change({ name: names[(names.indexOf(state.name) + by + names.length) % names.length] });
  };
  const dialog = h("dialog", { "aria-labelledby": "large-title", onclose: () => { if (state.screen === "corrupt") change({ name: "" }); } },
    h("div", { class: "bar" }, title,
      h("span", { class: "step" }, h("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous corruption" }, "‹"),
        h("button", { type: "button", onclick: () => step(1), "aria-label": "Next corruption" }, "›")),
      h("button", { type: "button", class: "last", id: "large-close", onclick: () => dialog.close() }, "Close")),
    h("div", { class: "bar" }, severity, wipe, look), pair, single,
    h("div", { class: "bar" }, copyButtons(() => parameters(state.name))));
  pair.addEventListener("pointermove", (e) => {
    if (e.buttons === 0 && e.pointerType === "mouse") return;
    const box = pair.getBoundingClientRect();
    change({ wipe: Math.round(Math.min(100, Math.max(0, (100 * (e.clientX - box.left)) / box.width))) });
  });
  return {
    dialog,
    update() {
      title.textContent = words(state.name);
      severity.value(state.severity);
      wipe.value(state.wipe);
      look.value(state.look);
      const wiping = state.look === "wipe";
      pair.hidden = wipe.hidden = !wiping;
      single.hidden = wiping;
      pair.style.setProperty("--wipe", `${state.wipe}%`);
      const now = parameters(state.name);
      if (wiping) {
        show(before, path("image/corrupt", parameters(state.name, "0")));
        show(after, path("image/corrupt", now));
      } else {
        other.alt = `${state.look} of ${words(state.name)}`;
        show(other, path("image/corrupt", { ...now, look: state.look }));
      }
    },
  };
}
