//! Who and what is there when the service begins to be fuzzed: always the same players and games, whose ids
//! are in the dictionaries.

use mancala::grpc::proto::{
    CallerSeat, CreateGameRequest, CreateGameResponse, JoinGameRequest, JoinGameResponse,
    PlayerKind, RegisterPlayerRequest, RegisterPlayerResponse, SeatRequest, SubmitMoveRequest,
    SubmitMoveResponse, seat_request::Seat,
};

use crate::client::Client;

/// A player of the table.
pub struct Guest {
    /// The player's id.
    pub id: String,
    /// The player's token.
    pub token: String,
}

/// Registers two players, and begins a game of the first one with an open seat, and one with the second.
///
/// # Panics
///
/// If the server refuses.
pub fn lay(client: &mut Client) -> [Guest; 2] {
    let guests = [1, 2].map(|number| register(client, number));
    let [first, second] = &guests;
    let open = create(client, first, 3, Seat::Open(Default::default()));
    let theirs = create(client, first, 4, Seat::InvitedPlayerId(second.id.clone()));
    let joined = JoinGameRequest {
        game_id: theirs.clone(),
        ..Default::default()
    };
    let path = "/mancala.v1.GameService/JoinGame";
    let _: JoinGameResponse = client.ask(path, Some(&second.token), &joined);
    let moved = SubmitMoveRequest {
        game_id: theirs.clone(),
        hole: Some(4),
        ..Default::default()
    };
    let path = "/mancala.v1.GameService/SubmitMove";
    let _: SubmitMoveResponse = client.ask(path, Some(&first.token), &moved);
    eprintln!("players {} {}", first.id, second.id);
    eprintln!("games {open} {theirs}");
    guests
}

/// A request id.
fn request_id(number: u8) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn register(client: &mut Client, number: u8) -> Guest {
    let request = RegisterPlayerRequest {
        name: format!("Guest {number}"),
        kind: PlayerKind::Bot.into(),
        request_id: request_id(number),
    };
    let path = "/mancala.v1.PlayerService/RegisterPlayer";
    let answer: RegisterPlayerResponse = client.ask(path, None, &request);
    Guest {
        id: answer
            .player
            .map(|player| player.player_id)
            .unwrap_or_default(),
        token: answer.token,
    }
}

/// Creates a game in which the caller is South, and gives its id.
fn create(client: &mut Client, guest: &Guest, number: u8, north: Seat) -> String {
    let seat = |seat| Some(SeatRequest { seat: Some(seat) });
    let request = CreateGameRequest {
        variant: "bosh".into(),
        south: seat(Seat::Caller(CallerSeat {})),
        north: seat(north),
        first: mancala::grpc::proto::FirstMover::South.into(),
        request_id: request_id(number),
        ..Default::default()
    };
    let path = "/mancala.v1.GameService/CreateGame";
    let answer: CreateGameResponse = client.ask(path, Some(&guest.token), &request);
    answer.game.map(|game| game.game_id).unwrap_or_default()
}
