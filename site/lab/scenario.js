// What is set in the page: its form, its words in the address, and the scenario file that it stands for.

/** A group of flows that are alike. `how` is a transport, or `tcp/` and a congestion control. */
export const FLOW = { name: "", what: "bulk", how: "tcp/cubic", count: 1, ecn: false, rate: 0.08, at: 0 };

export const START = {
  rate: 10, rtt: 40, spread: 10, loss: 0, seconds: 30, seed: 1,
  flows: [{ ...FLOW, name: "downloads", count: 4 }, { ...FLOW, name: "call", what: "cbr", how: "udp" }],
  queues: [{ kind: "fifo", set: { limit: "100p" } }, { kind: "codel", set: { limit: "100p" } }],
};

export const LIMITS = {
  rate: [0.5, 100], rtt: [4, 400], spread: [0, 50], loss: [0, 10], seconds: [5, 120], seed: [1, 999],
  count: [1, 100], flows: [1, 5], queues: [1, 4], at: [0, 60],
};

const COLUMNS = ["what", "how", "count", "ecn", "rate", "at"];
const within = (value, [least, most], otherwise) => {
  const number = Number(value);
  return Number.isFinite(number) ? Math.min(Math.max(number, least), most) : otherwise;
};
/** A name that needs no quotes anywhere. */
const word = (text) => String(text).replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 24);
const quoted = (text) => `"${String(text).replace(/["\\\n\r]/g, "")}"`;

/** The settings as words for the address: readable, and shorter than a scenario. */
export function toAddress(state) {
  const words = new URLSearchParams();
  for (const key of ["rate", "rtt", "spread", "loss", "seconds", "seed"]) words.set(key, state[key]);
  for (const queue of state.queues) {
    words.append("queue", [queue.kind, ...Object.entries(queue.set).map(([key, value]) => `${key}=${value}`)].join(","));
  }
  for (const flow of state.flows) {
    const different = COLUMNS.filter((key) => flow[key] !== FLOW[key]).map((key) => `${key}=${flow[key]}`);
    words.append("flow", [word(flow.name), ...different].join(","));
  }
  return words.toString().replaceAll("%2C", ",").replaceAll("%3D", "=").replaceAll("%2F", "/");
}

/** The settings of an address. What it does not say, or says wrongly, is as at the start. */
export function fromAddress(text) {
  const words = new URLSearchParams(text);
  const state = structuredClone(START);
  for (const key of ["rate", "rtt", "spread", "loss", "seconds", "seed"]) {
    if (words.has(key)) state[key] = within(words.get(key), LIMITS[key], state[key]);
  }
  state.seed = Math.round(state.seed);
  const pairs = (parts) => parts.map((part) => part.split("=")).filter((pair) => pair.length === 2);
  if (words.has("queue")) {
    state.queues = words.getAll("queue").slice(0, LIMITS.queues[1]).map((text_) => {
      const [kind, ...settings] = text_.split(",");
      return { kind: word(kind), set: Object.fromEntries(pairs(settings).map(([key, value]) => [word(key), value])) };
    });
  }
  if (words.has("flow")) {
    state.flows = words.getAll("flow").slice(0, LIMITS.flows[1]).map((text_) => {
      const [name, ...settings] = text_.split(",");
      const flow = { ...FLOW, ...Object.fromEntries(pairs(settings).filter(([key]) => COLUMNS.includes(key))) };
      flow.name = word(name);
      flow.what = word(flow.what);
      flow.how = String(flow.how).split("/").map(word).join("/");
      flow.count = Math.round(within(flow.count, LIMITS.count, 1));
      flow.rate = within(flow.rate, [0.001, 1000], FLOW.rate);
      flow.at = within(flow.at, LIMITS.at, 0);
      flow.ecn = flow.ecn === true || flow.ecn === "true";
      return flow;
    });
  }
  return state;
}

/** A value as TOML writes it: numbers, true and false bare, all else as a text. */
const bare = (value) => (/^(true|false|[-+]?\d+(\.\d+)?)$/.test(value) ? value : quoted(value));

/** A queue as a TOML table. */
export const queueToml = (queue) =>
  `{ ${[`kind = ${quoted(queue.kind)}`, ...Object.entries(queue.set).map(([key, value]) => `${word(key)} = ${bare(value)}`)].join(", ")} }`;

/** What drives the group, and with which settings of it. */
function appToml(flow) {
  const rate = `rate = "${Math.round(flow.rate * 1000)}kbit"`;
  if (["cbr", "poisson", "on_off", "streaming"].includes(flow.what)) return `{ kind = ${quoted(flow.what)}, ${rate} }`;
  return quoted(flow.what);
}

export const hasRate = (flow) => ["cbr", "poisson", "on_off", "streaming"].includes(flow.what);

function transportToml(flow) {
  const [kind, control] = flow.how.split("/");
  if (kind !== "tcp") {
    const small = ["udp", "fec"].includes(kind) && hasRate(flow) && flow.rate < 0.5;
    return `{ kind = ${quoted(kind)}, packet = "${small ? 200 : 1500}B" }`;
  }
  const law = control ? `, control = ${control === "cubic" ? '{ kind = "cubic", preset = "linux" }' : quoted(control)}` : "";
  const ecn = flow.ecn ? ", ecn = true" : "";
  const feedback = flow.ecn && ["dctcp", "surathkal"].includes(control) ? ', ecn_feedback = "dctcp"' : "";
  return `{ kind = "tcp", profile = "linux"${law}, packet = "1500B"${ecn}${feedback} }`;
}

/** The scenario file of one of the queues. */
export function toToml(state, queue = state.queues[0]) {
  // Two access links of half a millisecond each way, and more for what the flows' distances differ by.
  const delay = Math.max(state.rtt / 2 - 1, 0);
  const access = state.spread > 0 ? `["0.5ms", "${0.5 + state.spread / 4}ms"]` : '"0.5ms"';
  const warmup = Math.min(5, state.seconds / 4);
  const lines = [
    `title = ${quoted(`From the laboratory: ${state.flows.map((flow) => `${flow.count} ${flow.name}`).join(", ")}`)}`,
    `duration = "${state.seconds}s"`, `warmup = "${warmup}s"`, "",
    "[dumbbell]", `rate = "${Math.round(state.rate * 1000)}kbit"`, `delay = "${delay}ms"`,
    `access = { rate = "1Gbit", delay = ${access} }`, `queue = ${queueToml(queue)}`,
    // The way back is never short of room: acknowledgements are not the matter here.
    'reverse_queue = { kind = "fifo", limit = "10000p" }', 'mean_packet = "1500B"',
    ...(state.loss > 0 ? [`loss = { kind = "uniform", probability = "${state.loss}%" }`, 'reverse_loss = { kind = "uniform", probability = "0%" }'] : []),
  ];
  for (const flow of state.flows) {
    lines.push("", "[[flow]]", `name = ${quoted(word(flow.name))}`, `count = ${flow.count}`, `transport = ${transportToml(flow)}`,
      `app = ${appToml(flow)}`, `start = { at = "${flow.at}s", spread = "1s" }`);
  }
  return `${lines.join("\n")}\n`;
}

/** The command that compares the queues at a desk. */
export const command = (state, file = "lab.toml") =>
  `sojourn compare ${file} --queue ${state.queues.map((queue) => [queue.kind, ...Object.entries(queue.set).map(([key, value]) => `${key}=${value}`)].join(":")).join(",")} --report lab.html`;
