// The button that saves the screen as one file, which the server makes.
import { $, ask, h, onChange, path, problem, say, state } from "./lib.js";

export function saving() {
  const button = h("button", { type: "button", id: "save", title: "Save this screen as one HTML file, which needs no server", onclick: save }, "Save");
  $("theme").before(button);
  onChange(() => { button.hidden = state.screen === "break"; });
}

async function save() {
  say("Saving…");
  try {
    const file = await (await ask(path("export", state))).blob();
    const link = h("a", { href: URL.createObjectURL(file), download: `augmix-${state.screen}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    say("Saved");
    problem("");
  } catch (e) { problem(e.message); say(""); }
}
