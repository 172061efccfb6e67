// The tasks of a lesson: a guess before each run, and at the end a goal that is reached with the settings.
import { element } from "./controls.js";

/** The question of a step; `answered` is called with the number of the guess, or null. */
export function question({ ask, options }, answered) {
  return element("div", { class: "guess", role: "group", "aria-label": "Guess first" },
    element("p", {}, element("b", {}, "Guess first. "), ask),
    element("div", { class: "buttons" },
      ...options.map((option, number) => element("button", { type: "button", class: "option", onclick: () => answered(number) }, option)),
      element("button", { type: "button", id: "no-guess", onclick: () => answered(null) }, "Just run it")));
}

/** The verdict of the run on a guess. */
export function verdict({ ask, options, answer }, guessed, summaries) {
  if (guessed === undefined) return null;
  const right = answer(summaries);
  const words = guessed === null ? `The answer: ${options[right]}.` : guessed === right ? `You guessed right: ${options[right]}.` : `You guessed: ${options[guessed]}. The run says: ${options[right]}.`;
  return element("p", { class: "verdict", "data-right": String(guessed === right) }, element("span", { class: "asked" }, `${ask} `), words);
}

/** The goal; `summaries` are those of the last run, if it is over. */
export function task({ text, reached }, summaries, state) {
  const done = summaries ? reachedBy(reached, summaries, state) : false;
  const words = element("span");
  words.innerHTML = text; // words of the lessons, none of a reader's
  return element("p", { class: "task", "data-reached": String(done) }, element("b", {}, "Your turn. "), words,
    element("b", { class: "state" }, summaries ? (done ? " Reached." : " Not yet.") : ""));
}

/** A goal that a group or a queue is missing for is not reached. */
function reachedBy(reached, summaries, state) {
  try {
    return Boolean(reached(summaries, state));
  } catch {
    return false;
  }
}

/** The settings in words, for paper. */
export function inWords(state, names) {
  const spread = state.spread ? `, up to ${state.spread} ms more for some` : "";
  const loss = state.loss ? `; ${state.loss} % of the packets are corrupted` : "";
  const senders = state.flows.map((flow) => `${flow.count} × ${flow.name} (${flow.what} over ${flow.how}${flow.ecn ? " with ECN" : ""}${flow.far ? `, ${flow.far} ms further away` : ""}${flow.at ? `, from ${flow.at} s on` : ""})`);
  const queues = state.queues.map((queue, number) => `${names[number]}${Object.keys(queue.set).length ? ` (${Object.entries(queue.set).map(([key, value]) => `${key} = ${value}`).join(", ")})` : ""}`);
  return `Link: ${state.rate} Mbit/s, round trip ${state.rtt} ms${spread}${loss}. Senders: ${senders.join("; ")}. Queues: ${queues.join("; ")}. ${state.seconds} s, seed ${state.seed}.`;
}
