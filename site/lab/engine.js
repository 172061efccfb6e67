// The page's side of the worker. The core travels inside the page, so that the page works from a file.

const unpacked = async () => {
  const packed = Uint8Array.from(atob(document.getElementById("core").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};

export class Engine {
  #worker;
  #waiting = new Map();
  #number = 0;
  #watcher = null;

  /** Starts the worker and compiles the core. */
  static async begin() {
    const engine = new Engine();
    const code = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
    engine.#worker = new Worker(URL.createObjectURL(code));
    engine.#worker.onmessage = ({ data }) => engine.#hear(data);
    engine.#worker.onerror = (event) => engine.#watcher?.error({ message: event.message });
    const bytes = await unpacked();
    const answer = await engine.#send({ do: "begin", bytes }, [bytes]);
    if (answer.error) throw new Error(answer.error.message);
    return engine;
  }

  #send(message, transfer = []) {
    const id = ++this.#number;
    this.#worker.postMessage({ ...message, id }, transfer);
    return new Promise((answer) => this.#waiting.set(id, answer));
  }

  #hear(data) {
    if (data.watch !== undefined) {
      if (data.watch !== this.#watcher?.id) return;
      if (data.error) this.#watcher.error(data.error);
      if (data.samples) this.#watcher.samples(data.samples, data.end);
      if (data.tables) this.#watcher.tables(data.tables);
      return;
    }
    this.#waiting.get(data.id)?.(data.answer);
    this.#waiting.delete(data.id);
  }

  /** One request of the core: `resolve`, `registry`, `version`. */
  ask(request) { return this.#send({ do: "ask", request }); }

  /** One scenario without watching: its tables as text, and the time that it took in milliseconds. */
  whole(toml, seed = 1, set = [], most = 0) { return this.#send({ do: "whole", toml, seed, set, most }); }

  /** Runs scenarios side by side; `watcher` has `samples`, `tables` and `error`. Earlier runs end. */
  watch(runs, step, speed, watcher) {
    const id = ++this.#number;
    this.#watcher = { ...watcher, id };
    this.#worker.postMessage({ do: "watch", id, runs, step, speed });
  }

  stop() { this.#watcher = null; this.#worker.postMessage({ do: "stop" }); }

  pace(speed, paused) { this.#worker.postMessage({ do: "pace", speed, paused }); }
}
