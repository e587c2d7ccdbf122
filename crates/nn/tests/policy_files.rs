//! Files of policy nets: the way there and back, and files that were made to hurt.
//!
//! The allocator of this test watches the largest request: no file may ask for much memory, whatever
//! counts it claims. `TABIYA_MUTATIONS=1000000` makes the thorough run.
#![expect(unsafe_code, reason = "a counting allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tabiya_nn::policy::config::{Config, Input, MoveVocab};
use tabiya_nn::policy::gguf::{Gguf, Kind, Value, Writer};
use tabiya_nn::policy::weights::Matrix;
use tabiya_nn::policy::{PolicyError, Weights};

struct Watch;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    LARGEST.with(|largest| largest.set(largest.get().max(size)));
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Watch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller keeps the rules of `realloc`.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static WATCH: Watch = Watch;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// The smallest net that is one.
fn tiny() -> Config {
    Config {
        input: Input::MoveTokens,
        features: 0,
        vocab: MoveVocab::Ft1880,
        see_split: false,
        blocks: 1,
        ffn: 256,
        value_hidden: 16,
        ..Config::small()
    }
}

fn shapes() -> Vec<Config> {
    let one = |config: Config| Config { blocks: 1, ..config };
    vec![tiny(), one(Config::extra_small()), one(Config::original())]
}

/// A file with every kind of value, all keys of a net, and tensors that are too small for it.
fn small_file() -> Vec<u8> {
    let mut writer = Writer::new("policynet");
    Config::small().write(&mut writer);
    let text = [2, 0, 0, 0, 0, 0, 0, 0, b'h', b'i'];
    let nested = [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 8];
    for (key, value) in [
        ("a", Value::U8(1)),
        ("b", Value::I8(-1)),
        ("c", Value::U16(2)),
        ("d", Value::I16(-2)),
        ("e", Value::I32(-3)),
        ("f", Value::U64(4)),
        ("g", Value::I64(-4)),
        ("h", Value::F64(0.5)),
        ("i", Value::Text("größer")),
        ("j", Value::Array { kind: 8, count: 1, bytes: &text }),
        ("k", Value::Array { kind: 9, count: 1, bytes: &nested }),
        ("general.alignment", Value::U32(32)),
    ] {
        writer.value(key, value);
    }
    writer.tensor("embd.norm.weight", &[4], Kind::F32, &[0; 16]);
    writer.tensor("embd.piece.weight", &[2, 3], Kind::F16, &[1; 12]);
    writer.tensor("blk.0.attn_q.weight", &[256, 2], Kind::Tq2, &[0x55; 132]);
    writer.tensor("bytes", &[3, 1, 1, 2], Kind::I8, &[2; 6]);
    writer.finish()
}

/// Everything that a stranger's file goes through.
fn swallow(bytes: &[u8]) -> bool {
    if let Ok(file) = Gguf::read(bytes) {
        let _ = Config::read(&file);
        for (key, value) in &file.metadata {
            std::hint::black_box((key.len(), value.to_string().len()));
        }
    }
    match Weights::from_gguf(bytes) {
        Ok(_) => true,
        Err(reason) => {
            assert!(!reason.to_string().contains('\n'));
            false
        }
    }
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            3 => {
                // A number at any place becomes an extreme one.
                let number = [0, 1, u64::MAX, 1 << 63, 1 << 32, u64::MAX / 8 + 1][random.below(6)];
                let end = bytes.len().min(at + 8);
                bytes[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
            }
            4 => {
                bytes.remove(at);
            }
            _ => bytes.insert(at, random.next() as u8),
        }
    }
}

#[test]
fn no_mutation_and_no_truncation_panics_or_asks_for_memory() {
    let count = std::env::var("TABIYA_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let file = small_file();
    assert!(Gguf::read(&file).is_ok());
    LARGEST.set(0);
    for length in 0..file.len() {
        // The last tensor, six bytes long, is followed by padding that nothing needs.
        let is_whole = length >= file.len() - 26;
        assert_eq!(Gguf::read(&file[..length]).is_ok(), is_whole, "{length}");
        assert!(!swallow(&file[..length]));
    }
    let random = &mut Random(22);
    for _ in 0..count.unwrap_or(50_000) {
        let mut bytes = file.clone();
        mutate(random, &mut bytes);
        swallow(&bytes);
    }
    let largest = LARGEST.get();
    assert!(largest < 1 << 20, "{largest} bytes at once for a file of {}", file.len());
}

#[test]
fn damaged_nets_are_refused() {
    let config = tiny();
    let file = Weights::random(&config, 1).to_gguf(&config, &[]);
    let random = &mut Random(23);
    for _ in 0..30 {
        let mut bytes = file.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        // Only padding of the header is free.
        assert!(!swallow(&bytes) || at < 8192, "byte {at}");
    }
}

#[test]
fn nets_survive_the_way_to_a_file_and_back() {
    for config in shapes() {
        let weights = Weights::random(&config, 5);
        let bytes = weights.to_gguf(&config, &[("general.name", Value::Text("random"))]);
        let (read_config, read) = Weights::from_gguf(&bytes).unwrap();
        assert!(read_config == config && read == weights);
        assert_eq!(Gguf::read(&bytes).unwrap().text("general.name"), Ok("random"));
    }
}

#[test]
fn latent_weights_become_what_the_file_holds() {
    let mut random = Random(3);
    let latent: Vec<f32> = (0..512 * 4).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
    let matrix = Matrix::from_latent(4, 512, &latent);
    let nonzero = matrix.codes.iter().filter(|code| **code != 0).count();
    // Uniform weights: the mean magnitude is 1/2, so weights beyond 1/4 are not zero.
    assert!((1300..1800).contains(&nonzero), "{nonzero}");
    assert!((matrix.gamma - 0.5).abs() < 0.03);
}

/// Replaces the first place where these bytes are by others.
fn replaced(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = file.windows(from.len()).position(|bytes| bytes == from).expect("present");
    [&file[..at], to, &file[at + from.len()..]].concat()
}

#[test]
fn hostile_files_get_their_reason() {
    let file = small_file();
    let with = |at: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        Gguf::read(&file).err()
    };
    let limit = |what, found, limit| Some(PolicyError::Limit { what, found, limit });
    assert_eq!(with(0, b"GGUX"), Some(PolicyError::Magic));
    assert_eq!(with(4, &3_u32.to_be_bytes()), Some(PolicyError::BigEndian));
    assert_eq!(with(4, &1_u32.to_le_bytes()), Some(PolicyError::Version(1)));
    assert_eq!(with(8, &u64::MAX.to_le_bytes()), limit("tensors", u64::MAX, 4096));
    assert_eq!(with(16, &u64::MAX.to_le_bytes()), limit("metadata entries", u64::MAX, 4096));
    assert_eq!(with(24, &u64::MAX.to_le_bytes()), limit("key", u64::MAX, 256));

    let read = |file: &[u8]| Gguf::read(file).err();
    let twice = replaced(&file, b"\x01\0\0\0\0\0\0\0b", b"\x01\0\0\0\0\0\0\0a");
    assert_eq!(read(&twice), Some(PolicyError::Duplicate("a".to_owned())));
    let odd = replaced(&file, b"alignment\x04\0\0\0\x20", b"alignment\x04\0\0\0\x21");
    assert_eq!(read(&odd), Some(PolicyError::Alignment(33)));
    let text = replaced(&file, "größer".as_bytes(), b"gr\xff\xff\xc3\x9fer");
    assert_eq!(read(&text), Some(PolicyError::Text("metadata text")));
    let kind = replaced(&file, b"bytes\x04\0\0\0", b"bytes\x05\0\0\0");
    assert_eq!(read(&kind), limit("dimensions", 5, 4));
    let long = [&file[..], &[0; 64]].concat();
    assert_eq!(read(&long), Some(PolicyError::TrailingBytes(64 + 26)));
}

#[test]
fn tensors_may_not_lie_over_each_other_or_outside() {
    let file = |offset: u64| {
        let mut writer = Writer::new("x");
        writer.tensor("one", &[16], Kind::F32, &[0; 64]);
        writer.tensor("two", &[16], Kind::F32, &[0; 64]);
        let old = [&b"two\x01\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0"[..], &64_u64.to_le_bytes()].concat();
        let new = [&old[..old.len() - 8], &offset.to_le_bytes()].concat();
        replaced(&writer.finish(), &old, &new)
    };
    assert!(Gguf::read(&file(64)).is_ok());
    for offset in [0, 32, 63, 65, 96, 128, u64::MAX, u64::MAX - 31] {
        let error = Gguf::read(&file(offset)).err();
        assert!(matches!(error, Some(PolicyError::Place(_))), "{offset}: {error:?}");
    }
}

#[test]
fn nets_with_bad_numbers_are_refused() {
    let config = tiny();
    let good = Weights::random(&config, 9);
    let refused = |change: &dyn Fn(&mut Weights)| {
        let mut weights = good.clone();
        change(&mut weights);
        Weights::from_gguf(&weights.to_gguf(&config, &[])).err()
    };
    let number = |name: &str, index| Some(PolicyError::Number { name: name.to_owned(), index });
    assert_eq!(refused(&|_| ()), None);
    assert_eq!(refused(&|w| w.last_move[7] = f32::NAN), number("embd.move.weight", 7));
    assert_eq!(refused(&|w| w.policy.dense[1] = 1e6), number("policy.weight", 1));
    assert_eq!(refused(&|w| w.output_norm[3] = 1e3), number("output_norm.weight", 3));
    assert_eq!(refused(&|w| w.blocks[0].o.gamma = 0.0), number("blk.0.attn_output.weight", 0));
    assert_eq!(refused(&|w| w.blocks[0].o.codes[300] = 2), number("blk.0.attn_output.weight", 256));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let refused = |change: &dyn Fn(&mut Config)| {
        let mut config = Config::small();
        change(&mut config);
        let mut writer = Writer::new("policynet");
        config.write(&mut writer);
        let file = writer.finish();
        let error = Config::read(&Gguf::read(&file).unwrap()).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(refused(&|_| ()), "");
    assert!(refused(&|c| c.width = 320).contains("embedding_length"));
    assert!(refused(&|c| c.heads = 7).contains("head_count"));
    assert!(refused(&|c| c.kv_heads = 3).contains("head_count_kv"));
    assert!(refused(&|c| c.blocks = 33).contains("block_count"));
    assert!(refused(&|c| c.ffn = 300).contains("feed_forward_length"));
    assert!(refused(&|c| c.epsilon = f32::NAN).contains("epsilon"));
    assert!(refused(&|c| c.rope_base = f32::INFINITY).contains("freq_base"));
    assert!(refused(&|c| c.window = 0).contains("window"));
}

#[test]
fn a_net_of_another_size_than_its_tensors_is_refused() {
    let config = tiny();
    let bytes = Weights::random(&config, 2).to_gguf(&config, &[]);
    let more = replaced(&bytes, b"block_count\x04\0\0\0\x01", b"block_count\x04\0\0\0\x02");
    let error = Weights::from_gguf(&more).err();
    assert_eq!(error, Some(PolicyError::MissingTensor("blk.1.attn_norm.weight".to_owned())));
    let wide = replaced(&bytes, b"value.length\x04\0\0\0\x10", b"value.length\x04\0\0\0\x20");
    assert!(matches!(Weights::from_gguf(&wide), Err(PolicyError::Shape { .. })));
}

/// Writes a net for `scripts/check_gguf.py`: `TABIYA_GGUF=net.gguf cargo test -p tabiya-nn for_others`.
#[test]
fn a_net_is_written_for_others_to_read() {
    if let Some(path) = std::env::var_os("TABIYA_GGUF") {
        let config = Config { blocks: 2, ..Config::extra_small() };
        std::fs::write(path, Weights::random(&config, 4).to_gguf(&config, &[])).unwrap();
    }
}
