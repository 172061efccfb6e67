// The colours of queues, as in reports. The build takes the lists from python/sojourn/showing/plots/palette.py.
import { CATEGORY, HOMES } from "./palette.js";

/** The checksum CRC-32, which gives a colour to a name that is not in the list. */
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
