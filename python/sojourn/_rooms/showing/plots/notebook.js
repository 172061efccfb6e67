// Draws a chart of a notebook in place of its picture, as soon as the scripts are there: the first chart of a session brings them.
// `night` is its configuration for a page with a dark ground.
(async (name, spec, night, library) => {
  const unpacked = (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const isDark = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const [red, green, blue, opacity = 1] = getComputedStyle(each).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [];
      if (blue !== undefined && opacity > 0) return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
    }
    return false;
  };
  if (library && !window.sojournVega) {
    window.sojournVega = unpacked(library).then((text) => {
      const script = document.createElement("script");
      script.textContent = text;
      document.head.append(script);
      return window.vegaEmbed;
    });
    document.dispatchEvent(new Event("sojourn-vega"));
  }
  if (!window.sojournVega) await new Promise((go) => document.addEventListener("sojourn-vega", go, { once: true }));
  const embed = await window.sojournVega;
  const room = document.createElement("div");
  const drawn = JSON.parse(await unpacked(spec));
  if (isDark(document.getElementById(name))) drawn.config = JSON.parse(await unpacked(night));
  await embed(room, drawn, { actions: false, renderer: "svg", mode: "vega-lite" });
  document.getElementById(name)?.replaceChildren(room);
})
