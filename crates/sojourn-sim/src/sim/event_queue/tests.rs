use super::wheel::{FIRST_REVIEW, REVIEW_EVERY};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn ties_go_by_class_then_entity_then_order_of_scheduling() {
    let mut queue = EventQueue::new();
    for (class, entity, arg) in [
        (Class::Timer, 1, 0),
        (Class::Delivery, 9, 1),
        (Class::Delivery, 2, 2),
        (Class::Delivery, 2, 3),
        (Class::QueueDeadline, 9, 4),
    ] {
        queue.push(Event::new(100, class, entity, arg));
    }

    let args: Vec<u32> = std::iter::from_fn(|| queue.pop_until(100)).map(|event| event.arg).collect();

    // A shaper's packet leaves before another one arrives.
    assert_eq!(args, [4, 2, 3, 1, 0]);
}

#[test]
fn nothing_later_than_asked_for_comes_out() {
    let mut queue = EventQueue::new();
    queue.push(Event::new(1_000_000, Class::Timer, 0, 0));
    queue.push(Event::new(10_000_000_000, Class::Timer, 1, 0));

    assert_eq!(queue.pop_until(999_999), None);
    assert_eq!(queue.pop_until(1_000_000).map(Event::entity), Some(0));
    assert_eq!(queue.pop_until(9_999_999_999), None);
    assert_eq!(queue.pop_until(10_000_000_000).map(Event::entity), Some(1));
    assert!(queue.is_empty());
}

#[test]
fn what_is_scheduled_after_a_look_ahead_still_comes_in_order() {
    let mut queue = EventQueue::new();
    // Two events in buckets of 8192 ns; the second bucket contains `until`, but not its event.
    queue.push(Event::new(5, Class::Delivery, 0, 0));
    queue.push(Event::new(40_000, Class::Delivery, 0, 2));

    assert_eq!(queue.pop_until(39_000).map(|event| event.arg), Some(0));
    assert_eq!(queue.pop_until(39_000), None);
    queue.push(Event::new(10_000, Class::Delivery, 0, 1));

    assert_eq!(queue.pop_until(u64::MAX).map(|event| event.arg), Some(1));
    assert_eq!(queue.pop_until(u64::MAX).map(|event| event.arg), Some(2));
}

#[test]
fn a_crowd_comes_out_in_order_of_scheduling_whenever_it_joined() {
    // All in one bucket and at one time: scheduled ahead, beyond the wheel, and while the bucket is open.
    let mut queue = EventQueue::new();
    let far = 10_000_000_000;
    for arg in 0..1000 {
        queue.push(Event::new(far, Class::Delivery, 7, arg));
    }
    queue.push(Event::new(far - 100_000_000, Class::Timer, 0, 0));
    assert!(queue.pop_until(u64::MAX).is_some());
    for arg in 1000..2000 {
        queue.push(Event::new(far, Class::Delivery, 7, arg));
    }
    let mut args = Vec::new();
    let mut count = 2000;
    while let Some(event) = queue.pop_until(u64::MAX) {
        args.push(event.arg);
        if count < 3000 {
            queue.push(Event::new(far, Class::Delivery, 7, count));
            count += 1;
        }
    }
    assert!(args.into_iter().eq(0..3000));
}

proptest! {
    /// The oracle is a sorted list: the event taken is always the least by (time, class and
    /// entity, order of scheduling), over gaps from nanoseconds to hours and through changes of width.
    #[test]
    fn comes_out_in_total_order(
        script in prop::collection::vec((0_u32..44, 0_u64..1024, 0_u32..4, any::<bool>()), 1..400),
        repeat in 1_usize..8,
        ahead in 0_usize..16,
        review_every in prop::sample::select(vec![1 << 6, REVIEW_EVERY]),
    ) {
        let pop = |from: &mut EventQueue| {
            if ahead > 0 { from.pop_ahead(ahead, u64::MAX) } else { from.pop_until(u64::MAX) }
        };
        // A few hundred events see the width change if it is looked at often.
        let mut queue = EventQueue { review_every, review_at: review_every.min(FIRST_REVIEW), ..EventQueue::new() };
        let mut oracle: Vec<(u64, u32, usize)> = Vec::new();
        let mut now = 0;
        let mut count = 0;
        for _ in 0..repeat {
            for &(magnitude, mantissa, entity, is_taken) in &script {
                let event = Event::new(now + ((mantissa << magnitude) >> 10), Class::Delivery, entity, count as u32);
                queue.push(event);
                oracle.push((event.time, event.key, count));
                count += 1;
                if is_taken {
                    let (at, &expected) = oracle.iter().enumerate().min_by_key(|(_, order)| **order).expect("not empty");
                    oracle.swap_remove(at);
                    let taken = pop(&mut queue).expect("not empty");
                    prop_assert_eq!((taken.time, taken.key, taken.arg as usize), expected);
                    now = taken.time;
                }
            }
        }
        prop_assert_eq!(queue.len(), oracle.len());
        oracle.sort_unstable();
        for expected in oracle {
            let taken = pop(&mut queue).expect("not empty");
            prop_assert_eq!((taken.time, taken.key, taken.arg as usize), expected);
        }
    }
}

#[test]
fn what_comes_next_is_shown_and_what_is_scheduled_before_it_still_comes_first() {
    let mut queue = EventQueue::new();
    for arg in [1, 2, 3] {
        queue.push(Event::new(1_000_000 * u64::from(arg), Class::Delivery, 0, arg));
    }

    assert_eq!(queue.pop_ahead(2, 2_500_000).map(|event| event.arg), Some(1));
    assert_eq!(queue.upcoming(0).map(|event| event.arg), Some(2));
    assert_eq!(queue.upcoming(1), None, "the third one is later than asked for");
    queue.push(Event::new(1_500_000, Class::Delivery, 0, 9));

    let args: Vec<u32> = std::iter::from_fn(|| queue.pop_ahead(2, u64::MAX)).map(|event| event.arg).collect();
    assert_eq!(args, [9, 2, 3]);
}

/// Takes `count` events of a queue that begins with `start` of them. Each that is taken puts another one in, `later(i)` nanoseconds after
/// it. Returns whether windows were ever sorted as a whole, and whether they are at the end.
fn comes_out_in_order(start: u32, count: u32, ahead: usize, later: impl Fn(u32) -> u64) -> (bool, bool) {
    let (mut queue, mut oracle) = (EventQueue::new(), BTreeSet::new());
    let mut was_batched = false;
    let mut now = 0;
    for number in 0..start + count {
        if number >= start {
            let event = if ahead > 0 { queue.pop_ahead(ahead, u64::MAX) } else { queue.pop_until(u64::MAX) };
            let event = event.expect("not empty");
            assert_eq!(Some((event.time, event.key, event.arg)), oracle.pop_first());
            was_batched |= queue.is_batched;
            now = event.time;
        }
        let next = Event::new(now + later(number), Class::Delivery, number % 3, number);
        oracle.insert((next.time, next.key, next.arg));
        queue.push(next);
        if number % 500 == 0 {
            assert_eq!(queue.len(), oracle.len());
        }
    }
    (was_batched, queue.is_batched)
}

#[test]
fn windows_that_are_sorted_as_a_whole_come_out_in_order() {
    for ahead in [0, 11] {
        // Nearly all wait for a later window, some for this one, some for one beyond all windows; every few share a time.
        let later = |i: u32| match i % 10 {
            0 => u64::from(i % 7),
            1 => 800_000_000_000 + u64::from(i),
            _ => 5_000_000_000 + u64::from(i / 4 * 7919 % 1000) * 250_000,
        };
        assert_eq!(comes_out_in_order(2000, 20_000, ahead, later), (true, true));
    }
}

#[test]
fn events_that_come_in_crowds_come_out_in_order_from_windows_too() {
    // Two times a quarter of a second, hundreds of events at each.
    assert_eq!(comes_out_in_order(2000, 20_000, 11, |i| 2_500_000_000 - u64::from(i % 2) * 125_000_000), (true, true));
}

#[test]
fn windows_are_sorted_as_a_whole_only_while_most_events_come_from_them() {
    let far = |i: u32| 5_000_000_000 + u64::from(i % 1000) * 250_000;
    let first_far = |i| if i < 10_000 { far(i) } else { 1 + u64::from(i % 5) * 25_000 };
    assert_eq!(comes_out_in_order(2000, 40_000, 0, first_far), (true, false));
    assert_eq!(comes_out_in_order(10, 5_000, 0, |i| 1 + u64::from(i % 50)), (false, false));
}

#[test]
fn time_that_stands_still_takes_no_memory() {
    let mut queue = EventQueue::new();
    let event = |number| Event::new(5, Class::Timer, number, 0);
    queue.push(event(0));
    for number in 0..100_000 {
        assert_eq!(queue.pop_until(5).map(Event::entity), Some(number));
        queue.push(event(number + 1));
    }
    assert!(queue.ready.capacity() < 8 * TAKEN, "{} places for one event", queue.ready.capacity());
}
