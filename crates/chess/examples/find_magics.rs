//! Finds magic multipliers for rook and bishop attacks and prints `src/attacks/magics.rs`.
//!
//! Run with `cargo run --release -p tabiya-chess --example find_magics > crates/chess/src/attacks/magics.rs`.
//! The seed is fixed, so the output never changes.

use tabiya_chess::{Bitboard, File, Rank, Square, attacks};

/// Xorshift64* (Vigna 2014) with a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Few set bits make good magics.
    fn sparse(&mut self) -> u64 {
        self.next() & self.next() & self.next()
    }
}

fn relevant(rook: bool, sq: Square) -> Bitboard {
    let edge_ranks = Bitboard::rank(Rank::R1) | Bitboard::rank(Rank::R8);
    let edge_files = Bitboard::file(File::A) | Bitboard::file(File::H);
    let edges = (edge_ranks - Bitboard::rank(sq.rank())) | (edge_files - Bitboard::file(sq.file()));
    attacks::trace(rook, sq, Bitboard::EMPTY) - edges
}

fn find(rook: bool, sq: Square, random: &mut Random) -> u64 {
    let mask = relevant(rook, sq);
    let shift = 64 - mask.count();
    let sets: Vec<_> =
        mask.subsets().map(|occupied| (occupied.0, attacks::trace(rook, sq, occupied))).collect();
    let mut slots = vec![(0, Bitboard::EMPTY); sets.len()];
    for attempt in 1.. {
        let magic = random.sparse();
        let fits = sets.iter().all(|(occupied, attacks)| {
            let slot = &mut slots[(occupied.wrapping_mul(magic) >> shift) as usize];
            if slot.0 != attempt {
                *slot = (attempt, *attacks);
            }
            slot.1 == *attacks
        });
        if fits {
            return magic;
        }
    }
    unreachable!("the search runs until it succeeds")
}

fn main() {
    let mut random = Random(0x7AB1_7A00_2026_0002);
    println!("//! Magic multipliers, found by `examples/find_magics.rs`; do not edit.");
    for (name, rook) in [("ROOK_MAGICS", true), ("BISHOP_MAGICS", false)] {
        println!("\n#[rustfmt::skip]\npub(super) const {name}: [u64; 64] = [");
        for row in Square::ALL.chunks(4) {
            let magics: Vec<_> =
                row.iter().map(|sq| format!("{:#018x}", find(rook, *sq, &mut random))).collect();
            println!("    {},", magics.join(", "));
        }
        println!("];");
    }
}
