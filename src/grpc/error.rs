//! Every error that a client can get, and how errors of the other rooms become it.
//!
//! A client never has to read the message: code, reason and details say all.

use std::{collections::HashMap, time::Duration};

use http::HeaderMap;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use super::limits::Limit;
use crate::{
    catalog::BoardError,
    game::{CreateError, GameId, PlayerId, Refusal, Status as GameStatus, TranscriptError},
    rules::{BlockReason, IllegalMove},
    session::SessionError,
    store::StoreError,
};

/// The domain of every `ErrorInfo`.
const DOMAIN: &str = "mancala.v1";

/// When a client may try again after what passes: `UNAVAILABLE`, and too many calls at once.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// When a player with too many games may try again: when one of them is over.
const GAMES_RETRY: Duration = Duration::from_secs(30);

/// The metadata key by which a server tells gRPC libraries when to retry, in milliseconds.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

macro_rules! reasons {
    ($($variant:ident $code:ident $name:literal $meaning:literal,)*) => {
        /// Why a call failed: the stable `reason` of its `ErrorInfo`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason {
            $(#[doc = $meaning] $variant,)*
        }

        impl Reason {
            /// All reasons.
            pub const ALL: &[Reason] = &[$(Reason::$variant,)*];

            /// The name that clients see.
            pub fn name(self) -> &'static str {
                match self { $(Reason::$variant => $name,)* }
            }

            /// The status code that it comes with.
            pub fn code(self) -> Code {
                match self { $(Reason::$variant => Code::$code,)* }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Reason::$variant => $meaning,)* }
            }
        }
    };
}

reasons! {
    MalformedRequest InvalidArgument "MALFORMED_REQUEST" "The bytes of the request are no message of its kind.",
    InvalidField InvalidArgument "INVALID_FIELD" "A field is malformed, missing or out of bounds.",
    InvalidPosition InvalidArgument "INVALID_POSITION" "The position can't be in play.",
    InvalidRecord InvalidArgument "INVALID_RECORD" "The text is no game, or no moves; metadata `line` and `column` say where, `rule` which rule a move is against.",
    HoleOutOfRange InvalidArgument "HOLE_OUT_OF_RANGE" "There is no such hole on the board.",
    InvalidPageToken InvalidArgument "INVALID_PAGE_TOKEN" "The page token is not of a list with these filters.",
    RequestIdReused InvalidArgument "REQUEST_ID_REUSED" "The request id was used before with other content.",
    IllegalMove FailedPrecondition "ILLEGAL_MOVE" "The rules forbid the move; the violation's type says which.",
    NotYourTurn FailedPrecondition "NOT_YOUR_TURN" "The other side is to move.",
    GameNotStarted FailedPrecondition "GAME_NOT_STARTED" "A seat of the game is still to be filled, or never was.",
    GameStarted FailedPrecondition "GAME_STARTED" "The game is being played: too late to abort it, too early for a rematch.",
    GameOver FailedPrecondition "GAME_OVER" "The game, or the position, is over.",
    SeatTaken FailedPrecondition "SEAT_TAKEN" "The seat is taken, or kept for somebody else.",
    OfferOpen FailedPrecondition "OFFER_OPEN" "Another offer is to be answered first; metadata `offer_id` says which.",
    OfferRepeated FailedPrecondition "OFFER_REPEATED" "The side has offered the same before, this turn.",
    OfferGone FailedPrecondition "OFFER_GONE" "There is no such open offer: it was answered, has lapsed, or never was.",
    OwnOffer FailedPrecondition "OWN_OFFER" "The offer is the caller's own: the other side answers it.",
    RematchGone FailedPrecondition "REMATCH_GONE" "The rematch was declined or aborted, or nobody came in time: create a new game.",
    NothingToTakeBack FailedPrecondition "NOTHING_TO_TAKE_BACK" "The side has made no move in this round.",
    StaleTurn Aborted "STALE_TURN" "It is another turn than expected; metadata `turn` says which.",
    Contended Aborted "CONTENDED" "Others changed the game at the same moment, again and again.",
    SeqBeyondLog OutOfRange "SEQ_BEYOND_LOG" "`after_seq` is beyond the newest event; metadata `newest_seq` says which that is.",
    GameNotFound NotFound "GAME_NOT_FOUND" "There is no such game, or it is private.",
    VariantNotFound NotFound "VARIANT_NOT_FOUND" "There is no such variant.",
    PlayerNotFound NotFound "PLAYER_NOT_FOUND" "There is no such player.",
    TokenMissing Unauthenticated "TOKEN_MISSING" "The call needs a token and has none.",
    TokenInvalid Unauthenticated "TOKEN_INVALID" "The token is not one of this server's.",
    TokenExpired Unauthenticated "TOKEN_EXPIRED" "The token has expired.",
    TokenRevoked Unauthenticated "TOKEN_REVOKED" "The token was revoked.",
    PlayerDeleted Unauthenticated "PLAYER_DELETED" "The token's player was deleted.",
    PlayerBanned PermissionDenied "PLAYER_BANNED" "The player was shut out by an admin.",
    PlayerNotNamed PermissionDenied "PLAYER_NOT_NAMED" "The token is no player's: with the scope `service` it must name a player in `x-mancala-player`.",
    RegistrationClosed PermissionDenied "REGISTRATION_CLOSED" "Nobody may register here, or only services may.",
    OtherIssuer PermissionDenied "OTHER_ISSUER" "The player's tokens are another issuer's, where new ones are to be had.",
    NotAdmin PermissionDenied "NOT_ADMIN" "The call needs a token with the scope `admin`.",
    NotSeated PermissionDenied "NOT_SEATED" "The caller has no such seat in the game.",
    JoinCodeWrong PermissionDenied "JOIN_CODE_WRONG" "The join code is not the game's.",
    MayNotActFor PermissionDenied "MAY_NOT_ACT_FOR" "The caller may not act for another player.",
    TooManyCalls ResourceExhausted "TOO_MANY_CALLS" "Too many calls a second, or at once; the violation's subject says which limit it is.",
    TooManyStreams ResourceExhausted "TOO_MANY_STREAMS" "Too many streams are open; the violation's subject says which limit it is.",
    TooManyGames ResourceExhausted "TOO_MANY_GAMES" "The player has too many games, or open seats; the violation's subject says which limit it is.",
    TooManyRevocations ResourceExhausted "TOO_MANY_REVOCATIONS" "The player's tokens were revoked 1,000 times.",
    RequestTooLarge ResourceExhausted "REQUEST_TOO_LARGE" "The request is larger than the limit, which is 64 KiB if nobody has set it.",
    AnswerTooLarge ResourceExhausted "ANSWER_TOO_LARGE" "The answer would be larger than the limit, which is 1 MiB if nobody has set it: ask without steps, or for less.",
    Busy ResourceExhausted "BUSY" "Too many long calls are waiting: call again.",
    TooManyTakebacks ResourceExhausted "TOO_MANY_TAKEBACKS" "The game has had as many takebacks as there may be: 1,000, or fewer if many positions could come back.",
    CountTooLarge ResourceExhausted "COUNT_TOO_LARGE" "Counting takes more laps than a call may sow: use less depth.",
    Draining Unavailable "DRAINING" "The server is shutting down: call again.",
    StoreUnavailable Unavailable "STORE_UNAVAILABLE" "The store can't be reached or written: call again.",
    DeadlineExceeded DeadlineExceeded "DEADLINE_EXCEEDED" "The deadline has passed: the caller's, or the server's of 30 s, or of 60 s for what may wait.",
    Unimplemented Unimplemented "UNIMPLEMENTED" "There is no such method, or it does not take such an encoding.",
    Internal Internal "INTERNAL" "A fault of the server, which has logged it.",
}

impl Reason {
    /// A status with this reason, and with what else helps.
    pub(super) fn status(self, message: impl Into<String>, details: ErrorDetails) -> Status {
        self.with_metadata(message, details, HashMap::new())
    }

    fn with_metadata(
        self,
        message: impl Into<String>,
        mut details: ErrorDetails,
        metadata: HashMap<String, String>,
    ) -> Status {
        details.set_error_info(self.name(), DOMAIN, metadata);
        if self.code() == Code::Unavailable || self == Reason::Busy {
            details.set_retry_info(Some(RETRY_DELAY));
        }
        let retry = details.retry_info().and_then(|info| info.retry_delay);
        let mut status = Status::with_error_details(self.code(), message, details);
        // Libraries that retry by themselves heed it; a negative number keeps them from it.
        let pushback = match retry {
            Some(delay) => Some(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX)),
            None => (self.code() == Code::ResourceExhausted).then_some(-1),
        };
        if let Some(pushback) = pushback {
            status.metadata_mut().insert(PUSHBACK, pushback.into());
        }
        status
    }

    /// A status that needs nothing but its reason.
    pub(super) fn plain(self) -> Status {
        self.status(self.meaning(), ErrorDetails::new())
    }

    /// A status about a field of the request.
    pub(super) fn field(self, field: &str, problem: impl Into<String>) -> Status {
        let problem = problem.into();
        let details = ErrorDetails::with_bad_request_violation(field, &problem);
        self.status(format!("{field}: {problem}"), details)
    }

    /// A status about a precondition that doesn't hold.
    fn precondition(self, kind: &str, subject: String, problem: String) -> Status {
        let details = ErrorDetails::with_precondition_failure_violation(kind, subject, &problem);
        self.status(problem, details)
    }

    /// A status about a limit that the call is over.
    pub(super) fn quota(self, limit: Limit) -> Status {
        self.quota_of(limit.name())
    }

    /// A status about a limit that no operator sets.
    fn quota_of(self, subject: &str) -> Status {
        let details = ErrorDetails::with_quota_failure_violation(subject, self.meaning());
        self.status(self.meaning(), details)
    }

    /// A status about something that isn't there.
    pub(super) fn not_found(self, kind: &str, name: &str) -> Status {
        let details = ErrorDetails::with_resource_info(kind, name, "", self.meaning());
        self.status(self.meaning(), details)
    }
}

/// A call that is over a limit, and when it may be tried again.
pub(super) fn over(limit: Limit, retry: Duration) -> Status {
    let reason = match limit {
        Limit::Streams | Limit::StreamsPerPlayer | Limit::StreamsPerAddress => {
            Reason::TooManyStreams
        }
        Limit::GamesPerPlayer | Limit::OpenSeatsPerPlayer => Reason::TooManyGames,
        _ => Reason::TooManyCalls,
    };
    let mut details = ErrorDetails::with_quota_failure_violation(limit.name(), limit.meaning());
    details.set_retry_info(Some(retry));
    reason.status(limit.meaning(), details)
}

/// The limit that an answer says it is over.
pub(super) fn limit_of(answer: &HeaderMap) -> Option<Limit> {
    let code = answer.get(Status::GRPC_STATUS)?;
    if Code::from_bytes(code.as_bytes()) != Code::ResourceExhausted {
        return None;
    }
    let failure = Status::from_header_map(answer)?.get_details_quota_failure()?;
    Limit::named(&failure.violations.first()?.subject)
}

/// A field that is malformed, missing or out of bounds.
pub(super) fn invalid(field: &str, problem: impl Into<String>) -> Status {
    Reason::InvalidField.field(field, problem)
}

/// An illegal move; `field` is where the request names the hole.
pub(super) fn illegal(error: &IllegalMove, field: &str) -> Status {
    let reason = match error {
        IllegalMove::NoSuchHole { .. } => {
            return Reason::HoleOutOfRange.field(field, error.to_string());
        }
        IllegalMove::Over => Reason::GameOver,
        IllegalMove::Closed | IllegalMove::Empty | IllegalMove::Blocked(_) => Reason::IllegalMove,
    };
    reason.precondition(rule(error), field.into(), error.to_string())
}

/// The rule that forbids a move.
fn rule(error: &IllegalMove) -> &'static str {
    match error {
        IllegalMove::NoSuchHole { .. } => Reason::HoleOutOfRange.name(),
        IllegalMove::Over => Reason::GameOver.name(),
        IllegalMove::Closed => "HOLE_CLOSED",
        IllegalMove::Empty => "HOLE_EMPTY",
        IllegalMove::Blocked(BlockReason::SowingTooLong) => "SOWING_TOO_LONG",
        IllegalMove::Blocked(BlockReason::TooFewSeeds) => "TOO_FEW_SEEDS",
        IllegalMove::Blocked(BlockReason::AlreadyOpened) => "ALREADY_OPENED",
        IllegalMove::Blocked(BlockReason::NotTheOpeningHole) => "NOT_THE_OPENING_HOLE",
        IllegalMove::Blocked(BlockReason::DoesNotFeed) => "DOES_NOT_FEED",
        IllegalMove::Blocked(BlockReason::GrandSlam) => "GRAND_SLAM",
    }
}

/// A text in a field of the request that is no game, or no moves.
pub(super) fn of_text(field: &str, error: &TranscriptError) -> Status {
    let TranscriptError {
        place,
        problem,
        illegal,
    } = error;
    let mut metadata = HashMap::from([
        ("line".into(), place.line.to_string()),
        ("column".into(), place.column.to_string()),
    ]);
    if let Some(illegal) = illegal {
        metadata.insert("rule".into(), rule(illegal).into());
    }
    let details = ErrorDetails::with_bad_request_violation(field, problem);
    Reason::InvalidRecord.with_metadata(format!("{field}: {error}"), details, metadata)
}

/// An error of the session about a game.
pub(super) fn of_game(id: GameId) -> impl Fn(SessionError) -> Status {
    move |error| of_session(error, Some(id))
}

/// An error of the session about a player.
pub(super) fn of_player(id: PlayerId) -> impl Fn(SessionError) -> Status {
    move |error| match error {
        SessionError::NoSuchPlayer | SessionError::PlayerDeleted => {
            Reason::PlayerNotFound.not_found("mancala.v1.Player", &id.to_string())
        }
        other => of_session(other, None),
    }
}

/// An error of the session that is about no game that the request names.
pub(super) fn of_none(error: SessionError) -> Status {
    of_session(error, None)
}

fn of_session(error: SessionError, game: Option<GameId>) -> Status {
    let name = game.map(|id| id.to_string()).unwrap_or_default();
    match error {
        SessionError::NoSuchGame => Reason::GameNotFound.not_found("mancala.v1.Game", &name),
        SessionError::NoSuchPlayer | SessionError::PlayerDeleted => {
            Reason::PlayerNotFound.not_found("mancala.v1.Player", "")
        }
        SessionError::Refused(refusal) => of_refusal(&refusal, name),
        SessionError::Create(error) => of_create(&error),
        SessionError::Name(error) => invalid("name", error.to_string()),
        SessionError::RematchGone => {
            let reason = Reason::RematchGone;
            reason.precondition(reason.name(), name, reason.meaning().into())
        }
        SessionError::BeyondTheLog { newest } => {
            let metadata = HashMap::from([("newest_seq".into(), newest.to_string())]);
            let reason = Reason::SeqBeyondLog;
            reason.with_metadata(reason.meaning(), ErrorDetails::new(), metadata)
        }
        SessionError::Store(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "the store failed");
            match error {
                // It will not pass: calling again is no use.
                StoreError::Entry(_) => Reason::Internal.plain(),
                _ => Reason::StoreUnavailable.plain(),
            }
        }
        SessionError::Contended => Reason::Contended.plain(),
        SessionError::Draining => Reason::Draining.plain(),
        SessionError::Lost => Reason::Internal.plain(),
        SessionError::TooMany { open_seats } => {
            let limit = match open_seats {
                true => Limit::OpenSeatsPerPlayer,
                false => Limit::GamesPerPlayer,
            };
            over(limit, GAMES_RETRY)
        }
        SessionError::TokenLapsed => Reason::TokenRevoked.plain(),
        SessionError::TooManyRevocations => {
            Reason::TooManyRevocations.quota_of("revocations-per-player")
        }
    }
}

fn of_refusal(refusal: &Refusal, game: String) -> Status {
    let precondition =
        |reason: Reason| reason.precondition(reason.name(), game.clone(), refusal.to_string());
    match refusal {
        Refusal::Invisible => Reason::GameNotFound.not_found("mancala.v1.Game", &game),
        Refusal::NotSeated | Refusal::NotYourSeat => Reason::NotSeated.plain(),
        Refusal::WhichSide => invalid("side", refusal.to_string()),
        Refusal::SeatTaken => precondition(Reason::SeatTaken),
        Refusal::JoinCode => Reason::JoinCodeWrong.plain(),
        Refusal::Status(GameStatus::Waiting) => precondition(Reason::GameNotStarted),
        Refusal::Status(GameStatus::Active) => precondition(Reason::GameStarted),
        Refusal::Status(GameStatus::Finished | GameStatus::Aborted) => {
            precondition(Reason::GameOver)
        }
        Refusal::StaleTurn { current } => {
            let metadata = HashMap::from([("turn".into(), current.to_string())]);
            Reason::StaleTurn.with_metadata(refusal.to_string(), ErrorDetails::new(), metadata)
        }
        Refusal::NotYourTurn => precondition(Reason::NotYourTurn),
        Refusal::OfferOpen { id } => {
            let metadata = HashMap::from([("offer_id".into(), id.to_string())]);
            let reason = Reason::OfferOpen;
            let (message, kind) = (refusal.to_string(), reason.name());
            let details = ErrorDetails::with_precondition_failure_violation(kind, game, &message);
            reason.with_metadata(message, details, metadata)
        }
        Refusal::OfferRepeated => precondition(Reason::OfferRepeated),
        Refusal::OfferGone => precondition(Reason::OfferGone),
        Refusal::OwnOffer => precondition(Reason::OwnOffer),
        Refusal::NothingToTakeBack => precondition(Reason::NothingToTakeBack),
        Refusal::TooManyTakebacks => Reason::TooManyTakebacks.quota_of("takebacks-per-game"),
        Refusal::Illegal(error) => illegal(error, "hole"),
        Refusal::RequestReused => Reason::RequestIdReused.field("request_id", refusal.to_string()),
    }
}

/// A board that a variant does not have.
pub(super) fn of_board(error: &BoardError) -> Status {
    let field = match error {
        BoardError::Holes { .. } => "holes",
        BoardError::Seeds { .. } => "seeds",
    };
    invalid(field, error.to_string())
}

fn of_create(error: &CreateError) -> Status {
    let field = match error {
        CreateError::Board(error) => return of_board(error),
        CreateError::TargetWins(_) => "target_wins",
        CreateError::TimeControl => "time_control",
        CreateError::OtherBoard { .. } | CreateError::StartIsOver => "start_position",
    };
    invalid(field, error.to_string())
}
