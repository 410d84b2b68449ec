//! Every call that changes a game, as a value: so that tests can go over all of them.

use mancala::grpc::proto::{
    AbortGameRequest, AnswerOfferRequest, Game, JoinGameRequest, OfferAnswer, OfferDrawRequest,
    RematchGameRequest, RequestTakebackRequest, ResignGameRequest, SubmitMoveRequest,
};

use super::client::{Answer, Caller};

/// A call that changes a game which it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Join,
    Move,
    Resign,
    Abort,
    Draw,
    Takeback,
    Accept,
    Decline,
    Rematch,
}

/// What calls are about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aim {
    pub(crate) game_id: String,
    /// The hole of a move.
    pub(crate) hole: u32,
    /// The turn that moves and offers are for.
    pub(crate) expected_turn: Option<u32>,
    /// The offer that is answered.
    pub(crate) offer_id: u64,
    /// The seat to take, or the side that the caller acts for.
    pub(crate) side: i32,
    pub(crate) request_id: String,
}

impl Call {
    pub(crate) const ALL: [Call; 9] = [
        Call::Join,
        Call::Move,
        Call::Resign,
        Call::Abort,
        Call::Draw,
        Call::Takeback,
        Call::Accept,
        Call::Decline,
        Call::Rematch,
    ];

    /// Makes the call. The answer is the game that it answers with.
    pub(crate) async fn make(self, caller: &Caller, aim: Aim) -> Answer<Game> {
        let Aim {
            game_id,
            hole,
            expected_turn,
            offer_id,
            side,
            request_id,
        } = aim;
        let answer = |answer: OfferAnswer| AnswerOfferRequest {
            game_id: game_id.clone(),
            offer_id,
            answer: answer.into(),
            request_id: request_id.clone(),
        };
        match self {
            Call::Join => {
                let request = JoinGameRequest {
                    game_id,
                    side,
                    join_code: String::new(),
                    request_id,
                };
                caller.join(request).await
            }
            Call::Move => {
                let request = SubmitMoveRequest {
                    game_id,
                    hole: Some(hole),
                    expected_turn,
                    request_id,
                    omit_steps: false,
                };
                Ok(caller.submit(request).await?.game.unwrap())
            }
            Call::Resign => {
                let request = ResignGameRequest {
                    game_id,
                    request_id,
                    side,
                };
                caller.resign(request).await
            }
            Call::Abort => {
                let request = AbortGameRequest {
                    game_id,
                    request_id,
                };
                caller.abort(request).await
            }
            Call::Draw => {
                let request = OfferDrawRequest {
                    game_id,
                    expected_turn,
                    request_id,
                    side,
                };
                caller.offer_draw(request).await
            }
            Call::Takeback => {
                let request = RequestTakebackRequest {
                    game_id,
                    expected_turn,
                    request_id,
                    side,
                };
                caller.request_takeback(request).await
            }
            Call::Accept => caller.answer(answer(OfferAnswer::Accept)).await,
            Call::Decline => caller.answer(answer(OfferAnswer::Decline)).await,
            Call::Rematch => {
                let request = RematchGameRequest {
                    game_id,
                    request_id,
                };
                caller.rematch(request).await
            }
        }
    }
}
