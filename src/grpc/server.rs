//! The server: all services on one listener, behind one stack of layers, until it is told to stop.

use std::{
    future::{self, Future},
    sync::Arc,
    time::Duration,
};

use http::{HeaderName, HeaderValue, Method, Request};
use hyper::body::Incoming;
use tokio::{net::TcpListener, sync::watch, time};
use tonic::{
    body::Body,
    service::{LayerExt as _, Routes},
};
use tower::{
    ServiceBuilder,
    util::{MapRequestLayer, MapResponseLayer},
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{AllowOrigin, CorsLayer},
};

use super::{
    Identity, Limit, Limits, Patience, Proxies, Registration, Tls, Tokens,
    admin_service::Admins,
    admission::Admission,
    body,
    call::{self, Traced},
    connections::{self, Places},
    deadline::Deadlines,
    game_service::Games,
    gate::Gate,
    player_service::Players,
    proto::{
        SCHEMA, admin_service_server::AdminServiceServer, game_service_server::GameServiceServer,
        player_service_server::PlayerServiceServer, rules_service_server::RulesServiceServer,
    },
    quotas::Quotas,
    reload,
    rules_service::Rules,
};
use crate::{
    catalog::Catalog,
    session::{Session, SessionError},
};

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
    /// Who calls.
    pub identity: Identity,
    /// How much there may be of what.
    pub limits: Limits,
    /// Whom to believe about who calls.
    pub proxies: Proxies,
    /// Origins whose pages may call over gRPC-Web, beside the server's own.
    pub allowed_origins: Vec<HeaderValue>,
    /// The certificate; without one nothing is encrypted.
    pub tls: Option<Tls>,
    /// How long connections may take for what.
    pub patience: Patience,
}

/// Where the server listens.
pub struct Listeners {
    /// For everybody.
    pub public: TcpListener,
    /// For admins: without a token if it is a loopback address.
    pub admin: Option<TcpListener>,
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
}

/// Serves on a bound listener until `stop` is done; then drains: health says `NOT_SERVING`, streams
/// are said goodbye, calls are finished, and what still hangs on after a while is cut off.
///
/// # Errors
///
/// Fails if the log can't be read.
pub async fn serve(
    service: Service,
    Listeners { public, admin }: Listeners,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let Service {
        catalog,
        session,
        edge,
    } = service;
    let quotas = Arc::new(Quotas::new(edge.limits));
    let (request, answer) = (
        edge.limits.size(Limit::RequestBytes),
        edge.limits.size(Limit::AnswerBytes),
    );
    macro_rules! sized {
        ($server:ident($service:expr)) => {
            $server::new($service)
                .max_decoding_message_size(request)
                .max_encoding_message_size(answer)
        };
    }
    let gate = Gate::new(quotas.clone());
    let rules = sized!(RulesServiceServer(Rules::new(
        catalog.clone(),
        gate.clone(),
        &edge.limits
    )));
    let games = sized!(GameServiceServer(Games {
        session: session.clone(),
        catalog,
        gate,
        most_bytes: answer,
    }));
    let players = sized!(PlayerServiceServer(Players {
        session: session.clone(),
        identity: edge.identity.clone(),
    }));
    let admins = sized!(AdminServiceServer(Admins {
        session: session.clone(),
        quotas: quotas.clone(),
    }));
    let (mut health, health_service) = tonic_health::server::health_reporter();
    let services = [
        "",
        "mancala.v1.RulesService",
        "mancala.v1.GameService",
        "mancala.v1.PlayerService",
        "mancala.v1.AdminService",
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

    let ageing = || ServiceBuilder::new().layer(MapResponseLayer::new(body::ageing));
    let asked = || ageing().layer(MapRequestLayer::new(body::few));
    let health_service = ageing().named_layer(health_service.max_decoding_message_size(request));
    let admin_routes = Routes::new(admins.clone()).add_service(health_service.clone());
    let routes = Routes::new(rules)
        .add_service(games)
        .add_service(players)
        .add_service(admins)
        .add_service(health_service)
        .add_service(
            asked().named_layer(reflection().build_v1()?.max_decoding_message_size(request)),
        )
        .add_service(
            asked().named_layer(
                reflection()
                    .build_v1alpha()?
                    .max_decoding_message_size(request),
            ),
        );

    session.limit_games(
        edge.limits[Limit::GamesPerPlayer],
        edge.limits[Limit::OpenSeatsPerPlayer],
    );
    session.resume().await?;
    let (stopped, stopping) = watch::channel(());
    let until_stopped = || {
        let mut stopping = stopping.clone();
        async move {
            // It changes only by being dropped.
            let _ = stopping.changed().await;
        }
    };
    let issuer = edge.identity.issuer.clone();
    let door = edge.door(&session, &quotas);
    // Others may have used all that there is.
    let admins_quotas = Arc::new(Quotas::new(Limits::default()));
    let serving = serve_door(routes, door.clone(), public, until_stopped());
    let serving_admins = async {
        let Some(listener) = admin else {
            return;
        };
        let address = listener.local_addr();
        let own = address.is_ok_and(|address| address.ip().is_loopback());
        let door = Door {
            tls: door.tls.clone().filter(|_| !own),
            admission: Admission {
                admins_door: own,
                quotas: admins_quotas.clone(),
                ..door.admission.clone()
            },
            allowed_origins: Vec::new(),
            ..door.clone()
        };
        serve_door(admin_routes, door, listener, until_stopped()).await;
    };
    let serving = async { tokio::join!(serving, serving_admins) };
    let follow_issuer = async {
        match &issuer {
            Some(issuer) => {
                let issuer = issuer.clone();
                reload::for_ever("issuer's keys", move || issuer.reload()).await
            }
            None => future::pending().await,
        }
    };
    // Time is kept to the end: while calls are served, clocks run out.
    let serving = async {
        tokio::select! {
            _ = serving => {}
            never = session.keep_time() => match never {},
            never = quotas.tidy_for_ever() => match never {},
            never = admins_quotas.tidy_for_ever() => match never {},
            never = follow_issuer => match never {},
        }
    };
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = stop => {}
    }
    for name in services {
        health
            .set_service_status(name, tonic_health::ServingStatus::NotServing)
            .await;
    }
    tracing::info!("draining");
    if let Ok(()) = time::timeout(GRACE, &mut serving).await {
        return Ok(());
    }
    session.drain();
    // Watches of health end when what they watch is gone.
    for name in services {
        health.clear_service_status(name).await;
    }
    drop(stopped);
    if time::timeout(DRAIN, &mut serving).await.is_err() {
        tracing::warn!("some calls did not end in time and were cut off");
    }
    Ok(())
}

impl Edge {
    /// With everything but the tokens as it is if nobody says otherwise.
    pub fn new(tokens: Tokens) -> Edge {
        Edge {
            identity: Identity {
                tokens,
                issuer: None,
                registration: Registration::default(),
            },
            limits: Limits::default(),
            proxies: Proxies::default(),
            allowed_origins: Vec::new(),
            tls: None,
            patience: Patience::default(),
        }
    }

    fn door(self, session: &Session, quotas: &Arc<Quotas>) -> Door {
        Door {
            admission: Admission {
                session: session.clone(),
                identity: self.identity,
                proxies: Arc::new(self.proxies),
                quotas: quotas.clone(),
                admins_door: false,
            },
            allowed_origins: self.allowed_origins,
            tls: self.tls,
            patience: self.patience,
        }
    }
}

/// What stands between a listener and the services.
#[derive(Clone)]
struct Door {
    admission: Admission,
    allowed_origins: Vec<HeaderValue>,
    tls: Option<Tls>,
    patience: Patience,
}

/// Serves routes behind the stack of layers until `stop` is done and the last call has ended.
pub async fn serve_routes(
    routes: Routes,
    session: &Session,
    edge: Edge,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) {
    let quotas = Arc::new(Quotas::new(edge.limits));
    let door = edge.door(session, &quotas);
    serve_door(routes, door, listener, stop).await;
}

async fn serve_door(
    routes: Routes,
    door: Door,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) {
    let Door {
        admission,
        allowed_origins,
        tls,
        patience,
    } = door;
    let places = Places {
        quotas: admission.quotas.clone(),
        proxies: admission.proxies.clone(),
        patience,
        admins_door: admission.admins_door,
    };
    let admins_door = admission.admins_door;
    let most = admission.quotas.limits.size(Limit::RequestBytes);
    // From the outside in.
    let calls = ServiceBuilder::new()
        .layer(Traced)
        .layer(Deadlines {
            most: patience.answer,
        })
        .layer(CatchPanicLayer::custom(call::panicked))
        .layer(admission)
        .layer(MapResponseLayer::new(call::refine))
        .layer(MapRequestLayer::new(move |request: Request<Body>| {
            body::bounded(request, most)
        }))
        .service(routes.prepare());
    if admins_door {
        let calls = ServiceBuilder::new()
            .map_request(|request: Request<Incoming>| request.map(Body::new))
            .service(calls);
        return connections::serve(listener, tls, places, calls, stop).await;
    }
    let service = ServiceBuilder::new()
        .layer(cors(allowed_origins))
        .layer(tonic_web::GrpcWebLayer::new())
        .service(calls);
    connections::serve(listener, tls, places, service, stop).await;
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
