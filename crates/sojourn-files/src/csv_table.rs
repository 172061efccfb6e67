//! Arrivals from a table of comma-separated values (RFC 4180).

use csv::{ReaderBuilder, StringRecord};
use sojourn_sim::header::Dscp;
use sojourn_sim::packet::Ecn;
use sojourn_sim::params::nearest;
use sojourn_sim::queue::Hosts;
use sojourn_sim::replay::Arrival;
use sojourn_sim::units::Instant;

use crate::error::{Place, ReadError};
use crate::flows::Flows;
use crate::hosts;
use crate::number;
use crate::text;
use crate::trace::{HEADERS, Trace};

/// The last two have the decision of another implementation about the packet; they are for a comparison and make no difference here.
const COLUMNS: [&str; 10] =
    ["time_s", "bytes", "flow", "ecn", "uniform", "dscp", "source", "destination", "decision", "departure_s"];
const REQUIRED: usize = 3;
/// The column of the host that sends. The host that receives is in the next one.
const SOURCE: usize = 6;

/// The index of each of [`COLUMNS`].
struct Header([Option<usize>; COLUMNS.len()]);

pub fn read(bytes: &[u8], mtu: Option<u32>) -> Result<Trace, ReadError> {
    let (skipped, bytes) = text::behind_comments(bytes);
    let mut reader = ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let header = Header::read(reader.headers().map_err(|error| broken(&error, skipped))?, skipped + 1)?;
    let names_hosts = header.names_hosts();
    let mut flows = Flows::new();
    let mut trace = Trace::new(mtu, false);
    let mut record = StringRecord::new();
    let mut previous = Instant::ZERO;
    while reader.read_record(&mut record).map_err(|error| broken(&error, skipped))? {
        let line = skipped + record.position().map_or(0, csv::Position::line);
        let at = |what: String| ReadError::new(Place::Line(line), what);
        // A quotation mark that is not closed takes all rows behind it into one field.
        if record.iter().any(|field| field.contains(['\n', '\r'])) {
            return Err(at(
                "a field goes over several lines: a quotation mark in it or before it is not closed".to_owned()
            ));
        }
        let flow = header.field(&record, 2);
        let hosts = if names_hosts {
            hosts::of_flow(flow, header.field(&record, SOURCE), header.field(&record, SOURCE + 1))
        } else {
            Hosts { source: 0, target: 0 }
        };
        let arrival = Arrival {
            time: number::time("time_s", header.field(&record, 0)).map_err(at)?,
            size: number::size("bytes", header.field(&record, 1)).map_err(at)?,
            flow: flows.number(flow.to_owned(), |name| (name.clone(), hosts)),
            ecn: ecn(header.field(&record, 3)).map_err(at)?,
            dscp: dscp(header.field(&record, 5)).map_err(at)?,
            acknowledgement: None,
            uniform: uniform(header.field(&record, 4)).map_err(at)?,
        };
        if flows.hosts(arrival.flow) != hosts {
            return Err(at(format!(
                "the flow {flow:?} has another source or destination than in its first row; a flow runs between two hosts"
            )));
        }
        arrival.check(previous).map_err(|error| at(error.to_string()))?;
        previous = arrival.time;
        trace.push(arrival, line, HEADERS, mtu.is_some());
    }
    flows.describe(&mut trace, names_hosts);
    Ok(trace)
}

impl Header {
    fn read(names: &StringRecord, line: u64) -> Result<Header, ReadError> {
        let at = |what: String| ReadError::new(Place::Line(line), what);
        if let Some(sign) = (names.len() == 1).then(|| names[0].find(['\t', ';'])).flatten() {
            let sign = if names[0].as_bytes()[sign] == b';' { "semicolons" } else { "tabs" };
            return Err(at(format!("the columns have {sign} between them; allowed are commas")));
        }
        let mut places = [None; COLUMNS.len()];
        for (place, name) in names.iter().enumerate() {
            let Some(column) = COLUMNS.iter().position(|known| *known == name) else {
                let hint = match nearest(name, COLUMNS.into_iter()) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => format!("allowed are {}", COLUMNS.join(", ")),
                };
                return Err(at(format!("there is no column {name:?}; {hint}")));
            };
            if places[column].replace(place).is_some() {
                return Err(at(format!("the column {name:?} is there twice")));
            }
        }
        match places.iter().take(REQUIRED).position(Option::is_none) {
            Some(missing) => Err(at(format!(
                "the column {:?} is missing; the first line names the columns, such as time_s,bytes,flow",
                COLUMNS[missing]
            ))),
            None => Ok(Header(places)),
        }
    }

    fn names_hosts(&self) -> bool {
        self.0[SOURCE..=SOURCE + 1].iter().any(Option::is_some)
    }

    /// Empty where the column is not there.
    fn field<'r>(&self, record: &'r StringRecord, column: usize) -> &'r str {
        self.0[column].and_then(|place| record.get(place)).unwrap_or("")
    }
}

fn broken(error: &csv::Error, skipped: u64) -> ReadError {
    let place = error.position().map_or(Place::File, |position| Place::Line(skipped + position.line()));
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields where the header has {expected_len}")
        }
        _ => format!("this is not CSV: {error}"),
    };
    ReadError::new(place, what)
}

fn ecn(text: &str) -> Result<Ecn, String> {
    // RFC 3168 section 5: ECT(1) is 01 and ECT(0) is 10.
    match text.to_ascii_lowercase().as_str() {
        "" | "not-ect" | "0" => Ok(Ecn::NotEct),
        "ect1" | "1" => Ok(Ecn::Ect1),
        "ect0" | "2" => Ok(Ecn::Ect0),
        "ce" | "3" => Ok(Ecn::Ce),
        _ => Err(format!("ecn is {text:?}; allowed are not-ect, ect0, ect1 and ce, or 0, 2, 1 and 3 for the same")),
    }
}

fn dscp(text: &str) -> Result<Dscp, String> {
    if text.is_empty() {
        return Ok(Dscp::DF);
    }
    Dscp::read(text).ok_or_else(|| {
        let near = nearest(text, Dscp::names());
        let hint = near.map(|near| format!("did you mean {near:?}?"));
        let hint = hint.unwrap_or_else(|| "allowed are names such as EF and AF11, or 0 to 63".to_owned());
        format!("dscp is {text:?}; {hint}")
    })
}

fn uniform(text: &str) -> Result<Option<f64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| format!("uniform is {text:?}; allowed are numbers from 0 up to, but not including, 1, or nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_sim::packet::FlowId;

    fn refused(text: &str) -> String {
        read(text.as_bytes(), None).unwrap_err().to_string()
    }

    #[test]
    fn a_table_with_all_columns_is_read() {
        let text = "time_s,bytes,flow,ecn,uniform\n0.5,1500,web,ect0,0.25\n0.5,40,\"a, b\",3,\n1e0,41,web,,0\n";

        let trace = read(text.as_bytes(), None).unwrap();

        let arrival = |nanos, size, flow, ecn, uniform| Arrival {
            time: Instant::from_nanos(nanos),
            size,
            flow: FlowId(flow),
            ecn,
            dscp: Dscp::DF,
            acknowledgement: None,
            uniform,
        };
        assert_eq!(
            trace.arrivals,
            [
                arrival(500_000_000, 1500, 0, Ecn::Ect0, Some(0.25)),
                arrival(500_000_000, 40, 1, Ecn::Ce, None),
                arrival(1_000_000_000, 41, 0, Ecn::NotEct, Some(0.0)),
            ]
        );
        assert_eq!(trace.flows, ["web", "a, b"]);
        assert_eq!(trace.records, [2, 3, 4]);
    }

    #[test]
    fn what_another_implementation_did_may_stand_beside_an_arrival() {
        let text = b"time_s,bytes,flow,decision,departure_s\n0,1,a,enqueued,0.5\n1,1,a,dropped,\n";

        assert_eq!(read(text, None).unwrap().arrivals.len(), 2);
    }

    #[test]
    fn hosts_of_a_table_are_those_of_its_columns() {
        use sojourn_sim::queue::FlowHosts;
        let text = b"time_s,bytes,flow,source,destination\n0,1,a,10.0.0.1,server\n0,1,b,10.0.0.1,\n0,1,c,pc,server\n";

        let hosts = read(text, None).unwrap().hosts;

        let [a, b, c] = [0, 1, 2].map(|flow| hosts.get(FlowId(flow)));
        assert_eq!([a.source, b.source], [(10 << 24) + 1; 2]);
        assert_eq!(a.target, c.target);
        assert!(a.source != c.source && a.target != b.target);
        assert_eq!(read(b"time_s,bytes,flow\n0,1,a\n", None).unwrap().hosts, FlowHosts::default());
        let moved = refused("time_s,bytes,flow,source\n0,1,a,x\n1,1,a,y\n");
        assert!(moved.starts_with("line 3: the flow \"a\" has another source or destination than in its first row"));
    }

    #[test]
    fn columns_may_stand_in_any_order_and_end_in_carriage_returns() {
        let trace = read(b"\xef\xbb\xbfflow,bytes,time_s\r\nx,1,0\r\n", None).unwrap();

        assert_eq!((trace.arrivals.len(), trace.arrivals[0].size), (1, 1));
    }

    #[test]
    fn comments_before_the_header_are_left_out_and_lines_count_all_the_same() {
        let trace = read(b"# by our probe\n\n# 2026-11-01\r\ntime_s,bytes,flow\n0.5,1500,#1\n", None).unwrap();
        assert_eq!((trace.arrivals.len(), &trace.records[..], &trace.flows[..]), (1, &[5][..], &["#1".to_owned()][..]));

        assert!(refused("# a\ntime_s,bytes,flow\n0,x,a\n").starts_with("line 3: bytes is \"x\""));
        assert!(refused("# a\ntime,bytes,flow\n").starts_with("line 2: there is no column \"time\""));
        // A flow may have such a name: behind the header nothing is a comment.
        assert!(refused("flow,time_s,bytes\n#1,0,5\n# 2,0\n").starts_with("line 3: 2 fields"));
        assert!(refused("time_s;bytes;flow\n").contains("the columns have semicolons between them"));
        assert!(refused("time_s\tbytes\tflow\n").contains("the columns have tabs between them"));
    }

    #[test]
    fn ecn_numbers_are_those_of_the_ip_header() {
        let read = |text| ecn(text).unwrap();

        assert_eq!([read("0"), read("1"), read("2"), read("3")], [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]);
    }

    #[test]
    fn codepoints_are_names_or_numbers_and_best_effort_without_one() {
        let text = "time_s,dscp,bytes,flow\n0,EF,1,a\n0,af11,1,a\n0,63,1,a\n0,,1,a\n";

        let found: Vec<u8> =
            read(text.as_bytes(), None).unwrap().arrivals.iter().map(|one| one.dscp.number()).collect();

        assert_eq!(found, [46, 10, 63, 0]);
        assert!(dscp("af14").unwrap_err().starts_with("dscp is \"af14\"; did you mean \"AF1"));
        assert_eq!(dscp("64").unwrap_err(), "dscp is \"64\"; allowed are names such as EF and AF11, or 0 to 63");
    }

    #[test]
    fn errors_name_the_line_what_was_found_and_what_is_allowed() {
        let with = |row: &str| refused(&format!("time_s,bytes,flow,ecn,uniform\n0.1,1,a,,\n{row}\n"));

        assert!(with("0.05,1,a,,").starts_with("line 3: the arrival at 0.05 s goes back in time"));
        assert_eq!(with("0.1,0,a,,"), "line 3: a packet of 0 bytes; allowed are 1 to 16777216");
        assert!(with("0.1,-5,a,,").starts_with("line 3: bytes is \"-5\""));
        assert!(with("0.1,100000000000000,a,,").contains("allowed are whole numbers from 1 to 16777216"));
        assert!(with("nan,5,a,,").starts_with("line 3: time_s is \"nan\""));
        assert!(with("-1,5,a,,").starts_with("line 3: time_s is \"-1\""));
        assert!(with("1700000000.5,5,a,,").contains("count from the start of the recording"));
        assert!(with("inf,5,a,,").starts_with("line 3: time_s is \"inf\"; allowed are 0 to 10000000 s"));
        assert!(with("1e300,5,a,,").starts_with("line 3: time_s is \"1e300\"; allowed are 0 to 10000000 s"));
        assert!(with("1,5,a,ect2,").starts_with("line 3: ecn is \"ect2\""));
        assert!(with("1,5,a,,1").starts_with("line 3: the uniform number 1 is out of range"));
        assert!(with("1,5,a,,x").starts_with("line 3: uniform is \"x\""));
        assert_eq!(with("1,5,a"), "line 3: 3 fields where the header has 5");
    }

    #[test]
    fn a_quotation_mark_that_is_not_closed_swallows_no_rows() {
        let text = "time_s,bytes,flow\n0,1,a\n1,1,\"b\n2,1,c\n3,1,d\n";

        assert!(refused(text).starts_with("line 3: a field goes over several lines: a quotation mark"));
        assert_eq!(read(b"time_s,bytes,flow\n0,1,\"a, \"\"b\"\"\"\n", None).unwrap().flows, ["a, \"b\""]);
    }

    #[test]
    fn wrong_headers_are_explained() {
        assert!(refused("time,bytes,flow\n").contains("there is no column \"time\""));
        assert!(refused("time_s,byte,flow\n").contains("did you mean \"bytes\"?"));
        assert!(refused("time_s,bytes\n0,1\n").contains("the column \"flow\" is missing"));
        assert!(refused("time_s,bytes,flow,flow\n").contains("is there twice"));
    }

    #[test]
    fn long_texts_are_not_echoed_whole() {
        let long = "x".repeat(1_000_000);
        for text in [format!("{long},bytes,flow\n"), format!("time_s,bytes,flow\n{long},1,a\n")] {
            let message = refused(&text);
            assert!(message.len() < 400 && message.contains("xxx") && message.contains("allowed are"), "{message}");
        }
    }

    #[test]
    fn a_header_alone_is_no_arrival() {
        assert!(read(b"time_s,bytes,flow\n", None).unwrap().arrivals.is_empty());
    }
}
