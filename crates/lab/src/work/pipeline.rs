//! A stream worked on by several threads whose results come out in the order of the input.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Items under way per thread: enough to keep threads busy, few enough to bound memory.
const AHEAD: usize = 2;

/// Applies `work` to every item on several threads and hands the results to `sink` in order.
///
/// Stops early at the first error of `sink`.
pub(crate) fn ordered_map<T: Send, U: Send, E>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) -> U + Sync,
    mut sink: impl FnMut(U) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.max(1);
    let (job_sender, job_receiver) = sync_channel(AHEAD * threads);
    // Each job brings the channel its result goes to; the sink reads those channels in order.
    let (order_sender, order_receiver) = sync_channel(AHEAD * threads);
    let jobs = Mutex::new(job_receiver);
    thread::scope(|scope| {
        scope.spawn(move || {
            for item in items {
                let (sender, receiver) = sync_channel(1);
                if order_sender.send(receiver).is_err() || job_sender.send((item, sender)).is_err()
                {
                    return;
                }
            }
        });
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Ok(Ok((item, sender))) = jobs.lock().map(|jobs| jobs.recv()) else {
                        return;
                    };
                    let _ = sender.send(work(item));
                }
            });
        }
        for result in &order_receiver {
            if let Ok(result) = result.recv()
                && let Err(error) = sink(result)
            {
                drop(order_receiver);
                return Err(error);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order_and_errors_stop_the_stream() {
        let mut seen = Vec::new();
        let done = ordered_map(
            0..1000,
            3,
            |n: u64| (0..n % 7 * 1000).fold(n, |n, _| std::hint::black_box(n)),
            |n| {
                seen.push(n);
                Ok::<_, ()>(())
            },
        );
        assert_eq!(done, Ok(()));
        assert!(seen.iter().copied().eq(0..1000));
        assert_eq!(ordered_map(0.., 2, |n| n, |n| if n < 10 { Ok(()) } else { Err(n) }), Err(10));
    }
}
