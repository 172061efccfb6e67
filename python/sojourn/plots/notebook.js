// Draws a chart of a notebook in place of its picture, as soon as the scripts are there: the first chart of a session brings them.
(async (name, spec, library) => {
  const unpacked = (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
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
  await embed(room, JSON.parse(await unpacked(spec)), { actions: false, renderer: "svg", mode: "vega-lite" });
  document.getElementById(name)?.replaceChildren(room);
})
