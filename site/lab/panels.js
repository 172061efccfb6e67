// The charts: a row for each quantity, a column for each queue, one scale in a row.
import { Chart, nice } from "./charts.js";
import { element } from "./controls.js";
import { coloursOf } from "./colours.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** Colours of queues are those of reports; senders have others, and dashes, for their lines may lie on each other. */
const colour = (queue) => css(`--c${queue}`);
const ofGroup = (group) => css(`--g${group % 5}`);
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];

const ROWS = [
  ["backlog", "Queue", "packets that wait"],
  ["delay", "Delay", "ms one way, of the packets that arrive"],
  ["windows", "Windows", "packets that each sender may have on the way"],
  ["losses", "Drops and marks", "packets in each sixtieth of the run"],
  ["throughput", "Throughput", "Mbit/s of each group of senders"],
];

/** A quantity in packets, such as "15p". */
const packets = (text) => (/^[\d.]+p$/.test(text ?? "") ? parseFloat(text) : null);

/** Settings of a queue that are a number of packets, and may be drawn as a line. */
const thresholds = (queue) =>
  ["min_th", "max_th", "target_packets"].map((key) => ({ value: packets(queue.set[key]), label: key })).filter((mark) => mark.value !== null);

export class Panels {
  constructor(place, registry) {
    this.place = place;
    this.titles = Object.fromEntries(registry.queues.map((entry) => [entry.name, entry.title]));
    this.defaults = Object.fromEntries(registry.queues.map((entry) =>
      [entry.name, Object.fromEntries(entry.params.map((param) => [param.name, param.default]))]));
  }

  /** The name of a queue, with the settings in which it differs from others of its kind. */
  name(queue) {
    const alike = this.state.queues.filter((other) => other.kind === queue.kind && other !== queue);
    const keys = [...new Set([queue, ...alike].flatMap((one) => Object.keys(one.set)))];
    const words = keys.filter((key) => alike.some((other) => other.set[key] !== queue.set[key])).map((key) => `${key} ${queue.set[key] ?? this.defaults[queue.kind]?.[key] ?? "default"}`);
    const title = (this.titles[queue.kind] ?? queue.kind).replace(/ \(.*/, "");
    return words.length ? `${title}, ${words.join(", ")}` : title;
  }

  prepare(state) {
    this.state = state;
    this.seen = null;
    this.colours();
    const shape = JSON.stringify([state.queues, state.flows.map((flow) => flow.name)]);
    if (shape === this.shape) return;
    this.shape = shape;
    this.charts = {};
    const wide = { style: `--columns: ${state.queues.length}` };
    const heads = element("div", { class: "heads", ...wide }, ...state.queues.map((queue, number) =>
      element("h2", { class: `q${number}` }, element("span", { class: "dot" }), this.name(queue))));
    this.rows = Object.fromEntries(ROWS.map(([key, title, unit]) => [key, element("div", { class: "row" },
      element("h3", {}, title, element("small", {}, ` ${unit}`), this.#legend(key)),
      element("div", { class: "cells", ...wide }, ...state.queues.map((queue, number) => this.#cell(key, title, queue, number))))]));
    this.place.replaceChildren(heads, ...Object.values(this.rows));
  }

  /** The queues' colours, by their names, in the theme of the page. */
  colours() {
    const page = document.documentElement;
    coloursOf(this.state.queues.map((queue) => queue.kind), page.dataset.theme).forEach((one, number) => page.style.setProperty(`--c${number}`, one));
  }

  #cell(key, title, queue, number) {
    const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": `${title} over time: ${this.name(queue)}` });
    const figure = element("figure", { class: `chart q${number}`, "data-row": key }, element("figcaption", {}, this.name(queue)), canvas);
    (this.charts[key] ??= []).push(new Chart(figure));
    return figure;
  }

  #legend(key) {
    const items = key === "losses" ? [["--drop", "drops"], ["--mark", "marks"]]
      : key === "backlog" ? [["--ink", "average, if the queue keeps one", "dashed"]]
        : this.state.flows.map((flow, number) => [`--g${number % 5}`, flow.name, key === "windows" ? "" : ["", "dashed", "dotted", "dotdash", "short"][number % 5]]);
    return element("span", { class: "legend" }, ...items.map(([name, word, dash]) =>
      element("span", {}, element("i", { class: dash || undefined, style: `--colour: var(${name})` }), word)));
  }

  clear() { this.shape = null; this.place.replaceChildren(); }

  redraw() {
    if (this.state) this.colours();
    if (this.seen) this.draw(this.seen);
  }

  draw(seen) {
    this.seen = seen;
    // All rows leave the same room for the names of thresholds, so that their times are aligned.
    const labels = [...new Set(this.state.queues.flatMap((queue) => thresholds(queue).map((mark) => mark.label)))];
    for (const [key] of ROWS) {
      const shown = seen.map((one, number) => this[`_${key}`](one, this.state.queues[number], number));
      // Where no sender has a window there is nothing to see.
      if (key === "windows") this.rows[key].hidden = shown.every((one) => one.series.length === 0);
      const top = nice(Math.max(...shown.map((one) => one.top), 1e-3));
      shown.forEach((one, number) => this.charts[key][number].draw({ ...one, top, labels, end: seen[0].end }));
    }
  }

  _backlog(seen, queue, number) {
    const series = [{ times: seen.times, values: seen.backlog, colour: colour(number), label: "queue" }];
    const average = seen.probes.avg ?? seen.probes.average;
    if (average) series.push({ times: seen.times, values: average, colour: css("--ink"), dash: [5, 3], label: "average" });
    const marks = thresholds(queue);
    return { series, marks, top: Math.max(most(series, this.#from(seen)), ...marks.map((mark) => mark.value)) };
  }

  /** From when on the axes are ruled: the start goes beyond all that follows. As long as there is nothing else, it rules. */
  #from(seen) {
    const from = Math.min(5, this.state.seconds / 4);
    return seen.times.at(-1) > from ? from : 0;
  }

  #groups(seen, key) {
    const series = seen.groups.map((group, number) => ({ times: seen.times, values: group[key], colour: ofGroup(number), dash: DASHES[number % 5], label: group.name }));
    return { series, top: most(series, this.#from(seen)) };
  }

  _delay(seen) { return this.#groups(seen, "delay"); }

  _throughput(seen) {
    const shown = this.#groups(seen, "throughput");
    // One sample may be a burst of an access link; the link's rate is the scale.
    return { series: shown.series.map((one) => ({ ...one, values: smooth(one.values) })), top: Math.min(shown.top, this.state.rate) };
  }

  _windows(seen) {
    const owner = this.state.flows.flatMap((flow, number) => new Array(flow.count).fill(number));
    const series = seen.windows.map((values, flow) => ({ times: seen.times, values, colour: ofGroup(owner[flow] ?? 0), wide: 1.2, label: `flow ${flow + 1}` }))
      .filter((one) => one.values.some(Number.isFinite));
    return { series, top: most(series, this.#from(seen)) };
  }

  _losses(seen) {
    const bars = seen.bucket;
    const series = [{ times: seen.buckets, values: seen.drops, colour: css("--drop"), bars, label: "drops" },
      { times: seen.buckets, values: seen.marks, below: seen.drops, colour: css("--mark"), bars, label: "marks" }];
    const from = this.#from(seen);
    return { series, top: Math.max(...seen.drops.map((drops, place) => (seen.buckets[place] >= from ? drops + seen.marks[place] : 0)), 5) };
  }
}

/** The greatest value from a time on. */
const most = (series, from = 0) =>
  series.reduce((top, one) => one.values.reduce((high, value, place) => (value > high && one.times[place] >= from ? value : high), top), 0);

/** Means over seven samples. */
function smooth(values) {
  return values.map((_, place) => {
    const near = values.slice(Math.max(place - 3, 0), place + 4).filter(Number.isFinite);
    return near.length ? near.reduce((sum, value) => sum + value, 0) / near.length : NaN;
  });
}
