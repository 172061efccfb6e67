//! Arrivals from a trace in ns-2's plain format, which `$ns trace-all` and `$ns trace-queue` write for wired links.
//!
//! A line is an event, its time, the nodes at both ends of the link, and the packet's fields. A packet that joins a queue (`+`) arrives
//! there, and so does one that is dropped at once: it has a `+` before its `d`. The other events are looked at only to find damage.

use std::collections::{BTreeMap, HashSet};

use sojourn_sim::header::Dscp;
use sojourn_sim::packet::Ecn;
use sojourn_sim::queue::Hosts;
use sojourn_sim::replay::Arrival;
use sojourn_sim::units::Instant;

use crate::error::{Place, ReadError};
use crate::flows::Flows;
use crate::hosts;
use crate::number;
use crate::trace::{HEADERS, LeftOut, Trace};

/// A link, by the numbers of the nodes that it leaves and reaches.
type Ends = [i64; 2];

/// Reads a link of ns-2 as users write it: `0-2`.
fn ends(text: &str) -> Result<Ends, ReadError> {
    let numbers = text
        .trim()
        .split_once('-')
        .and_then(|(from, to)| Some([from.trim_end().parse().ok()?, to.trim_start().parse().ok()?]));
    numbers.ok_or_else(|| {
        let error = ReadError::new(Place::File, format!("{text:?} is not a link of ns-2"));
        error.help("\n  allowed: the numbers of its two nodes, such as 0-2")
    })
}

/// The fields of a line, and an example.
const FORM: &str =
    "EVENT TIME FROM TO TYPE SIZE FLAGS FLOW SRC DST SEQ UID, such as + 1.84375 0 2 cbr 210 ------- 0 0.0 3.1 225 610";
const FIELDS: usize = 12;
/// Further fields, of TCP headers and of satellites, are left aside.
type Line<'t> = [&'t str; FIELDS];
/// A hint for a trace of ns-3. In it, packets join the queue of a device, behind that of traffic control.
const NS3: &str = "\n  hint:    let ns-3 write a capture of what comes to the queue's node, such as \
    pointToPoint.EnablePcapAll (\"run\"), and \
                   replay that of the device where it comes in";
/// The most links of a trace that a message names.
const SHOWN: usize = 12;
/// Where the field of flags says that congestion was experienced, and that the transport is capable of ECN.
const MARKED: (usize, u8) = (4, b'E');
const CAPABLE: (usize, u8) = (6, b'N');

/// Whether the file begins as a trace does: with an event, which is one letter or sign; `#` begins a comment of other files.
pub fn recognise(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(|first| first.len() == 1 && first != "#") && words.next().is_some()
}

/// The arrivals at `link`, or at the only link that has any.
pub fn read(whole: &str, wanted: Option<&str>, mtu: Option<u32>) -> Result<Trace, ReadError> {
    let found = links(whole)?;
    let link = chosen(&found, wanted.map(ends).transpose()?)?;
    let mut flows = Flows::new();
    let mut trace = Trace::new(mtu, false);
    // Packets that wait, by their unique numbers.
    let mut waiting = HashSet::new();
    let mut previous = Instant::ZERO;
    for (number, text) in numbered(whole) {
        let Some(line) = event(text, number)? else { continue };
        if ends_of(&line, text, number)? != link {
            continue;
        }
        match line[0] {
            "+" => waiting.insert(line[11]),
            // A model of errors drops packets in front of the queue.
            "d" if !waiting.remove(line[11]) => {
                trace.leave_out(LeftOut::BeforeQueue);
                continue;
            }
            "r" => continue,
            _ => {
                waiting.remove(line[11]);
                continue;
            }
        };
        let at = |what: String| damage(number, text, what);
        let arrival = Arrival {
            time: number::time("the time", line[1]).map_err(at)?,
            size: number::size("the size", line[5]).map_err(at)?,
            flow: flows.number((line[7], line[8], line[9]), |(flow, from, to)| {
                let name = format!("{flow}: {from} > {to}");
                let hosts = hosts_of(&name, [from, to], link);
                (name, hosts)
            }),
            ecn: ecn(line[6]),
            dscp: Dscp::DF,
            acknowledgement: None,
            uniform: None,
        };
        arrival.check(previous).map_err(|error| at(error.to_string()))?;
        previous = arrival.time;
        trace.push(arrival, number, HEADERS, mtu.is_some());
    }
    flows.describe(&mut trace, true);
    Ok(trace)
}

/// The nodes of a flow. The ends of the link itself say nothing: Sojourn writes them as the addresses of every flow.
fn hosts_of(flow: &str, addresses: [&str; 2], link: Ends) -> Hosts {
    let nodes = addresses.map(|address| address.rsplit_once('.').map_or(address, |(node, _)| node));
    if nodes.map(str::parse::<i64>) == link.map(Ok) {
        return hosts::of_flow(flow, "", "");
    }
    let [source, target] = nodes.map(hosts::by_name);
    Hosts { source, target }
}

/// Arrivals and drops at a link.
#[derive(Clone, Copy, Default)]
struct Traffic {
    arrivals: u64,
    drops: u64,
}

/// The arrivals at each link. Every line is checked to be one of a trace.
fn links(whole: &str) -> Result<BTreeMap<Ends, Traffic>, ReadError> {
    let mut found: BTreeMap<Ends, Traffic> = BTreeMap::new();
    for (number, text) in numbered(whole) {
        let Some(line) = event(text, number)? else { continue };
        number::time("the time", line[1]).map_err(|what| damage(number, text, what))?;
        let traffic = found.entry(ends_of(&line, text, number)?).or_default();
        traffic.arrivals += u64::from(line[0] == "+");
        traffic.drops += u64::from(line[0] == "d");
    }
    found.retain(|_, traffic| traffic.arrivals > 0);
    Ok(found)
}

fn chosen(found: &BTreeMap<Ends, Traffic>, link: Option<Ends>) -> Result<Ends, ReadError> {
    let what = match (link, found.len()) {
        (_, 0) => {
            let error = ReadError::new(Place::File, "no packet joins a queue in this trace: there is no line with +");
            return Err(error.help("\n  hint:    $ns trace-all and $ns trace-queue write such lines"));
        }
        (Some(link), _) if found.contains_key(&link) => return Ok(link),
        (Some([from, to]), _) => format!("no packet joins the queue of a link {from}-{to} in this trace"),
        (None, 1) => return Ok(*found.keys().next().expect("there is one")),
        (None, several) => format!("this trace has the arrivals at {several} links, and a queue has those of one"),
    };
    // Queues that lose packets come first: traces are made for these.
    let mut order: Vec<_> = found.iter().collect();
    order.sort_by_key(|(_, traffic)| (std::cmp::Reverse(traffic.drops), std::cmp::Reverse(traffic.arrivals)));
    let named = |&(&[from, to], &Traffic { arrivals, drops }): &(&Ends, &Traffic)| match drops {
        0 => format!("{from}-{to} ({arrivals} arrivals)"),
        _ => format!("{from}-{to} ({arrivals} arrivals, {drops} drops)"),
    };
    let mut names: Vec<String> = order.iter().take(SHOWN).map(named).collect();
    if order.len() > SHOWN {
        names.push(format!("and {} more", order.len() - SHOWN));
    }
    let &[from, to] = order[0].0;
    let help = format!("\n  allowed: {}\n  hint:    name one, as in --link {from}-{to}", names.join(", "));
    Err(ReadError::new(Place::File, what).help(help))
}

/// The lines that are not empty, numbered from 1.
fn numbered(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// The fields of a line; none of an event that concerns no queue, such as an error on the link or a note.
fn event(text: &str, number: u64) -> Result<Option<Line<'_>>, ReadError> {
    let mut line = [""; FIELDS];
    let mut fields = 0;
    for (place, field) in line.iter_mut().zip(text.split_ascii_whitespace()) {
        *place = field;
        fields += 1;
    }
    match line[0] {
        "e" | "c" | "v" => return Ok(None),
        "+" | "-" | "d" | "r" if fields == FIELDS && line[1] != "-t" && !line[2].starts_with("/NodeList/") => {
            return Ok(Some(line));
        }
        _ => {}
    }
    let what = match line {
        [_, _, node, ..] if node.starts_with("/NodeList/") => {
            return Err(damage(number, text, "this is an ASCII trace of ns-3, and only ns-2's can be read").help(NS3));
        }
        [_, "-t", ..] => "this is the trace for nam; ns-2 writes the plain one with $ns trace-all".to_owned(),
        ["s" | "r" | "D" | "f", _, node, ..] if node.starts_with('_') => {
            "this is a trace of wireless nodes; only the plain one of wired links can be read".to_owned()
        }
        ["+" | "-" | "d" | "r", ..] => format!("{fields} fields where a line of ns-2's trace has {FIELDS}"),
        [event, ..] => format!("there is no event {event:?} in ns-2's traces; known are +, -, d, r, e, c and v"),
    };
    Err(damage(number, text, what))
}

fn ends_of(line: &Line<'_>, text: &str, number: u64) -> Result<Ends, ReadError> {
    let node = |field: &str| {
        field.parse().map_err(|_| damage(number, text, format!("the node is {field:?}; allowed are whole numbers")))
    };
    Ok([node(line[2])?, node(line[3])?])
}

fn damage(number: u64, text: &str, what: impl Into<String>) -> ReadError {
    let text = text.trim_end();
    let shown =
        if text.len() > 120 { format!("{} ...", text.chars().take(110).collect::<String>()) } else { text.into() };
    ReadError::new(Place::Line(number), what).help(format!("\n  found:   {shown:?}\n  allowed: {FORM}"))
}

fn ecn(flags: &str) -> Ecn {
    let has = |(place, sign): (usize, u8)| flags.as_bytes().get(place) == Some(&sign);
    match (has(MARKED), has(CAPABLE)) {
        (true, _) => Ecn::Ce,
        (false, true) => Ecn::Ect0,
        (false, false) => Ecn::NotEct,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_sim::packet::FlowId;

    /// As the manual of ns-2 has them (chapter "Trace and Monitoring Support"), with a second link.
    const TRACE: &str = "\
+ 1.84375 0 2 cbr 210 ------- 0 0.0 3.1 225 610
- 1.84375 0 2 cbr 210 ------- 0 0.0 3.1 225 610
r 1.84471 2 1 cbr 210 ------- 1 3.0 1.0 195 600
+ 1.84566 0 2 tcp 1000 ------N 2 0.1 3.2 102 611
d 1.84566 0 2 tcp 1000 ------N 2 0.1 3.2 102 611
v 1.9 eval {set sim_annotation {a note}}
+ 1.84609 2 3 tcp 1000 ----E-N 2 0.1 3.2 102 612 1 0x10 40 0
";

    fn refused(text: &str) -> String {
        read(text, None, None).unwrap_err().to_string()
    }

    #[test]
    fn hosts_are_the_nodes_of_addresses_but_for_the_ends_of_the_link() {
        let line = |flow, from, to| format!("+ 1.84375 0 2 cbr 210 ------- {flow} {from} {to} 225 610\n");
        let text =
            [line(0, "0.0", "3.1"), line(1, "0.1", "3.2"), line(2, "0.2", "2.2"), line(3, "0.3", "2.3")].concat();

        let hosts = read(&text, None, None).unwrap().hosts;

        let [a, b, c, d] = [0, 1, 2, 3].map(|flow| hosts.get(FlowId(flow)));
        assert_eq!(a, b);
        assert!(a != c && c.source != d.source && c.target != d.target);
    }

    #[test]
    fn what_joins_the_queue_of_a_link_arrives_there() {
        let trace = read(TRACE, Some("0-2"), None).unwrap();

        let arrival = |nanos, size, flow, ecn| Arrival {
            time: Instant::from_nanos(nanos),
            size,
            flow: FlowId(flow),
            ecn,
            dscp: Dscp::DF,
            acknowledgement: None,
            uniform: None,
        };
        assert_eq!(
            trace.arrivals,
            [arrival(1_843_750_000, 210, 0, Ecn::NotEct), arrival(1_845_660_000, 1000, 1, Ecn::Ect0)]
        );
        assert_eq!(trace.flows, ["0: 0.0 > 3.1", "2: 0.1 > 3.2"]);
        assert_eq!(trace.records, [1, 4]);
        assert_eq!(read(TRACE, Some("2-3"), None).unwrap().arrivals[0].ecn, Ecn::Ce);
    }

    #[test]
    fn a_packet_that_is_dropped_in_front_of_the_queue_is_counted_and_does_not_arrive() {
        let text = TRACE.replace("+ 1.84566 0 2 tcp 1000 ------N 2 0.1 3.2 102 611\n", "");

        let trace = read(&text, Some("0-2"), None).unwrap();

        assert_eq!(trace.arrivals.len(), 1);
        assert_eq!(trace.left_out, BTreeMap::from([(LeftOut::BeforeQueue, 1)]));
        assert!(read(TRACE, Some("0-2"), None).unwrap().left_out.is_empty());
    }

    #[test]
    fn a_trace_of_ns3_is_called_so() {
        let line = "+ 1.00036 /NodeList/0/DeviceList/0/$ns3::PointToPointNetDevice/TxQueue/Enqueue ns3::PppHeader \
                    (Point-to-Point Protocol: IP (0x0021)) ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT ttl 64 id 0 \
                    protocol 17 offset (bytes) 0 flags [none] length: 1052 10.1.1.1 > 10.1.1.2) Payload (size=1024)";

        assert!(refused(line).starts_with("line 1: this is an ASCII trace of ns-3"), "{}", refused(line));
        assert!(refused(line).contains("EnablePcapAll"));
    }

    #[test]
    fn the_only_link_with_arrivals_need_not_be_named() {
        let one = TRACE.lines().filter(|line| !line.contains(" 2 3 ")).collect::<Vec<_>>().join("\r\n");

        assert_eq!(read(&one, None, None).unwrap().arrivals.len(), 2);
    }

    #[test]
    fn of_several_links_one_is_named_and_those_that_lose_packets_come_first() {
        assert_eq!(
            refused(TRACE),
            "this trace has the arrivals at 2 links, and a queue has those of one\n  allowed: 0-2 (2 arrivals, 1 drops), \
             2-3 (1 arrivals)\n  hint:    name one, as in --link 0-2"
        );
        let other = read(TRACE, Some("2-0"), None).unwrap_err().to_string();
        assert!(other.starts_with("no packet joins the queue of a link 2-0 in this trace\n  allowed: 0-2"), "{other}");
        let line = |n: u32| format!("+ {n} {n} 99 tcp 40 ------- 0 0.0 1.0 0 {n}");
        let many = (0..40).map(line).collect::<Vec<_>>().join("\n");
        assert!(refused(&many).contains("11-99 (1 arrivals), and 28 more"), "{}", refused(&many));
        assert!(refused("r 1.8 2 1 cbr 210 ------- 1 3.0 1.0 195 600\n").contains("no line with +"));
    }

    #[test]
    fn a_damaged_line_is_named_with_what_it_should_be() {
        let with = |line: &str| refused(&format!("+ 1.0 0 2 cbr 210 ------- 0 0.0 3.1 225 610\n{line}\n"));

        assert_eq!(
            with("- 1.0 0 2 cbr"),
            format!(
                "line 2: 5 fields where a line of ns-2's trace has 12\n  found:   \"- 1.0 0 2 cbr\"\n  allowed: {FORM}"
            )
        );
        assert!(
            with("+ x 0 2 cbr 210 ------- 0 0.0 3.1 225 610")
                .starts_with("line 2: the time is \"x\"; allowed are seconds")
        );
        assert!(
            with("+ 2 a 2 cbr 210 ------- 0 0.0 3.1 225 610")
                .starts_with("line 2: the node is \"a\"; allowed are whole")
        );
        assert!(
            with("+ 2 0 2 cbr 21o ------- 0 0.0 3.1 225 610")
                .starts_with("line 2: the size is \"21o\"; allowed are whole")
        );
        assert!(with("+ 2 0 2 cbr 0 ------- 0 0.0 3.1 225 610").starts_with("line 2: a packet of 0 bytes"));
        assert!(with("+ 0.5 0 2 cbr 210 ------- 0 0.0 3.1 225 610").contains("goes back in time"));
        assert!(with("q 2 0 2 cbr 210 ------- 0 0.0 3.1 225 610").starts_with("line 2: there is no event \"q\""));
        assert!(with("+ -t 2 -s 0 -d 2 -p cbr -e 210 -c 0 -i 0 -a 0").contains("the trace for nam"));
        assert!(with("s 0.1 _0_ AGT  --- 0 cbr 512 [0 0 0 0] ------- [0:0 1:0 32 0]").contains("wireless"));
        assert!(with(&"x".repeat(100_000)).len() < 900);
    }

    #[test]
    fn a_table_of_values_is_no_trace() {
        assert!(recognise("\n+ 0.1\n") && recognise("s 1 _0_"));
        assert!(!recognise("time_s,bytes,flow\n0,1,a\n") && !recognise("") && !recognise("a"));
    }
}
