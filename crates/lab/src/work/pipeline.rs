//! A stream worked on by several threads whose results come out in the order of the input.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Items under way per thread: enough to keep threads busy, few enough to bound memory.
const AHEAD: usize = 2;

/// The work on an item panicked, and its result is lost.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{item}: this is a bug: {reason}")]
pub struct LostItem {
    /// Which item.
    pub item: String,
    /// What the panic said.
    pub reason: String,
}

impl LostItem {
    fn new(item: String, panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Self { item, reason: text.unwrap_or_else(|| "a panic without a message".to_owned()) }
    }
}

/// Where the result of one item goes.
type Delivery<U> = SyncSender<Result<U, LostItem>>;

/// Applies `work` to every item on several threads and hands the results to `sink` in order.
///
/// Stops early at the first error of `sink`. A panic in `work` is an error that names its item: no
/// result after it reaches the sink, which therefore sees an unbroken run of the input.
pub fn ordered_map<T: Send, U: Send, E: From<LostItem>>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    name: impl Fn(&T) -> String + Sync,
    work: impl Fn(T) -> U + Sync,
    sink: impl FnMut(U) -> Result<(), E>,
) -> Result<(), E> {
    let mut nobody = vec![(); threads.max(1)];
    ordered_map_with(items, &mut nobody, name, |(), item| work(item), sink)
}

/// [`ordered_map`] with a thread for each of `workers`, which `work` may change.
pub fn ordered_map_with<W: Send, T: Send, U: Send, E: From<LostItem>>(
    items: impl Iterator<Item = T> + Send,
    workers: &mut [W],
    name: impl Fn(&T) -> String + Sync,
    work: impl Fn(&mut W, T) -> U + Sync,
    mut sink: impl FnMut(U) -> Result<(), E>,
) -> Result<(), E> {
    assert!(!workers.is_empty(), "somebody must do the work");
    let (job_sender, job_receiver) = sync_channel(AHEAD * workers.len());
    // Each job brings the channel its result goes to; the sink reads those channels in order.
    let (order_sender, order_receiver) = sync_channel(AHEAD * workers.len());
    let (jobs, name, work) = (&Mutex::new(job_receiver), &name, &work);
    thread::scope(|scope| {
        scope.spawn(move || deal(items, &job_sender, &order_sender));
        for worker in workers {
            scope.spawn(move || {
                while let Ok(Ok((item, delivery))) = jobs.lock().map(|jobs| jobs.recv()) {
                    let item_name = name(&item);
                    let result = catch_unwind(AssertUnwindSafe(|| work(worker, item)));
                    let result = result.map_err(|panic| LostItem::new(item_name, &*panic));
                    let is_lost = result.is_err();
                    let _ = delivery.send(result);
                    if is_lost {
                        // Whatever panicked may be broken, and the run is over.
                        return;
                    }
                }
            });
        }
        collect(order_receiver, &mut sink)
    })
}

/// Reads the items and deals them out, until there are no more or nobody wants their results.
fn deal<T, U>(
    items: impl Iterator<Item = T>,
    jobs: &SyncSender<(T, Delivery<U>)>,
    order: &SyncSender<Receiver<Result<U, LostItem>>>,
) {
    let read = catch_unwind(AssertUnwindSafe(|| {
        for item in items {
            let (delivery, result) = sync_channel(1);
            if order.send(result).is_err() || jobs.send((item, delivery)).is_err() {
                return;
            }
        }
    }));
    if let Err(panic) = read {
        let (delivery, result) = sync_channel(1);
        let _ = delivery.send(Err(LostItem::new("reading the input".to_owned(), &*panic)));
        let _ = order.send(result);
    }
}

/// Takes the results in order. Its end, early or not, is the end of all other threads: it owns what
/// they wait for.
fn collect<U, E: From<LostItem>>(
    order: Receiver<Receiver<Result<U, LostItem>>>,
    sink: &mut impl FnMut(U) -> Result<(), E>,
) -> Result<(), E> {
    for result in order {
        let result = result.recv().unwrap_or_else(|_| {
            let reason = "its thread ended".to_owned();
            Err(LostItem { item: "an item".to_owned(), reason })
        });
        sink(result?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ends a stream.
    #[derive(PartialEq, Eq, Debug)]
    enum End {
        Lost(LostItem),
        Refused(u64),
    }

    impl From<LostItem> for End {
        fn from(lost: LostItem) -> Self {
            Self::Lost(lost)
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "items are named by reference")]
    fn name(n: &u64) -> String {
        format!("number {n}")
    }

    #[test]
    fn results_keep_their_order_and_errors_stop_the_stream() {
        let mut seen = Vec::new();
        let slow = |n: u64| (0..n % 7 * 1000).fold(n, |n, _| std::hint::black_box(n));
        let done = ordered_map(0..1000, 3, name, slow, |n| {
            seen.push(n);
            Ok::<_, End>(())
        });
        assert_eq!(done, Ok(()));
        assert!(seen.iter().copied().eq(0..1000));
        let refuse = |n| if n < 10 { Ok(()) } else { Err(End::Refused(n)) };
        assert_eq!(ordered_map(0.., 2, name, |n| n, refuse), Err(End::Refused(10)));
    }

    #[test]
    fn a_panic_is_an_error_with_the_name_of_its_item() {
        for threads in 1..4 {
            let mut seen = Vec::new();
            let work = |n: u64| {
                assert!(n != 5, "five is too much");
                n
            };
            let done = ordered_map(0..1000, threads, name, work, |n| {
                seen.push(n);
                Ok(())
            });
            let (item, reason) = ("number 5".to_owned(), "five is too much".to_owned());
            assert_eq!(done, Err(End::Lost(LostItem { item, reason })));
            assert_eq!(seen, [0, 1, 2, 3, 4], "with {threads} threads");
        }
    }

    #[test]
    fn a_panic_while_reading_is_an_error_too() {
        let items = (0..10u64).inspect(|n| assert!(*n < 7, "cannot read {n}"));
        let mut count = 0;
        let done = ordered_map(
            items,
            2,
            name,
            |n| n,
            |_| {
                count += 1;
                Ok(())
            },
        );
        let Err(End::Lost(lost)) = done else { panic!("{done:?}") };
        assert_eq!(lost.to_string(), "reading the input: this is a bug: cannot read 7");
        assert_eq!(count, 7);
    }

    #[test]
    fn workers_keep_what_they_learn() {
        let mut sums = [0; 3];
        let add = |sum: &mut u64, n: u64| *sum += n;
        let done = ordered_map_with(1..=100, &mut sums, name, add, |()| Ok::<_, End>(()));
        assert_eq!((done, sums.iter().sum()), (Ok(()), 5050));
    }
}
