// What is wrong with the page as it is: a list of sentences.
(() => {
  const wrong = [];
  const seen = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  const open = document.querySelector("dialog[open]");
  const within = open ?? document.body;
  const name = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.getAttribute("alt") ||
    (e.labels && [...e.labels].map((l) => l.textContent.trim()).join(" ")) || "";
  for (const e of within.querySelectorAll("button,input,select,summary,iframe,[role=tab],a[href]")) {
    if (seen(e) && !name(e)) wrong.push(`no name: ${e.outerHTML.slice(0, 120)}`);
  }
  for (const e of within.querySelectorAll("img")) if (!e.hasAttribute("alt")) wrong.push("an image without alt");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1) wrong.push(`the id ${id} comes twice`);
  if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`${document.documentElement.scrollWidth} pixels wide`);
  for (const e of within.querySelectorAll("button,input,select,label,h1,h2")) {
    const box = e.getBoundingClientRect();
    if (seen(e) && box.right > innerWidth + 1 && !e.closest(".drawing,iframe")) wrong.push(`beyond the right edge: ${e.outerHTML.slice(0, 100)}`);
  }
  for (const e of within.querySelectorAll("button,label,h1,h2,figcaption,.caption,output,th,td,summary")) {
    if (seen(e) && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1) wrong.push(`clipped: ${e.textContent.trim().slice(0, 60)}`);
  }

  const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = (c) => {
    const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (let p = e; p; p = p.parentElement) {
      const c = parse(getComputedStyle(p).backgroundColor);
      if (c[3] > 0.5) return c;
    }
    return [255, 255, 255, 1];
  };
  const words = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let n = words.nextNode(); n; n = words.nextNode()) {
    const e = n.parentElement;
    if (!n.textContent.trim() || !seen(e) || e.closest("option,noscript,.skip,#said,[aria-hidden=true]") || getComputedStyle(e).opacity === "0") continue;
    const a = light(parse(getComputedStyle(e).color).slice(0, 3)), b = light(behind(e).slice(0, 3));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${n.textContent.trim().slice(0, 40)}`);
  }
  return [...new Set(wrong)];
})()
