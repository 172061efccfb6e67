//! A home uplink under quiche: one connection uploads, another has a call. How long do the packets of the call wait, and what does an
//! application get that waits for the time at which quiche says that a datagram should leave?

mod clock;

use quiche::{Config, Connection, ConnectionId, RecvInfo};
use sojourn_bottleneck::{Bottleneck, Datagram, Time};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// IPv4 and UDP, in bytes.
const HEADERS: usize = 28;
const SECONDS: u64 = 20;

/// The use that the application makes of `SendInfo::at`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pacing {
    /// It sends at once.
    Ignored,
    /// It takes all datagrams at once, and each waits for its time, as in a socket with `SO_TXTIME`.
    Held,
    /// It asks for the next datagram when the time of the last one has come.
    Asked,
}

/// The result of a run.
#[derive(Debug)]
struct Shown {
    /// Of the upload, in Mbit/s.
    goodput: f64,
    /// Of the call's packets in the queue, in milliseconds.
    median_wait: f64,
    p99_wait: f64,
    lost: usize,
    /// Of the upload's datagrams on the link: the mean, in bytes.
    size: f64,
}

/// One end of a connection, and its datagrams whose time has not come yet.
struct End {
    connection: Connection,
    addresses: (SocketAddr, SocketAddr),
    held: VecDeque<(Instant, Vec<u8>)>,
}

impl End {
    fn take(&mut self, mut bytes: Vec<u8>) {
        let (to, from) = self.addresses;
        // A datagram that cannot be read is no reason to end the test.
        let _ = self.connection.recv(&mut bytes, RecvInfo { from, to });
    }

    /// Datagrams that leave now.
    fn give(&mut self, now: Instant, pacing: Pacing) -> Vec<Vec<u8>> {
        if self.connection.timeout_instant().is_some_and(|at| at <= now) {
            self.connection.on_timeout();
        }
        let mut bytes = [0; 1500];
        while pacing != Pacing::Asked || self.held.back().is_none_or(|(at, _)| *at <= now) {
            let Ok((length, info)) = self.connection.send(&mut bytes) else { break };
            let at = if pacing == Pacing::Ignored { now } else { info.at };
            self.held.push_back((at, bytes[..length].to_vec()));
        }
        let leave = self.held.iter().take_while(|(at, _)| *at <= now).count();
        self.held.drain(..leave).map(|(_, bytes)| bytes).collect()
    }

    /// When one of its timers runs out or a datagram may leave.
    fn next_time(&self) -> Option<Instant> {
        self.connection.timeout_instant().into_iter().chain(self.held.front().map(|(at, _)| *at)).min()
    }
}

/// A configuration with a certificate made for the occasion: quiche reads files.
fn configuration(control: &str) -> Config {
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).expect("a certificate");
    let folder = std::env::temp_dir().join(format!("quiche-{}-{:?}", std::process::id(), std::thread::current().id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let [certificate, key] = ["certificate.pem", "key.pem"].map(|name| folder.join(name).display().to_string());
    std::fs::write(&certificate, made.cert.pem()).expect("a file");
    std::fs::write(&key, made.key_pair.serialize_pem()).expect("a file");
    let mut config = Config::new(quiche::PROTOCOL_VERSION).expect("a version");
    config.load_cert_chain_from_pem_file(&certificate).expect("a certificate");
    config.load_priv_key_from_pem_file(&key).expect("its key");
    std::fs::remove_dir_all(&folder).expect("the folder");
    config.verify_peer(false);
    config.set_application_protos(&[b"test"]).expect("a name");
    config.set_cc_algorithm_name(control).expect("a control law of quiche");
    config.set_max_send_udp_payload_size(1472);
    config.set_initial_max_data(1 << 24);
    config.set_initial_max_stream_data_bidi_remote(1 << 24);
    config.set_initial_max_streams_bidi(1);
    config
}

/// Connection 0 uploads for 20 s over 5 Mbit/s and 40 ms, connection 1 writes 160 bytes every 20 ms. The upload writes as soon as the
/// stream has room for that many bytes.
fn run(queue: &str, control: &str, pacing: Pacing, room: usize) -> Shown {
    clock::set(Duration::ZERO);
    let start = Instant::now();
    let (mut clients, mut servers) = (Vec::new(), Vec::new());
    for (number, control) in [control, "cubic"].into_iter().enumerate() {
        let (here, there) = (([10, 0, 0, 1], number as u16).into(), ([10, 0, 0, 2], 2).into());
        let mut config = configuration(control);
        let id = |first| ConnectionId::from_vec(vec![first + number as u8; 16]);
        let client = quiche::connect(Some("localhost"), &id(0), here, there, &mut config).expect("a connection");
        let server = quiche::accept(&id(100), None, there, here, &mut config).expect("a connection");
        clients.push(End { connection: client, addresses: (here, there), held: VecDeque::new() });
        servers.push(End { connection: server, addresses: (there, here), held: VecDeque::new() });
    }
    let mut up = Bottleneck::new(queue, "5Mbit", "20ms", 1).expect("a link");
    let mut down = Bottleneck::new("fifo", "50Mbit", "20ms", 1).expect("a link");
    let (mut now, mut next_word) = (Time::ZERO, Time::ZERO);
    let (mut uploaded, mut waits, mut sizes, mut bytes) = (0, Vec::new(), Vec::new(), vec![0; 1 << 16]);

    while now < Time::from_secs(SECONDS) {
        // What the applications write and read.
        for (number, client) in clients.iter_mut().enumerate() {
            let connection = &mut client.connection;
            if !connection.is_established() {
                continue;
            }
            if number == 0 {
                while connection.stream_send(0, &[], false).is_ok()
                    && connection.stream_capacity(0).is_ok_and(|free| free >= room)
                {
                    connection.stream_send(0, &[0; 1 << 14], false).expect("there is room");
                }
            } else if now >= next_word {
                connection.stream_send(0, &[0; 160], false).expect("little is under way");
                next_word = now + Time::from_millis(20);
            }
        }
        for (number, server) in servers.iter_mut().enumerate() {
            while let Ok((read, _)) = server.connection.stream_recv(0, &mut bytes) {
                uploaded += if number == 0 { read } else { 0 };
            }
        }
        // What they send goes into the links, and what has arrived comes out. quiche does not know ECN.
        for (ends, link) in [(&mut clients, &mut up), (&mut servers, &mut down)] {
            for (number, end) in ends.iter_mut().enumerate() {
                for bytes in end.give(start + now, pacing) {
                    link.send(now, Datagram::new((bytes.len() + HEADERS) as u32).flow(number as u32), bytes);
                }
            }
        }
        let ends = clients.iter().chain(&servers).filter_map(End::next_time).map(|at| at - start);
        let links = [up.next_time(), down.next_time()].into_iter().flatten();
        let next_word = next_word.max(now + Time::from_micros(1));
        now = ends.chain(links).chain([next_word]).min().expect("one of them").max(now);
        clock::set(now);
        while let Some(packet) = up.receive(now) {
            if packet.datagram.flow == 1 {
                waits.push(packet.waited.as_secs_f64() * 1e3);
            } else {
                sizes.push(packet.payload.len());
            }
            servers[packet.datagram.flow as usize].take(packet.payload);
        }
        while let Some(packet) = down.receive(now) {
            clients[packet.datagram.flow as usize].take(packet.payload);
        }
    }
    waits.sort_by(f64::total_cmp);
    Shown {
        goodput: uploaded as f64 * 8e-6 / SECONDS as f64,
        median_wait: waits[waits.len() / 2],
        p99_wait: waits[waits.len() * 99 / 100],
        lost: up.lost().count(),
        size: sizes.iter().sum::<usize>() as f64 / sizes.len() as f64,
    }
}

/// Room for any byte, and for two full datagrams.
const ANY: usize = 1;
const TWO: usize = 2 * 1472;

fn main() {
    println!("queue           control           pacing   room  upload    call, half    p99       lost  datagram");
    for queue in ["fifo:limit=200p", "codel", "fq_codel"] {
        for (control, pacing, room) in [
            ("cubic", Pacing::Held, ANY),
            ("cubic", Pacing::Held, TWO),
            ("bbr2_gcongestion", Pacing::Ignored, ANY),
            ("bbr2_gcongestion", Pacing::Held, ANY),
            ("bbr2_gcongestion", Pacing::Asked, ANY),
        ] {
            let Shown { goodput, median_wait, p99_wait, lost, size } = run(queue, control, pacing, room);
            let pacing = format!("{pacing:?}");
            println!(
                "{queue:15} {control:17} {pacing:8} {room:4}  {goodput:4.2} Mb {median_wait:8.1} ms {p99_wait:7.1} ms {lost:5} {size:6.0} B"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ANY, Pacing, TWO, run};

    #[test]
    fn a_call_waits_behind_the_upload_unless_the_queue_is_managed() {
        let [fifo, codel, fair] =
            ["fifo:limit=200p", "codel", "fq_codel"].map(|queue| run(queue, "cubic", Pacing::Held, ANY));
        assert!(fifo.p99_wait > 200.0, "{fifo:?}");
        assert!(codel.p99_wait < fifo.p99_wait / 2.0 && codel.median_wait < 25.0, "{fifo:?} {codel:?}");
        assert!(fair.p99_wait < 6.0, "{fair:?}");
        for shown in [&fifo, &codel, &fair] {
            assert!(shown.goodput > 3.5, "{shown:?}");
        }
    }

    #[test]
    fn bbr_fills_the_link_only_if_each_datagram_is_asked_for_when_the_last_has_left() {
        let [held, asked] =
            [Pacing::Held, Pacing::Asked].map(|pacing| run("fifo:limit=200p", "bbr2_gcongestion", pacing, ANY));
        assert!(held.goodput < 2.5, "{held:?}");
        assert!(asked.goodput > 4.0 && asked.p99_wait < 100.0, "{asked:?}");
    }

    #[test]
    fn cubic_sends_small_datagrams_unless_the_application_waits_for_room() {
        let [any, two] = [ANY, TWO].map(|room| run("fifo:limit=200p", "cubic", Pacing::Held, room));
        assert!(any.size < 800.0, "{any:?}");
        assert!(two.size > 1.5 * any.size, "{any:?} {two:?}");
    }
}
