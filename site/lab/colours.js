// The colours of queues, which are those of reports: see python/sojourn/showing/plots/palette.py, from which the build takes the lists.
import { CATEGORY, HOMES } from "./palette.js";

/** The checksum of CRC-32, from which the colour of a name follows that is not in the list. */
function crc32(text) {
  let sum = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** Places in the list of colours. Where two queues want the same one, the second takes the next that is free. */
export function places(kinds) {
  // The second half of the list are shades, for more queues than the page has.
  const colours = CATEGORY.light.length / 2;
  const found = [];
  for (const kind of kinds) {
    let place = HOMES[kind] ?? crc32(kind) % colours;
    while (found.includes(place)) place = (place + 1) % colours;
    found.push(place);
  }
  return found;
}

export const coloursOf = (kinds, theme) => places(kinds).map((place) => CATEGORY[theme === "dark" ? "dark" : "light"][place]);
