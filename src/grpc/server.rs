//! The server: all services on one listener, behind one stack of layers, until it is told to stop.

use std::{future::Future, sync::Arc, time::Duration};

use http::{HeaderName, HeaderValue, Method};
use tokio::{net::TcpListener, sync::oneshot, time};
use tonic::{
    service::{InterceptorLayer, Routes},
    transport::{Server, server::TcpIncoming},
};
use tower::{ServiceBuilder, util::MapResponseLayer};
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{AllowOrigin, CorsLayer},
};

use super::{
    MAX_ANSWER, MAX_REQUEST, Tokens,
    call::{self, Traced},
    game_service::Games,
    gate::Gate,
    player_service::Players,
    proto::{
        SCHEMA, game_service_server::GameServiceServer, player_service_server::PlayerServiceServer,
        rules_service_server::RulesServiceServer,
    },
    rules_service::Rules,
};
use crate::{
    catalog::Catalog,
    session::{Session, SessionError},
};

/// Calls and streams of one connection at the same time.
const STREAMS_A_CONNECTION: u32 = 256;

/// A connection is asked for a sign of life after so long without one, and closed without an answer.
const KEEPALIVE: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// HTTP/2 windows: what a client may send, unread, on a stream and on a connection, in bytes. Requests
/// are small.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// From `NOT_SERVING` to goodbye: so long balancers get to send calls elsewhere.
const GRACE: Duration = Duration::from_millis(500);

/// From goodbye to the end, whoever still hangs on.
const DRAIN: Duration = Duration::from_secs(10);

/// The whole service, ready to be served.
pub struct Service {
    /// The variants.
    pub catalog: Arc<Catalog>,
    /// The games.
    pub session: Session,
    /// What stands before them.
    pub edge: Edge,
}

/// What every call passes before it comes to a service.
#[derive(Clone)]
pub struct Edge {
    /// The tokens.
    pub tokens: Tokens,
    /// Origins whose pages may call over gRPC-Web, beside the server's own.
    pub allowed_origins: Vec<HeaderValue>,
}

/// Why serving ended other than by being told to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The schema can't be reflected.
    #[error("the schema can't be reflected")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The log can't be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The transport failed.
    #[error("the server failed")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves on a bound listener until `stop` is done; then drains: health says `NOT_SERVING`, streams
/// are said goodbye, calls are finished, and what still hangs on after a while is cut off.
///
/// # Errors
///
/// Fails if the transport does.
pub async fn serve(
    service: Service,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let Service {
        catalog,
        session,
        edge,
    } = service;
    let rules = RulesServiceServer::new(Rules::new(catalog.clone()))
        .max_decoding_message_size(MAX_REQUEST)
        .max_encoding_message_size(MAX_ANSWER);
    let games = GameServiceServer::new(Games {
        session: session.clone(),
        catalog,
        importing: Gate::default(),
    })
    .max_decoding_message_size(MAX_REQUEST)
    .max_encoding_message_size(MAX_ANSWER);
    let players = PlayerServiceServer::new(Players {
        session: session.clone(),
        tokens: edge.tokens.clone(),
    })
    .max_decoding_message_size(MAX_REQUEST)
    .max_encoding_message_size(MAX_ANSWER);
    let (mut health, health_service) = tonic_health::server::health_reporter();
    let services = [
        "",
        "mancala.v1.RulesService",
        "mancala.v1.GameService",
        "mancala.v1.PlayerService",
    ];
    for name in services {
        health
            .set_service_status(name, tonic_health::ServingStatus::Serving)
            .await;
    }
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(SCHEMA)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };

    let routes = Routes::new(rules)
        .add_service(games)
        .add_service(players)
        .add_service(health_service.max_decoding_message_size(MAX_REQUEST))
        .add_service(
            reflection()
                .build_v1()?
                .max_decoding_message_size(MAX_REQUEST),
        )
        .add_service(
            reflection()
                .build_v1alpha()?
                .max_decoding_message_size(MAX_REQUEST),
        );

    session.resume().await?;
    let (stopped, stopping) = oneshot::channel::<()>();
    let serving = serve_routes(routes, edge, listener, async {
        // A dropped sender means the same.
        let _ = stopping.await;
    });
    // Time is kept to the end: while calls are served, clocks run out.
    let serving = async {
        tokio::select! {
            ended = serving => ended,
            never = session.keep_time() => match never {},
        }
    };
    tokio::pin!(serving);
    tokio::select! {
        ended = &mut serving => return Ok(ended?),
        () = stop => {}
    }
    for name in services {
        health
            .set_service_status(name, tonic_health::ServingStatus::NotServing)
            .await;
    }
    tracing::info!("draining");
    if let Ok(ended) = time::timeout(GRACE, &mut serving).await {
        return Ok(ended?);
    }
    session.drain();
    // Watches of health end when what they watch is gone.
    for name in services {
        health.clear_service_status(name).await;
    }
    drop(stopped);
    match time::timeout(DRAIN, &mut serving).await {
        Ok(ended) => Ok(ended?),
        Err(_) => {
            tracing::warn!("some calls did not end in time and were cut off");
            Ok(())
        }
    }
}

/// Serves routes behind the stack of layers until `stop` is done and the last call has ended.
///
/// # Errors
///
/// Fails if the transport does.
pub async fn serve_routes(
    routes: Routes,
    edge: Edge,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<(), tonic::transport::Error> {
    // From the outside in.
    let layers = ServiceBuilder::new()
        .layer(cors(edge.allowed_origins))
        .layer(tonic_web::GrpcWebLayer::new())
        .layer(Traced)
        .layer(CatchPanicLayer::custom(call::panicked))
        .layer(InterceptorLayer::new(edge.tokens))
        .layer(MapResponseLayer::new(call::refine))
        .into_inner();
    Server::builder()
        .accept_http1(true)
        .max_concurrent_streams(STREAMS_A_CONNECTION)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .layer(layers)
        .add_routes(routes)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), stop)
        .await
}

/// gRPC-Web from pages of these origins.
fn cors(origins: Vec<HeaderValue>) -> CorsLayer {
    let exposed = ["grpc-status", "grpc-message", "grpc-status-details-bin"];
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::POST])
        .allow_headers(tower_http::cors::AllowHeaders::mirror_request())
        .expose_headers(exposed.map(HeaderName::from_static))
        .max_age(Duration::from_secs(24 * 60 * 60))
}
