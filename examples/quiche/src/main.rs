//! A home uplink under quiche: one or two connections upload, another has a call. How long do the packets of the call wait, and what
//! does it cost to ignore the time at which quiche says that a datagram should leave?

mod clock;

use quiche::{Config, Connection, ConnectionId, RecvInfo};
use sojourn::bottleneck::{Bottleneck, Datagram, Time};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// IPv4 and UDP, in bytes.
const HEADERS: usize = 28;
const SECONDS: u64 = 20;

/// What a run has shown.
#[derive(Debug)]
struct Shown {
    /// Of each upload, in Mbit/s.
    goodput: Vec<f64>,
    /// Of the call's packets in the queue, in milliseconds.
    median_wait: f64,
    p99_wait: f64,
    lost: usize, size: f64, at: Duration,
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

    /// Datagrams that leave now. A hasty application does not look at `SendInfo::at`.
    fn give(&mut self, now: Instant, hasty: u8) -> Vec<Vec<u8>> {
        if self.connection.timeout_instant().is_some_and(|at| at <= now) {
            self.connection.on_timeout();
        }
        let mut bytes = [0; 1500];
        while self.held.back().is_none_or(|(at, _)| *at <= now || hasty == 1) {
            let Ok((length, info)) = self.connection.send(&mut bytes) else { break };
            self.held.push_back((if hasty == 0 { now } else { info.at }, bytes[..length].to_vec()));
        }
        let leave = self.held.iter().take_while(|(at, _)| *at <= now).count();
        self.held.drain(..leave).map(|(_, bytes)| bytes).collect()
    }

    /// When one of its timers runs out or a datagram may leave.
    fn next_time(&self) -> Option<Instant> {
        self.connection.timeout_instant().into_iter().chain(self.held.front().map(|(at, _)| *at)).min()
    }
}

/// Certificate and key, made for the occasion: quiche reads files.
fn certificate() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).expect("a certificate");
    let folder = std::env::temp_dir().join(format!("quiche-{}-{:?}", std::process::id(), std::thread::current().id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let [certificate, key] = ["certificate.pem", "key.pem"].map(|name| folder.join(name));
    std::fs::write(&certificate, made.cert.pem()).expect("a file");
    std::fs::write(&key, made.key_pair.serialize_pem()).expect("a file");
    (certificate.display().to_string(), key.display().to_string())
}

fn configuration(control: &str) -> Config {
    let mut config = Config::new(quiche::PROTOCOL_VERSION).expect("a version");
    config.set_application_protos(&[b"test"]).expect("a name");
    config.set_cc_algorithm_name(control).expect("a control law of quiche");
    if std::env::var("TSN").is_ok() { config.set_custom_bbr_params(quiche::BbrParams { time_sent_set_to_now: Some(false), ..Default::default() }); }
    config.set_max_send_udp_payload_size(1472);
    config.set_initial_max_data(1 << 24);
    config.set_initial_max_stream_data_bidi_remote(1 << 24);
    config.set_initial_max_streams_bidi(1);
    config
}

/// A call, as connection 0, writes 160 bytes every 20 ms. The others upload with the given control laws, over 5 Mbit/s and 40 ms.
fn run(queue: &str, uploads: &[&str], hasty: u8) -> Shown {
    clock::set(Duration::ZERO);
    let start = Instant::now();
    let (certificate, key) = certificate();
    let mut clients = Vec::new();
    let mut servers = Vec::new();
    for (number, control) in ["cubic"].iter().chain(uploads).enumerate() {
        let (here, there) = (([10, 0, 0, 1], number as u16).into(), ([10, 0, 0, 2], 2).into());
        let id = ConnectionId::from_vec(vec![number as u8; 16]);
        let mut config = configuration(control);
        let connection = quiche::connect(Some("localhost"), &id, here, there, &mut config).expect("a connection");
        clients.push(End { connection, addresses: (here, there), held: VecDeque::new() });
        config.load_cert_chain_from_pem_file(&certificate).expect("a certificate");
        config.load_priv_key_from_pem_file(&key).expect("its key");
        let id = ConnectionId::from_vec(vec![100 + number as u8; 16]);
        let connection = quiche::accept(&id, None, there, here, &mut config).expect("a connection");
        servers.push(End { connection, addresses: (there, here), held: VecDeque::new() });
    }
    let mut up = Bottleneck::new(queue, "5Mbit", "20ms", 1).expect("a link");
    let mut down = Bottleneck::new("fifo", "50Mbit", "20ms", 1).expect("a link");
    let (mut now, mut next_word) = (Time::ZERO, Time::ZERO);
    let (mut sizes, mut at) = ((0,0), Duration::ZERO); let (mut arrived, mut waits, mut bytes) = (vec![0; clients.len()], Vec::new(), vec![0; 1 << 16]);

    while now < Time::from_secs(SECONDS) {
        // What the applications write and read.
        for (number, client) in clients.iter_mut().enumerate() {
            if !client.connection.is_established() {
                continue;
            }
            if number > 0 {
                while (std::env::var("LOW").is_err() || client.connection.stream_capacity(0).is_ok_and(|c| c >= 2944)) && client.connection.stream_send(0, &[0; 1 << 14], false).is_ok_and(|written| written == 1 << 14) {}
            } else if now >= next_word {
                client.connection.stream_send(0, &[0; 160], false).expect("little is under way");
                next_word = now + Time::from_millis(20);
            }
        }
        for (server, arrived) in servers.iter_mut().zip(&mut arrived) {
            while let Ok((read, _)) = server.connection.stream_recv(0, &mut bytes) {
                *arrived += read;
            }
        }
        // What they send goes into the links, and what has arrived comes out. quiche does not know ECN.
        for (ends, link) in [(&mut clients, &mut up), (&mut servers, &mut down)] {
            for (number, end) in ends.iter_mut().enumerate() {
                for bytes in end.give(start + now, hasty) {if number==1 && bytes.len()>100 {sizes=(sizes.0+bytes.len(), sizes.1+1);}
                    link.send(now, Datagram::new((bytes.len() + HEADERS) as u32).flow(number as u32), (number, bytes));
                }
            }
        }
        let ends = clients.iter().chain(&servers).filter_map(End::next_time).map(|at| at - start);
        let links = [up.next_time(), down.next_time()].into_iter().flatten();
        let then = ends.chain(links).chain([next_word.max(now + Time::from_micros(1))]).min().expect("one of them");
        now = then.max(now);
        clock::set(now);
        while let Some(packet) = up.receive(now) {
            if packet.datagram.flow == 0 {
                waits.push(packet.waited.as_secs_f64() * 1e3);
            }
            let (number, bytes) = packet.payload;
            servers[number].take(bytes);
        }
        while let Some(packet) = down.receive(now) {
            let (number, bytes) = packet.payload;
            clients[number].take(bytes);
        }
    }
    waits.sort_by(f64::total_cmp);
    Shown {
        goodput: arrived[1..].iter().map(|&bytes| bytes as f64 * 8e-6 / SECONDS as f64).collect(),
        median_wait: waits[waits.len() / 2],
        p99_wait: waits[waits.len() * 99 / 100],
        lost: up.lost().count(), size: sizes.0 as f64 / sizes.1 as f64, at
    }
}

fn main() {
    println!(
        "{:20} {:24} {:9} {:>10} {:>10} {:>9} {:>5}",
        "queue", "uploads", "SendInfo", "Mbit/s", "call, half", "p99", "lost"
    );
    for queue in ["fifo:limit=200p", "fifo:limit=10p"] {
        for uploads in [&["cubic"][..], &["bbr2_gcongestion"], &["cubic", "bbr2_gcongestion"]] {
            for hasty in [1, 2] {
                let Shown { goodput, median_wait, p99_wait, lost, size, at } = run(queue, uploads, hasty);
                println!(
                    "{queue:20} {:24} {:9} {goodput:4.2?} {median_wait:7.1} ms {p99_wait:6.1} ms {lost:5} {size:7.1} {at:?}",
                    uploads.join(" "),
                    ["ignored", "held", "asked"][hasty as usize],
                );
            }
        }
    }
}
