// The settings of the page: their form, their words in the address, and the scenario file that they describe.

/** A group of flows that are alike. `how` is a transport, or `tcp/` and a congestion control; `far` is added to their round trip. */
export const FLOW = { name: "", what: "bulk", how: "tcp/cubic", count: 1, ecn: false, rate: 0.08, at: 0, far: 0 };

export const START = {
  rate: 10, rtt: 40, spread: 10, loss: 0, seconds: 30, seed: 1,
  flows: [{ ...FLOW, name: "downloads", count: 4 }, { ...FLOW, name: "call", what: "cbr", how: "udp" }],
  queues: [{ kind: "fifo", set: { limit: "100p" } }, { kind: "codel", set: { limit: "100p" } }],
};

export const LIMITS = {
  rate: [0.5, 100], rtt: [4, 400], spread: [0, 50], loss: [0, 10], seconds: [5, 120], seed: [1, 999],
  count: [1, 100], flows: [1, 5], queues: [1, 4], at: [0, 60], far: [0, 300],
};

/** The settings that an address may have. */
const WORDS = ["rate", "rtt", "spread", "loss", "seconds", "seed", "queue", "flow", "lesson"];
const COLUMNS = ["what", "how", "count", "ecn", "rate", "at", "far"];
/** A number of an address, put within its limits; a change is reported. */
const within = (value, [least, most], otherwise, name, tell) => {
  const number = value === "" ? NaN : Number(value);
  if (!Number.isFinite(number)) {
    tell(`${name}=${shortened(value)} is not a number: ${otherwise} is taken.`);
    return otherwise;
  }
  const taken = Math.min(Math.max(number, least), most);
  if (taken !== number) tell(`${name}=${number} is ${number < least ? "below" : "above"} what a page runs: ${taken} is taken.`);
  return taken;
};
const whole = (value, limits, otherwise, name, tell) => {
  const number = within(value, limits, otherwise, name, tell);
  if (!Number.isInteger(number)) tell(`${name}=${number} is not a whole number: ${Math.round(number)} is taken.`);
  return Math.round(number);
};
const shortened = (text) => (String(text).length > 30 ? `${String(text).slice(0, 30)} …` : String(text));
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

/** The settings of an address. Others have their first values; values that cannot be used are reported. */
export function fromAddress(text, tell = () => {}) {
  const words = new URLSearchParams(text);
  const state = structuredClone(START);
  for (const key of words.keys()) {
    if (!WORDS.includes(key)) tell(`"${shortened(key)}" has no meaning in a link.`);
  }
  for (const key of ["rate", "rtt", "spread", "loss"]) {
    if (words.has(key)) state[key] = within(words.get(key), LIMITS[key], state[key], key, tell);
  }
  for (const key of ["seconds", "seed"]) {
    if (words.has(key)) state[key] = whole(words.get(key), LIMITS[key], state[key], key, tell);
  }
  const pairs = (parts) => parts.map((part) => part.split("=")).filter((pair) => {
    if (pair.length !== 2) tell(`"${shortened(pair.join("="))}" is not a setting: write name=value.`);
    return pair.length === 2;
  });
  for (const key of ["queue", "flow"]) {
    const [many, most] = [words.getAll(key).length, LIMITS[`${key}s`][1]];
    if (many > most) tell(`The link has ${many} times "${key}": the first ${most} are taken.`);
  }
  if (words.has("queue")) {
    state.queues = words.getAll("queue").slice(0, LIMITS.queues[1]).map((text_) => {
      const [kind, ...settings] = text_.split(",");
      return { kind: word(kind), set: Object.fromEntries(pairs(settings).map(([key, value]) => [word(key), value])) };
    });
  }
  if (words.has("flow")) {
    state.flows = words.getAll("flow").slice(0, LIMITS.flows[1]).map((text_) => {
      const [name, ...settings] = text_.split(",");
      const known = ([key]) => COLUMNS.includes(key) || void tell(`"${shortened(key)}" is nothing that can be set of senders: ${COLUMNS.join(", ")} are.`);
      const flow = { ...FLOW, ...Object.fromEntries(pairs(settings).filter(known)) };
      flow.name = word(name);
      flow.what = word(flow.what);
      flow.how = String(flow.how).split("/").map(word).join("/");
      flow.count = whole(flow.count, LIMITS.count, 1, "count", tell);
      flow.rate = within(flow.rate, [0.001, 1000], FLOW.rate, "rate", tell);
      flow.at = within(flow.at, LIMITS.at, 0, "at", tell);
      flow.far = within(flow.far, LIMITS.far, 0, "far", tell);
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

/** The source of the group, with its settings. */
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
  // A lost request for a connection is repeated with ECN: all senders of a flow group are alike, whatever happens at their start.
  const ecn = flow.ecn ? ", ecn = true, ecn_fallback = false" : "";
  const feedback = flow.ecn && ["dctcp", "surathkal"].includes(control) ? ', ecn_feedback = "dctcp"' : "";
  return `{ kind = "tcp", profile = "linux"${law}, packet = "1500B"${ecn}${feedback} }`;
}

/** The scenario file of one of the queues. */
export function toToml(state, queue = state.queues[0]) {
  // Two access links of half a millisecond each way, and more for flows that are farther away.
  const delay = Math.max(state.rtt / 2 - 1, 0);
  const access = (far) => {
    const [near, most] = [0.5 + far / 4, 0.5 + (far + state.spread) / 4];
    return `{ rate = "1Gbit", delay = ${state.spread > 0 ? `["${near}ms", "${most}ms"]` : `"${near}ms"`} }`;
  };
  const warmup = Math.min(5, state.seconds / 4);
  const lines = [
    `title = ${quoted(`From the laboratory: ${state.flows.map((flow) => `${flow.count} ${flow.name}`).join(", ")}`)}`,
    `duration = "${state.seconds}s"`, `warmup = "${warmup}s"`, "",
    "[dumbbell]", `rate = "${Math.round(state.rate * 1000)}kbit"`, `delay = "${delay}ms"`,
    `access = ${access(0)}`, `queue = ${queueToml(queue)}`,
    // The way back is never short of room: acknowledgements are not the matter here.
    'reverse_queue = { kind = "fifo", limit = "10000p" }', 'mean_packet = "1500B"',
    ...(state.loss > 0 ? [`loss = { kind = "uniform", probability = "${state.loss}%" }`, 'reverse_loss = { kind = "uniform", probability = "0%" }'] : []),
  ];
  for (const flow of state.flows) {
    lines.push("", "[[flow]]", `name = ${quoted(word(flow.name))}`, `count = ${flow.count}`, `transport = ${transportToml(flow)}`,
      `app = ${appToml(flow)}`, `start = { at = "${flow.at}s", spread = "1s" }`, ...(flow.far > 0 ? [`access = ${access(flow.far)}`] : []));
  }
  return `${lines.join("\n")}\n`;
}

/** The value of a parameter of a queue: as set, of its preset, or its default. */
const valueOf = (entry, set, key) =>
  set[key] ?? entry.presets.find((one) => one.name === set.preset)?.settings[key] ?? entry.params.find((param) => param.name === key)?.default;

/** Whether `sojourn compare` lets a queue keep a parameter of the one in whose place it comes: see `Scenario.kept_by`. */
function kept(param, queue, entry, first, there) {
  const same = there.params.find((other) => other.name === param.name);
  if (!same) return false;
  if (param.name === "limit" && queue.kind !== first.kind && (entry.guards || there.guards)) return false;
  if (["limit", "ecn"].includes(param.name)) return true;
  return queue.set.preset === undefined && param.doc === same.doc && valueOf(there, first.set, param.name) !== same.default;
}

/**
 * A queue as a command names it. `sojourn compare` puts it in the place of the file's queue, which is the `first`, and lets it keep
 * some parameters of that queue. In the page each queue has the values of its column: where the command would differ, they are written.
 */
function named(queue, first, entries) {
  const [entry, there] = [entries[queue.kind], entries[first.kind]];
  const set = { ...queue.set };
  for (const param of entry && there ? entry.params : []) {
    if (set[param.name] !== undefined || !kept(param, queue, entry, first, there)) continue;
    const mine = valueOf(entry, queue.set, param.name);
    if (mine !== valueOf(there, first.set, param.name)) set[param.name] = mine;
  }
  return [queue.kind, Object.entries(set).map(([key, value]) => `${word(key)}=${value}`).join(",")].filter(Boolean).join(":");
}

/** A word, quoted for a shell. */
const shell = (text) => (/^[\w.,:=%+/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The command that gives the same runs in a shell: the file has the first queue, `entries` are those of the registry by name. */
export function command(state, entries, file = "lab.toml") {
  const names = [...new Set(state.queues.map((queue) => named(queue, state.queues[0], entries)))];
  const what = names.length > 1 ? `compare ${file} --queue ${shell(names.join(","))}` : `run ${file}`;
  return `sojourn ${what}${names.length > 1 ? "" : " --seeds 20"} --report lab.html`;
}
