//! Time series that the scenario asks for.

use super::links::Link;
use super::state::{RECEIVER, SENDER, Simulation};
use crate::queue::Backlog;
use crate::rng::Rng;
use crate::scenario::plan::Sampling;
use crate::sim::event_queue::{Class, Event};
use crate::units::{Duration, Instant};

/// Which series a sample event belongs to.
pub const BACKLOG: u32 = 0;
pub const PROBES: u32 = 1;
pub const WINDOWS: u32 = 2;
pub const RATES: u32 = 3;

/// Samples taken so far.
#[derive(Debug, Default)]
pub struct Recorded {
    pub backlog: Vec<(u32, Instant, Backlog)>,
    pub probes: Vec<(u32, Instant, &'static str, f64)>,
    pub windows: Vec<WindowSample>,
    pub rates: Vec<(u32, Instant, f64)>,
    /// Bytes that each flow's receiver had at the last sample.
    pub received: Vec<u64>,
    /// When the throughput was sampled last.
    rates_since: Instant,
    /// Of each series, for times between samples that are drawn.
    rngs: Vec<Rng>,
    /// Rows that had been taken when they were last asked for.
    seen: u64,
}

/// Bytes that a row takes in the table made of it; names are shared, and take 24 bytes in Python's hands as well.
const BACKLOG_TABLE: usize = 24 + 3 * 8;
const PROBE_TABLE: usize = 2 * 24 + 2 * 8;
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
    fn gap(&mut self, series: u32, sampling: Sampling) -> Duration {
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
            ("record.probes", bytes(self.probes.len(), size_of::<(u32, Instant, &str, f64)>(), PROBE_TABLE)),
            ("record.cwnd", bytes(self.windows.len(), size_of::<WindowSample>(), WINDOW_TABLE)),
            ("record.throughput", bytes(self.rates.len(), size_of::<(u32, Instant, f64)>(), RATE_TABLE)),
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

impl Simulation {
    /// How often the series is sampled.
    fn sampling(&self, series: u32) -> Option<Sampling> {
        let record = &self.settings.record;
        match series {
            BACKLOG => record.queue,
            PROBES => record.probes,
            WINDOWS => record.cwnd,
            _ => record.throughput,
        }
    }

    /// Schedules the first sample of each series.
    pub(super) fn schedule_samples(&mut self) {
        for series in [BACKLOG, PROBES, WINDOWS, RATES] {
            if let Some(sampling) = self.sampling(series) {
                let first = if sampling.poisson { self.recorded.gap(series, sampling) } else { Duration::ZERO };
                self.schedule_sample(first.as_nanos(), series);
            }
        }
    }

    pub(super) fn sample(&mut self, now: Instant, series: u32) {
        match series {
            BACKLOG => self.sample_backlogs(now),
            PROBES => self.sample_probes(now),
            WINDOWS => self.sample_windows(now),
            _ => self.sample_rates(now),
        }
        if let Some(sampling) = self.sampling(series) {
            let next = now + self.recorded.gap(series, sampling);
            self.schedule_sample(next.as_nanos(), series);
        }
    }

    fn schedule_sample(&mut self, time: u64, series: u32) {
        self.events.push(Event::new(time, Class::Sample, series, 0));
        match series {
            WINDOWS => self.foresight.next_sample[SENDER] = time,
            RATES => self.foresight.next_sample[RECEIVER] = time,
            _ => {}
        }
    }

    fn sample_backlogs(&mut self, now: Instant) {
        for &number in self.settings.observed.keys() {
            let (backlog, recorder) = match &mut self.links[number as usize] {
                Link::Buffer(fifo) => {
                    fifo.settle(&mut self.fifo_links, now);
                    (fifo.backlog(&self.fifo_links), fifo.recorder_mut(&mut self.fifo_links))
                }
                Link::Queue(queue) => {
                    queue.settle(now);
                    (queue.discipline().backlog(), queue.recorder_mut())
                }
            };
            if let Some(recorder) = recorder {
                recorder.sample(now, backlog);
            }
            self.recorded.backlog.push((number, now, backlog));
        }
    }

    fn sample_probes(&mut self, now: Instant) {
        for &number in self.settings.observed.keys() {
            if let Link::Queue(queue) = &mut self.links[number as usize] {
                queue.settle(now);
                let discipline = queue.discipline();
                for (probe, name) in discipline.probes().iter().enumerate() {
                    self.recorded.probes.push((number, now, name, discipline.probe(probe)));
                }
            }
        }
    }

    fn sample_windows(&mut self, now: Instant) {
        for (flow, state) in self.flows.iter().enumerate() {
            if let Some(window) = state.ends[SENDER].window() {
                let segment = window.segment as f64;
                self.recorded.windows.push(WindowSample {
                    flow: flow as u32,
                    time: now,
                    cwnd: window.cwnd / segment,
                    ssthresh: window.ssthresh / segment,
                    inflight: window.inflight as f64 / segment,
                    srtt: window.srtt,
                });
            }
        }
    }

    fn sample_rates(&mut self, now: Instant) {
        let elapsed = (now - self.recorded.rates_since).as_secs_f64();
        self.recorded.rates_since = now;
        self.recorded.received.resize(self.flows.len(), 0);
        for (flow, state) in self.flows.iter().enumerate() {
            let received = state.ends[RECEIVER].counters().bytes_received;
            let bytes = received - self.recorded.received[flow];
            self.recorded.received[flow] = received;
            if now > Instant::ZERO {
                let rate = bytes as f64 * 8.0 / elapsed;
                self.recorded.rates.push((flow as u32, now, rate));
            }
        }
    }
}
