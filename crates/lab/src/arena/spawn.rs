//! Starting programs that do not outlive us.
//!
//! A program that is asked to `quit`, or whose input ends, may ignore both. As long as we live we end
//! it; when we are killed, Linux does it for us (`PR_SET_PDEATHSIG`). For the kernel a parent is a
//! thread, not a process: one thread that lives as long as we do starts them all. Elsewhere, and for
//! what a program has started itself, the end of its input has to do.

use std::io;
use std::process::{Child, Command};

/// Starts a program, on the cores of the calling thread.
#[cfg(not(target_os = "linux"))]
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.spawn()
}

#[cfg(target_os = "linux")]
pub(super) use linux::spawn;

#[cfg(target_os = "linux")]
mod linux {
    use super::{Child, Command, io};
    use nix::errno::Errno;
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::sys::prctl::set_pdeathsig;
    use nix::sys::signal::Signal;
    use nix::unistd::{Pid, getpid, getppid};
    use std::os::unix::process::CommandExt;
    use std::sync::LazyLock;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    /// A program to be started.
    struct SpawnRequest {
        command: Command,
        cores: Option<CpuSet>,
        reply: Sender<io::Result<Child>>,
    }

    static STARTER: LazyLock<Sender<SpawnRequest>> = LazyLock::new(|| {
        let (sender, requests) = channel();
        thread::spawn(move || start_all(&requests));
        sender
    });

    /// Starts a program, on the cores of the calling thread.
    pub(in super::super) fn spawn(mut command: Command) -> io::Result<Child> {
        let us = getpid();
        let watch = move || {
            set_pdeathsig(Signal::SIGKILL)?;
            // We may have been killed before the kernel knew whom to watch.
            if getppid() == us { Ok(()) } else { Err(Errno::ESRCH.into()) }
        };
        // SAFETY: after the fork this makes two system calls and touches no memory but its own.
        #[expect(unsafe_code, reason = "there is no other way to act between fork and exec")]
        unsafe {
            command.pre_exec(watch);
        }
        let (reply, started) = channel();
        let cores = sched_getaffinity(Pid::from_raw(0)).ok();
        let gone = || io::Error::other("the thread that starts programs has ended");
        STARTER.send(SpawnRequest { command, cores, reply }).map_err(|_| gone())?;
        started.recv().map_err(|_| gone())?
    }

    fn start_all(requests: &Receiver<SpawnRequest>) {
        for SpawnRequest { mut command, cores, reply } in requests {
            if let Some(cores) = cores {
                // A program on all cores is better than none.
                let _ = sched_setaffinity(Pid::from_raw(0), &cores);
            }
            let _ = reply.send(command.spawn());
        }
    }
}
