// The settings: sliders and lists, made from the state of the page and the registry of the core.
import { FLOW, LIMITS, hasRate } from "./scenario.js";

/** An element with attributes, listeners (`onclick`) and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A text of the registry, with its names between backticks. */
const coded = (text) => text.split("`").map((part, place) => (place % 2 ? element("code", {}, part) : part));

let numbered = 0;
const unit = (value, name) => `${Number(Number(value).toPrecision(3))} ${name}`.trim();

/** A slider with its name and value. A `log` slider moves by factors. */
export function slider({ label, value, limits: [least, most], log, whole, show, change, hint }) {
  const id = `s${++numbered}`;
  const put = (number) => (log ? Math.log(number) : number);
  const take = (place) => {
    const number = log ? Math.exp(place) : Number(place);
    return whole ? Math.round(number) : Number(number.toPrecision(log ? 2 : 4));
  };
  const output = element("output", { for: id }, show(value));
  const step = log ? (Math.log(most) - Math.log(least)) / 200 : whole ? 1 : (most - least) / 200;
  const input = element("input", {
    id, type: "range", min: put(least), max: put(most), step: whole && !log ? 1 : step, value: put(value), "aria-valuetext": show(value), title: hint,
    oninput: () => {
      const number = Math.min(Math.max(take(input.value), least), most);
      output.textContent = show(number);
      input.setAttribute("aria-valuetext", show(number));
      change(number);
    },
  });
  return element("div", { class: "slider" }, element("label", { for: id }, label), output, input);
}

function choice({ label, value, groups, change, unseen }) {
  const id = `s${++numbered}`;
  const options = (entries) => entries.map(([name, title]) => element("option", { value: name, selected: name === value }, title));
  const known = groups.some(([, entries]) => entries.some(([name]) => name === value));
  const select = element("select", { id, onchange: () => change(select.value) },
    ...(known ? [] : options([[value, value]])),
    ...groups.flatMap(([title, entries]) => (title ? [element("optgroup", { label: title }, ...options(entries))] : options(entries))));
  return element("div", { class: "choice" }, element("label", { for: id, class: unseen ? "unseen" : undefined }, label), select);
}

const tick = (label, value, change) => {
  const input = element("input", { type: "checkbox", checked: value, onchange: () => change(input.checked) });
  return element("label", { class: "tick" }, input, ` ${label}`);
};

/** Queues that people look for first. */
const FIRST = ["fifo", "red", "ared", "pi", "pie", "codel", "fq_codel", "cake", "blue", "sfq", "drr"];
/** Sources that a page cannot run, because they need a file, for example. */
const NOT_HERE = ["trace"];
const NO_SENDER = ["none"];

export class Settings {
  /** `changed` is called after each change; the state is changed in place. */
  constructor(place, registry, changed) {
    this.place = place;
    this.registry = registry;
    this.changed = changed;
    this.queue = Object.fromEntries(registry.queues.map((entry) => [entry.name, entry]));
  }

  /** Builds all controls again. */
  show(state) {
    this.state = state;
    const at = document.activeElement && this.place.contains(document.activeElement) ? document.activeElement.dataset.keep : null;
    this.place.replaceChildren(this.#link(), this.#senders(), this.#queues());
    if (at) this.place.querySelector(`[data-keep="${at}"]`)?.focus();
  }

  #set(change, anew = false) {
    change();
    if (anew) this.show(this.state);
    this.changed();
  }

  #link() {
    const { state } = this;
    const knob = (key, label, show, more = {}) =>
      slider({ label, value: state[key], limits: LIMITS[key], show, change: (value) => this.#set(() => { state[key] = value; }), ...more });
    return element("fieldset", { id: "link" }, element("legend", {}, "Link"),
      knob("rate", "Rate", (value) => unit(value, "Mbit/s"), { log: true }),
      knob("rtt", "Round trip", (value) => unit(value, "ms"), { log: true, hint: "without queues" }),
      knob("spread", "Differences of round trips", (value) => unit(value, "ms")),
      knob("loss", "Packets corrupted", (value) => unit(value, "%")),
      knob("seconds", "Simulated time", (value) => unit(value, "s"), { whole: true }),
      knob("seed", "Seed", (value) => String(value), { whole: true, hint: "each seed gives other random numbers; all queues get the same ones" }));
  }

  #senders() {
    const { flows } = this.state;
    const add = element("button", { type: "button", "data-keep": "add-flow", disabled: flows.length >= LIMITS.flows[1],
      onclick: () => this.#set(() => flows.push({ ...FLOW, name: this.#name("more") }), true) }, "Add senders");
    return element("fieldset", { id: "senders" }, element("legend", {}, "Senders"), ...flows.map((flow, number) => this.#group(flow, number)), add);
  }

  #name(stem) {
    const taken = this.state.flows.map((flow) => flow.name);
    return [stem, ...[2, 3, 4, 5].map((number) => `${stem}${number}`)].find((name) => !taken.includes(name));
  }

  #group(flow, number) {
    const { flows } = this.state;
    const remove = element("button", { type: "button", class: "remove", "aria-label": `Remove ${flow.name}`, disabled: flows.length < 2,
      onclick: () => this.#set(() => flows.splice(number, 1), true) }, "×");
    const controls = this.registry.controls.filter((one) => !NO_SENDER.includes(one.name));
    const ways = [["TCP", controls.map((one) => [`tcp/${one.name}`, one.title])],
      ["Others", this.registry.transports.filter((one) => one.name !== "tcp").map((one) => [one.name, one.title])]];
    const sources = [["", this.registry.apps.filter((one) => !NOT_HERE.includes(one.name)).map((one) => [one.name, one.title])]];
    return element("div", { class: "card", role: "group", "aria-label": flow.name }, element("h3", {}, flow.name, remove),
      choice({ label: "Sends", value: flow.what, groups: sources, change: (value) => this.#set(() => { flow.what = value; }, true) }),
      choice({ label: "With", value: flow.how, groups: ways, change: (value) => this.#set(() => { flow.how = value; }, true) }),
      slider({ label: "Number", value: flow.count, limits: LIMITS.count, log: true, whole: true, show: String,
        change: (value) => this.#set(() => { flow.count = value; }) }),
      hasRate(flow) ? slider({ label: "Rate of each", value: flow.rate, limits: [0.01, 100], log: true, show: (value) => unit(value, "Mbit/s"),
        change: (value) => this.#set(() => { flow.rate = value; }) }) : null,
      slider({ label: "Begins at", value: flow.at, limits: [0, Math.max(this.state.seconds - 1, 1)], show: (value) => unit(value, "s"),
        change: (value) => this.#set(() => { flow.at = value; }) }),
      slider({ label: "Further away", value: flow.far, limits: LIMITS.far, show: (value) => unit(value, "ms"), hint: "added to the round trip of these senders",
        change: (value) => this.#set(() => { flow.far = value; }) }),
      flow.how.startsWith("tcp") ? tick("uses ECN", flow.ecn, (value) => this.#set(() => { flow.ecn = value; })) : null);
  }

  #queues() {
    const { queues } = this.state;
    const add = element("button", { type: "button", "data-keep": "add-queue", disabled: queues.length >= LIMITS.queues[1],
      onclick: () => this.#set(() => queues.push({ kind: "red", set: {} }), true) }, "Add a queue");
    return element("fieldset", { id: "queues" }, element("legend", {}, "Queues, side by side"), ...queues.map((queue, number) => this.#queue(queue, number)), add);
  }

  #queue(queue, number) {
    const { queues } = this.state;
    const remove = element("button", { type: "button", class: "remove", "aria-label": `Remove queue ${number + 1}`, disabled: queues.length < 2,
      onclick: () => this.#set(() => queues.splice(number, 1), true) }, "×");
    const title = (name) => [name, this.queue[name].title];
    const groups = [["Often used", FIRST.filter((name) => this.queue[name]).map(title)],
      ["All others", this.registry.queues.map((one) => one.name).filter((name) => !FIRST.includes(name)).map(title)]];
    const entry = this.queue[queue.kind];
    return element("div", { class: `card queue q${number}`, role: "group", "aria-label": `Queue ${number + 1}` },
      element("h3", {}, element("span", { class: "dot" }), `Queue ${number + 1}`, remove),
      choice({ label: "Kind", unseen: true, value: queue.kind, groups, change: (value) => this.#set(() => { queue.kind = value; queue.set = {}; }, true) }),
      entry ? element("p", { class: "note" }, ...coded(entry.doc)) : null,
      entry ? this.#parameters(queue, entry, number) : null);
  }

  #parameters(queue, entry, number) {
    const open = this.opened?.has(number) ?? false;
    const details = element("details", { open, ontoggle: () => {
      this.opened ??= new Set();
      if (details.open) this.opened.add(number); else this.opened.delete(number);
    } }, element("summary", {}, `Parameters (${Object.keys(queue.set).length} set)`), ...entry.params.map((param) => this.#parameter(queue, param)));
    return details;
  }

  #parameter(queue, param) {
    const now = queue.set[param.name];
    const put = (value, anew = false) => this.#set(() => {
      if (value === "" || value === param.default) delete queue.set[param.name]; else queue.set[param.name] = value;
    }, anew);
    if (param.type === "choice") {
      const entries = [["", param.choices.map((name) => [name, name])]];
      return choice({ label: param.name, value: now ?? param.default, groups: entries, change: (value) => put(value) });
    }
    if (param.type === "flag" || param.type === "bool") {
      return tick(param.name, (now ?? param.default) === "true", (value) => put(String(value)));
    }
    const id = `s${++numbered}`;
    const input = element("input", { id, type: "text", value: now ?? "", placeholder: param.default, title: `${param.doc} Allowed: ${param.allowed}.`,
      spellcheck: "false", autocomplete: "off", onchange: () => put(input.value.trim().replaceAll(",", "")) });
    const parts = [element("label", { for: id, title: param.doc }, param.name), input];
    const moved = sliderOf(param, now ?? param.default, (value) => { input.value = value; put(value); });
    return element("div", { class: "parameter" }, ...parts, moved);
  }
}

/** A slider for a parameter whose value has a number and a unit: a tenth to ten times of it. */
function sliderOf(param, now, change) {
  const parts = /^([\d.]+(?:e-?\d+)?)([A-Za-z%]*)$/.exec(now);
  if (!parts || Number(parts[1]) <= 0) return null;
  const [number, name] = [Number(parts[1]), parts[2]];
  const whole = name === "p" || name === "B" || param.type === "integer";
  let [least, most] = [Math.max(number / 10, whole ? 1 : 0), number * 10];
  if (!name && param.max) most = Math.min(most, param.max);
  if (!(most > least)) return null;
  const input = element("input", { type: "range", min: Math.log(least), max: Math.log(most), step: (Math.log(most) - Math.log(least)) / 100,
    value: Math.log(number), "aria-label": param.name, oninput: () => {
      const value = Math.exp(Number(input.value));
      change(`${whole ? Math.round(value) : Number(value.toPrecision(3))}${name}`);
    } });
  return input;
}
