// Sharing of the settings: a link to a laboratory that others can open, or the page as a file.
import { element } from "./controls.js";

const at = (id) => document.getElementById(id);
const KEPT = "sojourn-address";

/** The page as it was before anything was put into it. */
const SOURCE = `<!doctype html>\n${document.documentElement.outerHTML}\n`;

/** Whether only this machine can open an address. */
const here = (url) => url.protocol === "file:" || ["localhost", "127.0.0.1", "[::1]", ""].includes(url.hostname);

/** An address of the laboratory without settings; null if it is none. */
export function base(text) {
  try {
    const url = new URL(/^\w+:/.test(text) ? text : `https://${text}`);
    url.hash = "";
    return ["http:", "https:", "file:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The page as a file that begins with these settings. */
export const saved = (address) => SOURCE.replace(/<html\b/, () => `<html data-address="${address.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`);

export function offer(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Some browsers allow the clipboard on served pages only.
    const area = element("textarea", { "aria-hidden": "true" });
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function said(button, word) {
  const before = button.dataset.word ?? button.textContent;
  button.dataset.word = before;
  button.textContent = word;
  setTimeout(() => { button.textContent = before; }, 1500);
}

/** The dialog; `address` has the present settings. */
export function sharing(address) {
  const mine = new URL(location.href);
  mine.hash = "";
  let given = "";
  try { given = localStorage.getItem(KEPT) ?? ""; } catch { /* a page without storage */ }
  const show = () => {
    const typed = at("base").value.trim();
    const found = typed ? base(typed) : mine.href;
    at("shared-link").textContent = found ? `${found}#${address()}` : "This is no address of a page.";
    at("copy-link").disabled = !found;
    at("only-here").hidden = !found || !here(new URL(found));
    try { if (found) localStorage.setItem(KEPT, typed); } catch { /* not kept */ }
  };
  at("share").onclick = () => {
    at("base").value = given;
    show();
    at("share-dialog").showModal();
  };
  at("base").oninput = () => { given = at("base").value; show(); };
  at("copy-link").onclick = async (event) => { await copy(at("shared-link").textContent); said(event.target, "Copied"); };
  at("save-page").onclick = () => offer(saved(address()), "sojourn-laboratory.html", "text/html");
  at("share-done").onclick = () => at("share-dialog").close();
}
