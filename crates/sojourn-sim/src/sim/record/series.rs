//! The samples of each series.

use crate::pool::make_room;
use crate::queue::Backlog;
use crate::rng::Rng;
use crate::scenario::plan::Sampling;
use crate::units::{Duration, Instant};

/// The series that a sample event belongs to.
pub const BACKLOG: u32 = 0;
pub const PROBES: u32 = 1;
pub const WINDOWS: u32 = 2;
pub const RATES: u32 = 3;

/// Samples taken so far.
#[derive(Debug, Default)]
pub struct Recorded {
    pub backlog: Vec<(u32, Instant, Backlog)>,
    pub probes: Probes,
    pub windows: Vec<WindowSample>,
    pub rates: Vec<RateSample>,
    /// Bytes that each flow's receiver had at the last sample.
    pub received: Vec<u64>,
    /// When the throughput was sampled last.
    pub rates_since: Instant,
    /// The generator of each series, for times between samples that are drawn.
    rngs: Vec<Rng>,
    /// Rows that had been taken when they were last asked for.
    seen: u64,
}

/// Bytes that a row takes in the table made of it; names are shared, and take at most 4 bytes.
const BACKLOG_TABLE: usize = 4 + 3 * 8;
const PROBE_TABLE: usize = 2 * 4 + 2 * 8;
const WINDOW_TABLE: usize = 6 * 8;
const RATE_TABLE: usize = 3 * 8;

impl Recorded {
    /// Nothing yet; `seed` is that of the run.
    pub fn new(seed: u64) -> Self {
        let rngs =
            ["queue", "probes", "cwnd", "throughput"].map(|series| Rng::named(seed, &format!("record/{series}")));
        Recorded { rngs: rngs.into(), ..Recorded::default() }
    }

    /// Time to the next sample of a series.
    pub fn gap(&mut self, series: u32, sampling: Sampling) -> Duration {
        if !sampling.poisson {
            return sampling.every;
        }
        let drawn = self.rngs[series as usize].exponential(sampling.every.as_secs_f64());
        Duration::from_secs_f64(drawn).max(Duration::from_nanos(1))
    }

    /// Bytes of memory that each series takes, its table included, by its key in `[record]`.
    pub fn footprint(&self) -> [(&'static str, u64); 4] {
        let bytes = |rows: usize, row: usize, table: usize| rows as u64 * (row + table) as u64;
        [
            ("record.queue", bytes(self.backlog.len(), size_of::<(u32, Instant, Backlog)>(), BACKLOG_TABLE)),
            ("record.probes", bytes(self.probes.len(), size_of::<f64>() + size_of::<ProbeSample>() / 2, PROBE_TABLE)),
            ("record.cwnd", bytes(self.windows.len(), size_of::<WindowSample>(), WINDOW_TABLE)),
            ("record.throughput", bytes(self.rates.len(), size_of::<RateSample>(), RATE_TABLE)),
        ]
    }

    /// Rows of all series.
    fn rows(&self) -> u64 {
        (self.backlog.len() + self.probes.len() + self.windows.len() + self.rates.len()) as u64
    }

    /// Rows taken since the last call.
    pub fn take_new_rows(&mut self) -> u64 {
        let rows = self.rows();
        rows - std::mem::replace(&mut self.seen, rows)
    }
}

/// The values of the probes of queues, which have a time and names in common.
#[derive(Debug, Default)]
pub struct Probes {
    samples: Vec<ProbeSample>,
    values: Vec<f64>,
}

/// The sample of all probes of a queue.
#[derive(Debug)]
struct ProbeSample {
    link: u32,
    time: Instant,
    names: &'static [&'static str],
}

/// The value of a probe.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRow {
    pub link: u32,
    pub time: Instant,
    pub name: &'static str,
    pub value: f64,
}

impl Probes {
    /// Adds a sample of a link's queue, whose probes have these names: a value of each.
    pub fn push(&mut self, link: u32, time: Instant, names: &'static [&'static str], value: impl Fn(usize) -> f64) {
        if !names.is_empty() {
            make_room(&mut self.samples, 1, "record.probes");
            make_room(&mut self.values, names.len(), "record.probes");
            self.samples.push(ProbeSample { link, time, names });
            self.values.extend((0..names.len()).map(value));
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// All values, in the order in which they were taken.
    pub fn rows(&self) -> impl Iterator<Item = ProbeRow> + Clone {
        let names = self.samples.iter().flat_map(|sample| sample.names.iter().map(move |name| (sample, *name)));
        names.zip(&self.values).map(|((sample, name), value)| ProbeRow {
            link: sample.link,
            time: sample.time,
            name,
            value: *value,
        })
    }
}

/// A sender's window at a moment.
#[derive(Clone, Copy, Debug)]
pub struct WindowSample {
    pub flow: u32,
    pub time: Instant,
    pub cwnd: f64,
    pub ssthresh: f64,
    pub inflight: f64,
    pub srtt: Option<Duration>,
}

/// The bits a second that a receiver got since the previous sample.
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    pub flow: u32,
    pub time: Instant,
    pub rate: f64,
}
