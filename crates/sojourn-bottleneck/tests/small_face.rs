//! The interface for a caller who reads no TOML. The same tests run with and without the feature `scenario-files`.

use sojourn_bottleneck::{Bottleneck, Datagram, Dscp, Ecn, Link, Path, Queue, Time};

/// Sends 1500 packets of 1000 bytes at 12 Mbit/s, and gives the packets that arrive and those that are lost.
fn through(path: &mut Path<u32>) -> (Vec<(Time, u32, Ecn)>, usize) {
    for number in 0..1500 {
        let at = Time::from_micros(8_000_000 / 12_000 * u64::from(number));
        path.send(at, Datagram::new(1000).flow(number % 3).ecn(Ecn::Ect0), number);
    }
    let mut got = Vec::new();
    while let Some(now) = path.next_time() {
        while let Some(packet) = path.receive(now) {
            got.push((packet.at, packet.payload, packet.datagram.ecn));
        }
    }
    (got, path.lost().count())
}

#[test]
fn a_bottleneck_marks_and_drops_by_name() {
    for (queue, marks) in [("codel:ecn=true", true), ("codel", false), ("fq_codel", true), ("fifo:limit=20p", false)] {
        let mut path = Path::from(Bottleneck::new(queue, "10Mbit", "20ms", 1).expect("a queue"));
        let (got, lost) = through(&mut path);
        assert_eq!(got.len() + lost, 1500, "{queue}");
        assert!(lost > 0 || marks, "{queue}");
        if marks {
            assert!(got.iter().any(|(.., ecn)| *ecn == Ecn::Ce), "{queue}");
        }
    }
}

#[test]
fn every_queue_of_the_registry_is_there_by_name() {
    for entry in sojourn_sim::registry::QUEUES {
        let mut queue = Queue::new(entry.name, "10Mbit", "50ms", 1).expect("a queue by its name");
        queue.enqueue(Time::ZERO, Datagram::new(500).dscp(Dscp::DF), ());
        let later = queue.next_time().unwrap_or_default().max(Time::from_secs(1));
        assert!(queue.dequeue(Time::ZERO).or_else(|| queue.dequeue(later)).is_some(), "{}", entry.name);
    }
}

#[test]
fn links_have_losses_reordering_and_changes() {
    let lossy = Link::new("20Mbit", "5ms").set("loss.kind", "uniform").set("loss.probability", 0.1);
    let (got, lost) = through(&mut Path::new([lossy], 3).expect("a link"));
    assert!((100..200).contains(&lost) && got.len() + lost == 1500, "{lost}");

    let mixed = Link::new("20Mbit", "5ms").set("jitter.mean", "5ms").set("jitter.reorder", true);
    let (mixed_up, _) = through(&mut Path::new([mixed], 3).expect("a link"));
    assert!(mixed_up.windows(2).any(|pair| pair[0].1 > pair[1].1));

    // 12 Mbit/s for a second over a link that becomes a tenth as fast in its midst: the queue is left with most of the second half.
    let slower = Link::new("12Mbit", "5ms").queue("fifo:limit=10000p").change_rate("500ms", "1.2Mbit");
    let (slowed, _) = through(&mut Path::new([slower], 3).expect("a link"));
    let last = slowed.last().expect("some arrive").0;
    assert!(last > Time::from_secs(5) && last < Time::from_secs(6), "{last:?}");

    let later = Link::new("20Mbit", "5ms").change_delay("500ms", "105ms");
    let (delayed, _) = through(&mut Path::new([later], 3).expect("a link"));
    assert!(delayed.last().expect("some arrive").0 > Time::from_millis(1090));
}

#[test]
fn a_trace_says_when_a_link_sends() {
    // One packet of 1500 bytes at each of these milliseconds, then from the beginning again.
    let mut path = Path::new([Link::traced(vec![1.0, 2.0, 10.0], "3ms")], 1).expect("a trace");
    for number in 0..4 {
        path.send(Time::ZERO, Datagram::new(1500), number);
    }
    let mut got = Vec::new();
    while let Some(now) = path.next_time() {
        got.extend(path.receive(now).map(|packet| packet.at.as_millis()));
    }
    assert_eq!(got, [4, 5, 13, 14]);
}

#[test]
fn what_was_waited_is_the_sum_over_the_links() {
    let mut path = Path::new([Link::new("8Mbit", "1ms"), Link::new("4Mbit", "1ms")], 1).expect("two links");
    path.send(Time::ZERO, Datagram::new(1000), "a");
    path.send(Time::ZERO, Datagram::new(1000), "b");
    // The second waits 1 ms for the first, and then 1 ms more, since the next link is half as fast.
    let a = path.receive(Time::from_millis(5)).expect("it has arrived");
    let b = path.receive(Time::from_millis(7)).expect("it has arrived");
    assert_eq!((a.payload, a.waited), ("a", Time::ZERO));
    assert_eq!((b.payload, b.waited), ("b", Time::from_millis(2)));
}

#[test]
fn what_is_wrong_is_said_in_one_message() {
    let message = |link: Link| Path::<()>::new([link], 1).expect_err("it is wrong").to_string();
    assert!(message(Link::new("1Mbit", "1ms").set("los.kind", "uniform")).contains("did you mean \"loss\"?"));
    assert!(message(Link::new("1Mbit", "1ms").set("rate.fixed", "2Mbit")).contains("set to a value already"));
    assert!(message(Link::new("1Mbit", "1ms").queue("red:min_th=5p,min_th=6p")).contains("set twice"));
    assert!(message(Link::new("1Mbit", "1 parsec")).contains("parsec"));
    let none = Path::<()>::new([], 1).expect_err("it is wrong").to_string();
    assert!(none.contains("a path has no link"), "{none}");
    if !cfg!(feature = "scenario-files") {
        let table = Bottleneck::<()>::new("{ kind = \"red\" }", "1Mbit", "1ms", 1).expect_err("no TOML").to_string();
        assert!(table.contains("scenario-files"), "{table}");
    }
}

#[test]
fn all_of_it_may_go_to_another_thread() {
    fn sent<T: Send + 'static>() {}
    sent::<Queue<u32>>();
    sent::<Bottleneck<u32>>();
    sent::<Path<u32>>();
    sent::<Link>();
    sent::<sojourn_bottleneck::Error>();
}
