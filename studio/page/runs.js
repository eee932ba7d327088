// The screen Runs: the report of the runs that are chosen.
import { change, chooser, h, path, state } from "./lib.js";

export const images = false;
let frame, boxes, base, info;

export function open(main, given) {
  info = given;
  boxes = info.runs.map((name, i) => h("input", { type: "checkbox", value: i, onchange: choose }));
  frame = h("iframe", { title: "Report of the chosen runs", id: "report", onload: inside });
  if (info.runs.length === 0) {
    main.append(h("p", {}, "No runs were named. Stop the studio and start it with ", h("code", {}, "--runs DIR"),
      ", a directory that augmix eval, score, run or quickstart wrote."));
    return;
  }
  base = chooser("Compare with", info.runs.map((name, i) => [String(i), name]), "0", choose);
  main.append(h("fieldset", { class: "bar" }, h("legend", {}, "Runs"),
    ...info.runs.map((name, i) => h("label", { class: "check" }, boxes[i], name)), base), frame);
}

// choose puts the run first that the others are compared with.
function choose() {
  const first = base.querySelector("select").value;
  change({ runs: [first, ...boxes.filter((b) => b.checked && b.value !== first).map((b) => b.value)].join(",") });
}

export function update() {
  if (info.runs.length === 0) return;
  const chosen = state.runs ? state.runs.split(",") : boxes.map((b) => b.value);
  for (const b of boxes) b.checked = chosen.includes(b.value);
  base.value(chosen[0]);
  const address = path("report", { runs: state.runs });
  if (frame.getAttribute("src") !== address) frame.setAttribute("src", address);
}

// inside makes the rows and marks of one run stand out everywhere while the pointer or the focus is on one of them. The report is a page
// of this server.
function inside() {
  const page = frame.contentDocument;
  if (!page?.querySelector("#main")) return;
  const colors = new Map(); // of models, by the dots of the headlines
  for (const li of page.querySelectorAll(".heads li")) {
    const dot = li.querySelector(".dot")?.getAttribute("style")?.match(/--ch(\d)/);
    if (dot) colors.set(li.querySelector("b").textContent, dot[1]);
  }
  const sheet = new page.defaultView.CSSStyleSheet();
  const plain = "#theme{display:none}"; // this page has one
  sheet.replaceSync(plain);
  page.adoptedStyleSheets = [sheet];
  const highlight = (e) => {
    const row = e.target.closest?.("tbody tr"), item = e.target.closest?.(".heads li"), mark = e.target.closest?.(".chart [class*=c]");
    const name = row?.querySelector("th.name")?.textContent ?? item?.querySelector("b")?.textContent ?? "";
    const color = colors.get(name) ?? mark?.getAttribute("class").match(/\bc(\d)\b/)?.[1];
    if (color === undefined) { sheet.replaceSync(plain); return; }
    const others = [0, 1, 2, 3, 4, 5, 6, 7].filter((c) => String(c) !== color);
    let rules = plain + others.map((c) => `.chart .c${c}{opacity:.2}`).join("");
    for (const tr of page.querySelectorAll("tbody tr")) {
      const of = colors.get(tr.querySelector("th.name")?.textContent);
      tr.classList.toggle("studio-lit", of === color);
    }
    rules += ".studio-lit td,.studio-lit th{background:var(--meas)!important}";
    sheet.replaceSync(rules);
  };
  page.addEventListener("pointerover", highlight);
  page.addEventListener("focusin", highlight);
}

// theme follows the page's colors: the report reads them when it opens.
export function theme() { frame?.contentWindow?.location.reload(); }
