//! The line that CAKE's keywords describe: overhead, a least size, cells of ATM, the coding of PTM. Linux 6.12 `sch_cake` takes them, and
//! tc (iproute2 6.15, `q_cake`) gives each keyword its meaning. [`Line`] counts the bytes.

use crate::choices;
use crate::mechanism::framing::{Cells, Line};

choices! {
    /// The link layer, by tc's keywords: it sets the overhead, the least size and the framing.
    pub enum LinkLayer {
        /// Packets count as they are, with the headers that their sizes have.
        Raw = "raw",
        /// 48 bytes more, in cells of ATM: too much rather than too little.
        Conservative = "conservative",
        /// 38 bytes more, at least 84.
        Ethernet = "ethernet",
        /// 18 bytes more, at least 64.
        Docsis = "docsis",
        /// 30 bytes more, coded as PTM.
        PppoePtm = "pppoe-ptm",
        /// 22 bytes more, coded as PTM.
        BridgedPtm = "bridged-ptm",
        /// 8 bytes more, in cells of ATM.
        IpoaVcmux = "ipoa-vcmux",
        /// 16 bytes more, in cells of ATM.
        IpoaLlcsnap = "ipoa-llcsnap",
        /// 24 bytes more, in cells of ATM.
        BridgedVcmux = "bridged-vcmux",
        /// 32 bytes more, in cells of ATM.
        BridgedLlcsnap = "bridged-llcsnap",
        /// 10 bytes more, in cells of ATM.
        PppoaVcmux = "pppoa-vcmux",
        /// 14 bytes more, in cells of ATM.
        PppoaLlc = "pppoa-llc",
        /// 32 bytes more, in cells of ATM.
        PppoeVcmux = "pppoe-vcmux",
        /// 40 bytes more, in cells of ATM.
        PppoeLlcsnap = "pppoe-llcsnap",
    }
}

choices! {
    /// The coding of bytes on the link.
    pub enum Coding {
        /// Nothing.
        None = "noatm",
        /// Cells of 53 bytes, of which each carries 48.
        Atm = "atm",
        /// A byte more for each 64 that are begun.
        Ptm = "ptm",
    }
}

impl LinkLayer {
    /// Overhead in bytes, least size, and framing; `None` where packets count as they are.
    fn adds(self) -> Option<(i64, u64, Cells)> {
        Some(match self {
            LinkLayer::Raw => return None,
            LinkLayer::Conservative => (48, 0, Cells::Atm),
            LinkLayer::Ethernet => (38, 84, Cells::None),
            LinkLayer::Docsis => (18, 64, Cells::None),
            LinkLayer::PppoePtm => (30, 0, Cells::Ptm),
            LinkLayer::BridgedPtm => (22, 0, Cells::Ptm),
            LinkLayer::IpoaVcmux => (8, 0, Cells::Atm),
            LinkLayer::IpoaLlcsnap => (16, 0, Cells::Atm),
            LinkLayer::BridgedVcmux => (24, 0, Cells::Atm),
            LinkLayer::BridgedLlcsnap | LinkLayer::PppoeVcmux => (32, 0, Cells::Atm),
            LinkLayer::PppoaVcmux => (10, 0, Cells::Atm),
            LinkLayer::PppoaLlc => (14, 0, Cells::Atm),
            LinkLayer::PppoeLlcsnap => (40, 0, Cells::Atm),
        })
    }
}

impl Coding {
    fn cells(self) -> Cells {
        match self {
            Coding::None => Cells::None,
            Coding::Atm => Cells::Atm,
            Coding::Ptm => Cells::Ptm,
        }
    }
}

/// A keyword, and the values set besides. `header` are the link layer's bytes in sizes of packets: they are subtracted where an overhead is
/// given, since it counts them again.
pub fn line(layer: LinkLayer, overhead: Option<i64>, mpu: Option<u64>, coding: Option<Coding>, header: u64) -> Line {
    let adds = layer.adds();
    let (of_layer, least, cells) = adds.unwrap_or((0, 0, Cells::None));
    let is_said = adds.is_some() || overhead.is_some();
    Line {
        overhead: overhead.unwrap_or(of_layer) - if is_said { header as i64 } else { 0 },
        mpu: mpu.unwrap_or(least) as i64,
        cells: coding.map_or(cells, Coding::cells),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(layer: LinkLayer, size: u32) -> u32 {
        line(layer, None, None, None, 14).bytes(size)
    }

    #[test]
    fn a_keyword_is_its_overhead_least_size_and_cells() {
        // 1500 bytes of IP behind 14 of Ethernet.
        assert_eq!(of(LinkLayer::Raw, 1514), 1514);
        assert_eq!(of(LinkLayer::Ethernet, 1514), 1538);
        assert_eq!(of(LinkLayer::Docsis, 1514), 1518);
        // 1548 bytes are 33 cells of 48; 1540 too.
        assert_eq!((of(LinkLayer::Conservative, 1514), of(LinkLayer::PppoeLlcsnap, 1514)), (33 * 53, 33 * 53));
        // 1530 bytes begin 24 times 64.
        assert_eq!(of(LinkLayer::PppoePtm, 1514), 1530 + 24);
        // A small packet is as large as the least.
        assert_eq!((of(LinkLayer::Ethernet, 54), of(LinkLayer::Docsis, 54)), (84, 64));
    }

    #[test]
    fn an_overhead_counts_from_the_ip_header_on() {
        // A router under this line shows 106 bytes for 40 of IP, two cells, and 1643 for 1478.
        let of_ip = line(LinkLayer::Raw, Some(10), None, Some(Coding::Atm), 0);
        let framed = line(LinkLayer::Raw, Some(10), None, Some(Coding::Atm), 14);
        assert_eq!([40, 1478].map(|size| of_ip.bytes(size)), [106, 1643]);
        assert_eq!([54, 1492].map(|size| framed.bytes(size)), [106, 1643]);
    }

    #[test]
    fn what_is_said_besides_stands_above_the_keyword() {
        let docsis = line(LinkLayer::Docsis, Some(22), Some(0), Some(Coding::Atm), 14);
        assert_eq!(docsis.bytes(40), 53, "48 bytes are one cell");
        assert_eq!(docsis.bytes(41), 106);
        // An overhead alone counts from the IP header on, a least size alone does not.
        assert_eq!(line(LinkLayer::Raw, Some(0), None, None, 14).bytes(1514), 1500);
        assert_eq!(line(LinkLayer::Raw, None, Some(84), None, 14).bytes(60), 84);
        assert_eq!(line(LinkLayer::Raw, Some(-64), None, None, 14).bytes(20), 0);
    }
}
