"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("js");

  // Colors: as the system has them, light, dark.
  var button = document.getElementById("theme");
  var modes = ["auto", "light", "dark"], at = 0;
  try { at = Math.max(0, modes.indexOf(localStorage.getItem("augmix-theme"))); } catch (e) { at = 0; }
  function show() {
    var mode = modes[at];
    if (mode === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", mode);
    button.textContent = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" }[mode];
    button.setAttribute("aria-label", "Colors: " + (mode === "auto" ? "as the system has them" : mode));
  }
  button.hidden = false;
  button.addEventListener("click", function () {
    at = (at + 1) % modes.length;
    try { localStorage.setItem("augmix-theme", modes[at]); } catch (e) { /* not kept */ }
    show();
  });
  show();

  // Sorting. A number sorts by all its digits; what is missing stays last either way; equal rows keep their order.
  function compare(a, b, numeric) {
    if (a === b) return 0;
    if (a === "") return 2;
    if (b === "") return -2;
    if (numeric) return a - b < 0 ? -1 : 1;
    return a.localeCompare(b, "en", { numeric: true, sensitivity: "base" });
  }
  function sort(table, column, th) {
    var up = th.getAttribute("aria-sort") !== "ascending";
    var numeric = th.dataset.sort === "number";
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (x, y) {
      var c = compare(x.cells[column].dataset.v, y.cells[column].dataset.v, numeric);
      if (c === 2 || c === -2) return c;
      return (up ? c : -c) || x.dataset.row - y.dataset.row;
    });
    rows.forEach(function (r) { body.appendChild(r); });
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (h) { h.removeAttribute("aria-sort"); });
    th.setAttribute("aria-sort", up ? "ascending" : "descending");
    rule(table);
  }
  // A line between measured and published rows.
  function rule(table) {
    var last = null;
    Array.prototype.forEach.call(table.tBodies[0].rows, function (r) {
      var kind = r.classList.contains("meas");
      r.classList.toggle("sep", last !== null && last !== kind);
      last = kind;
    });
  }
  document.querySelectorAll("table").forEach(function (table) {
    rule(table);
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, i) {
      var b = document.createElement("button");
      b.type = "button";
      while (th.firstChild) b.appendChild(th.firstChild);
      th.appendChild(b);
      th.addEventListener("click", function () { sort(table, i, th); });
    });
  });

  // Copying.
  var said = document.getElementById("said"), timer = 0;
  function say(text) {
    said.textContent = text;
    said.classList.add("on");
    clearTimeout(timer);
    timer = setTimeout(function () { said.classList.remove("on"); }, 1600);
  }
  function old(text) {
    var area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.appendChild(area);
    area.select();
    var ok = false;
    try { ok = document.execCommand("copy"); } catch (e) { ok = false; }
    area.remove();
    return ok;
  }
  document.querySelectorAll(".copy").forEach(function (span) {
    span.hidden = false;
    span.addEventListener("click", function (e) {
      var as = e.target.dataset.as;
      if (!as) return;
      var text = span.closest(".table").dataset[as], name = e.target.textContent;
      function done(ok) { say(ok ? "Copied as " + name : "The browser did not allow copying"); }
      if (navigator.clipboard && window.isSecureContext) {
        navigator.clipboard.writeText(text).then(function () { done(true); }, function () { done(old(text)); });
      } else {
        done(old(text));
      }
    });
  });

  // On paper everything is open.
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = Array.prototype.filter.call(document.querySelectorAll("details"), function (d) { return !d.open; });
    closed.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { closed.forEach(function (d) { d.open = false; }); });
})();
