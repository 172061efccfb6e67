//! Senders of datagrams at a rate of their own, sender and receiver.

mod channel;
mod datagrams;
mod tfrc;

use crate::runs;

/// The mean throughput of eight flows of a transport over that of eight of SACK beside them; `both` is set for both.
fn beside_sack(queue: &str, transport: &str, both: &str) -> f64 {
    let text = format!(
        r#"
duration = "120s"
warmup = "30s"
[dumbbell]
rate = "15Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = ["2ms", "18ms"] }}
queue = {{ {queue} }}
[[flow]]
name = "it"
count = 8
transport = {{ {transport}, packet = "1000B" {both} }}
app = "bulk"
start = {{ at = "0s", spread = "2s" }}
[[flow]]
name = "sack"
count = 8
transport = {{ kind = "tcp", recovery = "sack", profile = "rfc", packet = "1000B", ack_every = 1 {both} }}
app = "bulk"
start = {{ at = "0s", spread = "2s" }}
"#
    );
    let tables = runs::run(&text);
    let number = |table: &str, column, row| runs::number(&tables, table, column, row);
    let used = number("queue", "utilisation", 0);
    assert!(used > 0.9, "{transport}: {used}");
    let share = number("group", "throughput_mean_bps", 0) / number("group", "throughput_mean_bps", 1);
    let sd = |row| number("group", "throughput_sd_bps", row) / number("group", "throughput_mean_bps", row);
    println!(
        "{transport}{both}: {share:.2} of SACK's share, relative deviations {:.2}, {:.2}, {used:.3}",
        sd(0),
        sd(1)
    );
    share
}
