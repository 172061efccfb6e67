"use strict";
// Draws each chart when it comes near the screen, for the width and theme of the page, and again when either changes; before
// printing it draws all, for paper, and opens the folds of claims. Offers data and pictures.
(() => {
  const GAP = 18; // As in plots/export.py.
  const PAPER = 700; // Pixels: about the width of A4 and of Letter with their margins.
  const ROWS = 300; // Rows of the text alternative; the download has all.
  const themes = JSON.parse(document.getElementById("themes").textContent);
  const root = document.documentElement;
  const figures = [...document.querySelectorAll("figure.chart")];
  const views = new Map();
  let specs = [];
  let texts = [];

  /** A packed part of the page, gzip in base64: a third of its size and less. */
  function unpacked(name) {
    const packed = document.getElementById(name).textContent;
    return packed ? inflated(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))) : "";
  }

  /** Charts and library; then each chart gets its room, buttons and table. Once, and without waiting: paper does not wait. */
  let loaded = false;
  function load() {
    if (loaded) return;
    loaded = true;
    try {
      specs = JSON.parse(unpacked("charts") || "[]");
      texts = JSON.parse(unpacked("texts") || "[]");
      for (const code of document.querySelectorAll("code[data-text]")) code.textContent = texts[Number(code.dataset.text)];
      // At once and not when a fold is opened: a search in the page finds text in folds, too.
      for (const fold of document.querySelectorAll("details[data-fold]")) {
        fold.insertAdjacentHTML("beforeend", texts[Number(fold.dataset.fold)]);
      }
      for (const figure of figures) furnish(figure);
      if (figures.length) document.head.append(element("script", unpacked("library")));
    } catch (error) {
      console.error(error);
    }
  }

  /** The chart for a width in pixels: the same arithmetic as plots/export.py, fit. */
  function fit(spec, width) {
    const fitted = structuredClone(spec);
    const hints = (spec.usermeta && spec.usermeta.sojourn) || {};
    if (hints.layout === "facet") {
      const once = hints.shared ? hints.overhead : 0;
      const each = GAP + (hints.shared ? 0 : hints.overhead);
      const room = width - once + GAP;
      const columns = Math.max(1, Math.min(hints.columns, Math.floor(room / (hints.panel_min + each))));
      for (const facets of fitted.vconcat || [fitted]) {
        facets.columns = columns;
        facets.spec.width = Math.max(60, Math.floor(room / columns - each));
      }
    } else {
      fitted.width = width;
      fitted.autosize = { type: "fit-x", contains: "padding" };
    }
    const config = structuredClone(themes[theme()]);
    if (hints.legend) config.legend.columns = Math.max(1, Math.floor(width / (hints.legend * 7.2 + 38)));
    fitted.config = config;
    return fitted;
  }

  /** About how high a chart becomes, so that little moves when it is drawn. */
  function height(figure) {
    const spec = fit(specs[Number(figure.dataset.chart)], widthOf(figure));
    const first = spec.vconcat ? spec.vconcat[0] : spec;
    const each = (first.spec ? first.spec.height : first.height) || 300;
    return Math.ceil(Number(figure.dataset.panels) / (first.columns || 1)) * ((Number(each) || 300) + 60);
  }
  let printing = false;
  function theme() {
    return printing ? "light" : root.dataset.theme;
  }
  function widthOf(figure) {
    return printing ? PAPER : Math.floor(figure.querySelector(".plot").clientWidth) - 10;
  }
  /** Width and theme of a drawing: it is drawn again when they change. */
  function wanted(figure) {
    return `${theme()} ${widthOf(figure)}${printing ? " paper" : ""}`;
  }

  async function draw(figure) {
    const place = figure.querySelector(".plot");
    const width = widthOf(figure);
    if (width <= 0) return;
    made.set(figure, wanted(figure));
    // A drawing that is under way goes on in the element that this one replaces.
    const room = element("div");
    place.replaceChildren(room);
    const old = views.get(figure);
    const [paper, drawnFor] = [printing, theme()];
    try {
      const spec = fit(specs[Number(figure.dataset.chart)], width);
      const drawn = await vegaEmbed(room, spec, { actions: false, renderer: "svg", mode: "vega-lite" });
      if (old) old.finalize();
      views.set(figure, drawn);
      // Vega names single marks, but not their groups.
      for (const mark of place.querySelectorAll("[role=graphics-symbol]:not([aria-label])")) {
        mark.setAttribute("aria-label", mark.getAttribute("aria-roledescription") || "mark");
      }
      if (paper) slice(room);
      figure.dataset.drawn = drawnFor;
    } catch (error) {
      place.innerHTML = '<p class="failed">This chart could not be drawn.</p>';
      figure.dataset.drawn = "failed";
      console.error(error);
    }
    place.style.minHeight = "";
  }

  // Charts near the screen, and how each chart has been drawn.
  const near = new Set();
  const made = new Map();
  const stale = (figure) => made.get(figure) !== wanted(figure);
  // After the page has been shown for the first time.
  let turn = new Promise((done) => setTimeout(() => done(load())));
  let turns = 0;
  function drawNear() {
    delete root.dataset.ready;
    const own = ++turns;
    turn = turn.then(async () => {
      for (const figure of figures) {
        if (printing || !near.has(figure) || !stale(figure)) continue;
        await draw(figure);
        await new Promise((next) => setTimeout(next)); // Lets the page answer between two charts.
      }
      if (own === turns) root.dataset.ready = "yes";
    });
  }

  // Paper does not wait: all at once and without a pause, also where the page has hardly been opened. Drawing takes promises,
  // but none that waits for anything: all are kept when the browser comes back from this listener.
  window.addEventListener("beforeprint", () => {
    load();
    unfold();
    if (!window.vegaEmbed) return;
    printing = true;
    for (const figure of figures) if (stale(figure)) draw(figure);
  });
  window.addEventListener("afterprint", () => {
    fold();
    if (!printing) return;
    printing = false;
    for (const figure of figures) {
      if (near.has(figure) || !made.delete(figure)) continue;
      figure.querySelector(".plot").replaceChildren();
      figure.querySelector(".plot").style.minHeight = `${height(figure)}px`;
      delete figure.dataset.drawn;
    }
    drawNear();
  });

  /** The folds that paper shows: the parts of the page, the evidence of claims, and the readings that turn a verdict (report.css). A fold that a reader
   * has opened is printed whole; scenarios stay folded unless somebody has opened them. */
  const opened = [];
  function unfold() {
    for (const one of document.querySelectorAll("details.part, details[data-fold]")) {
      if (one.open) continue;
      one.open = true;
      if (one.dataset.fold) one.dataset.paper = "";
      opened.push(one);
    }
  }
  function fold() {
    for (const one of opened.splice(0)) {
      one.open = false;
      delete one.dataset.paper;
    }
  }

  /** A chart of several rows of panels as a picture for each row, so that a sheet of paper may end between two of them. */
  function slice(room) {
    const svg = room.querySelector("svg");
    const panels = [...svg.querySelectorAll(".cell > g")].map((panel) => panel.getBoundingClientRect());
    const rows = rowsOf(panels);
    if (rows.length < 2) return;
    const [, , width, whole] = svg.getAttribute("viewBox").split(" ").map(Number);
    const box = svg.getBoundingClientRect();
    const place = (y) => ((y - box.top) * whole) / box.height;
    const ends = rows.slice(1).map((row, before) => place((rows[before].bottom + row.top) / 2));
    const edges = [0, ...ends, whole];
    const pictures = rows.map((row, at) => {
      const picture = svg.cloneNode(true);
      const height = edges[at + 1] - edges[at];
      [...picture.querySelectorAll(".cell > g")].forEach((panel, number) => row.panels.includes(number) || panel.remove());
      picture.setAttribute("viewBox", `0 ${edges[at]} ${width} ${height}`);
      picture.setAttribute("height", height);
      return picture;
    });
    svg.replaceWith(...pictures);
  }
  /** Rows of panels: their upper and lower ends, and which panels are in them. */
  function rowsOf(panels) {
    const rows = [];
    panels.forEach((panel, number) => {
      const row = rows.find((one) => (panel.top + panel.bottom) / 2 > one.top && (panel.top + panel.bottom) / 2 < one.bottom);
      if (!row) rows.push({ top: panel.top, bottom: panel.bottom, panels: [number] });
      else {
        row.panels.push(number);
        row.top = Math.min(row.top, panel.top);
        row.bottom = Math.max(row.bottom, panel.bottom);
      }
    });
    return rows.sort((one, other) => one.top - other.top);
  }

  function offer(name, url) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }
  function offerText(name, text, type) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    offer(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  /** The data inside a specification, by name. */
  function dataOf(node, found = new Map()) {
    if (node && typeof node === "object") {
      const data = node.data;
      if (data && typeof data.values === "string") found.set(data.name, data);
      for (const child of Object.values(node)) dataOf(child, found);
    }
    return found;
  }

  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }
  function button(label, title, action) {
    const made = element("button", label, { type: "button", title });
    made.addEventListener("click", action);
    return made;
  }

  /** Comma-separated text as rows of texts; a field in quotation marks may hold commas, line ends and doubled marks. */
  function parse(text) {
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
      rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      if (end === "\n") rows.push([]);
      if (end === "") break;
    }
    return rows.filter((row) => row.length > 1 || row[0]);
  }

  function table(data) {
    const [columns, ...rows] = parse(data.values);
    const made = element("table");
    const head = made.createTHead().insertRow();
    for (const column of columns) {
      const numeric = data.format.parse[column] === "number";
      head.append(element("th", column, { scope: "col", class: numeric ? "n" : "" }));
    }
    const body = made.createTBody();
    for (const row of rows.slice(0, ROWS)) {
      const line = body.insertRow();
      columns.forEach((column, place) => {
        const numeric = data.format.parse[column] === "number";
        const text = row[place] || "–";
        line.append(element(place ? "td" : "th", text, { class: numeric ? "n" : "", ...(place ? {} : { scope: "row" }) }));
      });
    }
    const scroll = element("div", undefined, { class: "scroll", tabindex: "0" });
    scroll.append(made);
    const parts = [scroll];
    if (rows.length > ROWS) {
      parts.push(element("p", `First ${ROWS} of ${rows.length} rows; the CSV file has all of them.`, { class: "note" }));
    }
    return parts;
  }

  async function view(figure) {
    if (!views.has(figure) || stale(figure)) await draw(figure);
    return views.get(figure).view;
  }
  function furnish(figure) {
    figure.querySelector(".plot").style.minHeight = `${height(figure)}px`;
    const file = figure.dataset.file;
    const data = dataOf(specs[Number(figure.dataset.chart)]);
    const tools = element("p", undefined, { class: "tools" });
    tools.append(element("span", "Download"));
    for (const [name, source] of data) {
      const label = data.size > 1 ? `CSV: ${name}` : "CSV";
      tools.append(button(label, "The data drawn here", () => offerText(`${file}-${name}.csv`, source.values, "text/csv")));
    }
    tools.append(
      button("SVG", "The chart as a vector graphic", async () => {
        offerText(`${file}.svg`, await (await view(figure)).toSVG(), "image/svg+xml");
      }),
      button("PNG", "The chart as a picture", async () => {
        offer(`${file}.png`, await (await view(figure)).toImageURL("png", 2));
      }),
    );
    const alternative = element("details", undefined, { class: "alternative" });
    alternative.append(element("summary", "Data as a table"));
    alternative.addEventListener("toggle", () => {
      if (!alternative.open || alternative.childElementCount > 1) return;
      for (const [name, source] of data) {
        if (data.size > 1) alternative.append(element("p", name, { class: "note" }));
        alternative.append(...table(source));
      }
    });
    figure.append(tools, alternative);
  }

  for (const save of document.querySelectorAll("button[data-save]")) {
    save.addEventListener("click", () => {
      if (save.dataset.shown) {
        offerText(save.dataset.save, save.closest(".scenario").querySelector("pre").textContent, "text/plain");
        return;
      }
      offerText(save.dataset.save, texts[Number(save.dataset.text)], "text/plain");
    });
  }

  for (const copy of document.querySelectorAll("button[data-copy]")) {
    copy.addEventListener("click", async () => {
      const text = copy.nextElementSibling;
      try {
        await navigator.clipboard.writeText(text.textContent);
        copy.textContent = "Copied";
      } catch (error) {
        // A file may have no clipboard: the lines are selected instead.
        getSelection().selectAllChildren(text);
      }
    });
  }

  const toggle = document.getElementById("theme");
  function show() {
    const dark = root.dataset.theme === "dark";
    toggle.setAttribute("aria-pressed", String(dark));
    document.getElementById("theme-name").textContent = dark ? "Light" : "Dark";
    toggle.setAttribute("aria-label", "Dark theme");
  }
  function turnTo(theme) {
    root.dataset.theme = theme;
    show();
    drawNear();
  }
  toggle.addEventListener("click", () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("sojourn-theme", theme); } catch (error) { /* a file may have no storage */ }
    turnTo(theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => turnTo(event.matches ? "dark" : "light"));

  let known = window.innerWidth;
  let timer = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === known) return; // A phone's address bar changes only the height.
    known = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(() => {
      drawNear();
      tellOfMore();
    }, 150);
  });

  /** An address in the page opens the folds around its place. */
  function openPlace() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    for (let fold = place.querySelector("details.part") || place; fold; fold = fold.parentElement) {
      if (fold.tagName === "DETAILS") fold.open = true;
    }
    place.scrollIntoView();
  }
  window.addEventListener("hashchange", openPlace);
  for (const part of document.querySelectorAll("details.part")) part.addEventListener("toggle", () => tellOfMore());

  /** A table that is wider than its box fades at the edge behind which there is more, and says so. */
  const boxes = [...document.querySelectorAll("main .scroll")];
  function tellOfMore() {
    const hidden = boxes.map((box) => box.scrollWidth - box.clientWidth);
    boxes.forEach((box, place) => {
      box.classList.toggle("wide", hidden[place] > 1);
      box.classList.toggle("more", hidden[place] - box.scrollLeft > 1);
    });
  }
  for (const box of boxes) box.addEventListener("scroll", tellOfMore, { passive: true });

  const around = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) entry.isIntersecting ? near.add(entry.target) : near.delete(entry.target);
      drawNear();
    },
    { rootMargin: "600px 0px" },
  );

  show();
  openPlace();
  tellOfMore();
  for (const figure of figures) around.observe(figure);
  if (!figures.length) drawNear();
})();
