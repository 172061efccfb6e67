use super::super::super::Simulation;
use super::super::Shortcuts;
use crate::sim::tests::{bits, plan, run};
use crate::units::Instant;

/// Every kind of end, with timers that run out between two packets, samples of the ends' state, and flows that stop.
const ENDS: &str = r#"
duration = "12s"
warmup = "1s"

[record]
cwnd = "37ms"
throughput = "110ms"

[dumbbell]
rate = "6Mbit"
delay = "15ms"
access = { rate = "20Mbit", delay = ["1ms", "20ms"] }
queue = { kind = "QUEUE", limit = "40p" }

[[flow]]
name = "delays"
count = 3
transport = { kind = "tcp", recovery = "sack", ack_every = 2, ack_delay = "3ms" }
app = "bulk"
start = { at = "0s", spread = "1s" }
stop = "7s"

[[flow]]
name = "times out"
count = 4
transport = { kind = "tcp", recovery = "reno", profile = "ns2", rto_min = "20ms", window = "4p" }
app = { kind = "transfers", packets = 9, think = "50ms" }

[[flow]]
name = "back"
count = 2
direction = "backward"
transport = { kind = "tcp", profile = "linux", ecn = true }
app = { kind = "http", think = "200ms" }
stop = "7s"

[[flow]]
name = "mice"
transport = { kind = "tcp", control = "cubic" }
app = { kind = "mice", transfers = 40, within = "10s" }

[[flow]]
name = "hinted"
transport = "tcp"
delay_hint = { delay = "20ms", rate = "500kbit", step = "5ms" }
app = "bulk"
stop = "9s"

[[flow]]
name = "many"
transport = "tcp"
app = { kind = "packmime", rate = 10 }

[[flow]]
name = "tfrc"
transport = "tfrc"
app = "bulk"

[[flow]]
name = "coded"
transport = "fec"
app = { kind = "on_off", rate = "200kbit" }
"#;

#[test]
fn ends_that_are_called_ahead_of_time_do_the_same() {
    for queue in ["fifo", "red", "codel", "fq_codel", "source_quench"] {
        let text = ENDS.replace("QUEUE", queue);
        for seed in [1, 2] {
            assert_eq!(bits(&run(&text, seed, Shortcuts::ALL)), bits(&run(&text, seed, Shortcuts::NONE)), "{queue}");
        }
    }
}

#[test]
fn ends_that_send_at_a_rate_do_the_same() {
    let (head, _) = ENDS.split_once("[[flow]]").expect("flows");
    let flow = |(name, transport): &(&str, &str)| {
        format!(
            "[[flow]]\nname = \"{name}\"\ncount = 2\ntransport = {{ {transport} }}\nstart = {{ spread = \"1s\" }}\n"
        )
    };
    let flows = [
        ("rap", r#"kind = "rap""#),
        ("fine", r#"kind = "rap", fine_grain = true"#),
        ("tear", r#"kind = "tear""#),
        ("lda", r#"kind = "lda", interval = "1s", initial_rate = "500kbit""#),
        ("bbr", r#"kind = "tcp", profile = "linux", control = "bbr""#),
        ("rcp", r#"kind = "tcp", profile = "linux", control = "rcp""#),
    ];
    for queue in ["fifo", "red", "rcp", "source_quench"] {
        let text: String = std::iter::once(head.replace("QUEUE", queue)).chain(flows.iter().map(flow)).collect();
        for seed in [1, 2] {
            assert_eq!(bits(&run(&text, seed, Shortcuts::ALL)), bits(&run(&text, seed, Shortcuts::NONE)), "{queue}");
        }
    }
}

#[test]
fn what_is_put_off_comes_in_the_next_piece() {
    let text = ENDS.replace("QUEUE", "red");
    let mut pieces = Simulation::new(&plan(&text), 3).expect("a plan that runs");
    for step in 0..=12_000 / 3 {
        pieces.advance(Instant::from_nanos(step * 3_000_000 + step % 7));
    }
    pieces.advance(pieces.end());
    assert_eq!(bits(&pieces.finish()), bits(&run(&text, 3, Shortcuts::ALL)));
}

/// Two bottlenecks in a row. `a` and `b` send over both, from hosts of their own or both from `a`'s; `c` crosses the second.
fn chain(host_of_b: &str) -> String {
    let node = |name: &&str| format!("[[node]]\nname = \"{name}\"\n");
    let link = |(from, to, rate, delay): &(&str, &str, u32, u32)| {
        let (queue, observed) = if *rate < 50 { ("red", true) } else { ("fifo", false) };
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}Mbit\"\ndelay = \"{delay}ms\"\n\
             queue = {{ kind = \"{queue}\", limit = \"50p\" }}\nobserved = {observed}\n"
        )
    };
    let flow = |(name, from, to): &(&str, &str, &str)| {
        format!("[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"tcp\"\n")
    };
    let nodes = ["a", "b", "c", "r1", "r2", "r3", "x", "y", "z"].iter().map(node);
    let links = [
        ("a", "r1", 50, 1),
        ("b", "r1", 50, 3),
        ("c", "r2", 50, 2),
        ("r1", "r2", 5, 10),
        ("r2", "r3", 4, 7),
        ("r3", "x", 50, 1),
        ("r3", "y", 50, 4),
        ("r3", "z", 50, 2),
    ];
    let flows = [("a", "a", "x"), ("b", host_of_b, "y"), ("c", "c", "z")];
    let parts = nodes.chain(links.iter().map(link)).chain(flows.iter().map(flow));
    std::iter::once("duration = \"10s\"\n".to_owned()).chain(parts).collect()
}

#[test]
fn ends_behind_several_queues_do_the_same() {
    for host_of_b in ["b", "a"] {
        let text = chain(host_of_b);
        assert_eq!(bits(&run(&text, 1, Shortcuts::ALL)), bits(&run(&text, 1, Shortcuts::NONE)), "{host_of_b}");
    }
}

fn ends_ahead(text: &str) -> usize {
    let simulation = Simulation::new(&plan(text), 1).expect("a plan that runs");
    simulation.routes.iter().filter(|hop| hop.is_ahead()).count()
}

#[test]
fn ends_are_called_ahead_where_nobody_else_shares_what_they_send_over() {
    // All but those of the flow whose ends adapt a hint together, and of the one whose ends both draw.
    assert_eq!(ends_ahead(&ENDS.replace("QUEUE", "red")), 2 * (3 + 4 + 2 + 1 + 1 + 1));
    // Choke packets reach senders by other ways.
    assert_eq!(ends_ahead(&ENDS.replace("QUEUE", "source_quench")), 0);
    assert_eq!(ends_ahead(&chain("b")), 6);
    // Two senders on one host: their packets meet on its link.
    assert_eq!(ends_ahead(&chain("a")), 4);
}
