//! The functions of the module, as the page calls them. Texts and nets come through one buffer: the
//! page asks for room, writes, and says how much.

#![expect(unsafe_code, reason = "names without mangling and calls into the page are unsafe")]

use crate::{Module, UciModule};
use std::cell::RefCell;
use std::time::Duration;
use tabiya_engine::set_clock;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    fn now() -> f64;
    /// Takes a text: JSON, or a line of UCI.
    fn reply(text: *const u8, length: usize);
}

thread_local! {
    static MODULE: RefCell<Option<Module>> = const { RefCell::new(None) };
    static UCI: RefCell<Option<UciModule>> = const { RefCell::new(None) };
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn clock() -> Duration {
    // SAFETY: the page's function has no conditions.
    let milliseconds = unsafe { now() };
    Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default()
}

fn tell(text: &str) {
    // SAFETY: the text lives until the page has read it, during the call.
    unsafe { reply(text.as_ptr(), text.len()) }
}

/// Works with the session, then tells what it has to say.
fn with<T: Default>(work: impl FnOnce(&mut Module) -> T) -> T {
    MODULE.with_borrow_mut(|module| {
        let Some(module) = module else { return T::default() };
        let result = work(module);
        while let Some(text) = module.take() {
            tell(&text);
        }
        result
    })
}

/// What the page wrote.
fn input(length: usize) -> Vec<u8> {
    let mut bytes = INPUT.take();
    bytes.truncate(length);
    bytes
}

fn seed(seed: f64) -> u64 {
    set_clock(clock);
    seed.to_bits()
}

/// Begins a session; says hello. False if there is no memory for it.
#[unsafe(no_mangle)]
extern "C" fn start(chance: f64) -> bool {
    let module = Module::new(seed(chance)).ok();
    MODULE.set(module);
    with(|_| true)
}

/// Room for so many bytes.
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// Takes a request of so many bytes.
#[unsafe(no_mangle)]
extern "C" fn receive(length: usize) {
    let message = input(length);
    with(|module| module.receive(&String::from_utf8_lossy(&message)));
}

/// Takes a network of so many bytes.
#[unsafe(no_mangle)]
extern "C" fn load_net(length: usize) -> bool {
    let bytes = input(length);
    if UCI.with_borrow(Option::is_some) {
        return UCI
            .with_borrow_mut(|uci| uci.as_mut().is_some_and(|uci| uci.load_net(&bytes, tell)));
    }
    with(|module| module.load_net(&bytes))
}

/// Takes a policy network of so many bytes.
#[unsafe(no_mangle)]
extern "C" fn load_policy(length: usize) -> bool {
    let bytes = input(length);
    with(|module| module.load_policy(&bytes))
}

/// Searches for a moment; whether there is more to do.
#[unsafe(no_mangle)]
extern "C" fn step() -> bool {
    if UCI.with_borrow(Option::is_some) {
        return UCI.with_borrow_mut(|uci| uci.as_mut().is_some_and(|uci| uci.step(tell)));
    }
    with(Module::step)
}

/// Makes the report that was asked for.
#[unsafe(no_mangle)]
extern "C" fn review() {
    with(|module| module.review(tell));
}

/// Nodes of the bench with the net in use; a depth of 0 is the usual one.
#[unsafe(no_mangle)]
extern "C" fn bench(depth: u32) -> f64 {
    with(|module| module.bench(depth).map_or(0.0, |result| result.nodes as f64))
}

/// Begins a session of UCI instead.
#[unsafe(no_mangle)]
extern "C" fn start_uci(chance: f64) -> bool {
    let module = UciModule::new(seed(chance)).ok();
    let started = module.is_some();
    UCI.set(module);
    started
}

/// Takes a line of UCI of so many bytes.
#[unsafe(no_mangle)]
extern "C" fn command(length: usize) {
    let line = input(length);
    UCI.with_borrow_mut(|uci| {
        if let Some(uci) = uci {
            uci.command(&String::from_utf8_lossy(&line), tell);
        }
    });
}
