//! Nodes of the bench with one technique of the search switched off at a time.
//!
//! `scripts/technique-table` writes its output to `book/data/techniques.csv`. Elo differences are those
//! of docs/EXPERIMENTS.md ("Search techniques, switched off or on one at a time"); empty where no match
//! was played.

use tabiya_engine::{Engine, Limits, TableError, bench::POSITIONS};

/// A name, the tunables that switch it, and the Elo of the variant.
type Variant = (&'static str, &'static str, &'static str);

const VARIANTS: [Variant; 16] = [
    ("nothing: the engine as it is", "", ""),
    ("reverse futility pruning", "rfp_limit=0", "-76.8 +/- 33.3"),
    ("null-move pruning", "nmp_depth=99", "-6.1 +/- 30.8"),
    ("internal iterative reduction", "iir_depth=99", ""),
    ("ProbCut", "probcut_depth=99", "-5.2 +/- 22.6"),
    ("singular extensions", "singular_depth=99", "-37.5 +/- 29.4"),
    ("late move pruning", "lmp_limit=0", ""),
    ("history pruning", "history_prune_limit=0", ""),
    ("futility pruning but at the last ply", "futility_limit=0 noisy_futility_limit=-1", ""),
    ("killer move", "order_killer=0 lmr_killer=0", "-23.5 +/- 31.8"),
    ("countermove", "order_counter=0", "-15.7 +/- 30.7"),
    ("correction history", "corr_pawn=0 corr_minor=0 corr_non_pawn=0 corr_cont=0", "-9.6 +/- 32.4"),
    ("bonus for checks in the order", "order_check=0", ""),
    ("check extension switched on", "check_extension=1", "-16.5 +/- 30.7"),
    ("recapture extension switched on", "recapture_extension=1", "+9.6 +/- 31.6"),
    ("passed-pawn extension switched on", "passed_pawn_extension=1", "-3.5 +/- 23.1"),
];

fn main() -> Result<(), TableError> {
    let depth = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    for (index, (name, tunables, elo)) in VARIANTS.into_iter().enumerate() {
        let mut engine = Engine::new(16)?;
        for setting in tunables.split_whitespace() {
            let (param, value) = setting.split_once('=').expect("name=value");
            let known = engine.set_param(param, value.parse().expect("a number"));
            assert!(known, "no tunable takes {setting}");
        }
        let mut nodes = 0;
        for fen in POSITIONS {
            engine.new_game();
            engine.set_position(fen.parse().expect("the bench positions are legal"), &[]);
            nodes += engine.go(Limits::depth(depth), |_| {}).nodes;
        }
        if index == 0 {
            println!(
                "# the {} positions of the bench at depth {depth}, one thread, 16 MB; {nodes} nodes as it is",
                POSITIONS.len()
            );
        }
        println!("{name};{tunables};{nodes};{elo}");
    }
    Ok(())
}
