// The table of all queues: sorts, filters, and shows other columns or all numbers of a row.
(() => {
  const data = JSON.parse(document.getElementById("ranking-data").textContent);
  const table = document.querySelector("table.ranking");
  const tools = document.querySelector(".ranking-tools");
  const head = table.tHead.rows[0];
  const body = table.tBodies[0];
  const lines = [...body.rows].map((row) => ({
    row,
    label: row.id.slice(2),
    name: row.cells[0],
    words: row.cells[row.cells.length - 1],
  }));
  const wordsHead = head.cells[head.cells.length - 1];
  const nameHead = head.cells[0];
  const number = new Map(data.rows.map((one, place) => [one.place.join("|"), place]));
  let columns = [];
  let sorted = { column: -1, down: false };

  const digits = (value) => {
    if (value === null || value === undefined) return "–";
    if (value === 0) return "0";
    const size = Math.max(2 - Math.floor(Math.log10(Math.abs(value))), 0);
    const text = value.toFixed(Math.min(size, 6));
    return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  };
  const COST = [
    { head: "time a packet (ns)", better: "less", of: (label) => [data.costs[label]?.[0], null] },
    { head: "parameters", better: "", of: (label) => [data.costs[label]?.[1], null] },
    { head: "of these computed", better: "", of: (label) => [data.costs[label]?.[2], null] },
  ];
  const column = (place) => ({ ...data.rows[place], of: (label) => data.queues[label][place] });
  const chosen = (name) => {
    if (name === "Cost") return COST;
    const set = data.sets[name];
    if (set) return set.map((one) => number.get(one.join("|"))).filter((one) => one !== undefined).map(column);
    return data.rows.flatMap((one, place) => (one.key === name ? [column(place)] : []));
  };

  // The part of the field that stands before a queue, as the words count it.
  const before = (place, label) => {
    const { better, least } = data.rows[place];
    const mine = data.queues[label][place][0];
    if (!better || mine === null) return null;
    const sign = better === "more" ? 1 : -1;
    const others = Object.values(data.queues).map((one) => one[place][0]).filter((one) => one !== null);
    return others.filter((one) => sign * (one - mine) > least).length / Math.max(others.length - 1, 1);
  };
  const isGood = (label, good) => {
    const parts = data.rows
      .flatMap((one, place) => (one.good === good ? [before(place, label)] : []))
      .filter((one) => one !== null);
    return parts.length > 0 && parts.reduce((sum, one) => sum + one, 0) / parts.length <= 0.25;
  };

  // Runs that are all equal bound nothing.
  const shown = (one) => (one ? `± ${digits(one)}` : "");
  const cellOf = (one, label) => {
    const [mean, half] = one.of(label) ?? [null, null];
    const cell = document.createElement("td");
    cell.className = "n";
    cell.dataset.head = one.head;
    cell.textContent = digits(mean);
    cell.title = shown(half);
    return cell;
  };

  const fold = () => body.querySelectorAll("tr.all").forEach((row) => row.remove());
  const unfold = (line) => {
    const open = line.row.nextElementSibling?.classList.contains("all");
    fold();
    if (open) return;
    const row = document.createElement("tr");
    row.className = "all";
    const cell = row.insertCell();
    cell.colSpan = columns.length + 2;
    let question = "";
    const list = document.createElement("dl");
    data.rows.forEach((one, place) => {
      if (one.question !== question) {
        question = one.question;
        const title = document.createElement("dt");
        const link = document.createElement("a");
        link.href = `#how-${one.key.replace(/[/.]/g, "-")}`;
        link.textContent = question;
        title.append(link);
        list.append(title);
      }
      const [mean, half] = data.queues[line.label][place];
      const part = before(place, line.label);
      const item = document.createElement("dd");
      const rank = part === null ? "" : ` · place ${1 + Math.round(part * (Object.keys(data.queues).length - 1))}`;
      item.textContent = `${one.head}: ${digits(mean)} ${shown(half)}${rank}`;
      list.append(item);
    });
    cell.append(list);
    line.row.after(row);
  };

  const arrange = () => {
    fold();
    const one = columns[sorted.column];
    const value = (line) => {
      if (!one) return line.label;
      const mean = one.of(line.label)?.[0];
      return mean === null || mean === undefined ? null : mean;
    };
    const order = [...lines].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      const least = x < y ? -1 : x > y ? 1 : 0;
      return sorted.down ? -least : least;
    });
    const name = tools.elements.name.value.trim().toLowerCase();
    const good = tools.elements.good.value;
    let count = 0;
    for (const line of order) {
      const fits =
        (!name || line.label.includes(name) || line.name.textContent.toLowerCase().includes(name)) &&
        (!good || isGood(line.label, good));
      line.row.hidden = !fits;
      count += fits;
      body.append(line.row);
    }
    tools.querySelector("output").textContent = `${count} of ${lines.length} queues`;
    [...head.cells].forEach((cell, place) => {
      const here = place - 1 === sorted.column && place < head.cells.length - 1;
      cell.setAttribute("aria-sort", here ? (sorted.down ? "descending" : "ascending") : "none");
    });
  };

  const sortBy = (place) => {
    const better = columns[place]?.better;
    const first = better === "more";
    sorted = { column: place, down: sorted.column === place ? !sorted.down : first };
    arrange();
  };
  const button = (cell, text, place) => {
    const press = document.createElement("button");
    press.type = "button";
    press.textContent = text;
    press.addEventListener("click", () => sortBy(place));
    cell.replaceChildren(press);
  };

  const show = () => {
    columns = chosen(tools.elements.columns.value);
    const heads = columns.map((one, place) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = "n";
      const arrow = { more: "\u00a0↑", less: "\u00a0↓" }[one.better] ?? "";
      button(cell, one.head + arrow, place);
      if (one.key) {
        const link = document.createElement("a");
        link.href = `#how-${one.key.replace(/[/.]/g, "-")}`;
        link.textContent = "how";
        link.title = one.question;
        cell.append(link);
      }
      return cell;
    });
    head.replaceChildren(nameHead, ...heads, wordsHead);
    for (const line of lines) line.row.replaceChildren(line.name, ...columns.map((one) => cellOf(one, line.label)), line.words);
    sorted = { column: -1, down: false };
    arrange();
  };

  button(nameHead, "queue", -1);
  for (const line of lines) {
    const press = document.createElement("button");
    press.type = "button";
    press.className = "more";
    press.textContent = "all numbers";
    press.addEventListener("click", () => unfold(line));
    line.words.append(" ", press);
  }
  tools.hidden = false;
  tools.addEventListener("input", (event) => (event.target.name === "columns" ? show() : arrange()));
  tools.addEventListener("submit", (event) => event.preventDefault());
  show();
  const mark = () => {
    const row = location.hash.startsWith("#q-") ? document.getElementById(location.hash.slice(1)) : null;
    lines.forEach((line) => line.row.classList.toggle("marked", line.row === row));
    row?.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", mark);
  mark();
})();
