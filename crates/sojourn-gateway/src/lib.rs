//! Sojourn's queues on real packets: a bridge between two network interfaces of Linux, with a queue, a rate, a delay and losses in
//! each direction.
//!
//! ```no_run
//! use sojourn_gateway::{Gateway, Settings};
//!
//! let link = "[[link]]\nrate = \"20Mbit\"\ndelay = \"10ms\"\nqueue = \"fq_codel\"\n";
//! let settings = Settings {
//!     interfaces: ["lan0".to_owned(), "wan0".to_owned()],
//!     links: [link.to_owned(), link.to_owned()],
//!     ..Settings::default()
//! };
//! let mut gateway = Gateway::start(settings)?;
//! std::thread::sleep(std::time::Duration::from_secs(60));
//! for direction in gateway.stop()?.directions {
//!     println!("{} packets, {} ns late at the 99th percentile", direction.sent.packets, direction.late.quantile(0.99));
//! }
//! # Ok::<(), sojourn_gateway::Error>(())
//! ```
//!
//! # The way of a packet
//!
//! A packet socket of each interface receives the frames ([`wire`], the only place with unsafe code). A frame that the kernel has joined of
//! several is cut into packets again ([`pieces`]). Each IP packet is sent over the [`Path`](sojourn_bottleneck::Path) of its direction, at
//! the time that the kernel wrote on it when it came ([`direction`]). Once the path says that it has arrived, it leaves from the other
//! interface. Other frames than IP pass at once.
//!
//! Time on a path is the kernel's time of arrival, so the decisions of a queue depend on the arrivals alone, and not on how late this
//! program is: a replay of the recording takes the same ones. How late each packet leaves, against the path's schedule, is measured.
//!
//! # Traces on the machine
//!
//! Nothing. The sockets belong to the process, and the promiscuous mode of the interfaces to the sockets: the kernel takes both back
//! however the process ends. No address, route, rule or sysctl is changed.

pub mod counts;
pub mod direction;
mod error;
pub mod frame;
mod live;
pub mod pieces;
pub mod record;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub mod wire;

pub use error::Error;
pub use live::{Gateway, Report, Settings};
