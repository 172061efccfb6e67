//! The table `responsiveness`: round trips per minute from probes and from the connections that load the network.

use super::state::Simulation;
use crate::metrics::Table;
use crate::metrics::column::Unit::{Ms, Plain, Share};
use crate::metrics::column::{NUMBER, columns, quantity};
use crate::metrics::group::Interval;
use crate::metrics::quantities::duration;
use crate::metrics::responsiveness::{
    Exchanges, MAD, deviation, loaded_rpm, rpm, trimmed_mean, trimmed_mean_of_weighted,
};
use crate::traffic::Role;
use crate::units::{Coarse, Duration, Instant};

/// An exchange of a probe.
#[derive(Clone, Copy)]
struct Exchange {
    what: What,
    finished: f64,
    millis: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Tcp,
    Tls,
    Http,
}

/// A part of the time, in seconds: after the first up to the second.
type Span = (f64, f64);

/// `responsiveness`: one row for each group of probes.
pub struct ResponsivenessRow<'a> {
    name: &'a str,
    foreign: f64,
    loaded_ms: f64,
    exchanges: Exchanges,
    idle_ms: f64,
    added_ms: f64,
    rpm_deviation: f64,
    goodput_deviation: f64,
}

columns! {
    impl<'a> ResponsivenessRow<'a> {
        /// Name of the group of flows.
        group: Text = |row| row.name;
        /// Round trips per minute under load. The draft calls below 300 poor, up to 1000 fair, up to 6000 good, above
        /// excellent.
        rpm: Real = |row| rpm(row.foreign, loaded_rpm(row.loaded_ms)),
            quantity("Round trips per minute", Plain).more().noun("number of round trips per minute").head("rpm"),
            "(foreign_rpm + loaded_rpm) / 2";
        /// Round trips per minute on connections of their own.
        foreign_rpm: Real = |row| row.foreign,
            quantity("Round trips per minute, new connections", Plain).more().head("foreign rpm")
                .noun("number of round trips per minute on new connections"),
            "60000 / ((tcp_f_ms + tls_f_ms + http_f_ms) / 3); without TLS 60000 / ((tcp_f_ms + http_f_ms) / 2)";
        /// Round trips per minute on the connections that load the network.
        loaded_rpm: Real = |row| loaded_rpm(row.loaded_ms),
            quantity("Round trips per minute, loaded connections", Plain).more().head("loaded rpm")
                .noun("number of round trips per minute on loaded connections"),
            "60000 / http_l_ms";
        /// How long it took to open a connection.
        tcp_f_ms: Real = |row| trimmed_mean(&row.exchanges.tcp), duration("Time to open a connection").head("tcp f"),
            "mean of the shortest 95 % in the window";
        /// How long TLS took; NaN without TLS.
        tls_f_ms: Real = |row| trimmed_mean(&row.exchanges.tls), duration("Time for TLS").head("tls f"),
            "mean of the shortest 95 % in the window";
        /// How long request and answer took.
        http_f_ms: Real = |row| trimmed_mean(&row.exchanges.http),
            duration("Time for a request, new connection").noun("time for a request on a new connection").head("http f"),
            "mean of the shortest 95 % in the window";
        /// How long a round trip took on a connection that loads the network.
        http_l_ms: Real = |row| row.loaded_ms,
            duration("Time for a request, loaded connection").noun("time for a request on a loaded connection").head("http l"),
            "mean of the shortest 95 % of the round trips of flows of `bulk` without end, each flow with the same weight";
        /// The shortest round trip that a probe found.
        idle_ms: Real = |row| row.idle_ms, quantity("Round trip without load", Ms).head("idle"),
            "least of all exchanges of the run";
        /// Latency that the load added. DSLReports' grades: A+ below 5 ms, A below 30, B below 60, C below 200, D below
        /// 400, F above.
        added_ms: Real = |row| row.added_ms,
            duration("Latency added by load").noun("latency that load adds").head("added"),
            "mean round trip of the probes in the window - idle_ms; NaN if each exchange had a retransmission in it";
        /// How many probes were complete.
        probes: Count = |row| row.exchanges.http.len() as u64, NUMBER, "probes that ended in the window";
        /// The draft calls rpm stable below 5 %.
        rpm_deviation_fraction: Real = |row| row.rpm_deviation,
            quantity("Round trips per minute, deviation", Share).within(0.0, f64::INFINITY).head("rpm deviation"),
            "standard deviation of the last 4 moving averages of rpm / the last; each over 4 intervals of a fourth of the window";
        /// The draft measures rpm when this is below 5 %.
        goodput_deviation_fraction: Real = |row| row.goodput_deviation,
            quantity("Goodput deviation fraction", Share).within(0.0, f64::INFINITY).head("goodput deviation"),
            "standard deviation of the last 4 moving averages of the load's throughput / the last";
    }
}

impl Simulation {
    /// `None` where nothing probes. Transfers are to be in the order of flows.
    pub(super) fn responsiveness_table(&self) -> Option<Table> {
        let probes: Vec<(usize, bool)> = (0..)
            .zip(&self.settings.roles)
            .filter_map(|(group, role)| match role {
                Role::Probe { tls } => Some((group, *tls)),
                _ => None,
            })
            .collect();
        if probes.is_empty() {
            return None;
        }
        let rows: Vec<ResponsivenessRow<'_>> =
            probes.into_iter().map(|(group, tls)| self.responsiveness(group, tls)).collect();
        Some(Table::of_all("responsiveness", &rows))
    }

    fn responsiveness(&self, group: usize, tls: bool) -> ResponsivenessRow<'_> {
        let exchanges = self.exchanges(group, tls);
        let (from, to) = (self.settings.warmup.as_secs_f64(), self.now.as_secs_f64());
        // The last four ends of intervals, each with four intervals before it.
        let interval = (to - from) / MAD as f64;
        let spans: Vec<Span> =
            (0..MAD).rev().map(|back| to - interval * back as f64).map(|end| (end - to + from, end)).collect();
        let series = self.load_series();
        let averages: Vec<f64> = spans
            .iter()
            .map(|span| rpm(within(&exchanges, *span).rpm(tls), loaded_rpm(1e3 * mean_round_trip(&series, *span))))
            .collect();
        let goodputs: Vec<f64> = spans.iter().map(|span| goodput(&series, *span)).collect();
        let window = within(&exchanges, (from, to));
        let idle_ms = exchanges.iter().map(|exchange| exchange.millis).fold(f64::NAN, f64::min);
        ResponsivenessRow {
            name: &self.settings.group_names[group],
            foreign: window.rpm(tls),
            loaded_ms: self.loaded_ms(),
            idle_ms,
            added_ms: added(1e3 * self.groups.all()[group].round_trip.mean(), idle_ms),
            exchanges: window,
            rpm_deviation: deviation(&averages),
            goodput_deviation: deviation(&goodputs),
        }
    }

    /// The times that the probes of a group have measured. Each probe is a transfer of nothing and one or two more.
    fn exchanges(&self, group: usize, tls: bool) -> Vec<Exchange> {
        let mut last = What::Http;
        let mut found = Vec::new();
        for (flow, done) in &self.completions {
            if self.flow_records[*flow as usize].group as usize != group {
                continue;
            }
            last = match (done.bytes, last) {
                (0, _) => What::Tcp,
                (_, What::Tcp) if tls => What::Tls,
                _ => What::Http,
            };
            let took: Duration = done.finished - done.started;
            found.push(Exchange { what: last, finished: done.finished.as_secs_f64(), millis: took.as_millis_f64() });
        }
        found
    }

    /// Trimmed mean of the round trips of the connections that load the network, each with the same weight.
    fn loaded_ms(&self) -> f64 {
        let mut values = Vec::new();
        for (group, of_group) in self.loading() {
            let flows = self.flow_records.iter().filter(|flow| flow.group as usize == group).count();
            let each = flows as f64 / of_group.count() as f64;
            values.extend(of_group.middles().map(|(middle, count)| (1e3 * middle, each * count as f64)));
        }
        trimmed_mean_of_weighted(values)
    }

    fn loading(&self) -> impl Iterator<Item = (usize, &crate::metrics::latency::Latencies)> {
        let roles = self.settings.roles.iter().enumerate();
        roles.filter(|(_, role)| **role == Role::Load).map(|(group, _)| (group, &self.groups.all()[group].round_trip))
    }

    fn load_series(&self) -> Vec<(Instant, Interval)> {
        let roles = &self.settings.roles;
        let all = self.groups.series(self.now).into_iter();
        all.filter(|(group, ..)| roles[*group] == Role::Load).map(|(_, end, _, interval)| (end, interval)).collect()
    }
}

/// The mean less the least. Where the mean is less, each exchange of a probe had a retransmission in it, which round trips leave out: then
/// the round trip without load is unknown. A mean is right to the unit to which each round trip is rounded.
fn added(mean_ms: f64, idle_ms: f64) -> f64 {
    let added = mean_ms - idle_ms;
    if added >= -1e3 * Coarse::UNIT_SECS { added.max(0.0) } else { f64::NAN }
}

fn within(exchanges: &[Exchange], (from, to): Span) -> Exchanges {
    let of = |what: What| -> Vec<f64> {
        let inside =
            |exchange: &&Exchange| exchange.what == what && from < exchange.finished && exchange.finished <= to;
        exchanges.iter().filter(inside).map(|exchange| exchange.millis).collect()
    };
    Exchanges { tcp: of(What::Tcp), tls: of(What::Tls), http: of(What::Http) }
}

fn inside(series: &[(Instant, Interval)], (from, to): Span) -> impl Iterator<Item = &Interval> {
    let is_inside = move |end: f64| from < end && end <= to;
    series.iter().filter(move |(end, _)| is_inside(end.as_secs_f64())).map(|(_, interval)| interval)
}

/// In seconds; NaN without samples.
fn mean_round_trip(series: &[(Instant, Interval)], span: Span) -> f64 {
    let (sum, samples) = inside(series, span)
        .fold((0.0, 0), |(sum, samples), interval| (sum + interval.round_trips(), samples + interval.samples()));
    sum / samples as f64
}

/// Bits a second of the load.
fn goodput(series: &[(Instant, Interval)], span: Span) -> f64 {
    let bytes: u64 = inside(series, span).map(|interval| interval.bytes).sum();
    8.0 * bytes as f64 / (span.1 - span.0.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::added;
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::tests::{number, run};

    /// Probes over a path whose round trip is `millis`, on links that are never busy.
    fn idle_path(millis: u32, tls: bool) -> String {
        format!(
            r#"
duration = "40s"
warmup = "20s"
[dumbbell]
rate = "100Gbit"
delay = "{half}us"
access = {{ rate = "100Gbit", delay = "0s" }}
queue = {{ kind = "fifo", limit = "1000p" }}
[[flow]]
name = "load"
count = 2
transport = {{ kind = "tcp", profile = "linux", window = "4p" }}
app = "bulk"
[[flow]]
name = "probe"
count = 4
transport = {{ kind = "tcp", profile = "linux" }}
app = {{ kind = "probe", tls = {tls} }}
start = {{ spread = "500ms" }}
"#,
            half = millis * 500,
        )
    }

    #[test]
    fn a_constant_delay_of_d_ms_gives_60000_over_d() {
        for (millis, tls) in [(10, true), (60, true), (200, true), (60, false)] {
            let tables = run(&idle_path(millis, tls), 1, Shortcuts::ALL);
            let value = |column| number(&tables, "responsiveness", column, 0);
            let expected = 60_000.0 / f64::from(millis);
            // Transmissions take a microsecond in all; cells of round trips are right to 0.4 %.
            assert!((value("foreign_rpm") / expected - 1.0).abs() < 1e-3, "{millis} ms: {}", value("foreign_rpm"));
            assert!((value("loaded_rpm") / expected - 1.0).abs() < 5e-3, "{millis} ms: {}", value("loaded_rpm"));
            assert!((value("rpm") / expected - 1.0).abs() < 3e-3, "{millis} ms: {}", value("rpm"));
            assert!((value("idle_ms") - f64::from(millis)).abs() < 0.01);
            assert!(value("added_ms").abs() < 0.01, "{}", value("added_ms"));
            for column in ["rpm_deviation_fraction", "goodput_deviation_fraction"] {
                assert!(value(column) < 0.01, "{millis} ms: {column} {}", value(column));
            }
            assert_eq!(value("tls_f_ms").is_nan(), !tls);
            // Four probers for 20 s, each with two probes a second, or with as many as follow each other.
            let exchanges = if tls { 3.0 } else { 2.0 };
            let each = 20.0 / (exchanges * f64::from(millis) / 1e3).max(0.5);
            assert!((value("probes") - 4.0 * each).abs() <= 4.0, "{}", value("probes"));
        }
    }

    #[test]
    fn the_added_latency_is_unknown_if_no_exchange_was_without_a_retransmission() {
        // The handshake of the only probe had a timeout of 1 s in it; its round trips are 77 ms.
        assert!(added(77.62, 1077.62).is_nan());
        assert!(added(f64::NAN, 60.0).is_nan());
        // 20 ns too little: each round trip is rounded to 64 ns.
        assert_eq!(added(59.999_98, 60.0).to_bits(), 0.0_f64.to_bits());
        assert!((added(61.5, 60.0) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn without_probes_there_is_no_table() {
        let text = idle_path(10, true).replace("{ kind = \"probe\", tls = true }", "\"transfers\"");
        let tables = run(&text, 1, Shortcuts::ALL);
        assert!(tables.iter().all(|table| table.name != "responsiveness"));
    }

    #[test]
    fn a_lost_opening_counts_with_its_timeout() {
        let lossy = "rate = \"100Gbit\"\nloss = { kind = \"uniform\", probability = 0.2 }\n";
        let text = idle_path(60, true).replace("rate = \"100Gbit\"\ndelay", &format!("{lossy}delay"));
        let tables = run(&text, 1, Shortcuts::ALL);
        let value = |column| number(&tables, "responsiveness", column, 0);
        // A SYN or its answer is lost in 36 % of the openings and goes again after 1 s: the mean without the longest 5 % is well above.
        assert!(value("tcp_f_ms") > 200.0, "{}", value("tcp_f_ms"));
        assert!((value("idle_ms") - 60.0).abs() < 0.01);
    }
}
