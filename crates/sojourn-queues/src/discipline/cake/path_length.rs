//! The lengths of paths, by tc's keywords. Linux 6.12 `sch_cake` gets a time, and tc (iproute2 6.15, `q_cake`) gives each keyword its time.

use crate::choices;

choices! {
    /// The length of the paths, by tc's keywords.
    pub enum PathLength {
        /// 0.1 ms.
        Datacentre = "datacentre",
        /// 1 ms.
        Lan = "lan",
        /// 10 ms.
        Metro = "metro",
        /// 30 ms.
        Regional = "regional",
        /// 100 ms.
        Internet = "internet",
        /// 300 ms.
        Oceanic = "oceanic",
        /// 1 s.
        Satellite = "satellite",
        /// 1000 s.
        Interplanetary = "interplanetary",
    }
}

impl PathLength {
    /// The interval of COBALT in microseconds.
    pub const fn micros(self) -> u64 {
        match self {
            PathLength::Datacentre => 100,
            PathLength::Lan => 1_000,
            PathLength::Metro => 10_000,
            PathLength::Regional => 30_000,
            PathLength::Internet => 100_000,
            PathLength::Oceanic => 300_000,
            PathLength::Satellite => 1_000_000,
            PathLength::Interplanetary => 1_000_000_000,
        }
    }
}
