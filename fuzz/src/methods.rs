//! Every method of every service, by number. The corpus has the numbers: new methods go to the end.

/// Paths, and whether an answer may be waited for in vain.
pub const METHODS: &[(&str, bool)] = &[
    ("/mancala.v1.RulesService/ListVariants", false),
    ("/mancala.v1.RulesService/GetVariant", false),
    ("/mancala.v1.RulesService/GetStartPosition", false),
    ("/mancala.v1.RulesService/EnumerateMoves", false),
    ("/mancala.v1.RulesService/ApplyMoves", false),
    ("/mancala.v1.RulesService/CountMoves", false),
    ("/mancala.v1.GameService/CreateGame", false),
    ("/mancala.v1.GameService/GetGame", false),
    ("/mancala.v1.GameService/ListGames", false),
    ("/mancala.v1.GameService/JoinGame", false),
    ("/mancala.v1.GameService/ListLegalMoves", false),
    ("/mancala.v1.GameService/SubmitMove", false),
    ("/mancala.v1.GameService/ResignGame", false),
    ("/mancala.v1.GameService/AbortGame", false),
    ("/mancala.v1.GameService/OfferDraw", false),
    ("/mancala.v1.GameService/RequestTakeback", false),
    ("/mancala.v1.GameService/AnswerOffer", false),
    ("/mancala.v1.GameService/RematchGame", false),
    ("/mancala.v1.GameService/ListGameEvents", true),
    ("/mancala.v1.GameService/ExportGame", false),
    ("/mancala.v1.GameService/ImportGame", false),
    ("/mancala.v1.GameService/WatchGame", true),
    ("/mancala.v1.PlayerService/RegisterPlayer", false),
    ("/mancala.v1.PlayerService/GetPlayer", false),
    ("/mancala.v1.PlayerService/WatchPlayer", true),
    ("/grpc.health.v1.Health/Check", false),
    ("/grpc.health.v1.Health/Watch", true),
    (
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        true,
    ),
    (
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        true,
    ),
    ("/mancala.v1.PlayerService/RenewToken", false),
    ("/mancala.v1.PlayerService/RevokeTokens", false),
    ("/mancala.v1.PlayerService/DeletePlayer", false),
    ("/mancala.v1.AdminService/AdminAbortGame", false),
    ("/mancala.v1.AdminService/BanPlayer", false),
    ("/mancala.v1.AdminService/UnbanPlayer", false),
    ("/mancala.v1.AdminService/RenamePlayer", false),
    ("/mancala.v1.AdminService/ListPlayerGames", false),
    ("/mancala.v1.AdminService/ListAudit", false),
    ("/mancala.v1.AdminService/ListLimits", false),
];

/// Checks that the list has every method of the schema.
///
/// # Panics
///
/// If one is missing.
pub fn check_complete() {
    use prost::Message as _;
    let schema = prost_types::FileDescriptorSet::decode(mancala::grpc::proto::SCHEMA);
    for file in schema.expect("the schema is one").file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                let known = METHODS.iter().any(|(known, _)| *known == path);
                assert!(known, "{path} is missing at the end of METHODS");
            }
        }
    }
}
