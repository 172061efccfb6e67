// The colours of shipped queues, as in reports. The build takes the lists from python/sojourn/_rooms/showing/plots/palette.py.
import { CATEGORY, COLOURS, HOMES } from "./palette.js";

/** The checksum CRC-32, which gives a colour to a name that is not in the list. */
function crc32(text) {
  let sum = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** Places in the list of colours. Where several queues want the same one, the best known has it; others take the next that is free. */
export function places(names) {
  // Linux's form of a queue has the colour of the queue.
  const kinds = names.map((name) => name.replace(/^sch_/, ""));
  const known = Object.keys(HOMES);
  const rank = (at) => (kinds[at] in HOMES ? known.indexOf(kinds[at]) : known.length);
  const found = kinds.map(() => -1);
  const order = [...kinds.keys()].sort((a, b) => rank(a) - rank(b) || a - b);
  for (const at of order) {
    const home = HOMES[kinds[at]];
    if (home !== undefined && !found.includes(home)) found[at] = home;
  }
  for (const at of order.filter((each) => found[each] < 0)) {
    let place = HOMES[kinds[at]] ?? crc32(kinds[at]) % COLOURS;
    while (found.includes(place)) place = (place + 1) % COLOURS;
    found[at] = place;
  }
  return found;
}

export const coloursOf = (kinds, theme) => places(kinds).map((place) => CATEGORY[theme === "dark" ? "dark" : "light"][place]);
