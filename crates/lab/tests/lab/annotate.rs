//! Games under analysis: judgements, reports, and every awkward PGN file we know.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::data;
use tabiya_chess::Board;
use tabiya_chess::pgn::{Comment, PgnGame, PgnReader};
use tabiya_engine::eval::Evaluation;
use tabiya_lab::analyst::annotate::{
    GameAnalysis, Judgement, analyse, analyse_in_parts, annotate, prove, report,
};
use tabiya_lab::analyst::explain::explain;
use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::analyst::motifs::Kind;
use tabiya_lab::analyst::puzzles::{agreement, read_rated};
use tabiya_lab::work::StopSignal;

fn read(text: &str) -> Vec<PgnGame> {
    PgnReader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap()
}

fn thinker(nodes: u64) -> Thinker {
    Thinker::new(4, Budget::Nodes(nodes)).unwrap()
}

fn analysis(game: &PgnGame, nodes: u64) -> GameAnalysis {
    analyse(&mut thinker(nodes), 1, game, &StopSignal::new()).unwrap()
}

#[test]
fn patterns_agree_with_published_themes() {
    let Some(path) = data::path("epd/lichess-puzzles.epd") else { return };
    let puzzles = read_rated(&path).unwrap();
    assert_eq!(puzzles.len(), 500);
    let table = agreement(&mut thinker(2000), &puzzles);
    // Hanging pieces are missing: the file does not tell the move before, so taking back looks the same.
    for kind in [
        Kind::Fork,
        Kind::Pin,
        Kind::Skewer,
        Kind::DiscoveredAttack,
        Kind::TrappedPiece,
        Kind::BackRankMate,
        Kind::SmotheredMate,
        Kind::DoubleCheck,
        Kind::Promotion,
        Kind::Sacrifice,
    ] {
        let row = &table[&kind];
        // A theme that nobody sees here proves nothing.
        let seen = row.both + row.ours.len() + row.theirs.len() > 0;
        let agrees = row.precision() >= 0.9 && row.recall() >= 0.75;
        assert!(!seen || agrees, "{}: {row:?}", kind.theme());
    }
}

const SCHOLARS_MATE: &str = "[White \"Anna\"]\n[Black \"<b>Bob</b> & \\\"Co\\\"\"]\n[ECO \"C20\"]\n\n\
     1. e4 e5 2. Qh5 Nc6 {natural [%clk 0:01:00]} 3. Bc4 Nf6 4. Qxf7# 1-0";

#[test]
fn the_losing_move_of_scholars_mate_is_a_blunder() {
    let game = read(SCHOLARS_MATE).remove(0);
    let found = analysis(&game, 3000);
    let blunder = &found.moves[5];
    assert_eq!((blunder.san.as_str(), blunder.judgement), ("Nf6", Some(Judgement::Blunder)));
    assert!(blunder.remarks[0].starts_with("Allows mate: 4. Qxf7#"), "{:?}", blunder.remarks);
    assert_eq!(found.black.blunders, 1);
    assert_eq!(found.moves[6].judgement, None);
    assert_eq!(found.moves[3].clock, Some(60.0));
    let (white, black) = (found.white.accuracy.unwrap(), found.black.accuracy.unwrap());
    assert!(white > black, "{white} {black}");
    assert_eq!(found.opening.as_ref().map(|opening| opening.eco.as_str()), Some("C20"));
}

#[test]
fn several_thinkers_judge_the_whole_game() {
    let game = read(SCHOLARS_MATE).remove(0);
    for count in [1, 2, 3, 20] {
        let mut thinkers: Vec<Thinker> = (0..count).map(|_| thinker(3000)).collect();
        let mut told = Vec::new();
        let stop = StopSignal::new();
        let tell = |done, total| told.push((done, total));
        let found = analyse_in_parts(&mut thinkers, 1, &game, &stop, tell).unwrap();
        let plies: Vec<usize> = found.moves.iter().map(|step| step.ply).collect();
        assert_eq!(plies, [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(found.moves[5].judgement, Some(Judgement::Blunder));
        assert_eq!(found.moves[3].clock, Some(60.0));
        let total = 7 + count.min(7);
        assert_eq!((told.len(), told.last()), (total, Some(&(total, total))), "{count}");
        stop.raise();
        assert_eq!(analyse_in_parts(&mut thinkers, 1, &game, &stop, |_, _| ()), None);
    }
}

#[test]
fn the_same_game_gets_the_same_analysis_whatever_came_before() {
    let game = read(SCHOLARS_MATE).remove(0);
    let other = read("1. d4 d5 2. c4 e6 3. Nc3 Nf6 *").remove(0);
    let mut thinker = thinker(500);
    let stop = StopSignal::new();
    let first = analyse(&mut thinker, 1, &game, &stop).unwrap();
    analyse(&mut thinker, 1, &other, &stop).unwrap();
    assert_eq!(analyse(&mut thinker, 1, &game, &stop).unwrap(), first);
    stop.raise();
    assert_eq!(analyse(&mut thinker, 1, &game, &stop), None);
}

#[test]
fn annotations_keep_the_game_and_can_be_repeated() {
    let game = read(SCHOLARS_MATE).remove(0);
    let found = analysis(&game, 1000);
    let mut annotated = game.clone();
    annotate(&mut annotated, &found);
    let once = annotated.to_string();
    let again = read(&once).remove(0);
    assert_eq!(again.error, None);
    assert_eq!(again.to_game().moves(), game.to_game().moves());
    assert!(again.tag("WhiteAccuracy").is_some() && again.tag("Annotator").is_some());
    let blunder = &again.mainline.moves[5];
    assert_eq!((&blunder.nags[..], blunder.variations.len()), (&[4][..], 1));
    let kept = Comment::parse(&again.mainline.moves[3].comment);
    assert!(kept.text.starts_with("natural") && kept.clock.is_some() && kept.eval.is_some());
    // Nothing is added a second time.
    let mut twice = again;
    annotate(&mut twice, &found);
    assert_eq!(twice.to_string(), once);
}

#[test]
fn remarks_about_a_few_games_can_be_proven() {
    // A game of beginners: a fork, a hanging queen, a mate.
    let game =
        read("1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0")
            .remove(0);
    let found = analysis(&game, 5000);
    let proofs = prove(&mut thinker(40_000), &found);
    assert!(!proofs.is_empty());
    let doubts: Vec<_> = proofs.iter().filter(|proof| proof.doubt.is_some()).collect();
    assert!(doubts.is_empty(), "{doubts:#?}");
    let takes = &found.moves[9];
    assert!(takes.san == "Bxd1" && takes.judgement == Some(Judgement::Blunder));
    assert!(takes.remarks[0].starts_with("Allows mate in 2"), "{:?}", takes.remarks);
}

/// Sentences that were once wrong, each with the position in which it was said.
#[test]
fn a_first_move_at_the_edge_wins_nothing() {
    let board = Board::default();
    let given = Some(board.parse_san("h4").unwrap());
    let found =
        explain(&mut thinker(20_000), &Evaluation::embedded(), &board, given).unwrap().to_string();
    assert!(!found.contains("wins") && !found.contains("oses"), "{found}");
}

#[test]
fn a_royal_fork_is_called_a_fork() {
    // Black's king steps where a knight's check wins the queen.
    let game =
        read("[FEN \"7k/3q4/5p2/3N4/8/8/5PPP/6K1 b - - 0 1\"]\n\n1... Kg8 2. Nxf6+ *").remove(0);
    let step = &analysis(&game, 10_000).moves[0];
    let text = step.remarks.join(" ");
    assert_eq!(step.judgement, Some(Judgement::Blunder), "{text}");
    assert!(text.contains("the queen") && text.contains("fork"), "{text}");
    assert!(!text.contains("can be taken"), "{text}");
}

#[test]
fn forced_moves_and_steps_out_of_check_are_not_brilliant() {
    // The king must step aside; then only the king can take the knight that checks.
    let step_aside =
        read("[FEN \"4r1k1/8/8/8/8/3P1P2/3P1P2/4K3 w - - 0 1\"]\n\n1. Kd1 *").remove(0);
    let takes = read("[FEN \"6k1/5ppp/8/8/8/5n2/5PPP/6K1 w - - 0 1\"]\n\n1. gxf3 *").remove(0);
    for game in [step_aside, takes] {
        let step = &analysis(&game, 5000).moves[0];
        assert_eq!(step.mark, None, "{}: {:?}", step.san, step.remarks);
    }
}

#[test]
fn a_developing_move_is_no_threat_that_was_overlooked() {
    let game = read("1. e4 e5 2. Nf3 Bc5 3. Bc4 h5 4. Nc3 *").remove(0);
    for step in &analysis(&game, 10_000).moves {
        let text = step.remarks.join(" ");
        assert!(!text.contains("threat of N") || text.contains("Nx"), "{}: {text}", step.san);
    }
}

#[test]
fn nothing_from_the_file_becomes_markup() {
    let game = read(SCHOLARS_MATE).remove(0);
    let page = report(&analysis(&game, 200));
    assert!(
        page.contains("&lt;b&gt;Bob&lt;/b&gt; &amp; &quot;Co&quot;") && !page.contains("<b>Bob")
    );
    assert!(page.contains("<details class=\"game\" open"), "a single game is open");
    assert!(page.contains("class=\"positions\"") && page.contains("data-do=\"retry\""));
    assert!(page.contains("<svg class=\"graph\"") && page.contains("<svg class=\"board\""));
    assert!(!page.contains("http"), "the page must need nothing from elsewhere");
}

#[test]
fn the_json_has_the_documented_fields() {
    let game = read(SCHOLARS_MATE).remove(0);
    let json = serde_json::to_value(analysis(&game, 200)).unwrap();
    let page = include_str!("../../../../docs/ANALYST.md");
    let objects = [&json, &json["white"], &json["white"]["phases"][0], &json["moves"][0]];
    for name in objects.iter().flat_map(|object| object.as_object().unwrap().keys()) {
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }
    assert_eq!(json["moves"].as_array().unwrap().len(), 7);
    assert_eq!(json["moves"][6]["eval"], serde_json::json!({ "mate": 0 }));
}

#[test]
fn every_awkward_file_is_annotated_or_refused_with_its_reason() {
    let Some(folder) = data::path("pgn/tricky") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pgn"))
        .collect();
    files.sort();
    assert!(files.len() > 30);
    let mut thinker = thinker(1);
    let stop = StopSignal::new();
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        for (index, game) in PgnReader::new(&bytes[..]).enumerate() {
            let mut game = game.unwrap();
            let before = game.to_game();
            let found = analyse(&mut thinker, index as u64 + 1, &game, &stop).unwrap();
            assert_eq!(found.moves.len(), before.moves().len(), "{}", path.display());
            if let Some(error) = &game.error {
                assert_eq!(error.game, index as u64 + 1);
                assert!(found.error.as_ref().is_some_and(|text| text.contains("line ")));
            }
            annotate(&mut game, &found);
            let text = game.to_string();
            let again = read(&text);
            assert_eq!(again.len(), 1, "{}\n{text}", path.display());
            assert_eq!(again[0].error, None, "{}\n{text}", path.display());
            assert_eq!(again[0].to_game().moves(), before.moves(), "{}", path.display());
            assert!(report(&found).ends_with("</html>\n"));
        }
    }
}
