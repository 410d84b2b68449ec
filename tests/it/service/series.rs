//! Games of several rounds, by a series or by the variant's own rules: seen from outside they are alike.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, EndReason, FirstMover, Game, GameStatus, ListGameEventsRequest,
        ListGamesRequest, MoveOutcome, Outcome, RoundResult, Side, game_event::Change,
    },
};

use crate::support::{
    chance::Chance,
    client::{Caller, events, open, solo, text},
    definition,
    server::Server,
    status::refused_field,
    variants,
};

/// Moves after which a match, which may have a hundred rounds, is left. A series is played to its end.
const MOST: usize = 250;

/// Every outcome, as the game's events tell of it.
async fn told(caller: &Caller, game: &Game) -> Vec<MoveOutcome> {
    let mut told = Vec::new();
    let mut after_seq = 0;
    while after_seq < game.seq {
        let request = ListGameEventsRequest {
            after_seq: Some(after_seq),
            page_size: 200,
            ..events(&game.game_id)
        };
        for event in caller.events(request).await.unwrap().events {
            after_seq = event.seq;
            if let Some(Change::Moved(outcome)) = event.change {
                told.push(outcome);
            }
        }
    }
    told
}

fn won(rounds: &[RoundResult], outcome: Outcome) -> u32 {
    let won = rounds.iter().filter(|round| round.outcome() == outcome);
    won.count() as u32
}

/// Plays a game of several rounds and checks each outcome against the game after it.
async fn play_rounds(alice: &Caller, request: CreateGameRequest, seed: u64) -> Game {
    let variant = request.variant.clone();
    let most = match request.target_wins {
        1 => MOST,
        _ => usize::MAX,
    };
    let mut chance = Chance::new(seed);
    let mut before = alice.create(request).await.unwrap();
    assert_eq!((before.round, before.rounds.len()), (1, 0));
    let id = before.game_id.clone();
    let mut outcomes = Vec::new();
    while before.result.is_none() && outcomes.len() < most {
        let legal = alice.legal(&id).await.unwrap().moves;
        let answer = alice.play(&id, chance.of(&legal).hole).await.unwrap();
        let (outcome, game) = (answer.outcome.unwrap(), answer.game.unwrap());
        let ended = game.rounds.len() - before.rounds.len();
        assert_eq!(game.rounds[..before.rounds.len()], before.rounds);
        assert_eq!(outcome.round_result.is_some(), ended == 1, "{variant}");
        assert_eq!(
            outcome.round_result.as_ref(),
            game.rounds[before.rounds.len()..].first()
        );
        assert_eq!(
            (outcome.result, &outcome.position),
            (game.result, &game.position)
        );
        assert_eq!(game.moves.last().unwrap().round, before.round);
        let goes_on = ended == 1 && game.result.is_none();
        assert_eq!(game.round, before.round + u32::from(goes_on));
        assert_eq!(game.ply, if goes_on { 0 } else { before.ply + 1 });
        assert_eq!(game.turn, before.turn + 1 + u32::from(goes_on));
        outcomes.push(outcome);
        before = game;
    }
    let game = before;
    assert_eq!(alice.get(&id).await.unwrap(), game);
    assert_eq!(told(alice, &game).await, outcomes, "events tell the same");
    let first = game.start_position.as_ref().unwrap().to_move();
    for (index, round) in game.rounds.iter().enumerate() {
        assert_eq!(round.round as usize, index + 1);
        assert_eq!(round.first() == first, index % 2 == 0, "starters alternate");
        let mut moves = game.moves.iter().filter(|made| made.round == round.round);
        assert_eq!(moves.next().unwrap().mover(), round.first());
    }
    let listed = alice.list(ListGamesRequest::default()).await.unwrap().games;
    let bare = Game {
        moves: Vec::new(),
        rounds: Vec::new(),
        ..game.clone()
    };
    assert_eq!(listed[0], bare, "lists leave rounds out");
    game
}

#[tokio::test]
async fn rounds_are_told_of_alike_in_every_variant() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for (seed, variant) in (0..).zip(variants()) {
        let own = definition(variant).rounds.is_some();
        let first = [FirstMover::South, FirstMover::North][seed as usize % 2];
        let request = CreateGameRequest {
            target_wins: if own { 1 } else { 2 },
            first: first.into(),
            ..solo(variant)
        };
        let game = play_rounds(&alice, request, seed).await;
        assert!(!game.rounds.is_empty(), "{variant}");
        if own {
            continue;
        }
        let result = game.result.expect("a series of two is soon over");
        assert_eq!(game.status(), GameStatus::Finished);
        assert_eq!(result.reason(), EndReason::Series, "{variant}");
        let wins = [Outcome::SouthWon, Outcome::NorthWon].map(|won_by| won(&game.rounds, won_by));
        assert_eq!([result.south_score, result.north_score], wins);
        let target = wins.contains(&2);
        assert!(target || game.rounds.len() == 8, "{variant}: {wins:?}");
        if wins[0] != wins[1] {
            let winner = [Outcome::SouthWon, Outcome::NorthWon][usize::from(wins[1] > wins[0])];
            assert_eq!(result.outcome(), winner);
        }
        assert_eq!(game.round as usize, game.rounds.len());
        let position = game.position.unwrap();
        assert_eq!(position.to_move(), Side::Unspecified);
    }
}

/// A match ends with its last round, by the variant's own reason.
#[tokio::test]
async fn a_match_of_its_own_rounds_ends_by_its_own_reason() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let cases = [
        ("0,0,0,1,0/0,0,0,0,0 2-37 S round=7", EndReason::HolesClosed),
        ("0,0,0,1,0/0,0,0,0,0 15-24 S round=100", EndReason::TooLong),
    ];
    for (start, reason) in cases {
        let request = CreateGameRequest {
            start_position: Some(text("bosh", start)),
            ..solo("bosh")
        };
        let game = alice.create(request).await.unwrap();
        let answer = alice.play(&game.game_id, 3).await.unwrap();
        let (outcome, over) = (answer.outcome.unwrap(), answer.game.unwrap());
        let result = over.result.unwrap();
        assert_eq!(
            (result.outcome(), result.reason()),
            (Outcome::NorthWon, reason)
        );
        let round = outcome.round_result.unwrap();
        assert_eq!(
            (round.round, round.reason()),
            (game.round, EndReason::NoMoves)
        );
        assert_eq!(over.status(), GameStatus::Finished);
        assert_eq!((over.rounds, over.round), (vec![round], game.round));
    }
}

#[tokio::test]
async fn no_series_of_what_has_rounds_or_a_start_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for variant in variants() {
        let own = definition(variant).rounds.is_some();
        for target_wins in [0, 1, 2, 100, 101, u32::MAX] {
            let request = CreateGameRequest {
                target_wins,
                ..open(variant)
            };
            let answer = alice.create(request).await;
            if target_wins > 100 || own && target_wins > 1 {
                refused_field(answer, Reason::InvalidField, "target_wins");
            } else {
                assert_eq!(answer.unwrap().target_wins, target_wins.max(1));
            }
        }
        let start = alice.create(solo(variant)).await.unwrap().position.unwrap();
        let request = CreateGameRequest {
            target_wins: 2,
            start_position: Some(text(variant, &start.text)),
            ..solo(variant)
        };
        let answer = alice.create(request).await;
        refused_field(answer, Reason::InvalidField, "target_wins");
    }
}
