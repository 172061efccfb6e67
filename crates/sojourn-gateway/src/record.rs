//! Recordings: the packets that came to each direction with their fates, and those that left, as pcapng files that `sojourn replay` and
//! Wireshark read.
//!
//! A packet is written when its fate is known, in order of arrival. Another thread writes the files; if it does not keep up, whole
//! packets are left out, and counted.

use sojourn_files::pcapng::{self, Interface};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

const LINKTYPE_ETHERNET: u16 = 1;
/// Bytes that are kept of each frame: all headers that the readers know, with two tunnels of IPv6 and the options of TCP.
pub const SNAP: u32 = 256;
const CHUNK: usize = 1 << 16;
/// Chunks that may wait for the disk: 64 MB.
const CHUNKS: usize = 1024;

struct Pending {
    nanos: u64,
    kept: [u8; SNAP as usize],
    kept_len: u16,
    len: u32,
    comment: Option<Box<str>>,
    decided: bool,
}

/// Begins the recordings of both directions: `NAME.in.pcapng` and `NAME.out.pcapng` for each name. All files are made, or none. `offset` is
/// added to all times; packets that are left out are counted in `left_out`.
///
/// # Errors
///
/// With the name of the file, if it is there already or cannot be written.
pub fn begin(
    folder: &Path,
    names: [&str; 2],
    rates: [u64; 2],
    offset: u64,
    left_out: &Arc<AtomicU64>,
) -> io::Result<[Recorder; 2]> {
    let mut made = Vec::new();
    let mut one = |number: usize| Recorder::new(folder, names[number], rates[number], offset, left_out, &mut made);
    match one(0).and_then(|first| Ok([first, one(1)?])) {
        Ok(recorders) => Ok(recorders),
        Err(error) => {
            for path in made {
                // Who took it away before wanted the same.
                let _ = std::fs::remove_file(path);
            }
            Err(error)
        }
    }
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
    fn new(
        folder: &Path,
        name: &str,
        rate: u64,
        offset: u64,
        left_out: &Arc<AtomicU64>,
        made: &mut Vec<PathBuf>,
    ) -> io::Result<Self> {
        let docs = ["packets as they came to the gateway, with their fates", "packets as they left the gateway"];
        let mut opened = Vec::new();
        for (side, doc) in ["in", "out"].iter().zip(docs) {
            let path = folder.join(format!("{name}.{side}.pcapng"));
            let about = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
            // The gateway is root, and others may write into the folder: no file and no link that is there is opened.
            let mut file = File::create_new(&path).map_err(about)?;
            made.push(path.clone());
            let mut head = Vec::new();
            pcapng::section(&mut head);
            let interface = Interface { name, doc, bits_per_second: rate, snap: SNAP };
            pcapng::interface(&mut head, LINKTYPE_ETHERNET, interface);
            file.write_all(&head).map_err(about)?;
            opened.push(file);
        }
        let (sender, receiver) = sync_channel(CHUNKS);
        let writer =
            std::thread::Builder::new().name(format!("record {name}")).spawn(move || write(&receiver, opened))?;
        Ok(Recorder {
            files: [Chunks::default(), Chunks::default()],
            offset,
            pending: VecDeque::new(),
            first: 0,
            sender,
            writer,
            left_out: Arc::clone(left_out),
        })
    }

    /// A frame came: its number.
    pub fn came(&mut self, nanos: u64, frame: &[u8]) -> u64 {
        let mut kept = [0; SNAP as usize];
        let kept_len = frame.len().min(SNAP as usize);
        kept[..kept_len].copy_from_slice(&frame[..kept_len]);
        let (nanos, len, kept_len) = (nanos + self.offset, frame.len() as u32, kept_len as u16);
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

    /// Hands over the packets whose fate is known, however few they are.
    pub fn flush(&mut self) {
        for number in 0..self.files.len() {
            self.hand_over(number);
        }
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
        if file.bytes.len() >= CHUNK {
            self.hand_over(number);
        }
    }

    fn hand_over(&mut self, number: usize) {
        let file = &mut self.files[number];
        if file.packets == 0 {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder that is gone afterwards.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("sojourn-record-{name}-{}", std::process::id()));
            std::fs::create_dir(&path).expect("a new folder");
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = self.0.read_dir().expect("a folder");
            let mut names: Vec<_> =
                entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("letters")).collect();
            names.sort();
            names
        }

        fn size(&self, name: &str) -> u64 {
            self.0.join(name).metadata().expect("a file").len()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn begun(folder: &Folder) -> io::Result<[Recorder; 2]> {
        begin(&folder.0, ["up", "down"], [1_000_000; 2], 0, &Arc::default())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_and_no_other_file_stays() {
        let folder = Folder::new("link");
        let elsewhere = folder.0.join("elsewhere");
        std::os::unix::fs::symlink(&elsewhere, folder.0.join("down.in.pcapng")).expect("a link");

        let error = begun(&folder).err().expect("a refusal");

        assert!(error.to_string().contains("down.in.pcapng"), "{error}");
        assert_eq!(folder.names(), ["down.in.pcapng"]);
    }

    #[test]
    fn a_file_that_is_there_stays_as_it_is() {
        let folder = Folder::new("file");
        std::fs::write(folder.0.join("up.out.pcapng"), "mine").expect("a file");

        assert!(begun(&folder).is_err());

        assert_eq!(std::fs::read_to_string(folder.0.join("up.out.pcapng")).expect("text"), "mine");
        assert_eq!(folder.names(), ["up.out.pcapng"]);
    }

    #[test]
    fn the_head_is_there_at_once_and_a_packet_after_a_flush() {
        let folder = Folder::new("flush");
        let [mut up, down] = begun(&folder).expect("recordings");
        let head = folder.size("up.in.pcapng");
        assert!(head > 0 && folder.size("down.out.pcapng") > 0);

        let ticket = up.came(1_000, &[0; 60]);
        up.flush();
        up.fate(ticket, None);
        up.flush();

        // Another thread writes.
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while folder.size("up.in.pcapng") == head {
            assert!(std::time::Instant::now() < limit, "nothing was written in a minute");
            std::thread::yield_now();
        }
        up.finish();
        down.finish();
    }
}
