//! CAKE's parameters, and the settings that follow from them and do not change during a run.

use super::ack_filter::AckFilter;
use super::buffers::{Buffers, Memory};
use super::isolation::Isolation;
use super::path_length::PathLength;
use super::tins::Tins;
use super::wire_size::{self, Coding, LinkLayer};
use crate::mechanism::framing::Line;
use crate::params;
use crate::queue::{FlowHosts, LinkContext};
use crate::units::{Bytes, Duration, Rate};

params! {
    /// Parameters of CAKE, by the words of tc.
    pub struct Params {
        /// Rate at which packets leave, as the link layer counts their bytes. Automatic: as fast as the link takes them (tc: `unlimited`).
        bandwidth: Option<Rate> = "auto" in [8.0, 1e14], "Linux sch_cake: unlimited";
        /// Whether the rate is set to 15/16 of an estimate from arrivals (tc: `autorate-ingress`).
        autorate_ingress: bool = "false", "Linux sch_cake";
        /// Classes of service.
        tins: Tins = "diffserv3", "Linux sch_cake";
        /// The unit that has a queue of its own, and among which the link is shared. Hosts are the nodes of a scenario, and the addresses
        /// of a capture; in a dumbbell each flow has two hosts.
        isolation: Isolation = "triple-isolate", "Linux sch_cake";
        /// How long the paths are: sets `rtt`.
        path: PathLength = "internet", "Linux sch_cake", when rtt in ["auto"];
        /// Interval of COBALT, about the longest round-trip time. Automatic: that of `path`. It grows as `target` does on a slow link.
        rtt: Option<Duration> = "auto" in [1e-6, 4000.0], "tc: rtt";
        /// Acceptable standing wait; at least the transmission of 1.5 MTU. Automatic: a twentieth of `rtt`.
        target: Option<Duration> = "auto" in [1e-6, 4000.0], "tc: rtt / 20";
        /// The acknowledgements that are dropped because later ones say the same (tc: `ack-filter`, `ack-filter-aggressive`).
        ack_filter: AckFilter = "off", "Linux sch_cake";
        /// Whether packets lose their codepoint (tc: `wash`). They are sorted by it before.
        wash: bool = "false", "Linux sch_cake";
        /// Whether packets have crossed the link already, so that drops count for the shaper as well (tc: `ingress`).
        ingress: bool = "false", "Linux sch_cake";
        /// Link layer by keyword of tc: sets `overhead`, `mpu` and `framing`.
        link_layer: LinkLayer = "raw", "Linux sch_cake";
        /// Bytes that each packet takes beyond its size, which is that of IP (tc: `overhead`). Automatic: those of `link_layer`.
        overhead: Option<i64> = "auto" in [-64.0, 256.0], "tc: overhead";
        /// Bytes that a packet takes at least (tc: `mpu`). Automatic: those of `link_layer`.
        mpu: Option<u64> = "auto" in [0.0, 256.0], "tc: mpu";
        /// The framing of bytes on the link (tc: `noatm`, `atm`, `ptm`). Automatic: that of `link_layer`.
        framing: Option<Coding> = "auto", "tc: noatm";
        /// The largest packet.
        mtu: Bytes = "1514B" in [1.0, 65535.0], "Linux: the device's MTU and header";
        /// The most that may wait, as `memory` counts it (tc: `memlimit`); the longest queue loses its head. Automatic: four intervals of
        /// `bandwidth`, at least 4 MiB, and at most 10240 packets of an MTU.
        memory_limit: Option<Bytes> = "auto" in [1.0, 4e9], "Linux sch_cake";
        /// The bytes that the memory limit counts.
        memory: Memory = "kernel", "Linux: skb->truesize";
    }
}

/// The default limit in packets of an MTU.
const PACKETS: u64 = 10_240;
/// The least automatic memory limit.
const LEAST_MEMORY: u64 = 4 << 20;

/// The settings of one discipline.
pub struct Settings {
    pub tins: Tins,
    pub codepoints: [u8; 64],
    pub isolation: Isolation,
    pub ack_filter: AckFilter,
    pub wash: bool,
    pub ingress: bool,
    pub line: Line,
    pub memory: Buffers,
    pub memory_limit: Option<u64>,
    pub mtu: u32,
    /// In microseconds, as in the kernel.
    pub target: u64,
    pub interval: u64,
    pub hosts: FlowHosts,
}

impl Settings {
    /// The settings that follow from the parameters on this link.
    pub fn new(params: &Params, link: &LinkContext) -> Self {
        let micros = |span: Duration| (span.as_nanos() / 1000).max(1);
        let interval = params.rtt.map_or(params.path.micros(), micros);
        Settings {
            tins: params.tins,
            codepoints: params.tins.table(),
            isolation: params.isolation,
            ack_filter: params.ack_filter,
            wash: params.wash,
            ingress: params.ingress,
            line: wire_size::line(params.link_layer, params.overhead, params.mpu, params.framing, link.header.0),
            memory: params.memory.on(link),
            memory_limit: params.memory_limit.map(|limit| limit.0),
            mtu: params.mtu.0 as u32,
            target: params.target.map_or((interval / 20).max(1), micros),
            interval,
            hosts: link.hosts.clone(),
        }
    }

    /// The memory limit at a rate in bytes per second.
    pub fn memory_limit(&self, rate: u64) -> u64 {
        let by_rate = || (rate.saturating_mul(self.interval) / 250_000).max(LEAST_MEMORY);
        let limit = self.memory_limit.unwrap_or_else(|| if rate > 0 { by_rate() } else { u64::MAX });
        limit.min((PACKETS * u64::from(self.mtu)).max(self.memory_limit.unwrap_or(0)))
    }
}
