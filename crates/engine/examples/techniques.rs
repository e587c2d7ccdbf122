//! Nodes of the bench with one technique of the search switched off at a time.
//!
//! Writes rows `name;tunables;nodes` for chapter 6 of the book; `cargo run -p tabiya-book -- figures` keeps
//! them in `book/data/techniques.csv`.

use tabiya_engine::{Limits, Params, Searcher, TableError, bench::POSITIONS};

/// What is switched, and the tunables that do it; in the order of execution.
const VARIANTS: [(&str, &str); 17] = [
    ("nothing: the engine as it is", ""),
    ("aspiration windows", "aspiration_depth=99"),
    ("correction history", "corr_pawn=0 corr_minor=0 corr_non_pawn=0 corr_cont=0"),
    ("razoring", "razor_base=99999"),
    ("reverse futility pruning", "rfp_limit=0"),
    ("null-move pruning", "nmp_depth=99"),
    ("internal iterative reduction", "iir_depth=99"),
    ("ProbCut", "probcut_depth=99"),
    ("singular extensions, multi-cut", "singular_depth=99"),
    ("late move pruning", "lmp_limit=0"),
    ("history pruning", "history_prune_limit=0"),
    ("futility pruning", "futility_limit=-1 noisy_futility_limit=-1"),
    ("SEE pruning", "see_pruning=0"),
    ("late move reductions", "lmr_depth=99"),
    ("delta pruning (quiescence)", "qs_futility=99999"),
    ("killer move", "order_killer=0 lmr_killer=0"),
    ("countermove", "order_counter=0"),
];

fn main() -> Result<(), TableError> {
    let depth = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    println!("# depth {depth}");
    for (name, tunables) in VARIANTS {
        let mut params = Params::default();
        for setting in tunables.split_whitespace() {
            let (param, value) = setting.split_once('=').expect("name=value");
            let known = params.set(param, value.parse().expect("a number"));
            assert!(known, "no tunable takes {setting}");
        }
        let mut searcher = Searcher::new(16)?;
        searcher.set_params(&params);
        let mut nodes = 0;
        for fen in POSITIONS {
            searcher.new_game();
            let board = fen.parse().expect("the bench positions are legal");
            nodes += searcher.search(&board, &[], &Limits::depth(depth), |_| {}).nodes;
        }
        println!("{name};{tunables};{nodes}");
    }
    Ok(())
}
