"use strict";
/**
 * Unpacks gzip at once (RFC 1951 and 1952). The browser's own unpacks with promises alone, and paper waits for none.
 * The header is as Python's gzip.compress writes it: ten bytes and no name.
 */
function inflated(bytes) {
  const out = new Uint8Array(new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4).getUint32(0, true));
  let at = 10; // The next byte,
  let held = 0; // what was read of those before and not yet used,
  let count = 0; // so many bits,
  let filled = 0; // and how much is unpacked.

  function hold(wanted) {
    for (; count < wanted; count += 8) held |= bytes[at++] << count;
  }
  function bits(wanted) {
    hold(wanted);
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return value;
  }

  /** For each pattern of as many bits as the longest code has: the symbol with which it begins, and the length of its code. */
  function codes(lengths) {
    const longest = Math.max(...lengths);
    const table = new Uint16Array(1 << longest);
    let code = 0;
    for (let length = 1; length <= longest; length++) {
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        // The stream has the highest bit of a code first.
        let first = 0;
        for (let bit = 0; bit < length; bit++) first |= ((code >> bit) & 1) << (length - 1 - bit);
        for (let place = first; place < table.length; place += 1 << length) table[place] = (symbol << 4) | length;
        code++;
      }
      code <<= 1;
    }
    return { table, longest };
  }
  function symbol({ table, longest }) {
    hold(longest);
    const entry = table[held & ((1 << longest) - 1)];
    held >>>= entry & 15;
    count -= entry & 15;
    return entry >> 4;
  }

  function stored() {
    at -= count >> 3; // Whole bytes that were held.
    held = count = 0;
    const size = bytes[at] | (bytes[at + 1] << 8);
    out.set(bytes.subarray(at + 4, at + 4 + size), filled);
    at += 4 + size;
    filled += size;
  }
  function usual() {
    const lengths = Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8));
    return [codes(lengths), codes(new Array(30).fill(5))];
  }
  function own() {
    const [literals, distances, sizes] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    const short = new Array(19).fill(0);
    for (let place = 0; place < sizes; place++) short[order[place]] = bits(3);
    const tree = codes(short);
    const lengths = [];
    while (lengths.length < literals + distances) {
      const next = symbol(tree);
      if (next < 16) lengths.push(next);
      else {
        const [value, times] = next === 16 ? [lengths.at(-1), 3 + bits(2)] : [0, next === 17 ? 3 + bits(3) : 11 + bits(7)];
        for (let time = 0; time < times; time++) lengths.push(value);
      }
    }
    return [codes(lengths.slice(0, literals)), codes(lengths.slice(literals))];
  }
  function block([literals, distances]) {
    for (let next = symbol(literals); next !== 256; next = symbol(literals)) {
      if (next < 256) {
        out[filled++] = next;
        continue;
      }
      const step = next - 257;
      let more = step < 8 || step === 28 ? 0 : (step >> 2) - 1;
      const size = step === 28 ? 258 : 3 + (step < 8 ? step : ((4 + (step & 3)) << more) + bits(more));
      const far = symbol(distances);
      more = far < 2 ? 0 : (far >> 1) - 1;
      let from = filled - 1 - (far < 2 ? far : ((2 + (far & 1)) << more) + bits(more));
      for (let left = size; left > 0; left--) out[filled++] = out[from++];
    }
  }

  for (let last = 0; !last; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) stored();
    else block(kind === 1 ? usual() : own());
  }
  return new TextDecoder().decode(out);
}
