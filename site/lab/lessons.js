// Five lessons. Each step asks for a guess, sets the laboratory, and points at something in the charts. `see` has a finding for each of
// its sentences, which is checked against the numbers of the run. `answer` is the right guess. The last step of a lesson has a goal that
// is reached with the settings.
import { FLOW } from "./scenario.js";

const bulk = (count, more = {}) => ({ ...FLOW, name: "downloads", count, ...more });
const call = (more = {}) => ({ ...FLOW, name: "call", what: "cbr", how: "udp", ...more });
const fifo = (limit) => ({ kind: "fifo", set: { limit } });
/** RED as a step: marks every packet that finds at least that number waiting. */
const step = (min_th, max_th) => ({ kind: "red", set: { limit: "200p", min_th, max_th, max_p: "1", w_q: "1", ecn: "true", mark_max_p: "2" } });
const link = { rate: 10, rtt: 40, spread: 10, loss: 0, seconds: 30, seed: 1 };

const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const percent = (value) => `${value.toFixed(value < 10 ? 1 : 0)} %`;
const see = (holds, text) => ({ holds, text });
const mbit = (group) => `${group.throughput.toFixed(1)} Mbit/s`;
const whole = (value) => value.toFixed(0);

export const LESSONS = [
  {
    id: "buffers",
    title: "Why buffers bloat",
    about: "A bigger buffer loses fewer packets. It does not carry more data, and everybody waits longer.",
    steps: [
      {
        title: "A buffer of one round trip",
        text: `Four downloads share a link of 10 Mbit/s. Data needs about 40 ms there and back. In 40 ms the link carries
          33 packets of 1500 bytes. The buffer on the left has room for as many. <b>Look at the queue:</b> it fills, a packet is lost,
          a sender reduces its window (the data that it may have on the way) by three tenths, as CUBIC of RFC 9438 does, and the queue drains again. The buffer on the right has room for only three packets.`,
        state: { ...link, flows: [bulk(4)], queues: [fifo("33p"), fifo("3p")] },
        guess: { ask: "The buffer has room for three packets. How much of the time is the link busy?", options: ["As much as with 33", "About three quarters", "Less than half"], answer: ([one, small]) => (small.utilisation > 95 ? 0 : small.utilisation > 60 ? 1 : 2) },
        see: ([one, small]) => [
          see(one.seen.highest === 33 && one.seen.lowest < 17, `On the left the queue goes up to ${one.seen.highest} packets and down to ${one.seen.lowest}.`),
          see(Math.abs(one.seen.kept - 0.7) < 0.05, `When a window falls, ${one.seen.kept.toFixed(2)} of it is left (the median of all falls).`),
          see(one.utilisation > 95, `With room for 33 packets the link is busy ${percent(one.utilisation)} of the time.`),
          see(small.utilisation < one.utilisation, `With room for 3 it is busy ${percent(small.utilisation)}: the queue is empty ${percent(small.seen.empty)} of the time, and the link idles.`),
        ],
      },
      {
        title: "Ten times the buffer",
        text: `Now the buffer on the right has room for 330 packets. The senders do not know this. They speed up until packets are lost,
          and nothing is lost before the buffer is full. <b>Compare the delay on both sides.</b> This standing queue is called bufferbloat.`,
        // Long enough that the losses of the start, which a large buffer does not spare, do not decide.
        state: { ...link, seconds: 90, flows: [bulk(4)], queues: [fifo("33p"), fifo("330p")] },
        guess: { ask: "The buffer becomes ten times as large. What happens to the wait?", options: ["Hardly anything", "It doubles", "It grows about as much as the buffer"], answer: ([one, deep]) => (deep.wait < 1.5 * one.wait ? 0 : deep.wait < 4 * one.wait ? 1 : 2) },
        see: ([one, deep]) => [
          see(deep.wait > 5 * one.wait, `A packet waits ${ms(one.wait)} on the left and ${ms(deep.wait)} on the right.`),
          see(deep.loss < one.loss, `It loses fewer packets: ${percent(one.loss)} with the small buffer and ${percent(deep.loss)} with the large one.`),
          see(deep.utilisation < one.utilisation + 5, `The link hardly carries more: it is busy ${percent(one.utilisation)} and ${percent(deep.utilisation)}.`),
        ],
      },
      {
        title: "Who suffers",
        text: `A call sends a small packet every 20 ms and never fills a queue. But its packets wait in the queue that the downloads have filled.
          A conversation becomes hard if the voice takes more than about 150 ms one way. <b>Look at the call's line in the delay charts.</b>`,
        state: { ...link, flows: [bulk(4), call()], queues: [fifo("33p"), fifo("330p")] },
        guess: { ask: "How long does the voice take behind a buffer of 330 packets?", options: ["As long as behind one of 33", "More than 150 ms", "More than a second"], answer: ([one, deep]) => (deep.groups.call.delay < 150 ? 0 : deep.groups.call.delay < 1000 ? 1 : 2) },
        see: ([one, deep]) => [
          see(one.groups.call.delay < 150, `Behind 33 packets the voice takes ${ms(one.groups.call.delay)}.`),
          see(deep.groups.call.delay > 150, `Behind 330 packets it takes ${ms(deep.groups.call.delay)}: people begin to talk at the same time.`),
        ],
      },
      {
        title: "A queue that acts before it is full",
        text: `Nobody knows the right size of a buffer, because it depends on the link and on the round trip. A managed queue may keep a large buffer for bursts
          and still drop early when a queue does not go away. On the right CoDel manages the buffer of 330 packets.
          <b>The buffer is the same, the delay is not.</b>`,
        state: { ...link, flows: [bulk(4), call()], queues: [fifo("330p"), { kind: "codel", set: { limit: "330p" } }] },
        guess: { ask: "CoDel drops packets early. What does that cost the link?", options: ["Hardly anything", "A fifth of what it carries", "Half of it"], answer: ([deep, codel]) => (codel.utilisation > 95 ? 0 : codel.utilisation > 65 ? 1 : 2) },
        see: ([deep, codel]) => [
          see(codel.groups.call.delay < deep.groups.call.delay / 4, `The voice takes ${ms(deep.groups.call.delay)} behind the plain buffer and ${ms(codel.groups.call.delay)} with CoDel.`),
          see(codel.utilisation > 85, `The link is still busy ${percent(codel.utilisation)} of the time.`),
        ],
        goal: { text: `Set the <code>limit</code> of the plain buffer on the left so that the call takes less than 60 ms one way and the link is busy more than 99 % of the time.`, reached: ([plain], { queues: [queue] }) => queue.kind === "fifo" && plain.groups.call.delay < 60 && plain.utilisation > 99 },
      },
    ],
  },
  {
    id: "red",
    title: "RED's two thresholds",
    about: "RED drops a few packets at random before the buffer is full, so that senders slow down one after the other.",
    steps: [
      {
        title: "An average, and two thresholds",
        text: `RED computes an average of the queue. While the average is below the lower threshold, RED drops nothing. Between the two thresholds it drops
          packets at random. The probability of a drop grows with the average. <b>Look at the dashed line in the queue chart:</b> it is the average. The queue swings around it.
          The plain buffer on the left loses packets in clumps, when it is full.`,
        state: { ...link, flows: [bulk(4)], queues: [fifo("200p"), { kind: "red", set: { limit: "200p", min_th: "10p", max_th: "30p", max_p: "0.1" } }] },
        guess: { ask: "Both buffers have room for 200 packets. How many packets wait with RED, on average?", options: ["About 180, as in the plain buffer", "About half", "Between its thresholds of 10 and 30"], answer: ([plain, red]) => (red.backlog > 150 ? 0 : red.backlog > 35 ? 1 : 2) },
        see: ([plain, red]) => [
          see(red.backlog < 30 && red.backlog > 5, `RED's queue has ${red.backlog.toFixed(0)} packets on average, near its thresholds of 10 and 30.`),
          see(red.backlog < plain.backlog / 5, `The plain buffer holds ${whole(plain.backlog)}.`),
          see(plain.seen.quiet > 2 * red.seen.quiet, `The plain buffer drops nothing in ${percent(plain.seen.quiet)} of all half seconds, and up to ${plain.seen.clump} packets in a single one. RED drops nothing in ${percent(red.seen.quiet)} of them.`),
        ],
      },
      {
        title: "More senders, longer queue",
        text: `Each sender needs fewer packets in flight when there are more of them, and RED must drop more often to hold them back.
          It drops more only when its average is higher. Both sides have the same RED, except for one parameter:
          <b>max_p</b>, the probability at the upper threshold, is 0.1 on the left and 0.02 on the right. Thirty downloads need a probability above 0.02.`,
        state: { ...link, flows: [bulk(30)], queues: [
          { kind: "red", set: { limit: "90p", min_th: "10p", max_th: "30p", max_p: "0.1" } },
          { kind: "red", set: { limit: "90p", min_th: "10p", max_th: "30p", max_p: "0.02" } }] },
        guess: { ask: "There are thirty downloads instead of four. How many of the packets must RED drop?", options: ["About 2 %", "About 5 %", "More than 10 %"], answer: ([strong]) => (strong.loss < 3.5 ? 0 : strong.loss < 8 ? 1 : 2) },
        see: ([strong, weak]) => [
          see(weak.loss > 2, `RED must drop ${percent(weak.loss)} of the packets of thirty downloads, far more than 2 %.`),
          see(weak.backlog > strong.backlog + 4, `The queue has ${strong.backlog.toFixed(0)} packets with a max_p of 0.1, and ${weak.backlog.toFixed(0)} with 0.02.`),
          see(weak.backlog > 28, "With 0.02 the average is at the upper threshold or above it."),
        ],
      },
      {
        title: "Beyond the upper threshold",
        text: `What happens above the upper threshold? The RED of 1993 drops every packet there. The gentle variant raises the probability further,
          to 1 at twice the threshold. The queue on the left is strict, the one on the right gentle. A strict queue drops packet after packet while the average is too high, and a sender that
          loses several at once must wait for its timer. <b>Compare the timeouts below the charts.</b>`,
        state: { ...link, flows: [bulk(30)], queues: [
          { kind: "red", set: { limit: "90p", min_th: "10p", max_th: "30p", max_p: "0.02", above: "strict" } },
          { kind: "red", set: { limit: "90p", min_th: "10p", max_th: "30p", max_p: "0.02", above: "gentle" } }] },
        guess: { ask: "With which queue do senders wait for a timer more often?", options: ["The strict one", "The gentle one", "Both alike"], answer: ([strict, gentle]) => (strict.timeouts > 1.25 * gentle.timeouts ? 0 : gentle.timeouts > 1.25 * strict.timeouts ? 1 : 2) },
        see: ([strict, gentle]) => [
          see((strict.reasons.forced ?? 0) > (gentle.reasons.forced ?? 0), `The strict queue drops ${strict.reasons.forced ?? 0} packets above the threshold, the gentle one ${gentle.reasons.forced ?? 0}.`),
          see(strict.timeouts > gentle.timeouts, `Senders wait for a timer ${strict.timeouts} times with the strict queue and ${gentle.timeouts} times with the gentle one.`),
        ],
      },
      {
        title: "How fast the average follows",
        text: `The weight w_q is the share that each new packet has in the average. On the left it is 0.02, on the right 0.0002.
          Here four downloads run, and after 10 seconds twenty more join them. A slow average notices them late: the queue climbs for
          seconds. It also notices the end late: RED still drops when the queue has long been short, and the link idles.
          <b>Compare the dashed lines.</b> The right weight depends on the rate of the link. If you do not set it, RED computes it from the rate.`,
        state: { ...link, flows: [bulk(4), bulk(20, { name: "crowd", at: 10 })], queues: [
          { kind: "red", set: { limit: "300p", min_th: "10p", max_th: "30p", max_p: "0.1", w_q: "0.02" } },
          { kind: "red", set: { limit: "300p", min_th: "10p", max_th: "30p", max_p: "0.1", w_q: "0.0002" } }] },
        guess: { ask: "Twenty senders join at 10 s. Which queue climbs higher?", options: ["The one with the fast average", "The one with the slow average", "Both alike"], answer: ([fast, slow]) => (fast.seen.highest > 1.5 * slow.seen.highest ? 0 : slow.seen.highest > 1.5 * fast.seen.highest ? 1 : 2) },
        see: ([fast, slow]) => [
          see(slow.seen.highest > 3 * fast.seen.highest, `The queue climbs to ${fast.seen.highest} packets on the left and to ${slow.seen.highest} on the right.`),
          see(slow.wait99 > 3 * fast.wait99, `One packet in a hundred waits longer than ${ms(fast.wait99)} on the left and ${ms(slow.wait99)} on the right.`),
          see(slow.utilisation < fast.utilisation - 5, `The link is busy ${percent(fast.utilisation)} and ${percent(slow.utilisation)} of the time.`),
        ],
        goal: { text: `Find a <code>w_q</code> for the queue on the right with which one packet in a hundred waits less than 70 ms and the link is busy more than 99 % of the time.`, reached: ([, slow], { queues: [, queue] }) => queue?.kind === "red" && slow.wait99 < 70 && slow.utilisation > 99 },
      },
    ],
  },
  {
    id: "codel",
    title: "CoDel's clock",
    about: "CoDel does not look at the length of the queue. It asks how long packets have waited, and for how long that has been too much.",
    steps: [
      {
        title: "Five milliseconds",
        text: `CoDel measures how long each packet has waited. It accepts a wait of up to 5 ms, its target. If all packets of a tenth of a second have waited
          longer, CoDel drops one packet and starts a clock. <b>Look at the queue on the right:</b> bursts pass, a standing queue does not.`,
        state: { ...link, flows: [bulk(4)], queues: [fifo("200p"), { kind: "codel", set: { limit: "200p" } }] },
        guess: { ask: "CoDel's target is a wait of 5 ms. How long do packets wait on average?", options: ["Below 5 ms", "Between 5 and 20 ms", "About 100 ms"], answer: ([plain, codel]) => (codel.wait < 5 ? 0 : codel.wait < 20 ? 1 : 2) },
        see: ([plain, codel]) => [
          see(codel.seen.highest > 10 && codel.seen.lowest === 0 && plain.seen.lowest > 100, `CoDel lets bursts of up to ${codel.seen.highest} packets pass, and its queue becomes empty again. In the plain buffer at least ${plain.seen.lowest} packets wait at any time.`),
          see(codel.wait < 15, `Packets wait ${ms(codel.wait)} on average with CoDel, and ${ms(plain.wait)} in the plain buffer.`),
          see(codel.utilisation > 85, `The link is busy ${percent(codel.utilisation)} of the time.`),
        ],
      },
      {
        title: "The clock speeds up",
        text: `While the wait stays above the target, the next drop comes sooner each time: after 100 ms, then 71, 58, 50, and so on,
          the interval over the square root of the count. TCP's rate falls with the square root of the losses, so the pressure rises evenly.
          Here four downloads run, and after 10 seconds thirty more join them. <b>Look at how long each queue takes to calm down.</b>
          On the left the clock begins with 100 ms, on the right with 20 ms.`,
        state: { ...link, flows: [bulk(4), bulk(30, { name: "crowd", at: 10 })], queues: [{ kind: "codel", set: { limit: "1000p" } }, { kind: "codel", set: { limit: "1000p", interval: "20ms" } }] },
        guess: { ask: "The clock on the right is five times as fast. What does that cost?", options: ["More drops", "A link that idles", "Nothing"], answer: ([usual, hasty]) => (hasty.loss > 1.2 * usual.loss ? 0 : hasty.utilisation < usual.utilisation - 5 ? 1 : 2) },
        see: ([usual, hasty]) => [
          see(usual.seen.above(50) > 2 && hasty.seen.above(50) < 1, `More than 50 packets wait for ${usual.seen.above(50).toFixed(1)} s on the left and for ${hasty.seen.above(50).toFixed(1)} s on the right.`),
          see(hasty.wait99 < usual.wait99 / 4, `One packet in a hundred waits longer than ${ms(usual.wait99)} with the usual clock and ${ms(hasty.wait99)} with the hasty one.`),
          see(hasty.loss > usual.loss, `The hasty clock drops more: ${percent(hasty.loss)} against ${percent(usual.loss)}.`),
        ],
      },
      {
        title: "A sender that never slows down",
        text: `A flood of 12 Mbit/s enters the link of 10 Mbit/s and ignores every loss. A sixth of it must be dropped, whatever the queue is.
          The plain buffer on the left is full within seconds and stays full. CoDel's clock speeds up drop by drop, until it drops a sixth.
          <b>Look at how high the queue climbs until then.</b> When the queue is short again, the clock stops,
          and everything begins again. CoDel was made for senders that slow down after a loss.`,
        state: { ...link, flows: [{ ...call(), name: "flood", rate: 12 }], queues: [fifo("1000p"), { kind: "codel", set: { limit: "1000p" } }] },
        guess: { ask: "The flood never slows down. Which queue loses fewer of its packets?", options: ["The plain buffer", "CoDel", "Both lose about a sixth"], answer: ([plain, codel]) => (codel.loss - plain.loss > 4 ? 0 : plain.loss - codel.loss > 4 ? 1 : 2) },
        see: ([plain, codel]) => [
          see(plain.seen.highest === 1000 && plain.seen.lowest > 500, `After 5 seconds at least ${plain.seen.lowest} packets wait in the plain buffer at any time, and 1000 when it is full.`),
          see(codel.seen.highest > 200 && codel.seen.lowest < 20, `CoDel's queue climbs to ${codel.seen.highest} packets and comes down to ${codel.seen.lowest}, again and again.`),
          see(codel.backlog < plain.backlog / 2, `On average ${plain.backlog.toFixed(0)} packets wait in the plain buffer, and ${codel.backlog.toFixed(0)} with CoDel.`),
          see(Math.abs(codel.loss - plain.loss) < 4, `Both lose about the same: ${percent(plain.loss)} and ${percent(codel.loss)}.`),
        ],
      },
      {
        title: "A long way",
        text: `The target is a fixed 5 ms. Data to a distant server needs 200 ms there and back. A sender halves its window at a loss, and the link
          stays busy only if the queue bridges the time until the window has grown again. For a single sender the queue must then hold about as much as the link carries in a round trip. CoDel does not allow such a
          queue. On the right the target is 100 ms and the interval 200 ms.
          <b>Compare what the link carries.</b>`,
        state: { ...link, rtt: 200, spread: 0, seconds: 60, flows: [bulk(1, { how: "tcp/reno" })], queues: [{ kind: "codel", set: { limit: "500p" } }, { kind: "codel", set: { limit: "500p", target: "100ms", interval: "200ms" } }] },
        guess: { ask: "A single sender has a round trip of 200 ms, and CoDel a target of 5 ms. How much of the time is the link busy?", options: ["About all of the time", "About three quarters", "Less than half"], answer: ([tight]) => (tight.utilisation > 90 ? 0 : tight.utilisation > 60 ? 1 : 2) },
        see: ([tight, loose]) => [
          see(Math.abs(tight.seen.kept - 0.5) < 0.02, `When the window falls, ${tight.seen.kept.toFixed(2)} of it is left.`),
          see(loose.utilisation > tight.utilisation + 10, `The link is busy ${percent(tight.utilisation)} of the time with a target of 5 ms, and ${percent(loose.utilisation)} with 100 ms.`),
          see(loose.wait > tight.wait, `Packets wait ${ms(tight.wait)} and ${ms(loose.wait)}.`),
        ],
        goal: { text: `Find a <code>target</code> for the queue on the right with which the link is busy more than 80 % of the time and packets wait less than 20 ms on average.`, reached: ([, loose], { queues: [, queue] }) => queue?.kind === "codel" && loose.utilisation > 80 && loose.wait < 20 },
      },
    ],
  },
  {
    id: "flows",
    title: "Flow queueing",
    about: "If each flow has its own queue, its packets wait for each other and not for those of other flows.",
    steps: [
      {
        title: "A call beside downloads",
        text: `Three queues at the same link: a plain buffer, CoDel, and FQ-CoDel, which gives each flow a queue and serves them in turn.
          A flow that has just begun, or sends little, goes first. <b>Look at the call's delay in each.</b>`,
        state: { ...link, flows: [bulk(4), call()], queues: [fifo("200p"), { kind: "codel", set: { limit: "200p" } }, { kind: "fq_codel", set: {} }] },
        guess: { ask: "Which queue is best for the call?", options: ["The plain buffer", "CoDel", "FQ-CoDel"], answer: (all) => all.map((one) => one.groups.call.delay).reduce((best, delay, place, delays) => (delay < delays[best] ? place : best), 0) },
        see: ([plain, codel, fq]) => [
          see(fq.groups.call.delay < codel.groups.call.delay && codel.groups.call.delay < plain.groups.call.delay,
            `The call takes ${ms(plain.groups.call.delay)}, ${ms(codel.groups.call.delay)} and ${ms(fq.groups.call.delay)} one way. About 20 ms of this is the path itself.`),
        ],
      },
      {
        title: "A greedy neighbour",
        text: `A flood of 8 Mbit/s shares the link of 10 Mbit/s with four downloads. In a single queue the flood takes as much as it sends. With a queue for each flow it gets a fifth
          of the link, and only its own packets are dropped. <b>Look at the throughput.</b>`,
        state: { ...link, flows: [bulk(4), { ...call(), name: "flood", rate: 8 }], queues: [fifo("100p"), { kind: "fq_codel", set: {} }] },
        guess: { ask: "How much is left for the four downloads in a single queue?", options: ["A fifth for each of the five", "About 2 Mbit/s together", "Nothing"], answer: ([plain]) => (plain.groups.downloads.throughput > 6 ? 0 : plain.groups.downloads.throughput > 1 ? 1 : 2) },
        see: ([plain, fq]) => [
          see(plain.groups.flood.throughput > 6, `In one queue the flood gets ${plain.groups.flood.throughput.toFixed(1)} Mbit/s and the four downloads ${plain.groups.downloads.throughput.toFixed(1)} together.`),
          see(fq.groups.flood.lost > 20 * fq.groups.downloads.lost, `In this queue the flood loses ${percent(fq.groups.flood.lost)} of its packets and the downloads ${percent(fq.groups.downloads.lost)} of theirs.`),
          see(fq.groups.downloads.throughput > 6, `With flow queues the flood gets ${fq.groups.flood.throughput.toFixed(1)} Mbit/s and the downloads ${fq.groups.downloads.throughput.toFixed(1)}.`),
        ],
      },
      {
        title: "Near and far",
        text: `Three downloads come from a server with a round trip of 10 ms, and three from a server with 110 ms. The near downloads speed up
          faster and take more. <b>Look at the throughput,</b> and at the windows: with flow queues the far flows have the larger ones, as they need.`,
        state: { ...link, rtt: 10, spread: 5, flows: [bulk(3, { name: "near", how: "tcp/reno" }), bulk(3, { name: "far", how: "tcp/reno", far: 100 })], queues: [fifo("50p"), { kind: "fq_codel", set: {} }] },
        guess: { ask: "Who gets more in a single queue?", options: ["The near ones", "The far ones", "All get the same"], answer: ([plain]) => (plain.groups.near.throughput > 1.5 * plain.groups.far.throughput ? 0 : plain.groups.far.throughput > 1.5 * plain.groups.near.throughput ? 1 : 2) },
        see: ([plain, fq]) => [
          see(plain.groups.near.throughput > 3 * plain.groups.far.throughput, `In one queue the near three get ${mbit(plain.groups.near)} together and the far three ${mbit(plain.groups.far)}.`),
          // A far flow takes longer to come back from a loss, so that in a short run it has about 0.7 of a near one's at worst.
          see(fq.groups.far.throughput > 0.65 * fq.groups.near.throughput, `With flow queues they get ${mbit(fq.groups.near)} and ${mbit(fq.groups.far)}.`),
          see(fq.seen.windows.far > 2 * fq.seen.windows.near, `With flow queues the window of a far sender is ${whole(fq.seen.windows.far)} packets on average, and that of a near one ${whole(fq.seen.windows.near)}.`),
        ],
        goal: { text: `Find another queue for the left side, not FQ-CoDel, with which the far three get more than 4 Mbit/s and packets wait less than 40 ms on average.`, reached: ([left], { queues: [queue] }) => queue.kind !== "fq_codel" && left.groups.far?.throughput > 4 && left.wait < 40 },
      },
    ],
  },
  {
    id: "ecn",
    title: "What ECN changes",
    about: "A mark tells a sender the same as a loss, and no packet is lost.",
    steps: [
      {
        title: "Marks instead of drops",
        text: `Both sides have the same RED. On the right, senders and queue use ECN: RED marks packets instead of dropping them, the receiver
          tells the sender, and the sender slows down as if it had lost a packet. <b>Look at drops and marks.</b>`,
        state: { ...link, flows: [bulk(8, { ecn: true })], queues: [
          { kind: "red", set: { limit: "100p", min_th: "10p", max_th: "30p", ecn: "false" } }, { kind: "red", set: { limit: "100p", min_th: "10p", max_th: "30p", ecn: "true" } }] },
        guess: { ask: "How many packets do senders repeat if the queue marks?", options: ["As many as without marks", "About half as many", "Hardly any"], answer: ([drops, marks]) => (marks.retransmits > 0.75 * drops.retransmits ? 0 : marks.retransmits > 0.2 * drops.retransmits ? 1 : 2) },
        see: ([drops, marks]) => [
          see(drops.drops > 0 && marks.marks > 0, `Without ECN ${drops.drops} packets are lost; with it ${marks.marks} are marked and ${marks.drops} lost.`),
          see(marks.retransmits < drops.retransmits, `Senders repeat ${drops.retransmits} packets without ECN and ${marks.retransmits} with it.`),
        ],
      },
      {
        title: "Small windows",
        text: `Twenty-four downloads have windows of few packets. A sender learns of a loss from the packets that follow it. With a small window hardly any
          packet follows, and the sender waits for its timer, 200 ms or more. A mark needs no timer. <b>Compare the timeouts below the charts.</b>`,
        state: { ...link, flows: [bulk(24, { ecn: true, how: "tcp/reno" })], queues: [
          { kind: "red", set: { limit: "200p", min_th: "10p", max_th: "30p", ecn: "false" } }, { kind: "red", set: { limit: "200p", min_th: "10p", max_th: "30p", ecn: "true" } }] },
        guess: { ask: "Does it take more marks or more drops to hold 24 senders back?", options: ["More drops", "More marks", "The same number"], answer: ([drops, marks]) => (drops.loss > 1.1 * marks.marked ? 0 : marks.marked > 1.1 * drops.loss ? 1 : 2) },
        see: ([drops, marks]) => [
          see(drops.timeouts > 0 && marks.timeouts < drops.timeouts / 4, `Senders wait for a timer ${drops.timeouts} times without ECN and ${marks.timeouts} times with it.`),
          see(marks.marked > drops.loss, `It takes more marks than drops: ${percent(marks.marked)} of the packets against ${percent(drops.loss)}. A marked packet stays in the queue.`),
        ],
      },
      {
        title: "Many small signals",
        text: `A classic sender reduces its window by the same part at each mark, even if few packets are marked. DCTCP measures the share of its packets that are marked and
          reduces its window by half of that share. A queue may therefore mark early and often. The queue on the left marks every packet that finds more than 10 packets waiting, the one on the right more than 40.
          <b>Compare with the beginning of this lesson:</b> the queue moves less, and its mean is just below the length at which marks begin.`,
        state: { ...link, flows: [bulk(4, { how: "tcp/dctcp", ecn: true })], queues: [step("10p", "11p"), step("40p", "41p")] },
        guess: { ask: "The queue marks every packet that finds more than 10 packets waiting. What happens to the link?", options: ["It idles part of the time", "It stays busy"], answer: ([low]) => (low.utilisation < 95 ? 0 : 1) },
        see: ([low, high]) => [
          see(low.backlog < 10 && low.backlog > 6 && high.backlog < 40 && high.backlog > 30, `The queues have ${whole(low.backlog)} and ${whole(high.backlog)} packets on average, just below the lengths at which marks begin.`),
          see(high.seen.highest - high.seen.lowest < 25, `The queue on the right moves between ${high.seen.lowest} and ${high.seen.highest} packets.`),
          see(low.drops + high.drops === 0, `${low.drops + high.drops} packets were lost.`),
          see(low.utilisation > 95, `With marks from 10 packets on, the link is busy ${percent(low.utilisation)} of the time.`),
        ],
      },
      {
        title: "Not in one queue",
        text: `Two downloads use DCTCP and two are classic. On the left a single queue marks both by the same rule. The classic senders treat each mark as a loss and slow down much more.
          On the right each flow has a queue of its own. <b>Look at the throughput.</b> This is why new senders with many small signals get a queue of their own.`,
        state: { ...link, flows: [bulk(2, { name: "dctcp", how: "tcp/dctcp", ecn: true }), bulk(2, { name: "classic", how: "tcp/reno", ecn: true })],
          queues: [step("10p", "11p"), { kind: "fq_codel", set: { ecn: "true" } }] },
        guess: { ask: "Two DCTCP senders and two classic ones share a queue. Who gets more?", options: ["DCTCP", "The classic senders", "Both the same"], answer: ([one]) => (one.groups.dctcp.throughput > 1.5 * one.groups.classic.throughput ? 0 : one.groups.classic.throughput > 1.5 * one.groups.dctcp.throughput ? 1 : 2) },
        see: ([one, fq]) => [
          see(one.groups.dctcp.throughput > 2 * one.groups.classic.throughput, `In one queue DCTCP gets ${one.groups.dctcp.throughput.toFixed(1)} Mbit/s and the classic pair ${one.groups.classic.throughput.toFixed(1)}.`),
          see(fq.groups.classic.throughput > 3.5, `With flow queues the two pairs get ${fq.groups.dctcp.throughput.toFixed(1)} and ${fq.groups.classic.throughput.toFixed(1)} Mbit/s.`),
        ],
        goal: { text: `Leave the queue on the left as it is. Choose another sender for the first group, so that both pairs get more than 3.5 Mbit/s in one queue. What does the link lose then?`, reached: ([left], { queues: [queue] }) => queue.kind === "red" && Object.values(left.groups).every((group) => group.throughput > 3.5) },
      },
    ],
  },
];
