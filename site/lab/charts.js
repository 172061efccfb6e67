// Line charts on canvases. A chart is always drawn whole, which takes less than a millisecond.

const CSS = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Pixels below which a chart has no room for long names. */
const NARROW = 230;

/** The smallest round number that is at least this large. */
export function nice(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * (1 - 1e-9)) * power;
}

export const short = (value) => {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 10000) return `${Number((value / 1000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(size >= 100 ? 3 : 2)));
};

/**
 * A figure with a canvas. `draw` takes its content: `end` of the time axis, `top` of the other, `series` with `times`, `values`,
 * `colour`, `dash`, `bars`, `label`, `marks`, horizontal lines with a `label`, and `labels` for which there is to be room at the right.
 */
export class Chart {
  constructor(figure) {
    this.figure = figure;
    this.canvas = figure.querySelector("canvas");
    this.shown = null;
    this.at = null;
    const move = (event) => {
      const box = this.canvas.getBoundingClientRect();
      this.at = event.clientX - box.left;
      this.redraw();
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerdown", move);
    this.canvas.addEventListener("pointerleave", () => { this.at = null; this.redraw(); });
    this.canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -8, ArrowRight: 8 }[event.key];
      if (!by) return;
      this.at = Math.max(0, (this.at ?? this.canvas.clientWidth / 2) + by);
      this.redraw();
      event.preventDefault();
    });
    this.canvas.addEventListener("blur", () => { this.at = null; this.redraw(); });
  }

  draw(shown) { this.shown = shown; this.redraw(); }

  redraw() {
    if (!this.shown) return;
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { end, top } = this.shown;
    pen.font = "11px system-ui, sans-serif";
    const named = (mark) => (width < NARROW ? mark.split("_")[0] : mark);
    const room = Math.max(0, ...(this.shown.labels ?? []).map((label) => pen.measureText(named(label)).width + 5));
    const box = { left: 38, right: width - 6 - room, top: 8, bottom: height - 20 };
    const x = (time) => box.left + ((box.right - box.left) * time) / end;
    const y = (value) => box.bottom - ((box.bottom - box.top) * Math.min(value, top * 1.02)) / top;
    this.#axes(pen, box, x, y);
    for (const mark of this.shown.marks ?? []) this.#mark(pen, box, y, mark);
    for (const series of this.shown.series) series.bars ? bars(pen, x, y, box, series) : line(pen, x, y, series);
    this.#above(pen, box, x);
    this.#labels(pen, box, y, named);
    if (this.at !== null) this.#reading(pen, box, x);
  }

  #axes(pen, box, x, y) {
    const { end, top } = this.shown;
    pen.lineWidth = 1;
    pen.strokeStyle = CSS("--grid");
    pen.fillStyle = CSS("--muted");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const part of [0, 0.5, 1]) {
      const place = Math.round(y(part * top)) + 0.5;
      pen.beginPath();
      pen.moveTo(box.left, place);
      pen.lineTo(box.right, place);
      pen.stroke();
      pen.fillText(short(part * top), box.left - 5, place);
    }
    pen.textBaseline = "alphabetic";
    const step = nice(end / Math.max(2, Math.floor((box.right - box.left) / 60)));
    for (let time = 0; time <= end * 1.0001; time += step) {
      pen.textAlign = time === 0 ? "left" : time > end - step / 2 ? "right" : "center";
      pen.fillText(time === 0 ? "0" : `${Number(time.toPrecision(4))} s`, x(time), box.bottom + 15);
    }
  }

  /** The height of a bar or line that is cut off above. */
  #above(pen, box, x) {
    const { series, top } = this.shown;
    let [high, time] = [0, 0];
    for (const one of series) {
      one.values.forEach((value, place) => {
        const whole = value + (one.below?.[place] ?? 0);
        if (whole > high) [high, time] = [whole, one.times[place]];
      });
    }
    if (high <= top * 1.02) return;
    const text = `↑ ${short(high)}`;
    const wide = pen.measureText(text).width;
    const left = Math.min(Math.max(x(time) + 4, box.left + 2), box.right - wide);
    pen.fillStyle = CSS("--card");
    pen.fillRect(left - 2, box.top - 7, wide + 4, 14);
    pen.fillStyle = CSS("--ink");
    pen.textAlign = "left";
    pen.fillText(text, left, box.top + 4);
  }

  #mark(pen, box, y, mark) {
    if (mark.value > this.shown.top) return;
    const place = y(mark.value);
    pen.save();
    pen.strokeStyle = CSS("--muted");
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.moveTo(box.left, place);
    pen.lineTo(box.right, place);
    pen.stroke();
    pen.restore();
  }

  /** The names of horizontal lines, beside them; where two lines are near, the upper name moves up. */
  #labels(pen, box, y, named) {
    const marks = (this.shown.marks ?? []).filter((mark) => mark.value <= this.shown.top).sort((one, other) => one.value - other.value);
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = CSS("--muted");
    let above = box.bottom + 6;
    for (const mark of marks) {
      above = Math.min(y(mark.value), above - 12);
      pen.fillText(named(mark.label), box.right + 3, above);
    }
    pen.textBaseline = "alphabetic";
  }

  #reading(pen, box, x) {
    const time = ((this.at - box.left) / (box.right - box.left)) * this.shown.end;
    if (time < 0 || time > this.shown.end) return;
    pen.save();
    pen.strokeStyle = CSS("--muted");
    pen.beginPath();
    pen.moveTo(x(time), box.top);
    pen.lineTo(x(time), box.bottom);
    pen.stroke();
    const words = this.shown.series.map((series) => [series, valueAt(series, time)]).filter(([, value]) => value !== null);
    const texts = [`${time.toFixed(1)} s`, ...words.map(([series, value]) => `${series.label} ${short(value)}`)].slice(0, 7);
    const wide = Math.max(...texts.map((text, row) => pen.measureText(text).width + (row ? 16 : 0))) + 12;
    const left = x(time) + wide + 8 > box.right ? x(time) - wide - 6 : x(time) + 6;
    pen.fillStyle = CSS("--card");
    pen.strokeStyle = CSS("--line");
    pen.fillRect(left, box.top, wide, texts.length * 14 + 6);
    pen.strokeRect(left, box.top, wide, texts.length * 14 + 6);
    pen.textAlign = "left";
    texts.forEach((text, row) => {
      const base = box.top + 14 + row * 14;
      pen.fillStyle = CSS("--ink");
      pen.fillText(text, left + 6 + (row ? 16 : 0), base);
      if (!row) return;
      const { colour, dash } = words[row - 1][0];
      pen.strokeStyle = colour;
      pen.lineWidth = 2.5;
      pen.setLineDash((dash ?? []).map((length) => length / 2));
      pen.beginPath();
      pen.moveTo(left + 6, base - 4);
      pen.lineTo(left + 18, base - 4);
      pen.stroke();
    });
    pen.restore();
  }
}

function valueAt(series, time) {
  const { times, values } = series;
  if (!times.length || time > times.at(-1)) return null;
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1; else high = middle;
  }
  return Number.isFinite(values[low]) ? values[low] : null;
}

function line(pen, x, y, { times, values, colour, dash, wide }) {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = wide ?? 1.5;
  pen.lineJoin = "round";
  pen.setLineDash(dash ?? []);
  pen.beginPath();
  let down = false;
  for (let place = 0; place < times.length; place += 1) {
    if (!Number.isFinite(values[place])) { down = false; continue; }
    if (down) pen.lineTo(x(times[place]), y(values[place])); else pen.moveTo(x(times[place]), y(values[place]));
    down = true;
  }
  pen.stroke();
  pen.restore();
}

/** Bars of one width, each on top of `below`. */
function bars(pen, x, y, box, { times, values, below, colour, bars: width }) {
  pen.fillStyle = colour;
  for (let place = 0; place < times.length; place += 1) {
    if (!values[place]) continue;
    const under = below?.[place] ?? 0;
    const high = y(under + values[place]);
    pen.fillRect(x(times[place]) + 0.5, high, Math.max(x(width) - x(0) - 1, 1), y(under) - high);
  }
}
