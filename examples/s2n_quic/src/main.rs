//! s2n-quic over a bottleneck, with CUBIC and with BBR: how long do packets wait, and what is lost? s2n-quic's own test runtime turns the
//! clock; its network is a link of Sojourn here.

use bytes::Bytes;
use s2n_quic::client::{Client, Connect};
use s2n_quic::provider::congestion_controller::{Bbr, Cubic, Endpoint as Control};
use s2n_quic::provider::io::testing::network::{Buffers, Packet};
use s2n_quic::provider::io::testing::{Network, primary, spawn, test, time};
use s2n_quic::provider::tls::rustls;
use s2n_quic::server::Server;
use s2n_quic_core::inet::ExplicitCongestionNotification as Field;
use s2n_quic_core::time::Timestamp;
use sojourn::bottleneck::{Bottleneck, Datagram, Ecn, Time};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};

/// IPv4 and UDP, in bytes.
const HEADERS: usize = 28;
/// What is uploaded, in bytes.
const UPLOAD: usize = 8_000_000;

/// What a run has shown.
#[derive(Clone, Debug, Default)]
struct Shown {
    seconds: f64,
    /// In the queue, of each packet of the upload, in milliseconds.
    waits: Vec<f64>,
    lost: usize,
    marked: usize,
}

impl Shown {
    /// The wait that this part of the packets does not exceed.
    fn wait(&self, part: f64) -> f64 {
        let mut waits = self.waits.clone();
        waits.sort_by(f64::total_cmp);
        waits[(part * (waits.len() - 1) as f64) as usize]
    }
}

/// A link in each direction.
struct Line {
    up: Bottleneck<Packet>,
    down: Bottleneck<Packet>,
    server: Arc<OnceLock<SocketAddr>>,
    shown: Arc<Mutex<Shown>>,
    start: Option<Timestamp>,
    alarm: Time,
}

impl Line {
    fn new(queue: &str, server: Arc<OnceLock<SocketAddr>>, shown: Arc<Mutex<Shown>>) -> Self {
        let up = Bottleneck::new(queue, "10Mbit", "20ms", 1).expect("a link");
        let down = Bottleneck::new("fifo", "50Mbit", "20ms", 1).expect("a link");
        Line { up, down, server, shown, start: None, alarm: Time::ZERO }
    }
}

impl Network for Line {
    /// The runtime calls this whenever a packet may have been sent or a timer has run out. Gives how many packets moved.
    fn execute(&mut self, buffers: &Buffers) -> usize {
        let now = time::now().saturating_duration_since(*self.start.get_or_insert_with(time::now));
        let mut moved = 0;
        buffers.drain_pending_transmissions(|packet| {
            let up = self.server.get() == Some(&SocketAddr::from(*packet.path.remote_address));
            let ecn = match packet.ecn {
                Field::NotEct => Ecn::NotEct,
                Field::Ect0 => Ecn::Ect0,
                Field::Ect1 => Ecn::Ect1,
                Field::Ce => Ecn::Ce,
            };
            let datagram = Datagram::new((packet.payload.len() + HEADERS) as u32).ecn(ecn);
            if up {
                self.up.send(now, datagram, packet)
            } else {
                self.down.send(now, datagram, packet)
            }
            moved += 1;
            Ok(())
        });
        let mut shown = self.shown.lock().expect("nothing fails while it is held");
        for (link, is_up) in [(&mut self.up, true), (&mut self.down, false)] {
            while let Some(arrived) = link.receive(now) {
                let mut packet = arrived.payload;
                let marked = arrived.datagram.ecn == Ecn::Ce;
                if marked {
                    packet.ecn = Field::Ce;
                }
                if is_up {
                    shown.waits.push(arrived.waited.as_secs_f64() * 1e3);
                    shown.marked += usize::from(marked);
                }
                packet.switch();
                buffers.rx(*packet.path.local_address, |queue| queue.enqueue(packet));
                moved += 1;
            }
        }
        shown.lost += self.up.lost().count();
        // Something that sleeps until then makes the runtime come back; it counts microseconds.
        if let Some(next) = [self.up.next_time(), self.down.next_time()].into_iter().flatten().min() {
            if self.alarm <= now || next < self.alarm {
                self.alarm = next.max(now) + Time::from_micros(1);
                spawn(time::delay(self.alarm - now));
            }
        }
        moved
    }
}

/// An upload over 10 Mbit/s and 40 ms.
fn run<C: Control>(queue: &str, control: C) -> Shown {
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).expect("a certificate");
    let (certificate, key) = (made.cert.pem(), made.key_pair.serialize_pem());
    let (server_at, shown) = (Arc::new(OnceLock::new()), Arc::new(Mutex::new(Shown::default())));
    let line = Line::new(queue, server_at.clone(), shown.clone());
    test(line, |handle| {
        let tls = rustls::Server::builder().with_certificate(certificate.as_str(), key.as_str());
        let tls = tls.and_then(|made| made.build()).expect("a certificate and its key");
        let mut server = Server::builder().with_io(handle.builder().build()?)?.with_tls(tls)?.start()?;
        let address = *server_at.get_or_init(|| server.local_addr().expect("an address"));
        spawn(async move {
            while let Some(mut connection) = server.accept().await {
                spawn(async move {
                    while let Ok(Some(mut stream)) = connection.accept_receive_stream().await {
                        while let Ok(Some(_)) = stream.receive().await {}
                    }
                });
            }
        });
        let tls = rustls::Client::builder().with_certificate(certificate.as_str());
        let tls = tls.and_then(|made| made.build()).expect("a certificate");
        let client = Client::builder().with_io(handle.builder().build()?)?.with_tls(tls)?;
        let client = client.with_congestion_controller(control)?.start()?;
        let shown = shown.clone();
        primary::spawn(async move {
            let start = time::now();
            let connect = Connect::new(address).with_server_name("localhost");
            let mut connection = client.connect(connect).await.expect("a connection");
            let mut stream = connection.open_send_stream().await.expect("a stream");
            for _ in 0..UPLOAD / 10_000 {
                stream.send(Bytes::from_static(&[0; 10_000])).await.expect("an open stream");
            }
            stream.close().await.expect("an open stream");
            let took = time::now().saturating_duration_since(start);
            shown.lock().expect("nothing fails while it is held").seconds = took.as_secs_f64();
        });
        Ok(())
    })
    .expect("the upload ends");
    let shown = shown.lock().expect("nothing fails while it is held");
    shown.clone()
}

fn main() {
    println!(
        "{:18} {:6} {:>7} {:>10} {:>9} {:>5} {:>6}",
        "queue", "sender", "took", "half wait", "p99", "lost", "marked"
    );
    for queue in ["fifo:limit=200p", "codel:ecn=false", "codel:ecn=true"] {
        for (name, shown) in [("cubic", run(queue, Cubic::default())), ("bbr", run(queue, Bbr::default()))] {
            let (half, p99) = (shown.wait(0.5), shown.wait(0.99));
            let Shown { seconds, lost, marked, .. } = shown;
            println!("{queue:18} {name:6} {seconds:5.1} s {half:7.1} ms {p99:6.1} ms {lost:5} {marked:6}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubic_fills_a_long_queue_and_codel_keeps_it_short() {
        let (fifo, codel) = (run("fifo:limit=200p", Cubic::default()), run("codel", Cubic::default()));
        assert!(fifo.wait(0.99) > 100.0, "{}", fifo.wait(0.99));
        assert!(codel.wait(0.5) < 20.0, "{}", codel.wait(0.5));
    }
}
