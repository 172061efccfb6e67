//! Recordings: the packets that came to each direction with their fates, and those that left, as pcapng files that `sojourn replay` and
//! Wireshark read.
//!
//! A packet is written when its fate is known, in order of arrival. Another thread writes the files; if it does not keep up, whole
//! packets are left out, and counted.

use sojourn_files::pcapng::{self, Interface};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

const LINKTYPE_ETHERNET: u16 = 1;
/// Bytes that are kept of each frame: all headers that the readers know.
pub const SNAP: u32 = 128;
const CHUNK: usize = 1 << 16;
/// Chunks that may wait for the disk: 64 MB.
const CHUNKS: usize = 1024;

struct Pending {
    nanos: u64,
    kept: [u8; SNAP as usize],
    kept_len: u8,
    len: u32,
    comment: Option<Box<str>>,
    decided: bool,
}

/// The recording of one direction.
pub struct Recorder {
    files: [Chunks; 2],
    /// From nanoseconds of the gateway's clock to those since 1970.
    offset: u64,
    pending: VecDeque<Pending>,
    /// Number of the first that is pending.
    first: u64,
    sender: SyncSender<(usize, Vec<u8>)>,
    writer: JoinHandle<io::Result<()>>,
    left_out: Arc<AtomicU64>,
}

#[derive(Default)]
struct Chunks {
    bytes: Vec<u8>,
    packets: u64,
}

impl Recorder {
    /// Makes `NAME.in.pcapng` and `NAME.out.pcapng` in a folder. `offset` is added to all times; packets that are left out are counted in
    /// `left_out`.
    pub fn new(folder: &Path, name: &str, rate: u64, offset: u64, left_out: Arc<AtomicU64>) -> io::Result<Self> {
        let docs = ["packets as they came to the gateway, with their fates", "packets as they left the gateway"];
        let mut made = Vec::new();
        let mut files = [Chunks::default(), Chunks::default()];
        for ((side, doc), file) in ["in", "out"].iter().zip(docs).zip(&mut files) {
            made.push(File::create(folder.join(format!("{name}.{side}.pcapng")))?);
            pcapng::section(&mut file.bytes);
            let about = Interface { name, doc, bits_per_second: rate, snap: SNAP };
            pcapng::interface(&mut file.bytes, LINKTYPE_ETHERNET, about);
        }
        let (sender, receiver) = sync_channel(CHUNKS);
        let writer =
            std::thread::Builder::new().name(format!("record {name}")).spawn(move || write(&receiver, made))?;
        Ok(Recorder { files, offset, pending: VecDeque::new(), first: 0, sender, writer, left_out })
    }

    /// A frame came: its number.
    pub fn came(&mut self, nanos: u64, frame: &[u8]) -> u64 {
        let mut kept = [0; SNAP as usize];
        let kept_len = frame.len().min(SNAP as usize);
        kept[..kept_len].copy_from_slice(&frame[..kept_len]);
        let (nanos, len, kept_len) = (nanos + self.offset, frame.len() as u32, kept_len as u8);
        self.pending.push_back(Pending { nanos, kept, kept_len, len, comment: None, decided: false });
        self.first + self.pending.len() as u64 - 1
    }

    /// Records the fate of the frame with this number.
    pub fn fate(&mut self, ticket: u64, comment: Option<&str>) {
        let pending = &mut self.pending[(ticket - self.first) as usize];
        (pending.comment, pending.decided) = (comment.map(Box::from), true);
        while self.pending.front().is_some_and(|first| first.decided) {
            self.write_first();
        }
    }

    /// A frame left.
    pub fn left(&mut self, nanos: u64, frame: &[u8], comment: Option<&str>) {
        let kept = &frame[..frame.len().min(SNAP as usize)];
        pcapng::packet(&mut self.files[1].bytes, nanos + self.offset, kept, frame.len() as u32, comment.as_slice());
        self.written(1);
    }

    /// Writes pending data, and waits for the disk.
    pub fn finish(mut self) {
        while !self.pending.is_empty() {
            self.write_first();
        }
        for (number, file) in self.files.into_iter().enumerate() {
            // It fails if the writer has: then it has said why.
            let _ = self.sender.send((number, file.bytes));
        }
        drop(self.sender);
        let _ = self.writer.join();
    }

    fn write_first(&mut self) {
        let Some(first) = self.pending.pop_front() else { return };
        self.first += 1;
        let kept = &first.kept[..usize::from(first.kept_len)];
        pcapng::packet(&mut self.files[0].bytes, first.nanos, kept, first.len, first.comment.as_slice());
        self.written(0);
    }

    fn written(&mut self, number: usize) {
        let file = &mut self.files[number];
        file.packets += 1;
        if file.bytes.len() < CHUNK {
            return;
        }
        let full = std::mem::replace(&mut file.bytes, Vec::with_capacity(CHUNK + 512));
        if self.sender.try_send((number, full)).is_err() {
            self.left_out.fetch_add(file.packets, Ordering::Relaxed);
        }
        file.packets = 0;
    }
}

fn write(chunks: &Receiver<(usize, Vec<u8>)>, mut files: Vec<File>) -> io::Result<()> {
    for (number, bytes) in chunks {
        files[number].write_all(&bytes)?;
    }
    Ok(())
}
