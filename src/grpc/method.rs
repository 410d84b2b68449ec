//! What a call of each method takes of the server.

/// What the server has to know of a method before its handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method {
    /// What a call counts for in the rates of its player and address. One that changes a game, or reads one,
    /// is 1.
    pub(super) units: u32,
    /// Whether it is open for long, so that it counts as a stream and not as a call.
    pub(super) stream: bool,
    /// Whether it is open for so long that its caller's token may become bad meanwhile.
    pub(super) waits: bool,
    /// Whether a retry of it comes with a token that it has made bad itself.
    pub(super) ends_tokens: bool,
}

/// Most units that a call counts for.
pub(super) const MOST_UNITS: u32 = 500;

impl Method {
    /// The method at a path. Units are by the processor time that calls took, and what they leave on the disk.
    pub(super) fn at(path: &str) -> Method {
        let call = |units| Method {
            units,
            stream: false,
            waits: false,
            ends_tokens: false,
        };
        let stream = |units| Method {
            stream: true,
            waits: true,
            ..call(units)
        };
        match path {
            "/mancala.v1.GameService/WatchGame" | "/grpc.health.v1.Health/Watch" => stream(5),
            // It may wait for as long as streams do.
            "/mancala.v1.GameService/ListGameEvents" => stream(20),
            "/mancala.v1.PlayerService/WatchPlayer"
            | "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
            | "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo" => stream(50),
            "/mancala.v1.PlayerService/RevokeTokens" | "/mancala.v1.PlayerService/DeletePlayer" => {
                Method {
                    ends_tokens: true,
                    ..call(100)
                }
            }
            "/mancala.v1.RulesService/CountMoves" => call(MOST_UNITS),
            "/mancala.v1.GameService/ImportGame" => call(100),
            "/mancala.v1.PlayerService/RegisterPlayer" => call(50),
            "/mancala.v1.GameService/ListGames" | "/mancala.v1.RulesService/ApplyMoves" => call(20),
            "/mancala.v1.GameService/ExportGame"
            | "/mancala.v1.GameService/CreateGame"
            | "/mancala.v1.GameService/RematchGame" => call(10),
            "/mancala.v1.RulesService/EnumerateMoves"
            | "/mancala.v1.GameService/ListLegalMoves"
            | "/mancala.v1.RulesService/ListVariants"
            | "/mancala.v1.RulesService/GetVariant" => call(3),
            _ => call(1),
        }
    }
}
