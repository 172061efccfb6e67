//! CAKE's counters, as in `tc -s qdisc show`: for each tin, and for all.

use super::tin::Tin;
use super::tins::Tins;

/// The counters of each tin; the order of [`of_tin`].
macro_rules! names {
    ($($tin:literal),*) => {
        &[
            "memory_now_bytes", "memory_used_bytes", "capacity_bps", "overlimits",
            $(
                concat!($tin, "_packets"), concat!($tin, "_bytes"), concat!($tin, "_drops"), concat!($tin, "_marks"),
                concat!($tin, "_ack_drops"), concat!($tin, "_backlog_bytes"), concat!($tin, "_sparse_flows"),
                concat!($tin, "_bulk_flows"), concat!($tin, "_unresponsive_flows"), concat!($tin, "_delay_mean_ms"),
                concat!($tin, "_delay_peak_ms"), concat!($tin, "_delay_base_ms"), concat!($tin, "_way_misses"),
                concat!($tin, "_way_hits"), concat!($tin, "_way_collisions"),
            )*
        ]
    };
}

/// The number of statistics of all tins together, which come before those of each.
pub const SHARED: usize = 4;
/// The number of statistics of each tin.
const OF_TIN: usize = 15;

/// The names, of the tins in the order in which they are told apart.
pub fn names(tins: Tins) -> &'static [&'static str] {
    match tins {
        Tins::Besteffort => names!["tin0"],
        Tins::Diffserv3 => names!["best_effort", "bulk", "voice"],
        Tins::Diffserv4 => names!["best_effort", "bulk", "video", "voice"],
        Tins::Diffserv8 | Tins::Precedence => {
            names!["tin0", "tin1", "tin2", "tin3", "tin4", "tin5", "tin6", "tin7"]
        }
    }
}

/// The tin and the number there of a probe above those of all.
pub const fn place(index: usize) -> (usize, usize) {
    ((index - SHARED) / OF_TIN, (index - SHARED) % OF_TIN)
}

pub fn of_tin(tin: &Tin, number: usize) -> f64 {
    let counts = &tin.counts;
    let millis = |span: u64| span as f64 / 1e6;
    match number {
        0 => counts.packets as f64,
        1 => counts.bytes as f64,
        2 => counts.drops as f64,
        3 => counts.marks as f64,
        4 => counts.ack_drops as f64,
        5 => tin.backlog as f64,
        6 => f64::from(tin.sparse + tin.decaying),
        7 => f64::from(tin.bulk),
        8 => tin.unresponsive.max(0) as f64,
        9..=11 => millis(counts.delays[number - 9]),
        _ => counts.ways[number - 12] as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tin_has_its_numbers() {
        for tins in [Tins::Besteffort, Tins::Diffserv3, Tins::Diffserv4, Tins::Diffserv8, Tins::Precedence] {
            assert_eq!(names(tins).len(), SHARED + OF_TIN * tins.count(), "{tins:?}");
        }
        let names = names(Tins::Diffserv3);
        assert_eq!(names[SHARED + OF_TIN + 4], "bulk_ack_drops");
        assert_eq!(place(SHARED + OF_TIN + 4), (1, 4));
    }
}
