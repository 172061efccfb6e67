//! The probes of queues, which `record.probes` samples: unit, range and meaning of each.

use crate::queue::entry::QueueEntry;
use crate::queue::{LinkContext, Probe};

const SIZE: &str = Probe::SIZE;
const SHARE: &str = Probe::SHARE;
const UP: &str = Probe::UP;

/// The probes of several queues, or with a name that explains them.
const PROBES: &[Probe] = &[
    Probe::new("avg", SIZE, UP, "moving average of the queue"),
    Probe::new("avg_in", SIZE, UP, "moving average of the In packets that wait"),
    Probe::new("avg_yellow", SIZE, UP, "average queue by which yellow packets are judged"),
    Probe::new("avg_red", SIZE, UP, "average queue by which red packets are judged"),
    Probe::new("p_b", "", SHARE, "base probability of a drop or mark at the last decision, before drops are spaced"),
    Probe::new("p_b_in", "", SHARE, "base probability of a drop or mark of an In packet, at its last decision"),
    Probe::new("p_b_yellow", "", SHARE, "base probability of a drop or mark of a yellow packet, at its last decision"),
    Probe::new("p_b_red", "", SHARE, "base probability of a drop or mark of a red packet, at its last decision"),
    Probe::new("max_p", "", SHARE, "probability at the upper threshold, now"),
    Probe::new("min_th", SIZE, UP, "lower threshold, now"),
    Probe::new("max_th", SIZE, UP, "upper threshold, now"),
    Probe::new("moving_target", SIZE, UP, "target of the average queue: a moving average of the packets' delay hints"),
    Probe::new("count", "packets", UP, "packets since the last drop or mark that was drawn"),
    Probe::new(
        "lost_marks",
        "packets",
        UP,
        "packets that were marked and then found the buffer full, with `arithmetic = \"kernel\"`: `tc` counts both",
    ),
    Probe::new("dropping", "", "0 or 1", "1 while it drops, else 0"),
    Probe::new("drop_prob", "", SHARE, "probability of a drop or mark, now"),
    Probe::new("p_linear", "", SHARE, "probability that the controller moves, before it is squared"),
    Probe::new("p_max", "", SHARE, "largest probability of a bin"),
    Probe::new("p_min", "", SHARE, "least probability of the bins that the last arrival fell into"),
    Probe::new("bin_max_packets", "packets", UP, "packets in the fullest bin"),
    Probe::new("delay_s", "s", UP, "delay of the queue at the last update of the controller"),
    Probe::new(
        "price",
        "",
        UP,
        "price of congestion: the excess of arrivals and of the queue over its target, summed up",
    ),
    Probe::new("loss_ratio", "", SHARE, "ratio of losses over the last periods, averaged"),
    Probe::new("virtual_queue", "bytes or packets, as `mode`", UP, "content of the virtual queue at the last arrival"),
    Probe::new("capacity", "", SHARE, "rate of the virtual link as a part of the real one's"),
    Probe::new("active_flows", "flows", UP, "flows with a backlog"),
    Probe::new("new_flows", "flows", UP, "flows in the list of new flows, which are served first"),
    Probe::new("old_flows", "flows", UP, "flows in the list of old flows, which are served in turn"),
    Probe::new("new_flow_count", "", UP, "how often a flow has come into the list of new flows"),
    Probe::new(
        "lends",
        "packets",
        UP,
        "packets that classes sent with tokens of their own or of a class above, all classes together",
    ),
    Probe::new(
        "borrows",
        "packets",
        UP,
        "packets that a class sent with the tokens of one above it, counted once for each class below that one",
    ),
    Probe::new("overlimits", "", UP, "how often the link asked for a packet that had to wait for the rate"),
    Probe::new("active_queues", "queues", UP, "queues in which something waits"),
    Probe::new("slowed_flows", "flows", UP, "flows that are slowed after a choke packet"),
    Probe::new("longest", "bytes or packets, as `measure`", UP, "backlog of the flow with the largest backlog"),
    Probe::new("hit_fraction_max", "", SHARE, "largest part of the traffic that a flow in the cache has"),
    Probe::new("packets_in", "packets", UP, "In packets that wait"),
    Probe::new("packets_green", "packets", UP, "green packets that wait"),
    Probe::new("packets_yellow", "packets", UP, "yellow packets that wait"),
    Probe::new("packets_red", "packets", UP, "red packets that wait"),
    Probe::new("first_class_packets", "packets", UP, "packets that wait in the first class"),
    Probe::new(
        "first_class_idle_ms",
        "ms",
        "any",
        "average idle time of the first class between packets, less the time for its share; negative while it is over its share",
    ),
    Probe::new("backlog_l4s", "packets", UP, "packets that wait in the L4S queue"),
    Probe::new(
        "virtual_time",
        "bytes",
        UP,
        "virtual time: bytes that a flow of weight 1 would have got since the link was idle last",
    ),
    Probe::new("tokens_bytes", "bytes", "at most the depth", "tokens in the bucket at the last packet"),
    Probe::new("fair_rate_bps", "bit/s", UP, "fair rate of a flow; the link's rate before the first congestion"),
    Probe::new("arrival_rate_bps", "bit/s", UP, "smoothed rate of all arrivals"),
    Probe::new("accepted_rate_bps", "bit/s", UP, "smoothed rate of the arrivals that are not dropped"),
    Probe::new("phi_bps", "bit/s", "any", "change that all flows together are told to make; negative to slow down"),
    Probe::new("rate_bps", "bit/s", UP, "rate for every flow"),
    Probe::new("rtt_ms", "ms", UP, "mean round-trip time that the packets report"),
    Probe::new("persistent_queue_bytes", "bytes", UP, "least queue in the last interval, which did not drain"),
    Probe::new("memory_now_bytes", "bytes", UP, "backlog, as `memory` counts it"),
    Probe::new("memory_used_bytes", "bytes", UP, "the most that ever waited, as `memory` counts it and tc prints it"),
    Probe::new(
        "capacity_bps",
        "bit/s",
        UP,
        "rate of arrivals, as `autorate_ingress` estimates it; without it `bandwidth`, or 0",
    ),
    Probe::new("tin_packets", "packets", UP, "packets of the tin that came"),
    Probe::new("tin_bytes", "bytes", UP, "their bytes"),
    Probe::new("tin_drops", "packets", UP, "packets of the tin that were dropped, without filtered acknowledgements"),
    Probe::new("tin_marks", "packets", UP, "packets of the tin that were marked"),
    Probe::new("tin_ack_drops", "packets", UP, "acknowledgements of the tin that were filtered out"),
    Probe::new("tin_backlog_bytes", "bytes", UP, "backlog of the tin"),
    Probe::new("tin_sparse_flows", "flows", UP, "flows of the tin that are sparse, or empty since a short time"),
    Probe::new("tin_bulk_flows", "flows", UP, "flows of the tin in line"),
    Probe::new("tin_unresponsive_flows", "flows", UP, "flows of the tin in which BLUE drops packets"),
    Probe::new("tin_delay_mean_ms", "ms", UP, "moving average of the waits in the tin"),
    Probe::new("tin_delay_peak_ms", "ms", UP, "the same, which rises quickly and falls slowly"),
    Probe::new("tin_delay_base_ms", "ms", UP, "the same, which falls quickly and rises slowly"),
    Probe::new("tin_way_misses", "flows", UP, "times at which a flow was given an empty queue"),
    Probe::new("tin_way_hits", "packets", UP, "packets whose queue was found beside the first place of their hash"),
    Probe::new(
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

/// The probes of a queue, as `record.probes` samples them: those with its defaults, and then more that a preset has.
pub fn names(entry: &QueueEntry) -> Vec<&'static str> {
    let presets = std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name)));
    let built = presets.filter_map(|preset| entry.build(&entry.args(preset).ok()?, &LinkContext::default()).ok());
    let mut names = Vec::new();
    for discipline in built {
        let more: Vec<_> = discipline.probes().iter().filter(|name| !names.contains(*name)).copied().collect();
        names.extend(more);
    }
    names
}

/// The description of a probe of this queue: its own, or that of all queues with a probe of this name.
pub fn meaning(queue: &QueueEntry, name: &str) -> Option<&'static Probe> {
    let own = queue.probes.iter().find(|probe| probe.name == name);
    own.or_else(|| PROBES.iter().find(|probe| is_called(name, probe.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{QUEUES, queue};

    fn all_there_are() -> Vec<(&'static QueueEntry, &'static str)> {
        QUEUES.iter().flat_map(|entry| names(entry).into_iter().map(|name| (*entry, name))).collect()
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
        for probe in PROBES.iter().chain(QUEUES.iter().flat_map(|entry| entry.probes)) {
            let said = units.iter().rfind(|(end, _)| probe.name.ends_with(end));
            assert!(said.is_none_or(|(_, unit)| *unit == probe.unit), "{probe:?}");
        }
    }

    #[test]
    fn no_meaning_is_of_a_probe_that_is_not_there() {
        let there = all_there_are();
        for probe in PROBES {
            assert!(there.iter().any(|(_, name)| is_called(name, probe.name)), "{probe:?}");
        }
        for entry in QUEUES {
            assert!(entry.probes.iter().all(|probe| names(entry).contains(&probe.name)), "{}", entry.name);
        }
    }

    #[test]
    fn a_name_that_means_something_else_in_a_queue_says_so() {
        let of = |entry, name| meaning(queue(entry).expect("a queue"), name);
        let doc = |entry, name| of(entry, name).map(|probe| probe.doc).unwrap_or_default();
        assert!(doc("red", "count").starts_with("packets since"));
        assert!(doc("codel", "count").starts_with("drops since"));
        assert!(of("fifo", "ticks").is_none());
        assert_eq!(doc("cake", "voice_marks"), "packets of the tin that were marked");
        assert!(of("cake", "tin_marks").is_some() && of("cake", "choice_marks").is_none());
    }
}
