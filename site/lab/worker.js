// The worker: holds the compiled core, and runs simulations in slices so that a message is always heard within a few
// hundredths of a second. The page never runs a simulation itself, so it never freezes.
"use strict";

const SLICE_MS = 12; // work between two looks at the messages
const POST_MS = 40; // between two messages to the page
const EVENTS = 20000; // events between two looks at the clock

let compiled = null;
let core = null;
let current = 0; // the number of the wish that is being carried out; a new one ends the old

const pause = (() => {
  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => waiting.shift()();
  return () => new Promise((go) => { waiting.push(go); channel.port2.postMessage(0); });
})();

const sleep = (ms) => new Promise((go) => setTimeout(go, ms));

async function begin(bytes) {
  compiled = await WebAssembly.compile(bytes);
  await renew();
}

async function renew() {
  core = (await WebAssembly.instantiate(compiled, {})).exports;
  core.install();
}

/** Carries out one request of the core. */
const ask = async (request) => JSON.parse(await askText(request));

/** The same, with the answer as it was written. A fault of the core becomes an error, and the core is made anew. */
async function askText(request) {
  const text = new TextEncoder().encode(JSON.stringify(request));
  try {
    const place = core.input(text.length);
    new Uint8Array(core.memory.buffer, place, text.length).set(text);
    const length = core.call();
    return new TextDecoder().decode(new Uint8Array(core.memory.buffer, core.output(), length));
  } catch (fault) {
    let what = String(fault);
    try {
      what = new TextDecoder().decode(new Uint8Array(core.memory.buffer, core.output(), core.output_bytes())) || what;
    } catch { /* the message of the fault is enough */ }
    await renew();
    return JSON.stringify({ error: { message: `This is a fault of Sojourn, not of your scenario. Please report it with the link: ${what}`, fault: true } });
  }
}

const breath = () => new Promise((done) => setTimeout(done));

/** Runs one scenario as fast as it goes: its tables as the core wrote them, and the milliseconds that the run took. With
 *  `most`, it breathes on the way and gives up after so many milliseconds. */
async function whole({ toml, set, seed, most }) {
  const started = performance.now();
  const run = await ask({ do: "open", toml, set, seed });
  if (run.error) return run;
  for (;;) {
    const seen = await ask({ do: "advance", run: run.run, events: most ? 20 * EVENTS : 5000000 });
    if (seen.error) return seen;
    if (seen.there) break;
    if (!most) continue;
    await breath();
    if (performance.now() - started > most) {
      await ask({ do: "close", run: run.run });
      return { error: { message: `This takes longer than ${Math.round(most / 1000)} s in a browser. Save it and run it at a desk.` } };
    }
  }
  const simulated = performance.now() - started;
  return { tables: await askText({ do: "tables", run: run.run }), ms: simulated };
}

/** Runs scenarios side by side, in steps of simulated time, and reports samples on the way. */
async function watch(mine, { runs, step, speed }) {
  const open = [];
  for (const [place, run] of runs.entries()) {
    const opened = await ask({ do: "open", toml: run.toml, set: run.set, seed: run.seed });
    if (opened.error) {
      for (const other of open) await ask({ do: "close", run: other.run });
      postMessage({ watch: mine, error: { ...opened.error, place } });
      return;
    }
    open.push(opened);
  }
  pace.speed = speed;
  pace.paused = false;
  pace.from(0);
  const close = async () => { for (const other of open) await ask({ do: "close", run: other.run }); };
  const end = Math.min(...open.map((run) => run.end_s));
  let batch = [];
  let posted = performance.now();
  let breath = posted;
  for (let slice = 0; ; slice += 1) {
    const time = Math.min(slice * step, end);
    while (current === mine && (pace.paused || pace.wait(time) > 0)) {
      if (batch.length) { postMessage({ watch: mine, samples: batch, end }); batch = []; posted = performance.now(); }
      await sleep(pace.paused ? 30 : Math.min(pace.wait(time), 30));
    }
    const sample = [];
    for (const run of open) {
      for (;;) {
        if (current !== mine) { await close(); return; }
        const seen = await ask({ do: "advance", run: run.run, until_s: time, events: EVENTS });
        if (seen.error) { postMessage({ watch: mine, error: seen.error }); await close(); return; }
        if (performance.now() - breath > SLICE_MS) { await pause(); breath = performance.now(); }
        if (seen.there) { sample.push(seen); break; }
      }
    }
    batch.push({ time, runs: sample });
    if (performance.now() - posted > POST_MS || time >= end) {
      postMessage({ watch: mine, samples: batch, end });
      batch = [];
      posted = performance.now();
    }
    if (time >= end) break;
  }
  const tables = [];
  for (const run of open) tables.push(await ask({ do: "tables", run: run.run }));
  postMessage({ watch: mine, tables, end });
}

/** How fast simulated time goes: `speed` simulated seconds in a second, or as fast as it can at 0. */
const pace = {
  speed: 0,
  paused: false,
  simulated: 0,
  real: 0,
  from(time) { this.simulated = time; this.real = performance.now(); },
  wait(time) {
    if (!this.speed) return 0;
    this.last = time;
    return ((time - this.simulated) / this.speed) * 1000 - (performance.now() - this.real);
  },
  change(speed, paused) { this.from(this.last ?? 0); this.speed = speed; this.paused = paused; },
};

onmessage = async ({ data }) => {
  if (data.do === "begin") {
    try {
      await begin(data.bytes);
      postMessage({ id: data.id, answer: {} });
    } catch (error) {
      postMessage({ id: data.id, answer: { error: { message: String(error) } } });
    }
  } else if (data.do === "watch") {
    current = data.id;
    pace.last = 0;
    await watch(data.id, data);
  } else if (data.do === "stop") {
    current = 0;
  } else if (data.do === "pace") {
    pace.change(data.speed, data.paused);
  } else if (data.do === "whole") {
    postMessage({ id: data.id, answer: await whole(data) });
  } else if (data.do === "ask") {
    postMessage({ id: data.id, answer: await ask(data.request) });
  }
};
