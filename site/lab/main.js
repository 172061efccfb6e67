// The page: its settings, its runs and its charts.
import { Engine } from "./engine.js";
import { LESSONS } from "./lessons.js";
import { Seen, overview, summary } from "./results.js";
import { Panels } from "./panels.js";
import { Settings, element } from "./controls.js";
import { LIMITS, command, fromAddress, toAddress, toToml } from "./scenario.js";
import { copy, offer, said, sharing } from "./sharing.js";
import { inWords, question, task, verdict } from "./teaching.js";

const at = (id) => document.getElementById(id);
const page = document.documentElement;
const STEPS = 600;
const PATIENCE = 60000; // milliseconds that a text of a reader's own may run

class Page {
  constructor(engine, registry) {
    this.engine = engine;
    this.registry = registry;
    this.settings = new Settings(at("settings"), registry, () => this.changed());
    this.panels = new Panels(at("charts"), registry);
    this.lesson = null;
    this.guesses = new Map(); // by step: the number of the guess, or null where nobody guessed
    this.#buttons();
    this.#lessons();
    this.#read();
    addEventListener("hashchange", () => { if (location.hash.slice(1) !== this.address) this.#read(); });
  }

  /** Takes the state from the address. */
  #read() {
    // A saved page begins with its settings.
    const words = new URLSearchParams(location.hash.slice(1) || page.dataset.address || "");
    const told = [];
    const tell = (text) => told.push(text);
    const [id, step] = (words.get("lesson") ?? "").split(".");
    const lesson = LESSONS.find((one) => one.id === id);
    if (lesson && !words.has("queue")) {
      const number = Math.min(Math.max(Number(step) || 1, 1), lesson.steps.length);
      if (step !== undefined && String(number) !== step) tell(`The lesson "${lesson.title}" has no step ${step}: this is step ${number}.`);
      this.#told(told);
      this.#step(lesson, number - 1);
      return;
    }
    if (id) tell(`There is no lesson "${id}".`);
    this.lesson = null;
    this.state = fromAddress(words, tell);
    const known = this.settings.queue;
    for (const { kind } of this.state.queues.filter((queue) => !known[queue.kind])) {
      const near = nearest(kind, Object.keys(known));
      tell(`There is no queue "${kind}": it is left out.${near ? ` Did you mean "${near}"?` : ""}`);
    }
    this.state.queues = this.state.queues.filter((queue) => known[queue.kind]);
    if (!this.state.queues.length) this.state.queues = fromAddress("").queues;
    this.#told(told);
    this.#shown();
  }

  /** Reports the parts of a link that were refused. */
  #told(told) {
    at("told").hidden = !told.length;
    at("told").replaceChildren(...(told.length ? [element("b", {}, "Parts of this link could not be used. "), element("ul", {}, ...told.map((text) => element("li", {}, text)))] : []));
  }

  /** Shows a step of a lesson, and runs it. */
  #step(lesson, number) {
    this.lesson = { lesson, number };
    this.state = structuredClone(lesson.steps[number].state);
    this.#shown();
  }

  #shown() {
    this.summaries = null; // those of the earlier settings
    this.#keep();
    this.#lesson();
    this.settings.show(this.state);
    if (this.#asks()) this.#wait(); else this.run();
  }

  /** The name of the lesson's step, by which its guess is kept. */
  get key() { return `${this.lesson.lesson.id}.${this.lesson.number}`; }

  /** Whether the lesson's step waits for a guess. */
  #asks() {
    const { lesson } = this;
    return Boolean(lesson && !lesson.left && lesson.lesson.steps[lesson.number].guess && !this.guesses.has(this.key));
  }

  /** Shows the step without running it: first comes the guess. */
  #wait() {
    clearTimeout(this.soon);
    this.engine.stop();
    this.seen = null;
    page.dataset.run = "waiting";
    at("problem").hidden = true;
    at("numbers").hidden = true;
    at("again").hidden = true;
    at("go").textContent = "Run";
    at("progress").value = 0;
    at("time").textContent = "0 s";
    this.panels.clear();
    this.panels.prepare(this.state);
    this.#lesson();
  }

  /** Something was set: it runs as soon as the hand rests. */
  changed() {
    if (this.lesson) this.lesson.left = true;
    this.#told([]);
    this.#keep();
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.run(), 120);
  }

  /** Writes the state into the address. */
  #keep() {
    const { lesson } = this;
    this.address = lesson && !lesson.left ? `lesson=${lesson.lesson.id}.${lesson.number + 1}` : toAddress(this.state);
    history.replaceState(null, "", `#${this.address}`);
  }

  run() {
    const { state } = this;
    clearTimeout(this.soon); // it runs now
    page.dataset.run = "going";
    if (this.#asks()) this.guesses.set(this.key, null);
    at("again").hidden = false;
    this.seen = null;
    this.summaries = null;
    this.#problem("");
    this.#paused(false);
    this.#lesson();
    const runs = state.queues.map((queue) => ({ toml: toToml(state, queue), seed: state.seed }));
    at("numbers").hidden = true;
    this.panels.prepare(state);
    this.engine.watch(runs, state.seconds / STEPS, Number(at("speed").value), {
      samples: (samples, end) => this.#samples(samples, end),
      tables: (tables) => this.#tables(tables),
      error: (error) => this.#problem(error.message, error),
    });
  }

  #samples(samples, end) {
    this.seen ??= this.state.queues.map(() => new Seen(end, this.state.rate));
    for (const { time, runs } of samples) runs.forEach((run, number) => this.seen[number].add(time, run));
    const now = samples.at(-1).time;
    at("progress").value = now / end;
    at("time").textContent = `${now.toFixed(1)} s of ${Number(end.toFixed(1))} s`;
    if (!this.drawing) {
      this.drawing = requestAnimationFrame(() => { this.drawing = 0; if (this.seen) this.panels.draw(this.seen); });
    }
  }

  #tables(tables) {
    const from = Math.min(5, this.state.seconds / 4);
    this.summaries = tables.map((one, number) => summary(one, this.seen[number], from));
    this.panels.draw(this.seen);
    this.#numbers();
    this.#lesson();
    at("go").textContent = "Run again";
    at("again").hidden = true; // it would do the same
    page.dataset.run = "over";
    at("status").textContent = "The run is over. Numbers are below the charts.";
  }

  #problem(message, error = {}) {
    at("problem").hidden = !message;
    at("problem").replaceChildren(...(message ? [element("b", {}, error.fault ? "A fault. " : "This cannot be run. "), element("pre", {}, message)] : []));
    if (message) { page.dataset.run = "refused"; this.panels.clear(); }
  }

  #paused(paused) {
    this.isPaused = paused;
    at("go").textContent = paused ? "Go on" : "Pause";
    this.engine.pace(Number(at("speed").value), paused);
  }

  #buttons() {
    at("go").onclick = () => (page.dataset.run === "going" ? this.#paused(!this.isPaused) : this.run());
    at("again").onclick = () => this.run();
    at("speed").onchange = () => this.engine.pace(Number(at("speed").value), this.isPaused);
    sharing(() => this.address);
    at("print").onclick = () => print();
    at("open").onclick = () => this.#open();
    at("try").onclick = () => this.#try();
    at("done").onclick = () => at("dialog").close();
    at("adjust").onclick = () => this.#adjust(page.dataset.settings !== "open");
    at("copy").onclick = async (event) => { await copy(at("toml").value); said(event.target, "Copied"); };
    at("copy-command").onclick = async (event) => { await copy(at("command").textContent); said(event.target, "Copied"); };
    at("save").onclick = () => offer(at("toml").value, "lab.toml", "application/toml");
    addEventListener("resize", () => this.panels.redraw());
    // Paper is white, and as wide as it is.
    let before = null;
    addEventListener("beforeprint", () => {
      before = page.dataset.theme;
      page.dataset.theme = "light";
      page.dataset.paper = "yes";
      at("printed").textContent = inWords(this.state, this.state.queues.map((queue) => this.panels.name(queue)));
      this.panels.redraw();
    });
    addEventListener("afterprint", () => {
      page.dataset.theme = before ?? page.dataset.theme;
      delete page.dataset.paper;
      this.panels.redraw();
    });
  }

  /** On a phone the settings lie over the lower half of the screen, so that the charts above can be watched. */
  #adjust(open) {
    page.dataset.settings = open ? "open" : "";
    at("adjust").setAttribute("aria-expanded", String(open));
    at("adjust").textContent = open ? "Close settings" : "Settings";
    // The charts begin below the bar.
    if (open) at("charts").scrollIntoView();
  }

  #open() {
    at("toml").value = toToml(this.state);
    at("command").textContent = command(this.state, this.settings.queue);
    at("tried").replaceChildren();
    at("dialog").showModal();
    // The text is read from its beginning.
    at("toml").setSelectionRange(0, 0);
    at("toml").scrollTop = 0;
  }

  /** Runs the text of the dialog once, and shows its numbers or the core's own message. */
  async #try() {
    const place = at("tried");
    place.replaceChildren(element("p", {}, "Running …"));
    this.engine.pace(Number(at("speed").value), true);
    const answer = await this.engine.whole(at("toml").value, this.state.seed, [], PATIENCE);
    this.engine.pace(Number(at("speed").value), this.isPaused);
    if (answer.error) {
      place.replaceChildren(element("b", {}, "This cannot be run."), element("pre", {}, answer.error.message));
      return;
    }
    const shown = overview(JSON.parse(answer.tables));
    const line = (tag, [first, ...rest]) => element("tr", {}, element("th", { scope: tag === "th" ? "col" : "row" }, first),
      ...rest.map((text) => element(tag, tag === "th" ? { scope: "col" } : { class: "number" }, text)));
    place.replaceChildren(...Object.values(shown).map(({ head, rows }) => element("table", {},
      element("thead", {}, line("th", head)), element("tbody", {}, ...rows.map((row) => line("td", row))))),
      element("p", { class: "note" }, `One run with seed ${this.state.seed}, after its warm-up.`));
  }

  #lessons() {
    at("lessons").replaceChildren(...LESSONS.map((lesson, number) => element("li", {},
      element("button", { type: "button", id: `lesson-${lesson.id}`, "aria-label": `${number + 1}. ${lesson.title}`, onclick: () => { this.#step(lesson, 0); at("lesson").focus(); } },
        `${number + 1}.`, element("span", {}, ` ${lesson.title}`)))));
  }

  /** The step of the lesson, with the findings of the run. */
  #lesson() {
    const place = at("lesson");
    place.hidden = !this.lesson;
    for (const lesson of LESSONS) at(`lesson-${lesson.id}`).removeAttribute("aria-current");
    at("lessons").dataset.current = this.lesson?.lesson.id ?? "";
    if (!this.lesson) return;
    const { lesson, number, left } = this.lesson;
    at(`lesson-${lesson.id}`).setAttribute("aria-current", "true");
    const step = lesson.steps[number];
    const text = element("p");
    text.innerHTML = step.text; // words of this file, none of a reader's
    const findings = this.summaries && !left ? step.see(this.summaries) : [];
    const asks = this.#asks();
    const go = (by) => { this.#step(lesson, number + by); at("lesson").focus(); };
    const key = `${lesson.id}.${number}.${findings.length}.${left}.${asks}.${Boolean(this.summaries)}`;
    if (place.dataset.key === key && !this.summaries) return;
    place.dataset.key = key;
    const focus = document.activeElement?.id;
    place.tabIndex = -1;
    place.replaceChildren(
      element("p", { class: "where" }, `${lesson.title}: step ${number + 1} of ${lesson.steps.length}`), element("h2", {}, step.title),
      number === 0 ? element("p", { class: "about" }, lesson.about) : null ?? "", text,
      asks ? question(step.guess, (guessed) => { this.guesses.set(this.key, guessed); this.run(); at("lesson").focus(); }) : "",
      findings.length && step.guess ? verdict(step.guess, this.guesses.get(this.key), this.summaries) ?? "" : "",
      element("ul", { class: "findings" }, ...findings.map((one) => element("li", { "data-holds": String(one.holds) }, one.text))),
      step.goal && !asks ? task(step.goal, this.summaries, this.state) : "",
      left ? element("p", { class: "note" }, "You have changed a setting: the statements of the lesson may no longer hold. ",
        element("button", { type: "button", onclick: () => go(0) }, "Back to the step")) : "",
      element("div", { class: "buttons" },
        element("button", { type: "button", id: "back", disabled: number === 0, onclick: () => go(-1) }, "Back"),
        number + 1 < lesson.steps.length
          ? element("button", { type: "button", id: "next", class: "main", onclick: () => go(1) }, "Next")
          : element("button", { type: "button", id: "finish", class: "main", onclick: () => this.#leave() }, "Finish and go on experimenting"),
        element("button", { type: "button", id: "leave", onclick: () => this.#leave() }, "Leave the lesson")));
    if (focus && at(focus)) at(focus).focus();
  }

  #leave() {
    this.lesson = null;
    this.#keep();
    this.#lesson();
    at("go").focus();
  }

  #numbers() {
    const { state, summaries } = this;
    const round = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "–");
    const groups = Object.keys(summaries[0].groups);
    const rows = [
      ["Link busy", "%", (one) => round(one.utilisation, 1)],
      ["Queue, mean", "packets", (one) => round(one.backlog, 1)],
      ["Wait, mean", "ms", (one) => round(one.wait, 1)],
      ["Wait, 99 of 100 below", "ms", (one) => round(one.wait99, 1)],
      ["Dropped", "%", (one) => round(one.loss, 2)],
      ["Marked", "%", (one) => round(one.marked, 2)],
      ["Sent again", "packets", (one) => String(one.retransmits)],
      ["Timeouts", "", (one) => String(one.timeouts)],
      ...groups.flatMap((name) => [
        [`${name}: throughput`, "Mbit/s", (one) => round(one.groups[name].throughput, 2)],
        [`${name}: delay`, "ms", (one) => round(one.groups[name].delay, 1)],
        ...(summaries[0].groups[name].flows > 1 ? [[`${name}: fairness (Jain)`, "", (one) => round(one.groups[name].jain, 3)]] : []),
      ]),
    ];
    const head = element("tr", {}, element("th", { scope: "col" }, "Measured"), element("th", { scope: "col" }, "Unit"),
      ...state.queues.map((queue, number) => element("th", { scope: "col", class: `q${number}` }, this.panels.name(queue, number))));
    const body = rows.map(([name, unit, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, unit),
      ...summaries.map((one) => element("td", { class: "number" }, value(one)))));
    at("numbers").hidden = false;
    at("numbers-note").textContent = `The numbers leave out the first ${Math.min(5, state.seconds / 4)} s. They are of one run with seed ${state.seed}; another seed gives other numbers.`;
    document.querySelector("#numbers .scroll").replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
  }
}

/** The name that is nearest, if it is near: by how many letters must change. */
function nearest(name, names) {
  const distance = (one, other) => {
    let row = Array.from({ length: other.length + 1 }, (_, place) => place);
    for (let i = 1; i <= one.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= other.length; j += 1) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
      row = next;
    }
    return row[other.length];
  };
  const [best] = names.map((one) => [distance(name.toLowerCase(), one), one]).sort(([one], [other]) => one - other);
  return best && best[0] <= Math.max(1, Math.ceil(name.length / 3)) ? best[1] : null;
}

function theme() {
  const button = at("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("sojourn-theme"); } catch { /* a page without storage */ }
  const put = () => {
    page.dataset.theme = chosen ?? (system.matches ? "dark" : "light");
    button.textContent = page.dataset.theme === "dark" ? "Light" : "Dark"; // the other one
    window.lab?.panels.redraw();
  };
  button.onclick = () => {
    chosen = page.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("sojourn-theme", chosen); } catch { /* not kept */ }
    put();
  };
  system.addEventListener("change", put);
  put();
}

async function begin() {
  theme();
  try {
    const engine = await Engine.begin();
    window.engine = engine; // for tests, and for the curious
    window.lab = new Page(engine, await engine.ask({ do: "registry" }));
    window.limits = LIMITS;
    page.dataset.ready = "yes";
  } catch (error) {
    at("problem").hidden = false;
    at("problem").textContent = `This browser cannot run the laboratory: ${error.message}`;
    page.dataset.ready = "failed";
  }
}

begin();
