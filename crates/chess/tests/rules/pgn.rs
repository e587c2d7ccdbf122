//! PGN syntax case by case: what is accepted, what is an error and where, how games are written.

use proptest::prelude::*;
use std::io::BufReader;
use tabiya_chess::pgn::{MAX_DEPTH, PgnErrorKind, PgnGame, PgnMove, PgnReader, Variation};
use tabiya_chess::{Board, Game, GameResult};

fn read(text: impl AsRef<[u8]>) -> Vec<PgnGame> {
    PgnReader::new(text.as_ref()).collect::<Result<_, _>>().expect("reading from memory")
}

fn read_one(text: impl AsRef<[u8]>) -> PgnGame {
    let mut games = read(text);
    assert_eq!(games.len(), 1);
    games.remove(0)
}

/// The moves of a line in standard notation.
fn line(start: Board, line: &Variation) -> String {
    let mut board = start;
    let mut words = Vec::new();
    for step in &line.moves {
        words.push(step.mv.map_or("--".to_owned(), |mv| board.san(mv)));
        if let Some(mv) = step.mv {
            board.play(mv);
        } else {
            board.play_null();
        }
    }
    words.join(" ")
}

fn mainline(game: &PgnGame) -> String {
    line(game.start, &game.mainline)
}

fn error(text: &str) -> String {
    read_one(text).error.expect("an error").to_string()
}

#[test]
fn moves_are_accepted_in_many_spellings() {
    for text in [
        "1. e4 e5 2. Nf3 Nc6 *",
        "1.e4 e5 2.Nf3 Nc6 *",
        "1. e4 1... e5 2. Nf3 2... Nc6",
        "e4 e5 Nf3 Nc6",
        "1 e4 e5 2 Nf3 Nc6",
        "1. e2e4 e7-e5 2. Ng1f3 b8c6",
        "\u{feff}1. e4 e5 2. Nf3 Nc6 *",
        "% escaped line 1. d4\n1. e4 e5\n%1. d4\n2. Nf3 Nc6",
        "1. e4! e5?! 2. Nf3!? $14 Nc6 += *",
        "1. e4 {a} e5 ; b\n2. Nf3 {c\n d} Nc6",
        "1. e4 (1. d4 d5 (1... Nf6)) 1... e5 2. Nf3 Nc6",
        "1.\r\ne4\r\ne5\r\n2.\r\nNf3 Nc6\r\n*\r\n",
    ] {
        let game = read_one(text);
        assert_eq!(game.error, None, "{text:?}");
        assert_eq!(mainline(&game), "e4 e5 Nf3 Nc6", "{text:?}");
    }
}

#[test]
fn castling_with_zeros_and_null_moves() {
    let game = read_one("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 -- 5. Z0 d6 *");
    assert_eq!(mainline(&game), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O -- -- d6");
    assert_eq!(game.to_game().moves().len(), 7);
    assert!(game.to_string().contains("4. O-O -- 5. -- d6 *"));
}

#[test]
fn comments_glyphs_and_variations_belong_to_their_move() {
    let game = read_one(
        "{before} 1. e4 $1 {one} {two} ({hm} 1. d4 $2 d5 (1... Nf6 {deep})) {three} 1... e5?? 1-0",
    );
    assert_eq!(game.error, None);
    assert_eq!(game.mainline.comment, "before");
    let first = &game.mainline.moves[0];
    assert_eq!((first.nags.as_slice(), first.comment.as_str()), (&[1][..], "one two three"));
    assert_eq!(game.mainline.moves[1].nags, [4]);
    let variation = &first.variations[0];
    assert_eq!(variation.comment, "hm");
    assert_eq!(line(game.start, variation), "d4 d5");
    assert_eq!(variation.moves[1].variations[0].moves[0].comment, "deep");
    let text =
        "{before} 1. e4 $1 {one two three} ({hm} 1. d4 $2 d5 (1... Nf6 {deep})) 1... e5\n$4 1-0";
    assert!(game.to_string().contains(text), "{game}");
}

#[test]
fn a_variation_may_come_before_its_move() {
    let game = read_one("(1. d4) 1. e4 e5 *");
    assert_eq!(game.error, None);
    assert_eq!(mainline(&game), "e4 e5");
    assert_eq!(line(game.start, &game.mainline.moves[0].variations[0]), "d4");
    assert_eq!(error("(1. d4) *"), "game 1, line 1: variation without a move to replace");
}

#[test]
fn tags_keep_quotes_backslashes_and_latin_1() {
    let game = read_one(
        b"[White \"A \\\"B\\\" \\\\ C\"]\n[Black \"x \"y\" z\"] [Site \"[Bonn]\"]\n[Event \"M\xfcller\"]\n\n1. e4 {gr\xfc\xdf} *",
    );
    assert_eq!(game.error, None);
    assert_eq!(game.tag("White"), Some("A \"B\" \\ C"));
    assert_eq!(game.tag("Site"), Some("[Bonn]"));
    assert_eq!(game.tag("Event"), Some("Müller"));
    assert_eq!(game.mainline.moves[0].comment, "grüß");
    let again = read_one(game.to_string());
    assert_eq!(again.tag("White"), game.tag("White"));
    assert_eq!(again.tag("Black"), game.tag("Black"));
}

#[test]
fn games_end_with_a_result_or_where_new_tags_begin() {
    let count = |text: &str| read(text).len();
    assert_eq!(count(""), 0);
    assert_eq!(count("\n\n% nothing\n ; but a comment\n{and another}"), 0);
    assert_eq!(count("1. e4 * 1. d4 1-0 1. c4"), 3);
    assert_eq!(count("[Event \"a\"]\n1. e4\n[Event \"b\"]\n1. d4"), 2);
    assert_eq!(count("[Event \"a\"]\n\n\n[Event \"b\"]\n\n"), 2);
    assert_eq!(count("[Event \"a\"]\n\n[Site \"b\"]\n\n1. e4 *"), 1);
    assert_eq!(count("[Event \"a\"]\n\n1. e4 (1. d4 1-0) e5 0-1"), 1);
    assert_eq!(count("1. e4 1-0 {he resigned}\n\n[Event \"b\"]\n\n*"), 2);
}

#[test]
fn the_result_comes_from_the_end_or_from_the_tag() {
    let result = |text: &str| read_one(text).result.to_string();
    assert_eq!(result("1. e4 1/2-1/2"), "1/2-1/2");
    assert_eq!(result("[Result \"0-1\"]\n\n1. e4"), "0-1");
    assert_eq!(result("[Result \"0-1\"]\n\n1. e4 *"), "0-1");
    assert_eq!(result("[Result \"0-1\"]\n\n1. e4 1-0"), "1-0");
    assert_eq!(result("[Result \"?\"]\n\n1. e4"), "*");
}

#[test]
fn errors_name_game_line_and_reason_and_reading_goes_on() {
    let games = read("1. e4 e5 *\n\n[White \"a\"]\n\n1. e4\nKe3 d4 0-1\n\n1. d4 d5 1-0");
    assert_eq!(games.len(), 3);
    let broken = games[1].error.as_ref().expect("an error");
    assert_eq!(broken.to_string(), "game 2, line 6: no legal move is Ke3");
    assert_eq!((mainline(&games[1]), games[1].result.to_string()), ("e4".into(), "0-1".into()));
    assert_eq!((games[2].error.as_ref(), mainline(&games[2])), (None, "d4 d5".into()));

    assert_eq!(error("1. e4 ) e5"), "game 1, line 1: ')' without '('");
    assert_eq!(error("1. e4\n(1. d4"), "game 1, line 2: '(' without ')'");
    assert_eq!(error("1. e4 {what"), "game 1, line 1: '{' without '}'");
    assert_eq!(error("1. e4 e5\n\n2. } *"), "game 1, line 3: unexpected '}'");
    assert_eq!(error("1. f3 e5 2. g4 Qh4 3. -- *"), "game 1, line 1: null move in check");
    assert_eq!(
        error("[White 3]\n1. e4 *"),
        "game 1, line 1: tag: 'White 3]' is not like [Name \"value\"]"
    );
    assert_eq!(
        error("[FEN \"8/8/8/8/8/8/8/8 w - -\"]\n*"),
        "game 1, line 2: tag FEN: pieces: white has no king"
    );
}

#[test]
fn a_broken_variation_leaves_the_main_line_alone() {
    let game = read_one("1. e4 (1. e5 (1. d4) {x} 1... d5) 1... e5 (1... c5 2. Kd4 d6) 2. Nf3 *");
    assert_eq!(game.error.as_ref().map(|error| error.line), Some(1));
    assert_eq!(mainline(&game), "e4 e5 Nf3");
    assert_eq!(game.mainline.moves[1].variations[0].moves.len(), 1);
}

#[test]
fn a_forgotten_brace_costs_one_game_only() {
    for end in ["\n", "\r\n"] {
        let text =
            "[Event \"a\"]\n\n1. e4 {oh\n\n[Event \"b\"]\n\n1. d4 {ok} d5 *".replace('\n', end);
        let games = read(text);
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].error.as_ref().map(|e| &e.kind), Some(&PgnErrorKind::UnclosedComment));
        assert_eq!(games[0].mainline.moves[0].comment, "oh");
        assert_eq!(games[1].tag("Event"), Some("b"));
        assert_eq!((games[1].error.as_ref(), mainline(&games[1])), (None, "d4 d5".into()));
    }
}

#[test]
fn chess960_games_are_read_and_written() {
    let fen = "bnrbnkrq/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKRQ w GCgc - 0 1";
    let board = Board::from_fen(fen, true).expect("a Chess960 position");
    let mut game = Game::from_board(board);
    for text in ["Nf3", "Nf6", "O-O", "O-O"] {
        let mv = game.board().parse_san(text).expect("legal");
        game.play(mv).expect("legal");
    }
    let written = PgnGame::from(&game).to_string();
    assert!(
        written.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bnrbnkrq/"),
        "{written}"
    );
    assert!(written.ends_with("\n\n1. Nf3 Nf6 2. O-O O-O *\n"), "{written}");
    assert_eq!(read_one(&written).to_game(), game);
}

#[test]
fn black_may_begin_and_the_roster_comes_first() {
    let board: Board = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 17".parse().expect("legal");
    let mut game = PgnGame { start: board, ..PgnGame::default() };
    let mv = board.parse_san("Kd7").expect("legal");
    game.mainline.moves.push(PgnMove { mv: Some(mv), ..PgnMove::default() });
    game.result = GameResult::Draw;
    game.set_tag("Annotator", "me \"\\\" and\nyou");
    game.set_tag("White", "Anna");
    let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"Anna\"]\n\
        [Black \"?\"]\n[Result \"1/2-1/2\"]\n[Annotator \"me \\\"\\\\\\\" and you\"]\n[SetUp \"1\"]\n\
        [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 17\"]\n\n17... Kd7 1/2-1/2\n";
    assert_eq!(game.to_string(), expected);
}

#[test]
fn lines_stay_below_80_characters_and_never_look_like_tags() {
    let mut game = read_one("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
    for (i, step) in game.mainline.moves.iter_mut().enumerate() {
        step.comment = format!("word{} [%clk 0:00:01] ", "x".repeat(i)).repeat(9).trim().to_owned();
    }
    let text = game.to_string();
    let moves = text.split("\n\n").nth(1).expect("moves after an empty line");
    assert!(moves.lines().all(|line| line.chars().count() <= 79 + 8 && !line.starts_with('[')));
    assert!(moves.lines().filter(|line| line.len() > 79).all(|line| line.contains("[%clk")));
    assert_eq!(read_one(&text).mainline, game.mainline);
}

#[test]
fn an_illegal_move_or_a_brace_in_a_comment_does_not_break_the_writer() {
    let mut game = read_one("1. e4 e5 2. Nf3 *");
    game.mainline.moves[1].mv = game.mainline.moves[0].mv;
    game.mainline.moves[0].comment = "a } b".to_owned();
    assert!(game.to_string().ends_with("1. e4 {a ) b} 1... e2e4 *\n"), "{game}");
}

#[test]
fn nesting_has_a_limit_and_no_recursion() {
    let nested = |depth: usize| format!("1. e4 {} *", "(1. d4 ".repeat(depth) + &")".repeat(depth));
    assert_eq!(read_one(nested(MAX_DEPTH)).error, None);
    let game = read_one(nested(MAX_DEPTH + 1));
    assert_eq!(game.error.map(|error| error.kind), Some(PgnErrorKind::TooDeep));
    for text in ["(", "e4(", "()", ")"] {
        read(text.repeat(1_000_000));
    }
}

#[test]
fn the_chunks_in_which_text_arrives_do_not_matter() {
    let text = "[Event \"a\"]\r\n\r\n1. e4 {\u{e9}t\u{e9}\n} (1. d4) e5 $12 *\n\n\
        [Event \"b\"]\n\n1. e4 {oh\n\n[Event \"c\"]\n\n% x\n1. d4 ; y\nd5 1/2-1/2";
    let whole = read(text);
    assert_eq!(whole.len(), 3);
    for size in [1, 2, 3, 7] {
        let input = BufReader::with_capacity(size, text.as_bytes());
        let games: Vec<PgnGame> =
            PgnReader::new(input).map(|game| game.expect("no error")).collect();
        assert_eq!(games, whole);
    }
}

const SEED: &str = "\u{feff}[Event \"a \\\"b\\\"\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Variant \"Chess960\"]\n\n\
    {x [%clk 0:01:02]} 1. e4 $1 (1. e3!? Kd7 (1... Kd8)) Kd7 ; y\n2. -- Kd6 3. Ke2 1/2-1/2\n% z\n1. e4 e5 0-1";

/// Reads anything and writes what was read; what was written must be readable.
fn survives(bytes: &[u8]) {
    for game in read(bytes) {
        let text = game.to_string();
        let again = read_one(&text);
        // A tag FEN or Variant that makes no sense is kept, everything else that was wrong is gone.
        let bad_tag = |error| matches!(error, PgnErrorKind::Fen(_) | PgnErrorKind::Variant(_));
        assert!(again.error.is_none_or(|error| bad_tag(error.kind)), "{text}");
        assert_eq!(again.mainline, game.mainline, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes);
    }

    #[test]
    fn any_tokens_can_be_read(words in proptest::collection::vec(
        prop_oneof!["[(){}$%;*.!?+#=1-9a-hNBRQKO \n\\[\\]\"]{1,3}", Just("1. e4 ".to_owned()), Just("e5".to_owned()),
            Just("[A \"b\"]\n".to_owned()), Just("\n".to_owned()), Just(" ( ".to_owned()), Just(" ) ".to_owned())], 0..60)) {
        survives(words.concat().as_bytes());
    }

    #[test]
    fn mutated_games_can_be_read(edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..12)) {
        let mut bytes = SEED.as_bytes().to_vec();
        for (at, byte, kind) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        survives(&bytes);
    }
}

#[test]
fn commands_in_comments_are_never_broken_and_lines_stay_short() {
    let mut game = read("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *").remove(0);
    for (index, step) in game.mainline.moves.iter_mut().enumerate() {
        let words = "and a few words more ".repeat(1 + index % 3);
        step.comment = format!("A remark {words}[%eval -0.35,22] [%clk 0:01:0{index}]");
    }
    let text = game.to_string();
    assert!(text.lines().all(|line| line.chars().count() < 80), "{text}");
    assert_eq!(text.matches("[%eval -0.35,22] [%clk 0:01:0").count(), 6, "{text}");
    assert!(text.lines().skip(8).all(|line| !line.starts_with(['[', '%'])), "{text}");
}

#[test]
fn games_of_other_rules_are_refused_by_their_name() {
    for name in ["Crazyhouse", "Atomic", "King of the Hill", "Three-check"] {
        let text = format!("[Variant \"{name}\"]\n\n1. e4 e5 1-0");
        let game = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
        let error = game.error.unwrap();
        assert_eq!(error.kind, PgnErrorKind::Variant(name.to_owned()));
        assert!(error.to_string().contains(name) && game.mainline.moves.is_empty(), "{error}");
    }
    for name in ["Standard", "chess", "From Position", "Chess960", "Fischerandom"] {
        let text = format!("[Variant \"{name}\"]\n\n1. e4 e5 1-0");
        assert_eq!(PgnReader::new(text.as_bytes()).next().unwrap().unwrap().error, None, "{name}");
    }
}

#[test]
fn a_result_that_contradicts_its_tag_is_reported() {
    let read = |text: &str| PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
    let game = read("[Result \"1-0\"]\n\n1. e4 e5 0-1");
    let error = game.error.unwrap().to_string();
    assert_eq!(error, "game 1, line 3: the tag Result says 1-0, but the moves end with 0-1");
    assert_eq!((game.result.to_string().as_str(), game.mainline.moves.len()), ("0-1", 2));
    for text in ["[Result \"1-0\"]\n\n1. e4 *", "[Result \"*\"]\n\n1. e4 1-0"] {
        let game = read(text);
        assert_eq!((game.error, game.result.to_string().as_str()), (None, "1-0"));
    }
}
