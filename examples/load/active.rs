//! What a game that is being played costs.

use std::{error::Error, sync::Arc};

use mancala::{
    catalog::Catalog,
    game::GameId,
    grpc::proto::{self, game_service_client::GameServiceClient},
    store::Sqlite,
};
use tokio::task::JoinSet;
use tonic::{Status, transport::Channel};

use super::{
    binary::Binary,
    clients,
    games::{self, Template},
    start,
};

/// Moves that each game has behind it.
const PLY: usize = 60;

/// Connections that games are asked for over, one after another on each.
const CONNECTIONS: usize = 16;

/// Stores games, has a server load each, and tells how much memory it has for them.
pub async fn measure(games: usize, in_flight: usize) -> Result<(), Box<dyn Error>> {
    let (empty, _) = start::at_rest().await?;
    let folder = tempfile::tempdir()?;
    let catalog = Catalog::built_in();
    let template = Template::of_ply(&catalog, PLY).map_err(|error| error.to_string())?;
    let ids = {
        let store = Arc::new(Sqlite::open(folder.path())?);
        let copied = games::copies(&store, &template, games, in_flight).await;
        copied.map_err(|error| error.to_string())?
    };
    let server = Binary::start(folder.path())?;
    server.connect().await?;
    let mut asking = JoinSet::new();
    let channels = clients::connect(&server.address, CONNECTIONS).await?;
    for (channel, ids) in channels
        .into_iter()
        .zip(ids.chunks(ids.len().div_ceil(CONNECTIONS)))
    {
        asking.spawn(ask(channel, ids.to_vec()));
    }
    while let Some(asked) = asking.join_next().await {
        asked??;
    }
    let growth = (server.memory()? - empty) as f64 / games as f64 / 1_024.0;
    println!("{games} active games at ply {PLY}: {growth:.2} KiB a game");
    Ok(())
}

async fn ask(channel: Channel, ids: Vec<GameId>) -> Result<(), Status> {
    let mut client = GameServiceClient::new(channel);
    for id in ids {
        let game_id = id.to_string();
        client.get_game(proto::GetGameRequest { game_id }).await?;
    }
    Ok(())
}
