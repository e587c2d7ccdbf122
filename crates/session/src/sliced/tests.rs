use super::*;
use crate::protocol::Request;
use crate::session::Session;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn session() -> Session<Sliced> {
    let mut session = Session::new(Sliced::new().unwrap());
    assert!(matches!(session.player.take_reply(), Some(Reply::Hello { .. })));
    ask(&mut session, r#"{"type":"option","name":"OwnBook","value":"false"}"#);
    session
}

/// Sends a message with `POSITION` in it.
fn ask(session: &mut Session<Sliced>, message: &str) {
    let position = format!(r#""position":{{"fen":"{START}","moves":["e2e4"],"chess960":false}}"#);
    let message = message.replace("POSITION", &position);
    session.receive(serde_json::from_str::<Request>(&message).unwrap());
}

/// Everything that is said until nothing is left to do.
fn replies(session: &mut Session<Sliced>) -> Vec<Reply> {
    while session.player.is_busy() {
        session.player.step();
    }
    std::iter::from_fn(|| session.player.take_reply()).collect()
}

#[test]
fn an_analysis_goes_on_until_it_is_stopped_and_tells_no_move() {
    let mut session = session();
    ask(&mut session, r#"{"type":"analyse","id":1,POSITION,"lines":3,"threat":false}"#);
    for _ in 0..3 {
        session.player.step();
    }
    assert!(session.player.is_busy());
    ask(&mut session, r#"{"type":"stop"}"#);
    let replies = replies(&mut session);
    let Some(Reply::Lines(lines)) = replies.last() else { panic!("{replies:?}") };
    assert_eq!((lines.id, lines.best.len(), lines.threads), (1, 3, 1));
}

#[test]
fn a_limited_analysis_and_a_move_end_with_the_best() {
    let mut session = session();
    for limit in [
        r#"{"kind":"depth","depth":8}"#,
        r#"{"kind":"nodes","nodes":40000}"#,
        r#"{"kind":"time","ms":30}"#,
        r#"{"kind":"clock","white_ms":2000,"black_ms":2000,"increment_ms":0}"#,
    ] {
        let message = format!(
            r#"{{"type":"analyse","id":7,POSITION,"lines":1,"threat":false,"limit":{limit}}}"#
        );
        ask(&mut session, &message);
        let said = replies(&mut session);
        assert!(
            matches!(said.last(), Some(Reply::Best { id: 7, mv: Some(_), .. })),
            "{limit}: {said:?}"
        );
    }
    ask(
        &mut session,
        r#"{"type":"think","id":8,POSITION,"limit":{"kind":"time","ms":60000},"elo":1200,"human":false}"#,
    );
    assert!(matches!(replies(&mut session).last(), Some(Reply::Best { id: 8, mv: Some(_), .. })));
}

#[test]
fn a_move_that_is_stopped_before_it_begins_is_given_all_the_same() {
    let mut session = session();
    ask(
        &mut session,
        r#"{"type":"think","id":2,POSITION,"limit":{"kind":"time","ms":60000},"elo":null,"human":false}"#,
    );
    ask(&mut session, r#"{"type":"stop"}"#);
    let said = replies(&mut session);
    assert!(matches!(said[..], [Reply::Best { id: 2, mv: Some(_), .. }]), "{said:?}");
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason() {
    let mut session = session();
    for (message, id, reason) in [
        (r#"{"type":"option","name":"SyzygyPath","value":"/"}"#, None, "no such option"),
        (r#"{"type":"option","name":"Threads","value":"2"}"#, None, "from 1 to 1"),
        (
            r#"{"type":"inspect","id":3,"position":{"fen":"8/8/8/8/8/8/8/8 w - - 0 1","moves":[],"chess960":false}}"#,
            Some(3),
            "king",
        ),
    ] {
        ask(&mut session, message);
        let said = replies(&mut session);
        let [Reply::Refused { id: told, reason: words }] = &said[..] else { panic!("{said:?}") };
        assert!(*told == id && words.contains(reason), "{message}: {words}");
    }
}

/// People of a low rating do not all play the same move, and play what the net expects of them.
#[test]
fn it_plays_like_people_where_a_policy_net_is() {
    let Some(net) = Policy::embedded() else { return };
    let mut session = session();
    session.player.set_policy(Policy::new(net.clone()));
    let mut game = tabiya_chess::Game::default();
    game.play(game.board().parse_uci("e2e4").unwrap()).unwrap();
    let skill = tabiya_nn::policy::input::Skill::of_rating(1100);
    let history = tabiya_engine::policy::GameHistory::from_game(&game);
    let expected = Policy::new(net).ask(&history, skill).unwrap();
    let mut played = std::collections::BTreeSet::new();
    for seed in 0..12 {
        session.player.seed(seed);
        ask(
            &mut session,
            r#"{"type":"think","id":3,POSITION,"limit":{"kind":"nodes","nodes":500},"elo":1100,"human":true}"#,
        );
        let said = replies(&mut session);
        let Some(Reply::Best { mv: Some(mv), .. }) = said.last() else { panic!("{said:?}") };
        let chance = expected.chance(game.board().parse_uci(mv).unwrap());
        assert!(chance > 0.01, "{mv}: {chance}");
        played.insert(mv.clone());
    }
    assert!(played.len() > 2, "{played:?}");
}

/// A page that asks about a board it cannot have must not lose the analysis it has.
#[test]
fn a_refused_question_leaves_the_search_alone() {
    let mut session = session();
    ask(&mut session, r#"{"type":"analyse","id":1,POSITION,"lines":1,"threat":false}"#);
    let nonsense = r#""position":{"fen":"8/8/8/8/8/8/8/8 w - - 0 1","moves":[],"chess960":false}"#;
    for kind in [
        r#""type":"think","limit":{"kind":"time","ms":50},"elo":1200,"human":true"#,
        r#""type":"analyse","lines":1,"threat":false"#,
    ] {
        ask(&mut session, &format!(r#"{{{kind},"id":2,{nonsense}}}"#));
        assert!(matches!(session.player.take_reply(), Some(Reply::Refused { id: Some(2), .. })));
        assert!(session.player.is_busy(), "{kind}");
    }
}

#[test]
fn a_review_tells_how_far_it_is_and_ends_with_a_report() {
    let mut session = session();
    ask(&mut session, r#"{"type":"report","id":4,POSITION,"nodes":1000}"#);
    let mut said = Vec::new();
    session.player.run_review(|reply| said.push(reply));
    assert!(matches!(said.first(), Some(Reply::Progress { id: 4, done: 1, total: 2 })), "{said:?}");
    let Some(Reply::Report { id: 4, game }) = said.last() else { panic!("{said:?}") };
    assert_eq!(game.moves.len(), 1);
    session.player.run_review(|reply| panic!("nothing is left: {reply:?}"));
}
