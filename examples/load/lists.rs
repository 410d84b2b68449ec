//! How long a page of a list takes, whatever the filter, among many games.

use std::{
    error::Error,
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use mancala::{
    catalog::Catalog,
    game::{GameId, PlayerId},
    grpc::proto::{
        self, GameStatus, ListGamesRequest, game_service_client::GameServiceClient,
        player_service_client::PlayerServiceClient,
    },
    store::Sqlite,
};
use tonic::{
    Request,
    metadata::{Ascii, MetadataValue},
    transport::Channel,
};

use super::{
    binary,
    games::{self, Maker, Stored},
    kinds::{KINDS, Kind, Whose},
    lot::Lot,
    report::{Measured, cpu_time},
    servers,
};

/// Players of whose games the lists are; a few have most of them.
const PLAYERS: usize = 200;

/// How many questions may be tried for each that is asked.
const ATTEMPTS: usize = 20;

type Token = MetadataValue<Ascii>;

/// Stores games, then asks for pages of each kind, one at a time.
pub async fn measure(games: usize, pages: usize, in_flight: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Sqlite::open(folder.path())?);
    let server = servers::start_over(folder, store.clone())?;
    let channel = binary::endpoint(&server.address)?.connect().await?;
    let players = register(channel.clone()).await?;
    let catalog = Catalog::built_in();
    let ids: Vec<_> = players.iter().map(|(id, _)| *id).collect();
    let mut maker = Maker::new(&catalog, &ids);
    let stored = games::store(&store, &mut maker, games, in_flight).await;
    let stored = stored.map_err(|error| error.to_string())?;
    let seconds = stored.time.as_secs_f64();
    println!(
        "{games} games of {} events stored in {seconds:.1} s: {:.0} games/s, {:.0} events/s; {:.0} MB",
        stored.events,
        games as f64 / seconds,
        stored.events as f64 / seconds,
        megabytes(server.folder.path())?
    );
    let variants = catalog.iter().map(|variant| variant.id.clone()).collect();
    let mut asker = Asker {
        games: GameServiceClient::new(channel),
        players,
        variants,
        stored,
        lot: Lot(2),
    };
    for size in [50, 200] {
        let (all_began, all_cpu, mut all) = (Instant::now(), cpu_time(), Vec::new());
        for kind in KINDS {
            for deep in [false, true] {
                let (began, cpu) = (Instant::now(), cpu_time());
                let latencies = asker.ask(kind, size, deep, pages).await?;
                all.extend(&latencies);
                let place = if deep { "deep" } else { "first" };
                let measured = Measured::new(began, cpu, latencies);
                println!(
                    "{size:>3} {place:<5} {:<26} {}",
                    kind.name,
                    measured.line("")
                );
            }
        }
        let measured = Measured::new(all_began, all_cpu, all);
        println!("{size:>3} all   {:<26} {}", "", measured.line(""));
    }
    Ok(())
}

/// Registers the players, and gives their ids and tokens.
async fn register(channel: Channel) -> Result<Vec<(PlayerId, Token)>, Box<dyn Error>> {
    let mut service = PlayerServiceClient::new(channel);
    let mut players = Vec::new();
    for _ in 0..PLAYERS {
        let request = proto::RegisterPlayerRequest {
            name: "Load".into(),
            kind: proto::PlayerKind::Bot.into(),
            request_id: String::new(),
        };
        let registered = service.register_player(request).await?.into_inner();
        let player = registered.player.ok_or("a registered player")?;
        let id = PlayerId(player.player_id.parse()?);
        players.push((id, format!("Bearer {}", registered.token).parse()?));
    }
    Ok(players)
}

struct Asker {
    games: GameServiceClient<Channel>,
    players: Vec<(PlayerId, Token)>,
    variants: Vec<String>,
    stored: Stored,
    lot: Lot,
}

impl Asker {
    /// Asks for pages of a kind, and gives how long each took.
    async fn ask(
        &mut self,
        kind: &Kind,
        size: u32,
        deep: bool,
        pages: usize,
    ) -> Result<Vec<Duration>, Box<dyn Error>> {
        let mut latencies = Vec::new();
        // Some lists are too short for a second page.
        for _ in 0..ATTEMPTS * pages {
            if latencies.len() == pages {
                break;
            }
            let (viewer, mut content) = self.question(kind, size);
            if deep {
                // A page token ends with the id of the last game before: so a page far down is asked
                // for without all those above it.
                let first = ListGamesRequest {
                    page_size: 1,
                    ..content.clone()
                };
                let first = self.list(&viewer, first).await?;
                let Some(filter) = first.next_page_token.get(..16) else {
                    continue;
                };
                let GameId(last) = self.stored.public[self.lot.below(self.stored.public.len())];
                content.page_token = format!("{filter}{:032x}", last.as_u128());
            }
            let began = Instant::now();
            self.list(&viewer, content).await?;
            latencies.push(began.elapsed());
        }
        Ok(latencies)
    }

    async fn list(
        &mut self,
        viewer: &Option<Token>,
        content: ListGamesRequest,
    ) -> Result<proto::ListGamesResponse, tonic::Status> {
        let mut request = Request::new(content);
        if let Some(token) = viewer {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", token.clone());
        }
        Ok(self.games.list_games(request).await?.into_inner())
    }

    fn question(&mut self, kind: &Kind, size: u32) -> (Option<Token>, ListGamesRequest) {
        let Kind {
            name: _,
            viewer,
            player,
            status,
            variant,
            open_seat,
        } = kind;
        let asker = self.lot.below(self.players.len());
        let player = match player {
            Whose::Everybody => None,
            Whose::Own => Some(asker),
            Whose::Others => Some(self.lot.below(self.players.len())),
        };
        let statuses = [
            GameStatus::Waiting,
            GameStatus::Active,
            GameStatus::Finished,
            GameStatus::Aborted,
        ];
        let some_status = statuses[self.lot.below(statuses.len())];
        let some_variant = self.lot.below(self.variants.len());
        let content = ListGamesRequest {
            page_size: size,
            page_token: String::new(),
            status: match status {
                true => some_status.into(),
                false => 0,
            },
            player_id: player.map_or_else(String::new, |player| self.players[player].0.to_string()),
            variant: match variant {
                true => self.variants[some_variant].clone(),
                false => String::new(),
            },
            open_seat: *open_seat,
        };
        (viewer.then(|| self.players[asker].1.clone()), content)
    }
}

/// What the files of a folder take.
fn megabytes(folder: &Path) -> std::io::Result<f64> {
    let mut bytes = 0;
    for file in fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes as f64 / 1e6)
}
