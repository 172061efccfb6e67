//! Time series that the scenario asks for.

pub(super) mod series;

use super::event_queue::{Class, Event};
use super::links::Link;
use super::state::{RECEIVER, SENDER, Simulation};
use crate::pool::make_room;
use crate::scenario::plan::Sampling;
use crate::units::{Duration, Instant};
use series::{BACKLOG, PROBES, RATES, RateSample, WINDOWS, WindowSample};

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
            make_room(&mut self.recorded.backlog, 1, "record.queue");
            self.recorded.backlog.push((number, now, backlog));
        }
    }

    fn sample_probes(&mut self, now: Instant) {
        for &number in self.settings.observed.keys() {
            if let Link::Queue(queue) = &mut self.links[number as usize] {
                queue.settle(now);
                let discipline = queue.discipline();
                self.recorded.probes.push(number, now, discipline.probes(), |probe| discipline.probe(probe));
            }
        }
    }

    fn sample_windows(&mut self, now: Instant) {
        for (flow, state) in self.flows.iter().enumerate() {
            if let Some(window) = state.ends[SENDER].window() {
                let segment = window.segment as f64;
                make_room(&mut self.recorded.windows, 1, "record.cwnd");
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
                make_room(&mut self.recorded.rates, 1, "record.throughput");
                self.recorded.rates.push(RateSample { flow: flow as u32, time: now, rate });
            }
        }
    }
}
