//! A home uplink under quinn-proto: one connection uploads, another has a call. How long do the packets of the call wait, and does the
//! upload answer marks? quinn-proto takes the time and the datagrams from its caller, so a minute takes no minute.

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig,
    ServerConfig, StreamId,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use sojourn_bottleneck::{Bottleneck, Datagram, Ecn, Time};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// IPv4 and UDP, in bytes.
const HEADERS: usize = 28;
const SECONDS: u64 = 20;

/// The result of a run.
#[derive(Debug)]
struct Shown {
    /// Of the upload, in Mbit/s.
    goodput: f64,
    /// Of the call's packets in the queue, in milliseconds.
    median_wait: f64,
    p99_wait: f64,
    lost: usize,
    marked: usize,
}

/// An endpoint with its connections.
struct Host {
    endpoint: Endpoint,
    connections: Vec<(ConnectionHandle, Connection)>,
}

impl Host {
    fn new(server: Option<ServerConfig>) -> Self {
        let endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), server.map(Arc::new), true, Some([7; 32]));
        Host { endpoint, connections: Vec::new() }
    }

    /// A datagram comes.
    fn take(&mut self, now: Instant, from: SocketAddr, ecn: Ecn, bytes: &[u8]) {
        let ecn = match ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(EcnCodepoint::Ect0),
            Ecn::Ect1 => Some(EcnCodepoint::Ect1),
            Ecn::Ce => Some(EcnCodepoint::Ce),
        };
        let mut answer = Vec::new();
        match self.endpoint.handle(now, from, None, ecn, BytesMut::from(bytes), &mut answer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut answer, None);
                self.connections.push(accepted.ok().expect("a client of ours"));
            }
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                let known = self.connections.iter_mut().find(|(known, _)| *known == handle);
                known.expect("a connection of this host").1.handle_event(event);
            }
            _ => {}
        }
    }

    /// Datagrams that may leave now: the number of the connection, whether it may be marked, bytes.
    fn give(&mut self, now: Instant) -> Vec<(u32, Ecn, Vec<u8>)> {
        let mut given = Vec::new();
        for (handle, connection) in &mut self.connections {
            if connection.poll_timeout().is_some_and(|at| at <= now) {
                connection.handle_timeout(now);
            }
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            while connection.poll().is_some() {}
            let mut bytes = Vec::new();
            while let Some(transmit) = connection.poll_transmit(now, 1, &mut bytes) {
                let ecn = if transmit.ecn.is_some() { Ecn::Ect0 } else { Ecn::NotEct };
                given.push((handle.0 as u32, ecn, std::mem::take(&mut bytes)));
            }
        }
        given
    }

    /// When one of its timers runs out.
    fn timeout(&mut self) -> Option<Instant> {
        self.connections.iter_mut().filter_map(|(_, connection)| connection.poll_timeout()).min()
    }
}

/// Configurations with a certificate made for the occasion.
fn configurations() -> (ClientConfig, ServerConfig) {
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(made.key_pair.serialize_der());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a certificate");
    let server = ServerConfig::with_single_cert(vec![made.cert.into()], key.into()).expect("a certificate and its key");
    (ClientConfig::with_root_certificates(Arc::new(roots)).expect("roots"), server)
}

/// Connection 0 uploads for 20 s over 5 Mbit/s and 40 ms, connection 1 writes 160 bytes every 20 ms.
fn run(queue: &str) -> Shown {
    let (client_config, server_config) = configurations();
    let (client_at, server_at): (SocketAddr, SocketAddr) = (([10, 0, 0, 1], 1).into(), ([10, 0, 0, 2], 2).into());
    let (mut client, mut server) = (Host::new(None), Host::new(Some(server_config)));
    let start = Instant::now();
    for _ in 0..2 {
        let made = client.endpoint.connect(start, client_config.clone(), server_at, "localhost");
        client.connections.push(made.expect("a connection"));
    }
    let mut up = Bottleneck::new(queue, "5Mbit", "20ms", 1).expect("a link");
    let mut down = Bottleneck::new("fifo", "50Mbit", "20ms", 1).expect("a link");
    let (mut now, mut next_word) = (Time::ZERO, Time::ZERO);
    let mut opened: [Option<StreamId>; 2] = [None; 2];
    let (mut uploaded, mut waits, mut marked) = (0, Vec::new(), 0);

    while now < Time::from_secs(SECONDS) {
        // What the applications write and read.
        for (number, (_, connection)) in client.connections.iter_mut().enumerate() {
            if connection.is_handshaking() {
                continue;
            }
            let stream = *opened[number].get_or_insert_with(|| connection.streams().open(Dir::Uni).expect("a stream"));
            if number == 0 {
                while connection.send_stream(stream).write(&[0; 1 << 14]).is_ok() {}
            } else if now >= next_word {
                connection.send_stream(stream).write(&[0; 160]).expect("little is under way");
                next_word = now + Time::from_millis(20);
            }
        }
        for (number, (_, connection)) in server.connections.iter_mut().enumerate() {
            connection.streams().accept(Dir::Uni);
            let mut stream = connection.recv_stream(StreamId::new(quinn_proto::Side::Client, Dir::Uni, 0));
            let Ok(mut chunks) = stream.read(true) else { continue };
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                uploaded += if number == 0 { chunk.bytes.len() } else { 0 };
            }
            let _ = chunks.finalize();
        }
        // What they send goes into the links, and what has arrived comes out.
        for (host, link) in [(&mut client, &mut up), (&mut server, &mut down)] {
            for (flow, ecn, bytes) in host.give(start + now) {
                link.send(now, Datagram::new((bytes.len() + HEADERS) as u32).flow(flow).ecn(ecn), bytes);
            }
        }
        let timers = [client.timeout(), server.timeout()].into_iter().flatten().map(|at| at - start);
        let links = [up.next_time(), down.next_time()].into_iter().flatten();
        now =
            timers.chain(links).chain([next_word.max(now + Time::from_micros(1))]).min().expect("one of them").max(now);
        while let Some(packet) = up.receive(now) {
            marked += usize::from(packet.datagram.ecn == Ecn::Ce);
            if packet.datagram.flow == 1 {
                waits.push(packet.waited.as_secs_f64() * 1e3);
            }
            server.take(start + now, client_at, packet.datagram.ecn, &packet.payload);
        }
        while let Some(packet) = down.receive(now) {
            client.take(start + now, server_at, packet.datagram.ecn, &packet.payload);
        }
    }
    waits.sort_by(f64::total_cmp);
    Shown {
        goodput: uploaded as f64 * 8e-6 / SECONDS as f64,
        median_wait: waits[waits.len() / 2],
        p99_wait: waits[waits.len() * 99 / 100],
        lost: up.lost().count(),
        marked,
    }
}

fn main() {
    println!("{:22} {:>8} {:>10} {:>9} {:>6} {:>6}", "queue", "upload", "call, half", "p99", "lost", "marked");
    for queue in ["fifo:limit=200p", "codel:ecn=false", "codel:ecn=true", "fq_codel:ecn=true"] {
        let Shown { goodput, median_wait, p99_wait, lost, marked } = run(queue);
        println!("{queue:22} {goodput:5.2} Mb {median_wait:7.1} ms {p99_wait:6.1} ms {lost:6} {marked:6}");
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn a_call_waits_behind_the_upload_unless_the_queue_is_managed() {
        let (fifo, codel, fair) = (run("fifo:limit=200p"), run("codel:ecn=false"), run("fq_codel:ecn=true"));
        // Bufferbloat: 200 packets of 1480 bytes are 470 ms of this link.
        assert!(fifo.p99_wait > 300.0, "{fifo:?}");
        assert!(codel.p99_wait < fifo.p99_wait / 3.0 && codel.median_wait < 25.0, "{fifo:?} {codel:?}");
        assert!(fair.p99_wait < 6.0, "{fair:?}");
        for shown in [&fifo, &codel, &fair] {
            assert!(shown.goodput > 4.0, "{shown:?}");
        }
    }

    #[test]
    fn quinn_answers_marks_so_that_nothing_is_lost() {
        let (drops, marks) = (run("codel:ecn=false"), run("codel:ecn=true"));
        assert!(drops.lost > 20 && drops.marked == 0, "{drops:?}");
        assert!(marks.lost <= 3 && marks.marked > 20, "{marks:?}");
        assert!(marks.goodput > 4.0, "{marks:?}");
    }
}
