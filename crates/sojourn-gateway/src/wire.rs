//! Packet sockets of Linux, and its clock. This is the crate's one place with unsafe code: calls of the C library.
//!
//! The calls rely on these facts. Descriptors are owned by an [`OwnedFd`], so they are open; lengths that are handed over are those of the
//! memory beside them; and memory to which a message points lives in the same `Wire` or in the caller's frames until the call has returned.

use crate::direction::Leaving;
use crate::frame::Checksum;
use crate::pieces::Joined;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{from_mut, from_ref, null_mut};

/// Frames that one call takes or sends.
pub const BATCH: usize = 64;
/// The largest frame: 64 KB of IP, with headers and tags around it.
const LARGEST: usize = 65_536 + 64;
/// `struct virtio_net_hdr` (virtio 1.2 section 5.1.6), which comes before each frame: flags, kind, and four words.
const VIRTIO: usize = 10;
const NEEDS_CHECKSUM: u8 = 1;
const JOINED_TCP4: u8 = 1;
const JOINED_TCP6: u8 = 4;
const JOINED_UDP: u8 = 5;
const JOINED_CWR_ONCE: u8 = 0x80;
/// The bytes that a socket may hold until they are read, and until they are sent.
const BUFFER: libc::c_int = 32 << 20;
/// Room for a time and for the kernel's notes about a packet.
const CONTROL: usize = 128;

/// Nanoseconds of the clock that never goes back.
pub fn now() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970, less those of [`now`].
pub fn since_1970() -> u64 {
    let (before, then, after) = (now(), read_clock(libc::CLOCK_REALTIME), now());
    then - (before + (after - before) / 2)
}

fn read_clock(clock: libc::clockid_t) -> u64 {
    // SAFETY: all zeros are a valid `timespec`; the pointer is to it.
    let time = unsafe {
        let mut time: libc::timespec = zeroed();
        libc::clock_gettime(clock, &raw mut time);
        time
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Makes this thread wake up on time, and on one processor if it is named: the finest timer, and a turn before all ordinary threads.
/// Settings that are not permitted stay as they are. A thread with that priority must [`rest`].
pub fn be_punctual(cpu: Option<usize>) -> io::Result<()> {
    // SAFETY: no memory is handed over but a parameter and a set, which are whole.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64);
        let mut turn: libc::sched_param = zeroed();
        turn.sched_priority = 1;
        if libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const turn) != 0 {
            libc::setpriority(libc::PRIO_PROCESS, 0, -20);
        }
        if let Some(cpu) = cpu {
            let mut set: libc::cpu_set_t = zeroed();
            if cpu >= 8 * size_of::<libc::cpu_set_t>() {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            }
            libc::CPU_SET(cpu, &mut set);
            if libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

/// Leaves the processor to others for `nanos` nanoseconds, whatever arrives.
pub fn rest(nanos: u64) {
    // SAFETY: zeros are a valid `timespec`; the time that is left when a signal comes is not asked for.
    unsafe {
        let mut time: libc::timespec = zeroed();
        time.tv_nsec = nanos.min(999_999_999) as _;
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &raw const time, null_mut());
    }
}

/// The properties of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its number.
    pub index: i32,
    /// Whether it is up.
    pub up: bool,
    /// Whether it is the loopback.
    pub loopback: bool,
    /// Whether its frames begin with a header of Ethernet.
    pub ethernet: bool,
    /// The largest IP packet.
    pub mtu: u32,
}

/// Names of all interfaces here.
pub fn interface_names() -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: the list ends with a zero index, its names with a zero byte, and it is freed once.
    unsafe {
        let list = libc::if_nameindex();
        let mut entry = list;
        while !entry.is_null() && (*entry).if_index != 0 {
            names.push(CStr::from_ptr((*entry).if_name).to_string_lossy().into_owned());
            entry = entry.add(1);
        }
        if !list.is_null() {
            libc::if_freenameindex(list);
        }
    }
    names
}

/// Looks an interface up; `None` if there is none of this name.
pub fn interface(name: &str) -> Option<Interface> {
    let text = CString::new(name).ok().filter(|text| text.as_bytes_with_nul().len() <= libc::IFNAMSIZ)?;
    // SAFETY: the text ends with a zero and fits into the request, which is zeroed; the descriptor is closed when it is dropped; a request
    // that succeeds has written the field of the union that is read.
    unsafe {
        let index = libc::if_nametoindex(text.as_ptr());
        if index == 0 {
            return None;
        }
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return None;
        }
        let socket = OwnedFd::from_raw_fd(socket);
        let mut request: libc::ifreq = zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(text.as_bytes()) {
            *to = *from as libc::c_char;
        }
        let asked = |what, about: &mut libc::ifreq| libc::ioctl(socket.as_raw_fd(), what, from_mut(about)) == 0;
        if !asked(libc::SIOCGIFFLAGS, &mut request) {
            return None;
        }
        let flags = libc::c_int::from(request.ifr_ifru.ifru_flags);
        let has_mtu = asked(libc::SIOCGIFMTU, &mut request);
        let mtu = if has_mtu { request.ifr_ifru.ifru_mtu as u32 } else { 0 };
        let has_kind = asked(libc::SIOCGIFHWADDR, &mut request);
        let kind = if has_kind { request.ifr_ifru.ifru_hwaddr.sa_family } else { u16::MAX };
        Some(Interface {
            name: name.to_owned(),
            index: index as i32,
            up: flags & libc::IFF_UP != 0,
            loopback: flags & libc::IFF_LOOPBACK != 0,
            ethernet: kind == libc::ARPHRD_ETHER,
            mtu,
        })
    }
}

/// Whether an address of IPv4, or one of IPv6 beyond the link's own, belongs to the interface: then the host itself may answer there.
pub fn has_address(name: &str) -> bool {
    let mut found = false;
    // SAFETY: the list ends with a null pointer and is freed once; an address is read by its family.
    unsafe {
        let mut list: *mut libc::ifaddrs = null_mut();
        if libc::getifaddrs(&raw mut list) != 0 {
            return false;
        }
        let mut entry = list;
        while !entry.is_null() {
            let here = CStr::from_ptr((*entry).ifa_name).to_bytes() == name.as_bytes();
            let address = (*entry).ifa_addr;
            if here && !address.is_null() {
                found |= match libc::c_int::from((*address).sa_family) {
                    libc::AF_INET => true,
                    #[allow(clippy::cast_ptr_alignment)] // It is read unaligned.
                    libc::AF_INET6 => {
                        let octets = address.cast::<libc::sockaddr_in6>().read_unaligned().sin6_addr.s6_addr;
                        // fe80::/10
                        !(octets[0] == 0xfe && octets[1] & 0xc0 == 0x80)
                    }
                    _ => false,
                };
            }
            entry = (*entry).ifa_next;
        }
        libc::freeifaddrs(list);
    }
    found
}

/// A frame from the wire.
#[derive(Debug)]
pub struct Received<'a> {
    /// When the kernel got it, in nanoseconds of [`now`].
    pub time: u64,
    /// The frame without its VLAN tag, if the card took it away.
    pub bytes: &'a [u8],
    /// That tag: type and content.
    pub tag: Option<[u8; 4]>,
    /// The checksum that is still to be computed.
    pub checksum: Option<Checksum>,
    /// How it is to be cut, if it is several.
    pub joined: Option<Joined>,
}

/// A packet socket of one interface, in promiscuous mode.
pub struct Wire {
    socket: OwnedFd,
    frames: Vec<u8>,
    controls: Vec<u64>,
    headers: Vec<[u8; VIRTIO]>,
    missed: u64,
}

impl Wire {
    /// Opens one; it needs CAP_NET_RAW.
    pub fn open(interface: &Interface) -> io::Result<Self> {
        // SAFETY: see the head of this file; structures are zeroed and have the given lengths.
        unsafe {
            // Protocol 0: nothing comes before it is bound.
            let socket = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0);
            if socket < 0 {
                return Err(io::Error::last_os_error());
            }
            let socket = OwnedFd::from_raw_fd(socket);
            let on: libc::c_int = 1;
            set(&socket, libc::SOL_PACKET, libc::PACKET_VNET_HDR, &on)?;
            set(&socket, libc::SOL_PACKET, libc::PACKET_AUXDATA, &on)?;
            set(&socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &on)?;
            set(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &on)?;
            // Both need CAP_NET_ADMIN; without it the usual sizes remain.
            let _ = set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER);
            let _ = set(&socket, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, &BUFFER);
            let mut address: libc::sockaddr_ll = zeroed();
            address.sll_family = libc::AF_PACKET as u16;
            address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
            address.sll_ifindex = interface.index;
            let len = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            if libc::bind(socket.as_raw_fd(), from_ref(&address).cast(), len) != 0 {
                return Err(io::Error::last_os_error());
            }
            let mut promiscuous: libc::packet_mreq = zeroed();
            promiscuous.mr_ifindex = interface.index;
            promiscuous.mr_type = libc::PACKET_MR_PROMISC as u16;
            set(&socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &promiscuous)?;
            Ok(Wire {
                socket,
                frames: vec![0; BATCH * LARGEST],
                controls: vec![0; BATCH * CONTROL / 8],
                headers: vec![[0; VIRTIO]; BATCH],
                missed: 0,
            })
        }
    }

    /// Takes up to [`BATCH`] frames that others sent, without waiting, and gives how many came. `offset` is that of [`since_1970`].
    ///
    /// # Errors
    ///
    /// If the interface has gone down or away.
    pub fn receive(&mut self, offset: u64, mut each: impl FnMut(Received<'_>)) -> io::Result<usize> {
        // SAFETY: zeroed structures are valid; each message points to its own part of `frames` and `controls`, which have the given lengths
        // and are not touched otherwise until the call has returned. It writes at most these lengths, and says how much.
        unsafe {
            let mut parts: [libc::iovec; BATCH] = zeroed();
            let mut names: [libc::sockaddr_ll; BATCH] = zeroed();
            let mut messages: [libc::mmsghdr; BATCH] = zeroed();
            for number in 0..BATCH {
                parts[number].iov_base = self.frames.as_mut_ptr().add(number * LARGEST).cast();
                parts[number].iov_len = LARGEST;
                let message = &mut messages[number].msg_hdr;
                message.msg_iov = &raw mut parts[number];
                message.msg_iovlen = 1;
                message.msg_name = (&raw mut names[number]).cast();
                message.msg_namelen = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
                message.msg_control = self.controls.as_mut_ptr().add(number * CONTROL / 8).cast();
                message.msg_controllen = CONTROL as _;
            }
            let socket = self.socket.as_raw_fd();
            let got = libc::recvmmsg(socket, messages.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT as _, null_mut());
            if got < 0 {
                return self.nothing_came(&io::Error::last_os_error());
            }
            for number in 0..got as usize {
                // Packets for this host itself are not for others.
                if names[number].sll_pkttype == libc::PACKET_HOST {
                    continue;
                }
                let len = messages[number].msg_len as usize;
                let whole = std::slice::from_raw_parts(self.frames.as_ptr().add(number * LARGEST), len.min(LARGEST));
                if whole.len() < VIRTIO + 14 || messages[number].msg_hdr.msg_flags & libc::MSG_TRUNC != 0 {
                    self.missed += 1;
                    continue;
                }
                let (header, bytes) = whole.split_at(VIRTIO);
                let word = |at: usize| u16::from_ne_bytes([header[at], header[at + 1]]);
                let checksum = Checksum { start: word(6), offset: word(8) };
                let (stamp, tag) = said(&messages[number].msg_hdr);
                each(Received {
                    time: stamp.map_or_else(now, |stamp| stamp.saturating_sub(offset)),
                    bytes,
                    tag,
                    checksum: (header[0] & NEEDS_CHECKSUM != 0).then_some(checksum),
                    joined: joined(header[1], word(4)),
                });
            }
            Ok(got as usize)
        }
    }

    /// The result of a call that failed: an error, or no frames.
    fn nothing_came(&mut self, error: &io::Error) -> io::Result<usize> {
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EINTR) => Ok(0),
            // A frame whose kind its header cannot express, such as one of a tunnel that the card cuts, is lost.
            Some(libc::EINVAL) => {
                self.missed += 1;
                Ok(1)
            }
            code => Err(code.map_or_else(|| io::Error::other("no cause"), io::Error::from_raw_os_error)),
        }
    }

    /// Sends frames, as many as the kernel takes at once: how many it took. 0 if it refuses the first.
    ///
    /// # Errors
    ///
    /// If the interface has gone down or away.
    pub fn send(&mut self, frames: &[Leaving]) -> io::Result<usize> {
        let count = frames.len().min(BATCH);
        for (header, leaving) in self.headers.iter_mut().zip(&frames[..count]) {
            *header = [0; VIRTIO];
            if let Some(Checksum { start, offset }) = leaving.frame.checksum {
                header[0] = NEEDS_CHECKSUM;
                header[6..8].copy_from_slice(&start.to_ne_bytes());
                header[8..10].copy_from_slice(&offset.to_ne_bytes());
            }
        }
        // SAFETY: zeroed structures are valid; each message points to a header of ours and to a frame of the caller's, which the call
        // reads.
        unsafe {
            let mut parts: [[libc::iovec; 2]; BATCH] = zeroed();
            let mut messages: [libc::mmsghdr; BATCH] = zeroed();
            for number in 0..count {
                let bytes = &frames[number].frame.bytes;
                parts[number][0] = libc::iovec { iov_base: self.headers[number].as_mut_ptr().cast(), iov_len: VIRTIO };
                parts[number][1] = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
                messages[number].msg_hdr.msg_iov = parts[number].as_mut_ptr();
                messages[number].msg_hdr.msg_iovlen = 2;
            }
            let socket = self.socket.as_raw_fd();
            let sent = libc::sendmmsg(socket, messages.as_mut_ptr(), count as u32, libc::MSG_DONTWAIT as _);
            if sent >= 0 {
                return Ok(sent as usize);
            }
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ENETDOWN | libc::ENXIO | libc::ENODEV | libc::EBADF) => Err(error),
            _ => Ok(0),
        }
    }

    /// Frames that did not come through since the last call.
    pub fn missed(&mut self) -> u64 {
        // SAFETY: the structure is zeroed and has the given length.
        let dropped = unsafe {
            let mut said: libc::tpacket_stats = zeroed();
            let mut len = size_of::<libc::tpacket_stats>() as libc::socklen_t;
            let to = from_mut(&mut said).cast();
            let socket = self.socket.as_raw_fd();
            let result = libc::getsockopt(socket, libc::SOL_PACKET, libc::PACKET_STATISTICS, to, &raw mut len);
            if result == 0 { u64::from(said.tp_drops) } else { 0 }
        };
        std::mem::take(&mut self.missed) + dropped
    }
}

/// Waits until a frame arrives at one of the wires, but at most `nanos` nanoseconds.
pub fn wait(wires: &[Wire; 2], nanos: u64) {
    let mut asked =
        [0, 1].map(|number| libc::pollfd { fd: wires[number].socket.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    // SAFETY: zeros are a valid `timespec`; there are two entries; no signals are handed over.
    unsafe {
        let mut time: libc::timespec = zeroed();
        time.tv_sec = (nanos / 1_000_000_000) as _;
        time.tv_nsec = (nanos % 1_000_000_000) as _;
        libc::ppoll(asked.as_mut_ptr(), 2, &raw const time, std::ptr::null());
    }
}

/// Time and VLAN tag, as far as the kernel says them.
///
/// # Safety
///
/// The control messages are as the kernel has written them.
unsafe fn said(message: &libc::msghdr) -> (Option<u64>, Option<[u8; 4]>) {
    let (mut stamp, mut tag) = (None, None);
    // SAFETY: the macros stay within the length that the kernel wrote; the values read have the length of their kind, and are copied
    // unaligned.
    unsafe {
        let mut control = libc::CMSG_FIRSTHDR(message);
        while !control.is_null() {
            let data = libc::CMSG_DATA(control);
            match ((*control).cmsg_level, (*control).cmsg_type) {
                (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                    let time = data.cast::<libc::timespec>().read_unaligned();
                    stamp = Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
                }
                (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                    let about = data.cast::<libc::tpacket_auxdata>().read_unaligned();
                    if about.tp_status & libc::TP_STATUS_VLAN_VALID != 0 {
                        let named = about.tp_status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
                        let kind = if named { about.tp_vlan_tpid } else { 0x8100 };
                        let ([a, b], [c, d]) = (kind.to_be_bytes(), about.tp_vlan_tci.to_be_bytes());
                        tag = Some([a, b, c, d]);
                    }
                }
                _ => {}
            }
            control = libc::CMSG_NXTHDR(message, control);
        }
    }
    (stamp, tag)
}

fn joined(kind: u8, size: u16) -> Option<Joined> {
    let known = matches!(kind & !JOINED_CWR_ONCE, JOINED_TCP4 | JOINED_TCP6 | JOINED_UDP);
    let udp = kind & !JOINED_CWR_ONCE == JOINED_UDP;
    known.then_some(Joined { size, udp, cwr_once: kind & JOINED_CWR_ONCE != 0 })
}

fn set<T>(socket: &OwnedFd, level: libc::c_int, name: libc::c_int, value: &T) -> io::Result<()> {
    let len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the pointer is to a value of that length.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, from_ref(value).cast(), len) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
