// The series of a run so far, and its numbers when it is over.

const BUCKETS = 60;
const WINDOWS = 6;

/** The series of one run; `add` takes a message of the worker. */
export class Seen {
  constructor(end, rate) {
    this.end = end;
    this.rate = rate;
    this.times = [];
    this.backlog = [];
    this.probes = {};
    this.groups = [];
    this.windows = [];
    this.bucket = end / BUCKETS;
    this.buckets = Array.from({ length: BUCKETS }, (_, place) => place * this.bucket);
    this.drops = new Array(BUCKETS).fill(0);
    this.marks = new Array(BUCKETS).fill(0);
    this.before = null;
  }

  add(time, sample) {
    const link = sample.links.find((one) => one.name === "forward") ?? sample.links[0];
    this.times.push(time);
    this.backlog.push(link.backlog_packets);
    for (const [name, value] of link.probes) (this.probes[name] ??= []).push(value ?? NaN);
    const past = this.before ?? { time: 0, link: { drops: 0, marks: 0 }, groups: [] };
    const place = Math.min(Math.floor(Math.max(time - 1e-9, 0) / this.bucket), BUCKETS - 1);
    this.drops[place] += link.drops - past.link.drops;
    this.marks[place] += link.marks - past.link.marks;
    sample.groups.forEach((group, number) => {
      const series = (this.groups[number] ??= { name: group.name, delay: [], throughput: [] });
      const old = past.groups[number] ?? { bytes: 0, packets: 0, delay_sum_s: 0 };
      const packets = group.packets - old.packets;
      series.delay.push(packets ? ((group.delay_sum_s - old.delay_sum_s) / packets) * 1000 : NaN);
      series.throughput.push(time > past.time ? ((group.bytes - old.bytes) * 8) / (time - past.time) / 1e6 : NaN);
    });
    sample.windows.slice(0, WINDOWS).forEach((window, flow) => {
      (this.windows[flow] ??= []).push(window ?? NaN);
    });
    this.before = { time, link, groups: sample.groups };
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The middle value; not a number where there is none. */
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

/** Each fall of a window: the share of it that is left. */
function cuts(values) {
  const found = [];
  for (let place = 1, peak = values[0]; place < values.length; place += 1) {
    if (values[place] >= values[place - 1]) {
      if (values[place - 1] < 0.95 * peak) found.push(values[place - 1] / peak);
      peak = values[place];
    }
  }
  return found;
}

/** The content of the charts from a time on, as numbers: `owners` are the groups of the flows. */
export function shape(seen, from, owners) {
  const first = seen.times.findIndex((time) => time >= from);
  const backlog = seen.backlog.slice(first);
  const drops = seen.drops.filter((_, place) => seen.buckets[place] >= from);
  const late = (values) => values.slice(first).filter(Number.isFinite);
  const windows = {};
  seen.windows.forEach((values, flow) => { (windows[owners[flow]] ??= []).push(late(values)); });
  return {
    lowest: Math.min(...backlog),
    highest: Math.max(...backlog),
    empty: (100 * backlog.filter((packets) => packets === 0).length) / backlog.length,
    /** Seconds in which more than so many packets wait. */
    above: (packets) => (backlog.filter((value) => value > packets).length * (seen.end - from)) / backlog.length,
    clump: Math.max(...drops),
    quiet: (100 * drops.filter((count) => count === 0).length) / drops.length,
    windows: Object.fromEntries(Object.entries(windows).map(([name, flows]) => [name, mean(flows.map((values) => mean(values)))])),
    kept: median(Object.values(windows).flat().flatMap(cuts)),
  };
}

const number = (value) => (typeof value === "string" ? Number(value) : value);

/** Numbers of a finished run, for people and for the checks of lessons. */
export function summary(tables, seen, from) {
  const place = Math.max(tables.queue.link.indexOf("forward"), 0);
  const queue = (column) => number(tables.queue[column][place]);
  const groups = tables.group.group.map((name, row) => ({ name, row })).filter(({ name }) => name !== "all");
  const sum = (column, flow) => tables.flow[column].reduce((total, value, row) => total + (flow(row) ? number(value) : 0), 0);
  return {
    utilisation: queue("utilisation") * 100,
    backlog: queue("backlog_mean_packets"),
    wait: queue("sojourn_mean_ms"),
    wait99: queue("sojourn_p99_ms"),
    loss: queue("loss_ratio") * 100,
    marked: queue("mark_ratio") * 100,
    drops: queue("drops_packets"),
    marks: queue("marks_packets"),
    timeouts: sum("timeouts", () => true),
    retransmits: sum("retransmits", () => true),
    seen: seen ? shape(seen, from, tables.flow.group) : null,
    reasons: Object.fromEntries(tables.reasons.reason.map((reason, row) => [reason, tables.reasons.packets[row]])),
    groups: Object.fromEntries(groups.map(({ name, row }) => [name, {
      flows: tables.group.flows[row],
      throughput: (number(tables.group.throughput_mean_bps[row]) * tables.group.flows[row]) / 1e6,
      delay: number(tables.group.delay_mean_ms[row]),
      jain: number(tables.group.jain_index[row]),
      lost: number(tables.group.loss_ratio[row]) * 100,
    }])),
  };
}

/** The results of a scenario of any shape: rows of a table for its links, and for its groups of flows. */
export function overview(tables) {
  const round = (value, digits) => (Number.isFinite(number(value)) ? number(value).toFixed(digits) : "–");
  const links = tables.queue.link.map((name, row) => {
    const of = (column, factor, digits) => round(number(tables.queue[column][row]) * factor, digits);
    return [name, of("utilisation", 100, 1), of("sojourn_mean_ms", 1, 2), of("sojourn_p99_ms", 1, 2), of("loss_ratio", 100, 2), of("mark_ratio", 100, 2)];
  });
  const groups = tables.group.group.map((name, row) => {
    const of = (column, factor, digits) => round(number(tables.group[column][row]) * factor, digits);
    return [name, of("goodput_mean_bps", 1e-6, 3), of("delay_mean_ms", 1, 2), of("loss_ratio", 100, 2)];
  }).filter(([name]) => name !== "all");
  return {
    links: { head: ["Link", "busy (%)", "wait, mean (ms)", "wait, 99 of 100 below (ms)", "dropped (%)", "marked (%)"], rows: links },
    groups: { head: ["Flows", "goodput of one (Mbit/s)", "delay, mean (ms)", "lost (%)"], rows: groups },
  };
}
