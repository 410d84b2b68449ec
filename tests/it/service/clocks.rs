//! Clocks through the wire: how they are told, and what happens when they have run out.

use std::time::Duration;

use mancala::grpc::{
    Reason,
    proto::{
        BaseTime, CreateGameRequest, EndReason, GameStatus, ListGamesRequest, Side,
        SubmitMoveRequest, TimeControl, game_event::Change, time_control::Control,
    },
};

use crate::support::{
    client::{fresh_id, play, solo},
    status::{refused, refused_field},
    timed::{Timed, assert_flag, base, last_event, left, per_move, seconds, stamp, timed, whole},
    within,
};

#[tokio::test]
async fn a_game_tells_its_control_and_its_clocks() {
    let set = Timed::start().await;
    let game = set.alice.create(timed(base(60, 2))).await.unwrap();
    assert_eq!(game.time_control, Some(base(60, 2)));
    let clocks = whole(&set.alice, &game.game_id).await.clocks.unwrap();
    assert_eq!(
        (left(&clocks), clocks.running()),
        ((60_000, 60_000), Side::Unspecified)
    );
    assert_eq!(clocks.server_time, stamp(&set.clock));
    let unasked = set.alice.create(solo("kalah")).await.unwrap();
    let week = 7 * 24 * 60 * 60;
    assert_eq!(unasked.time_control, Some(per_move(week)));
    let clocks = whole(&set.alice, &unasked.game_id).await.clocks.unwrap();
    assert_eq!(left(&clocks), (week * 1_000, week * 1_000));
    assert_eq!(clocks.running(), Side::South);
}

#[tokio::test]
async fn clocks_are_told_at_the_moment_of_the_answer_or_of_the_event() {
    let set = Timed::start().await;
    let game = set.begun().await;
    let watch = set.alice.watch(&game.game_id, Some(game.seq));
    let mut watch = watch.await.unwrap();
    set.pass(12).await;
    let now = whole(&set.alice, &game.game_id).await.clocks.unwrap();
    assert_eq!((left(&now), now.running()), ((48_000, 60_000), Side::South));
    assert_eq!(now.server_time, stamp(&set.clock));
    let mut games = set.alice.games();
    let list = set.alice.request(ListGamesRequest::default());
    let listed = within(games.list_games(list)).await.unwrap().into_inner();
    assert_eq!(listed.games[0].clocks, Some(now));
    let moved = stamp(&set.clock);
    let answered = set.play(&game, 2).await.clocks.unwrap();
    assert_eq!(
        (left(&answered), answered.running()),
        ((50_000, 60_000), Side::North)
    );
    assert_eq!(answered.server_time, moved);
    set.pass(5).await;
    let message = within(watch.message()).await.unwrap().unwrap().message;
    let Some(mancala::grpc::proto::watch_game_response::Message::Event(event)) = message else {
        panic!("{message:?}")
    };
    assert_eq!(event.create_time, moved);
    assert_eq!(event.state.unwrap().clocks, Some(answered));
}

#[tokio::test]
async fn a_control_out_of_bounds_is_refused_by_its_field() {
    let set = Timed::start().await;
    let parts = |base, increment| TimeControl {
        control: Some(Control::BaseTime(BaseTime { base, increment })),
    };
    let (one, bad) = (Some(seconds(1)), Some(seconds(-1)));
    let (day, hour) = (24 * 60 * 60, 60 * 60);
    for (control, field) in [
        (per_move(0), "time_control"),
        (per_move(30 * day + 1), "time_control"),
        (per_move(-1), "time_control.per_move"),
        (per_move(i64::MAX), "time_control.per_move"),
        (parts(None, None), "time_control"),
        (base(day + 1, 0), "time_control"),
        (base(1, hour + 1), "time_control"),
        (parts(bad, one), "time_control.base_time.base"),
        (parts(one, bad), "time_control.base_time.increment"),
    ] {
        let answer = set.alice.create(timed(control)).await;
        refused_field(answer, Reason::InvalidField, field);
    }
    for control in [
        per_move(1),
        per_move(30 * day),
        base(day, hour),
        parts(None, one),
    ] {
        set.alice.create(timed(control)).await.unwrap();
    }
    // A control that is none of them is none.
    let none = CreateGameRequest {
        time_control: Some(TimeControl { control: None }),
        ..solo("kalah")
    };
    let game = set.alice.create(none).await.unwrap();
    assert_eq!(game.time_control, Some(per_move(7 * day)));
}

#[tokio::test]
async fn a_flag_falls_though_nobody_asks() {
    let set = Timed::start().await;
    let game = set.begun().await;
    let mut watch = set.watch(&game).await;
    set.pass(60).await;
    let event = last_event(&mut watch).await;
    assert_eq!(event.create_time, stamp(&set.clock));
    assert_flag(&event, Side::South);
    let over = whole(&set.alice, &game.game_id).await;
    assert_eq!(over.status(), GameStatus::Finished);
    assert_eq!(over.result.unwrap().reason(), EndReason::Timeout);
    assert_eq!(left(&over.clocks.unwrap()), (0, 60_000));
}

#[tokio::test]
async fn a_move_in_the_last_millisecond_counts_and_one_later_does_not() {
    let set = Timed::start().await;
    let (in_time, late) = (set.begun().await, set.begun().await);
    let mut watch = set.watch(&late).await;
    set.pass(59).await;
    set.clock.advance(Duration::from_millis(999));
    let clocks = set.play(&in_time, 2).await.clocks.unwrap();
    assert_eq!(left(&clocks), (2_001, 60_000));
    set.clock.advance(Duration::from_millis(1));
    refused(set.alice.play(&late.game_id, 2).await, Reason::GameOver);
    assert_flag(&last_event(&mut watch).await, Side::South);
    assert_eq!(whole(&set.alice, &late.game_id).await.seq, late.seq + 1);
}

#[tokio::test]
async fn a_game_without_a_first_move_is_aborted_in_time() {
    let set = Timed::start().await;
    let five_minutes = set.alice.create(timed(base(1, 0))).await.unwrap();
    let one_turn = set.alice.create(timed(per_move(20))).await.unwrap();
    let half = set.alice.create(timed(base(3_600, 0))).await.unwrap();
    set.pass(10).await;
    let half = set.play(&half, 0).await;
    let mut seconds = 10;
    for (game, at) in [(&one_turn, 20), (&five_minutes, 300), (&half, 310)] {
        let mut watch = set.watch(game).await;
        set.pass(at - seconds).await;
        seconds = at;
        let event = last_event(&mut watch).await;
        assert_eq!(event.create_time, stamp(&set.clock));
        let Some(Change::Aborted(aborted)) = event.change else {
            panic!("{event:?}")
        };
        assert_eq!(aborted.player_id, "");
        let state = event.state.unwrap();
        assert_eq!(state.status(), GameStatus::Aborted);
        assert_eq!(state.result.unwrap().reason(), EndReason::Aborted);
    }
}

#[tokio::test]
async fn what_was_answered_before_the_flag_is_answered_again_after_it() {
    let set = Timed::start().await;
    let game = set.begun().await;
    let request = SubmitMoveRequest {
        request_id: fresh_id(),
        ..play(&game.game_id, 2)
    };
    let made = set.alice.submit(request.clone()).await.unwrap();
    let mut watch = set
        .alice
        .watch(&game.game_id, Some(game.seq + 1))
        .await
        .unwrap();
    set.pass(60).await;
    assert_flag(&last_event(&mut watch).await, Side::North);
    assert_eq!(set.alice.submit(request.clone()).await.unwrap(), made);
    refused(set.alice.play(&game.game_id, 2).await, Reason::GameOver);
    let set = set.restart_after(Duration::from_secs(1)).await;
    assert_eq!(set.alice.submit(request).await.unwrap(), made);
}

#[tokio::test]
async fn many_flags_fall_at_the_same_moment() {
    let set = Timed::start().await;
    let mut games = Vec::new();
    // More than are looked at at once.
    for _ in 0..270 {
        games.push(set.begun().await);
    }
    set.pass(60).await;
    for game in &games {
        assert_flag(&last_event(&mut set.watch(game).await).await, Side::South);
    }
}
