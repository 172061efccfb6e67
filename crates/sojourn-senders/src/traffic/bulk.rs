//! Bulk: writes everything at once, without end or up to a size (a file transfer).

use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "bulk",
    title: "Bulk transfer",
    doc: "A source that always has data to send. It goes on without end, or up to a number of bytes or of full packets.",
    reference: "the greedy source of the literature; ns-2's Application/FTP",
    unpaced: |_| Some("a bulk transfer".to_owned()),
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Payload bytes to send; `auto` is without end.
        bytes: Option<Bytes> = "auto" in [1.0, 1e18], "the greedy source";
        /// Full packets to send instead of bytes; `auto` is without end.
        packets: Option<u64> = "auto" in [1.0, 1e15], "the greedy source";
    }
}

/// Writes once.
#[derive(Clone, Debug)]
struct Bulk {
    params: Params,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(Bulk { params: args.typed() })
}

impl Application for Bulk {
    fn on_start(&mut self, _now: Instant, cx: &mut AppContext<'_>) -> Demand {
        let packets = self.params.packets.map(|packets| packets.saturating_mul(cx.payload().0));
        // Both given: the smaller ends the transfer.
        let limit = match (self.params.bytes, packets) {
            (Some(Bytes(bytes)), Some(packets)) => Some(bytes.min(packets)),
            (Some(Bytes(bytes)), None) => Some(bytes),
            (None, packets) => packets,
        };
        let write = limit.map_or(Amount::Endless, |bytes| Amount::Bytes(Bytes(bytes)));
        Demand { connect: false, write, finish: true }
    }

    fn role(&self) -> Role {
        let is_endless = self.params.bytes.is_none() && self.params.packets.is_none();
        if is_endless { Role::Load } else { Role::Other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn first_write(settings: &[(&str, &str)]) -> Amount {
        let args = crate::rig::set(Args::defaults(ENTRY.params), settings);
        let mut rng = Rng::named(1, "test");
        let mut cx = AppContext { rng: &mut rng, packet: Bytes(1000), header: Bytes(40) };
        build(&args).on_start(Instant::ZERO, &mut cx).write
    }

    #[test]
    fn without_a_size_it_never_ends() {
        assert_eq!(first_write(&[]), Amount::Endless);
    }

    #[test]
    fn packets_are_full_packets() {
        assert_eq!(first_write(&[("packets", "3")]), Amount::Bytes(Bytes(3 * 960)));
    }

    #[test]
    fn the_smaller_of_two_sizes_ends_it() {
        assert_eq!(first_write(&[("packets", "3"), ("bytes", "5000B")]), Amount::Bytes(Bytes(3 * 960)));
        assert_eq!(first_write(&[("packets", "3"), ("bytes", "5B")]), Amount::Bytes(Bytes(5)));
    }
}
