//! Games as text: what `ExportGame` and `ImportGame` ask for.

use tonic::Status;

use super::{
    asked::Asked,
    error,
    game_service::Games,
    gate::{Piece, Who},
    new_game, proto,
};
use crate::{
    game::{Game, GameId, ImportedGame, Importer, PlayerId, Seat, Transcript},
    rules::{BySide, Side},
    session::{self, SessionError},
};

impl Games {
    /// A game as text.
    pub(super) async fn export(
        &self,
        id: GameId,
        viewer: Option<PlayerId>,
    ) -> Result<String, Status> {
        let game = self.session.look(id, viewer, Game::clone).await;
        let game = game.map_err(error::of_game(id))?;
        let seats = &game.summary().seats;
        let names = BySide {
            south: self.name(seats[Side::South]).await?,
            north: self.name(seats[Side::North]).await?,
        };
        Ok(game.export(&names))
    }

    /// The name of whoever has a seat, or is to have it.
    async fn name(&self, seat: Seat) -> Result<String, Status> {
        let player = match seat {
            Seat::Player(player) | Seat::Invited(player) => player,
            Seat::Open | Seat::Named => return Ok(String::new()),
        };
        match self.session.player(player).await {
            Ok(player) => Ok(player.name),
            Err(SessionError::NoSuchPlayer) => Ok(String::new()),
            Err(other) => Err(error::of_none(other)),
        }
    }

    /// The game of a text, played again.
    pub(super) async fn replayed(
        &self,
        asked: Asked,
        content: proto::ImportGameRequest,
        who: Who,
    ) -> Result<ImportedGame, Status> {
        let proto::ImportGameRequest {
            text,
            visibility,
            request_id: _,
        } = content;
        let importer = Importer {
            player: asked.player,
            game_id: session::new_game_id(asked.request),
            visibility: new_game::read_visibility(visibility)?,
        };
        let catalog = self.catalog.clone();
        let replay = move |piece: &Piece| {
            let transcript = Transcript::parse(&text);
            let mut may_go_on = || piece.may_go_on();
            transcript
                .and_then(|read| read.replay_while(&catalog, importer, &mut may_go_on))
                .map_err(|error| error::of_text("text", &error))
        };
        self.gate.run(who, replay).await
    }
}
