//! Two senders of smoltcp share a link: with Reno, with CUBIC, without congestion control. What does each get, how much is lost, and who
//! decides: the sender or the queue? smoltcp takes the time and the packets from its caller.
//!
//! `cargo run --features old` asks smoltcp 0.12 the same. All its rows are alike: whatever the sender, its congestion window was compared
//! with each write and not with what is under way, so that it limited nothing. Later versions count what is under way.

#[cfg(not(feature = "old"))]
use smoltcp as stack;
#[cfg(feature = "old")]
use smoltcp_0_12 as stack;
use sojourn_bottleneck::{Bottleneck, Datagram, Time};
use stack::iface::{Config, Interface, SocketHandle, SocketSet};
use stack::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use stack::socket::tcp::{CongestionControl, Socket, SocketBuffer};
use stack::time::Instant;
use stack::wire::{HardwareAddress, IpAddress, IpCidr};
use std::collections::VecDeque;

const SECONDS: u64 = 30;

/// The wires of a host: packets that have come, and packets to be sent.
#[derive(Default)]
struct Wires {
    come: VecDeque<Vec<u8>>,
    to_send: VecDeque<Vec<u8>>,
}

struct Come(Vec<u8>);
struct ToSend<'a>(&'a mut VecDeque<Vec<u8>>);

impl RxToken for Come {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for ToSend<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut packet = vec![0; len];
        let result = f(&mut packet);
        self.0.push_back(packet);
        result
    }
}

impl Device for Wires {
    type RxToken<'a> = Come;
    type TxToken<'a> = ToSend<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Come, ToSend<'_>)> {
        Some((Come(self.come.pop_front()?), ToSend(&mut self.to_send)))
    }

    fn transmit(&mut self, _: Instant) -> Option<ToSend<'_>> {
        Some(ToSend(&mut self.to_send))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = 1500;
        capabilities
    }
}

/// A host with two sockets.
struct Host {
    wires: Wires,
    interface: Interface,
    sockets: SocketSet<'static>,
    both: Vec<SocketHandle>,
}

impl Host {
    fn new(number: u8, controls: [CongestionControl; 2]) -> Self {
        let mut wires = Wires::default();
        let mut interface = Interface::new(Config::new(HardwareAddress::Ip), &mut wires, Instant::ZERO);
        let address = IpCidr::new(IpAddress::v4(10, 0, 0, number), 24);
        interface.update_ip_addrs(|known| known.push(address).expect("there is room"));
        let mut sockets = SocketSet::new(Vec::new());
        let both = controls.map(|control| {
            let buffer = || SocketBuffer::new(vec![0; 1 << 18]);
            let mut socket = Socket::new(buffer(), buffer());
            socket.set_congestion_control(control);
            sockets.add(socket)
        });
        Host { wires, interface, sockets, both: both.to_vec() }
    }

    fn socket(&mut self, number: usize) -> &mut Socket<'static> {
        self.sockets.get_mut(self.both[number])
    }
}

/// The result of a run: Mbit/s of each sender, and packets lost.
#[derive(Debug)]
struct Shown {
    goodput: [f64; 2],
    lost: [usize; 2],
}

/// Two transfers of 30 s over 10 Mbit/s and 40 ms.
fn run(queue: &str, controls: [CongestionControl; 2]) -> Shown {
    let mut client = Host::new(1, controls);
    let mut server = Host::new(2, [CongestionControl::None; 2]);
    for number in 0..2 {
        let port = 1000 + number as u16;
        server.socket(number).listen(port).expect("a free port");
        let context = client.interface.context();
        let socket = client.sockets.get_mut::<Socket>(client.both[number]);
        socket.connect(context, (IpAddress::v4(10, 0, 0, 2), port), port).expect("a free port");
    }
    let mut there = Bottleneck::new(queue, "10Mbit", "20ms", 1).expect("a link");
    let mut back = Bottleneck::new("fifo", "100Mbit", "20ms", 1).expect("a link");
    let (mut now, mut got) = (Time::ZERO, [0; 2]);
    while now < Time::from_secs(SECONDS) {
        let instant = Instant::from_micros(now.as_micros() as i64);
        for number in 0..2 {
            let socket = client.socket(number);
            while socket.can_send() && socket.send_slice(&[0; 1 << 14]).is_ok_and(|written| written > 0) {}
            let socket = server.socket(number);
            while socket.can_recv() {
                got[number] += socket.recv(|bytes| (bytes.len(), bytes.len())).expect("it can be read");
            }
        }
        for (host, link) in [(&mut client, &mut there), (&mut server, &mut back)] {
            host.interface.poll(instant, &mut host.wires, &mut host.sockets);
            for packet in host.wires.to_send.drain(..) {
                // The ports of TCP stand behind 20 bytes of IPv4: 1000 and 1001 tell the flows apart.
                let flow = u32::from(packet[21] & 1);
                link.send(now, Datagram::new(packet.len() as u32).flow(flow), packet);
            }
        }
        let timers = [&mut client, &mut server].map(|host| host.interface.poll_at(instant, &host.sockets));
        let timers = timers.into_iter().flatten().map(|at| Time::from_micros(at.total_micros() as u64));
        let links = [there.next_time(), back.next_time()].into_iter().flatten();
        let next = timers.chain(links).min().expect("something is under way");
        // smoltcp counts microseconds.
        now = Time::from_micros(next.as_nanos().div_ceil(1000) as u64).max(now + Time::from_micros(1));
        server.wires.come.extend(std::iter::from_fn(|| there.receive(now)).map(|packet| packet.payload));
        client.wires.come.extend(std::iter::from_fn(|| back.receive(now)).map(|packet| packet.payload));
    }
    let mut lost = [0; 2];
    there.lost().for_each(|packet| lost[packet.datagram.flow as usize] += 1);
    Shown { goodput: got.map(|bytes| bytes as f64 * 8e-6 / SECONDS as f64), lost }
}

fn main() {
    use CongestionControl::{Cubic, None, Reno};
    println!("{:18} {:16} {:>17} {:>13}", "queue", "senders", "Mbit/s", "lost");
    for queue in ["fifo:limit=60p", "codel", "fq_codel"] {
        for controls in [[Reno, Reno], [Cubic, Reno], [None, Reno], [None, Cubic]] {
            let Shown { goodput: [a, b], lost: [c, d] } = run(queue, controls);
            println!("{queue:18} {:16} {a:8.2} {b:8.2} {c:6} {d:6}", format!("{:?} {:?}", controls[0], controls[1]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CongestionControl::{Cubic, None, Reno};

    #[cfg(feature = "old")]
    #[test]
    fn congestion_control_changed_nothing() {
        let shown = [[Reno, Reno], [Cubic, Reno], [None, Reno]]
            .map(|controls| format!("{:?}", run("fifo:limit=60p", controls)));
        assert_eq!(shown[0], shown[1]);
        assert_eq!(shown[0], shown[2]);
    }

    #[cfg(not(feature = "old"))]
    #[test]
    fn a_sender_without_control_starves_itself() {
        let (controlled, wild) = (run("fifo:limit=60p", [Cubic, Reno]), run("fifo:limit=60p", [None, Reno]));
        assert!(wild.lost[0] > 5 * controlled.lost[0], "{controlled:?} {wild:?}");
        assert!(wild.goodput[0] < 0.2 * controlled.goodput[0], "{controlled:?} {wild:?}");
    }

    #[cfg(not(feature = "old"))]
    #[test]
    fn a_fair_queue_brings_cubic_and_reno_together() {
        let apart = |queue| {
            let [cubic, reno] = run(queue, [Cubic, Reno]).goodput;
            cubic / reno
        };
        let (fifo, codel, fair) = (apart("fifo:limit=60p"), apart("codel"), apart("fq_codel"));
        assert!(fair < fifo && fair < codel && fair < 1.25, "{fifo} {codel} {fair}");
    }
}
