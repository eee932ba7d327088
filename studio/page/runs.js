// The screen Runs: the report of the runs that are chosen.
import { change, chooser, h, path, state } from "./lib.js";
import { lostPanel, openLost, updateLost } from "./lost.js";

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
    ...info.runs.map((name, i) => h("label", { class: "check" }, boxes[i], name)), base), lostPanel(info), frame);
}

// choose puts the run first that the others are compared with.
function choose() {
  const first = base.querySelector("select").value;
  change({ runs: [first, ...boxes.filter((b) => b.checked && b.value !== first).map((b) => b.value)].join(",") });
}

const chosenRuns = () => (state.runs ? state.runs.split(",") : boxes.map((b) => b.value));

export function update(changed) {
  if (info.runs.length === 0) return;
  const chosen = chosenRuns();
  for (const b of boxes) b.checked = chosen.includes(b.value);
  base.value(chosen[0]);
  const address = path("report", { runs: state.runs });
  if (frame.getAttribute("src") !== address) frame.setAttribute("src", address);
  updateLost(changed);
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
  const plain = "#theme{display:none}[data-of][role=button],.studio-of{cursor:pointer}.studio-of{all:unset;cursor:pointer}" +
    ".studio-of:focus-visible,[data-of][role=button]:focus-visible{outline:2px solid var(--link,currentColor);outline-offset:2px}"; // the page has its own choice of colors
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
  openable(page);
}

// openable makes the marks and cells that are errors of a run open the images behind them. Of each chart and table one is reached by Tab, the
// others from there by the arrow keys.
function openable(page) {
  const of = new Map(), runs = chosenRuns();
  for (const mark of page.querySelectorAll("svg [data-of]")) {
    of.set(mark, mark.dataset.of);
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", mark.querySelector("title")?.textContent ?? mark.dataset.of);
    mark.ownerSVGElement.setAttribute("role", "group"); // an image has no buttons
  }
  for (const row of page.querySelectorAll("tbody tr[data-of]")) {
    const heads = row.closest("table").tHead.rows[0].cells;
    for (const cell of row.cells) {
      const column = heads[cell.cellIndex].dataset.of;
      if (!column || cell.classList.contains("miss")) continue;
      const button = h("button", { type: "button", class: "studio-of", title: "The images behind it" });
      button.append(...cell.childNodes);
      cell.append(button);
      of.set(button, `${row.dataset.of}/${column}`);
    }
  }
  const group = (e) => e.closest("svg,table");
  const firsts = new Map();
  for (const e of of.keys()) {
    e.setAttribute("tabindex", firsts.has(group(e)) ? "-1" : "0");
    if (!firsts.has(group(e))) firsts.set(group(e), e);
  }
  const found = (e) => e.target.closest?.("[data-of][role=button],.studio-of");
  const act = (e) => openLost(of.get(found(e)), runs);
  page.addEventListener("click", (e) => { if (found(e)) act(e); });
  page.addEventListener("keydown", (e) => {
    const here = found(e);
    if (!here) return;
    if ((e.key === "Enter" || e.key === " ") && here.localName !== "button") { e.preventDefault(); act(e); }
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!by) return;
    const all = [...of.keys()].filter((x) => group(x) === group(here)), next = all[(all.indexOf(here) + by + all.length) % all.length];
    e.preventDefault();
    here.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

// theme follows the page's colors: the report reads them when it opens.
export function theme() { frame?.contentWindow?.location.reload(); }
