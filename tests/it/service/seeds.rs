//! Variants in which the seeds of each hole can be chosen.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, EnumerateMovesRequest, GetStartPositionRequest, GetVariantRequest,
        Outcome, Position, Side,
    },
};

use crate::support::{
    client::{solo, text},
    server::Server,
    status::refused_field,
};

fn kalah(holes: u32, seeds: u32) -> CreateGameRequest {
    CreateGameRequest {
        holes,
        seeds,
        ..solo("kalah")
    }
}

#[tokio::test]
async fn a_game_is_created_with_the_seeds_that_it_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for (request, holes, seeds, text) in [
        (kalah(3, 7), 3, 7, "7,7,7/7,7,7 0-0 S"),
        (
            kalah(0, 10),
            6,
            10,
            "10,10,10,10,10,10/10,10,10,10,10,10 0-0 S",
        ),
        (kalah(1, 0), 1, 4, "4/4 0-0 S"),
        (kalah(0, 0), 6, 4, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"),
        (
            CreateGameRequest {
                seeds: 4,
                ..solo("oware")
            },
            6,
            4,
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S",
        ),
        (
            solo("adji-boto"),
            5,
            10,
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=00000/00000",
        ),
    ] {
        let game = alice.create(request).await.unwrap();
        assert_eq!((game.holes, game.seeds), (holes, seeds));
        let start = game.start_position.as_ref().unwrap();
        assert_eq!(start.text, text);
        assert_eq!(alice.get(&game.game_id).await.unwrap(), game);
    }
}

#[tokio::test]
async fn seeds_that_a_variant_does_not_have_are_refused_by_field() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut rules = server.stranger().rules();
    for (variant, seeds) in [
        ("kalah", 11),
        ("kalah", 260),
        ("kalah", u32::MAX),
        ("oware", 3),
        ("oware", 5),
        ("bosh", 1),
    ] {
        let (reason, field) = (Reason::InvalidField, "seeds");
        let create = CreateGameRequest {
            seeds,
            ..solo(variant)
        };
        refused_field(alice.create(create).await, reason, field);
        let start = GetStartPositionRequest {
            variant: variant.into(),
            seeds,
            ..Default::default()
        };
        refused_field(rules.get_start_position(start).await, reason, field);
    }
    let both = alice.create(kalah(11, 11)).await;
    refused_field(both, Reason::InvalidField, "holes");
}

#[tokio::test]
async fn a_start_position_says_its_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    // Twelve seeds on two rows of three: two for each hole.
    let from = |start: Position, holes, seeds| CreateGameRequest {
        start_position: Some(start),
        ..kalah(holes, seeds)
    };
    let start = || text("kalah", "0,3,2/2,3,0 1-1 N");
    let fields = Position {
        variant: "kalah".into(),
        south: vec![0, 3, 2],
        north: vec![2, 3, 0],
        south_store: 1,
        north_store: 1,
        to_move: Side::North.into(),
        ..Position::default()
    };
    for request in [
        from(start(), 0, 0),
        from(start(), 3, 2),
        from(start(), 0, 2),
        from(fields, 0, 0),
    ] {
        let game = alice.create(request).await.unwrap();
        assert_eq!((game.holes, game.seeds, game.custom_start), (3, 2, true));
        assert_eq!(game.position.unwrap().text, "0,3,2/2,3,0 1-1 N");
    }
    let invalid = Reason::InvalidField;
    for (holes, seeds) in [(0, 4), (0, 11), (6, 0), (3, 3)] {
        let answer = alice.create(from(start(), holes, seeds)).await;
        refused_field(answer, invalid, "start_position");
    }
    // Thirteen are those of no game.
    let odd = from(text("kalah", "0,3,2/2,3,1 1-1 N"), 0, 0);
    refused_field(
        alice.create(odd).await,
        Reason::InvalidPosition,
        "start_position",
    );
}

#[tokio::test]
async fn variants_say_which_seeds_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    for (variant, min, max, default) in [
        ("kalah", 1, 10, 4),
        ("oware", 4, 4, 4),
        ("adji-boto", 10, 10, 10),
        ("sadeqa-ii", 3, 3, 3),
    ] {
        let request = GetVariantRequest {
            variant: variant.into(),
        };
        let got = rules.get_variant(request).await.unwrap().into_inner();
        let got = got.variant.unwrap();
        assert_eq!(got.seeds_per_hole, default);
        let summary = got.summary.unwrap();
        assert_eq!((summary.min_seeds, summary.max_seeds), (min, max));
        assert_eq!(summary.default_seeds, default);
    }
}

/// The bare rules are asked with the seeds that the position has.
#[tokio::test]
async fn positions_are_of_a_game_with_their_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let ask = |position| EnumerateMovesRequest {
        position: Some(position),
        omit_steps: true,
    };
    let small = ask(text("kalah", "0,1/1,0 1-1 S"));
    let listed = rules.enumerate_moves(small).await.unwrap().into_inner();
    let [only] = listed.moves.as_slice() else {
        panic!("one move")
    };
    assert_eq!(
        (only.hole, only.result.unwrap().outcome()),
        (1, Outcome::Drawn)
    );
    let odd = ask(text("kalah", "0,1/2,0 1-1 S"));
    refused_field(
        rules.enumerate_moves(odd).await,
        Reason::InvalidPosition,
        "position",
    );
}

#[tokio::test]
async fn a_game_with_chosen_seeds_is_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(kalah(6, 3)).await.unwrap().game_id;
    // d sows e, f and the store: South moves again.
    alice.play(&id, 3).await.unwrap();
    let before = alice.play(&id, 1).await.unwrap().game.unwrap();
    assert_eq!((before.holes, before.seeds), (6, 3));
    let position = before.position.as_ref().unwrap();
    assert_eq!(position.text, "3,0,4,1,5,4/3,3,3,3,3,3 1-0 N");
    assert_eq!(before.moves.len(), 2);
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    assert_eq!(alice.get(&id).await.unwrap(), before);
    let listed = alice.list(Default::default()).await.unwrap().games;
    assert_eq!((listed[0].holes, listed[0].seeds), (6, 3));
    let after = alice.play(&id, 0).await.unwrap().game.unwrap();
    let position = after.position.unwrap();
    assert_eq!(position.text, "3,0,4,1,5,4/0,4,4,4,3,3 1-0 S");
}
