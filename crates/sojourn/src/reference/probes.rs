//! The probes of queues, which `record.probes` samples: unit, range and meaning of each.

use crate::queue::LinkContext;
use crate::queue::entry::QueueEntry;

/// The description of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// As in the table `probe`.
    pub name: &'static str,
    /// The queues of which it tells this; empty: all others that have a probe of this name.
    of: &'static [&'static str],
    /// Empty for a number without a unit.
    pub unit: &'static str,
    /// Which values it may take.
    pub range: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

/// In every queue that has it.
const fn all(name: &'static str, unit: &'static str, range: &'static str, doc: &'static str) -> Probe {
    Probe { name, of: &[], unit, range, doc }
}

impl Probe {
    /// In these queues.
    const fn of(self, queues: &'static [&'static str]) -> Probe {
        Probe { of: queues, ..self }
    }
}

const SIZE: &str = "packets or bytes, as the thresholds";
const SHARE: &str = "0 to 1";
const UP: &str = "0 or more";

/// Of probes with the same name those of single queues come first.
const PROBES: &[Probe] = &[
    all("avg", "packets", UP, "average queue over the last two cycles of work and rest, which decides about the bit")
        .of(&["decbit"]),
    all("avg", SIZE, UP, "average queue by which Out packets are judged: of all packets").of(&["rio"]),
    all("avg", SIZE, UP, "average queue by which green packets are judged").of(&["diffserv"]),
    all("avg", SIZE, UP, "moving average of the queue"),
    all("avg_in", SIZE, UP, "moving average of the In packets that wait"),
    all("avg_yellow", SIZE, UP, "average queue by which yellow packets are judged"),
    all("avg_red", SIZE, UP, "average queue by which red packets are judged"),
    all("avg_tagged", SIZE, UP, "moving average of the backlog of tagged datagrams"),
    all("avg_other", SIZE, UP, "moving average of the backlog of other datagrams"),
    all("fair_tagged", SIZE, UP, "part of the average queue that is fair for the tagged flows"),
    all("fair_other", SIZE, UP, "part of the average queue that is fair for the other flows of datagrams"),
    all("p_b", "", SHARE, "base probability of a drop or mark of an Out packet, at its last decision").of(&["rio"]),
    all("p_b", "", SHARE, "base probability of a drop or mark of a green packet, at its last decision")
        .of(&["diffserv"]),
    all("p_b", "", SHARE, "base probability of a drop or mark in the first class, at its last decision").of(&["wred"]),
    all("p_b", "", SHARE, "base probability of a drop or mark at the last decision, before drops are spaced"),
    all("p_b_in", "", SHARE, "base probability of a drop or mark of an In packet, at its last decision"),
    all("p_b_yellow", "", SHARE, "base probability of a drop or mark of a yellow packet, at its last decision"),
    all("p_b_red", "", SHARE, "base probability of a drop or mark of a red packet, at its last decision"),
    all("max_p", "", SHARE, "probability at the upper threshold, now"),
    all("min_th", SIZE, UP, "lower threshold, now"),
    all("max_th", SIZE, UP, "upper threshold, now"),
    all("w_q", "", SHARE, "weight of an arrival in the average queue, now"),
    all("moving_target", SIZE, UP, "target of the average queue: a moving average of the packets' delay hints"),
    all("count", "drops", UP, "drops since dropping began; outside of it, those of the last time").of(&["codel"]),
    all("count", "drops", UP, "the count by which its CoDel part sets the time of the next drop").of(&["cobalt"]),
    all("count", "packets", UP, "packets since the last drop or mark that was drawn"),
    all("dropping", "", "0 or 1", "1 while it drops, else 0"),
    all("drop_prob", "", SHARE, "probability of a drop by its BLUE part, now").of(&["cobalt"]),
    all("drop_prob", "", SHARE, "probability for classic packets, the square of `p_linear`").of(&["pi2", "dualpi2"]),
    all("drop_prob", "", SHARE, "probability of a drop or mark, now"),
    all("p_linear", "", SHARE, "probability that the controller moves, before it is squared"),
    all("p_max", "", SHARE, "largest drop probability of a flow").of(&["care"]),
    all("p_max", "", SHARE, "largest probability of a bin"),
    all("p_min", "", SHARE, "least probability of the bins that the last arrival fell into"),
    all("bin_max_packets", "packets", UP, "packets in the fullest bin"),
    all("delay_s", "s", UP, "delay of the queue at the last update of the controller"),
    all("filtered_error", "packets", "any", "smoothed distance of the queue from its target; negative below it"),
    all("rate_packets_per_s", "packets/s", UP, "smoothed rate of arrivals"),
    all("price", "", UP, "price of congestion: the excess of arrivals and of the queue over its target, summed up"),
    all("loss_ratio", "", SHARE, "ratio of losses over the last periods, averaged"),
    all("drop_rate", "", SHARE, "part of the packets that was dropped, averaged over intervals of identification"),
    all("utilisation", "", UP, "part of the link that was used in the last window"),
    all(
        "gamma",
        "",
        "0.000001 to 1000000",
        "factor that adapts the law: it falls after losses to a full buffer and rises while the link is not full",
    ),
    all("virtual_queue", "bytes or packets, as `mode`", UP, "content of the virtual queue at the last arrival"),
    all("virtual_bytes", "bytes", UP, "content of the virtual queue at the last arrival"),
    all("capacity", "", SHARE, "rate of the virtual link as a part of the real one's"),
    all("flows", "flows", UP, "flows that were seen in the last window").of(&["green"]),
    all("flows", "flows", UP, "estimated number of flows; 0 before the first estimate"),
    all("active_flows", "flows", UP, "estimated number of active flows; 0 before the first estimate")
        .of(&["black", "afc", "care"]),
    all("active_flows", "flows", UP, "flows of which something waits"),
    all("new_flows", "flows", UP, "flows in the list of new flows, which are served first"),
    all("old_flows", "flows", UP, "flows in the list of old flows, which are served in turn"),
    all("new_flow_count", "", UP, "how often a flow has come into the list of new flows"),
    all(
        "lends",
        "packets",
        UP,
        "packets that classes sent with tokens of their own or of a class above, all classes together",
    ),
    all(
        "borrows",
        "packets",
        UP,
        "packets that a class sent with the tokens of one above it, counted once for each class below that one",
    ),
    all("overlimits", "", UP, "how often a class came to its ceiling, all classes together"),
    all("active_queues", "queues", UP, "queues in which something waits"),
    all("listed_flows", "flows", UP, "flows of which a data unit that lost something is remembered"),
    all("monitored", "flows", UP, "flows that are monitored, because they were among those that lost most"),
    all("slowed_flows", "flows", UP, "flows that are slowed after a choke packet"),
    all("penalized_flows", "flows", UP, "flows in the penalty class"),
    all("packets_penalty", "packets", UP, "packets that wait in the penalty class"),
    all("avgcq", "packets", UP, "mean backlog of a flow: a flow's share"),
    all("l1", "packets", UP, "lower level of a flow's backlog: above it drops begin"),
    all("l2", "packets", UP, "middle level of a flow's backlog: above it drops are more likely"),
    all("w_m", "packets", UP, "upper level: the most that may wait of a flow"),
    all("longest", "bytes or packets, as `measure`", UP, "backlog of the flow with the largest backlog"),
    all("hit_frequency", "", SHARE, "how often an arrival is of the flow that it is compared with, averaged"),
    all("zombie_count", "packets", UP, "largest count in the list of flows, that of the flow that sends most"),
    all("hit_fraction_max", "", SHARE, "largest part of the traffic that a flow in the cache has"),
    all("packets_in", "packets", UP, "In packets that wait"),
    all("packets_green", "packets", UP, "green packets that wait"),
    all("packets_yellow", "packets", UP, "yellow packets that wait"),
    all("packets_red", "packets", UP, "red packets that wait"),
    all("packets_blue", "packets", UP, "blue packets that wait"),
    all("first_class_packets", "packets", UP, "packets that wait in the first class"),
    all(
        "first_class_idle_ms",
        "ms",
        "any",
        "average idle time of the first class between packets, less the time for its share; negative while it is over its share",
    ),
    all("backlog_l4s", "packets", UP, "packets that wait in the L4S queue"),
    all(
        "virtual_time",
        "bytes",
        UP,
        "virtual time: bytes that a flow of weight 1 would have got since the link was idle last",
    ),
    all("tokens_bytes", "bytes", "at most the depth", "tokens in the bucket at the last packet"),
    all("fair_rate_bps", "bit/s", UP, "fair rate of a flow; the link's rate before the first congestion"),
    all("arrival_rate_bps", "bit/s", UP, "smoothed rate of all arrivals"),
    all("accepted_rate_bps", "bit/s", UP, "smoothed rate of the arrivals that are not dropped"),
    all("phi_bps", "bit/s", "any", "change that all flows together are told to make; negative to slow down"),
    all("rate_bps", "bit/s", UP, "rate for every flow"),
    all("rtt_ms", "ms", UP, "mean round-trip time that the packets report"),
    all("persistent_queue_bytes", "bytes", UP, "least queue in the last interval, which did not drain"),
    all("memory_used_bytes", "bytes", UP, "backlog, as `memory` counts it"),
    all("memory_max_bytes", "bytes", UP, "the most that ever waited, as `memory` counts it"),
    all("capacity_bps", "bit/s", UP, "rate of arrivals, as `autorate_ingress` estimates it; 0 without it"),
    all("tin_packets", "packets", UP, "packets of the tin that came"),
    all("tin_bytes", "bytes", UP, "their bytes"),
    all("tin_drops", "packets", UP, "packets of the tin that were dropped, without filtered acknowledgements"),
    all("tin_marks", "packets", UP, "packets of the tin that were marked"),
    all("tin_ack_drops", "packets", UP, "acknowledgements of the tin that were filtered out"),
    all("tin_backlog_bytes", "bytes", UP, "backlog of the tin"),
    all("tin_sparse_flows", "flows", UP, "flows of the tin that are sparse, or empty since a short time"),
    all("tin_bulk_flows", "flows", UP, "flows of the tin in line"),
    all("tin_unresponsive_flows", "flows", UP, "flows of the tin of which BLUE drops"),
    all("tin_delay_mean_ms", "ms", UP, "moving average of the waits in the tin"),
    all("tin_delay_peak_ms", "ms", UP, "the same, which rises quickly and falls slowly"),
    all("tin_delay_base_ms", "ms", UP, "the same, which falls quickly and rises slowly"),
    all("tin_way_misses", "flows", UP, "times at which a flow was given an empty queue"),
    all("tin_way_hits", "packets", UP, "packets whose queue was found beside the first place of their hash"),
    all(
        "tin_way_collisions",
        "packets",
        UP,
        "packets that shared another flow's queue, since all eight of their hash were taken",
    ),
];

/// Tins of `cake`, which all tell the same.
const TINS: [&str; 12] =
    ["best_effort", "bulk", "video", "voice", "tin0", "tin1", "tin2", "tin3", "tin4", "tin5", "tin6", "tin7"];

/// Whether a probe of a queue is meant by an entry called `general`: `bulk_drops` is by `tin_drops`.
fn is_called(name: &str, general: &str) -> bool {
    let of_tin = |rest: &str| {
        let tin = name.strip_suffix(rest).and_then(|tin| tin.strip_suffix('_'));
        tin.is_some_and(|tin| TINS.contains(&tin))
    };
    name == general || general.strip_prefix("tin_").is_some_and(of_tin)
}

/// The probes of a queue with its defaults, as `record.probes` samples them.
pub fn names(entry: &QueueEntry) -> &'static [&'static str] {
    let built = entry.args(None).map(|args| entry.build(&args, &LinkContext::default()));
    built.ok().and_then(Result::ok).map_or(&[], |discipline| discipline.probes())
}

/// The description of a probe of this queue; nothing is known of the probes of a user's own queues.
pub fn meaning(queue: &str, name: &str) -> Option<&'static Probe> {
    let named = || PROBES.iter().filter(move |probe| is_called(name, probe.name));
    named().find(|probe| probe.of.contains(&queue)).or_else(|| named().find(|probe| probe.of.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::QUEUES;

    fn all_there_are() -> Vec<(&'static str, &'static str)> {
        QUEUES.iter().flat_map(|entry| names(entry).iter().map(|name| (entry.name, *name))).collect()
    }

    #[test]
    fn every_probe_of_every_queue_has_a_meaning_and_a_range() {
        let without: Vec<_> =
            all_there_are().into_iter().filter(|(queue, name)| meaning(queue, name).is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
        assert!(PROBES.iter().all(|probe| !probe.doc.is_empty() && !probe.range.is_empty()));
    }

    #[test]
    fn a_unit_in_a_name_is_the_unit() {
        let units = [("_bps", "bit/s"), ("_ms", "ms"), ("_s", "s"), ("_bytes", "bytes"), ("_per_s", "packets/s")];
        for probe in PROBES {
            let said = units.iter().rfind(|(end, _)| probe.name.ends_with(end));
            assert!(said.is_none_or(|(_, unit)| *unit == probe.unit), "{probe:?}");
        }
    }

    #[test]
    fn no_meaning_is_of_a_probe_that_is_not_there() {
        let there = all_there_are();
        for probe in PROBES {
            let shown = |queue: &str| {
                there.iter().any(|(of, name)| is_called(name, probe.name) && (*of == queue || queue.is_empty()))
            };
            assert!(shown(if probe.of.is_empty() { "" } else { probe.of[0] }), "{probe:?}");
            assert!(probe.of.iter().all(|queue| shown(queue)), "{probe:?}");
        }
    }

    #[test]
    fn a_name_that_means_something_else_in_a_queue_says_so() {
        let doc = |queue, name| meaning(queue, name).map(|probe| probe.doc).unwrap_or_default();
        assert!(doc("red", "count").starts_with("packets since"));
        assert!(doc("codel", "count").starts_with("drops since"));
        assert!(meaning("mine", "ticks").is_none());
        assert_eq!(doc("cake", "voice_marks"), "packets of the tin that were marked");
        assert!(meaning("cake", "tin_marks").is_some() && meaning("cake", "choice_marks").is_none());
    }
}
