//! `RulesService`: the rules as pure functions.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use super::{
    Limit, Limits, board,
    error::{self, Reason, invalid},
    gate::{self, Gate, Piece},
    legal::LegalMoves,
    line::Line,
    page,
    proto::{self, rules_service_server::RulesService},
};
use crate::{
    catalog::{Catalog, Decision, Source, Variant},
    rules::Side,
};

/// Deepest `CountMoves`, in plies.
const MOST_DEPTH: u32 = 64;

/// The service over a catalog.
pub(super) struct Rules {
    catalog: Arc<Catalog>,
    gate: Gate,
    most_laps: u64,
    most_bytes: usize,
}

impl Rules {
    pub(super) fn new(catalog: Arc<Catalog>, gate: Gate, limits: &Limits) -> Rules {
        Rules {
            catalog,
            gate,
            most_laps: limits[Limit::CountLaps].into(),
            most_bytes: limits.size(Limit::AnswerBytes),
        }
    }
}

#[tonic::async_trait]
impl RulesService for Rules {
    async fn list_variants(
        &self,
        request: Request<proto::ListVariantsRequest>,
    ) -> Result<Response<proto::ListVariantsResponse>, Status> {
        let proto::ListVariantsRequest {
            page_size,
            page_token,
        } = request.into_inner();
        let size = page::size(page_size)? as usize;
        let filter = proto::ListVariantsRequest::default();
        let begin = page::cursor(&filter, &page_token)?.unwrap_or(0);
        let begin = usize::try_from(begin).unwrap_or(usize::MAX);
        let mut rest = self.catalog.iter().skip(begin).peekable();
        let variants: Vec<_> = rest
            .by_ref()
            .take(size)
            .map(|variant| summary(variant))
            .collect();
        let end = begin.saturating_add(variants.len()) as u128;
        Ok(Response::new(proto::ListVariantsResponse {
            variants,
            next_page_token: rest
                .peek()
                .map(|_| page::token(&filter, end))
                .unwrap_or_default(),
        }))
    }

    async fn get_variant(
        &self,
        request: Request<proto::GetVariantRequest>,
    ) -> Result<Response<proto::GetVariantResponse>, Status> {
        let proto::GetVariantRequest { variant } = request.into_inner();
        let variant = board::variant(&self.catalog, &variant)?;
        Ok(Response::new(proto::GetVariantResponse {
            variant: Some(variant_message(variant)),
        }))
    }

    async fn get_start_position(
        &self,
        request: Request<proto::GetStartPositionRequest>,
    ) -> Result<Response<proto::GetStartPositionResponse>, Status> {
        let proto::GetStartPositionRequest {
            variant,
            holes,
            first,
            seeds,
        } = request.into_inner();
        let variant = board::variant(&self.catalog, &variant)?;
        let rules = board::rules(variant, holes, seeds)?;
        let first = board::maybe_side("first", first)?.unwrap_or(Side::South);
        Ok(Response::new(proto::GetStartPositionResponse {
            position: Some(board::position(&variant.id, rules, &rules.start(first))),
        }))
    }

    async fn enumerate_moves(
        &self,
        request: Request<proto::EnumerateMovesRequest>,
    ) -> Result<Response<proto::EnumerateMovesResponse>, Status> {
        let who = gate::who(&request);
        let proto::EnumerateMovesRequest {
            position,
            omit_steps,
        } = request.into_inner();
        let (variant, rules, position) =
            board::read_position(&self.catalog, "position", position.as_ref())?;
        let asked = LegalMoves {
            variant: variant.id.clone(),
            rules: rules.clone(),
            position,
            omit_steps,
            most_bytes: self.most_bytes,
        };
        let (moves, blocked) = asked.find(&self.gate, who).await?;
        Ok(Response::new(proto::EnumerateMovesResponse {
            moves,
            blocked,
        }))
    }

    async fn apply_moves(
        &self,
        request: Request<proto::ApplyMovesRequest>,
    ) -> Result<Response<proto::ApplyMovesResponse>, Status> {
        let who = gate::who(&request);
        let proto::ApplyMovesRequest {
            position,
            moves,
            omit_steps,
            move_text,
        } = request.into_inner();
        let line = Line::read(moves, &move_text)?;
        let (catalog, most_bytes) = (self.catalog.clone(), self.most_bytes);
        let apply = move |piece: &Piece| {
            let (variant, rules, mut position) =
                board::read_position(&catalog, "position", position.as_ref())?;
            let mut answer = board::Answer::new(most_bytes);
            for index in 0..line.len() {
                piece.go_on()?;
                let hole = line.hole(index, rules, &position)?;
                let (after, outcome) = board::play(&variant.id, rules, &position, hole, omit_steps)
                    .map_err(|error| error::illegal(&error, &line.field(index)))?;
                position = after;
                answer.push(outcome)?;
            }
            Ok(proto::ApplyMovesResponse {
                outcomes: answer.outcomes,
            })
        };
        self.gate.run(who, apply).await.map(Response::new)
    }

    async fn count_moves(
        &self,
        request: Request<proto::CountMovesRequest>,
    ) -> Result<Response<proto::CountMovesResponse>, Status> {
        let who = gate::who(&request);
        let proto::CountMovesRequest { position, depth } = request.into_inner();
        if depth > MOST_DEPTH {
            return Err(invalid("depth", format!("at most {MOST_DEPTH}")));
        }
        let catalog = self.catalog.clone();
        let most_laps = self.most_laps;
        let count = move |piece: &Piece| {
            let (_, rules, position) =
                board::read_position(&catalog, "position", position.as_ref())?;
            let mut may_go_on = || piece.may_go_on();
            let count = rules.perft_while(&position, depth, most_laps, &mut may_go_on);
            let nodes = count.map_err(|_| Reason::CountTooLarge.quota(Limit::CountLaps))?;
            Ok(proto::CountMovesResponse { nodes })
        };
        self.gate.run(who, count).await.map(Response::new)
    }
}

fn summary(variant: &Variant) -> proto::VariantSummary {
    let definition = variant.rule_set().definition();
    let (holes, seeds) = (definition.holes, definition.seed_range());
    proto::VariantSummary {
        variant: variant.id.clone(),
        name: variant.name.clone(),
        region: variant.region.clone(),
        summary: variant.summary.clone(),
        min_holes: holes.min.into(),
        max_holes: holes.max.into(),
        default_holes: holes.default.into(),
        rules_digest: variant.rule_set().digest().to_owned(),
        min_seeds: seeds.min.into(),
        max_seeds: seeds.max.into(),
        default_seeds: definition.seeds.into(),
    }
}

fn variant_message(variant: &Variant) -> proto::Variant {
    let definition = variant.rule_set().definition();
    let sources = variant
        .sources
        .iter()
        .map(|Source { citation, url }| proto::Source {
            citation: citation.clone(),
            url: url.clone(),
        });
    let decisions = variant.decisions.iter();
    let decisions = decisions.map(|Decision { decision, reason }| proto::RuleDecision {
        decision: decision.clone(),
        reason: reason.clone(),
    });
    proto::Variant {
        summary: Some(summary(variant)),
        other_names: variant.other_names.clone(),
        people: variant.people.clone(),
        rules: variant.description.clone(),
        sources: sources.collect(),
        decisions: decisions.collect(),
        definition: variant.rule_set().text().to_owned(),
        seeds_per_hole: definition.seeds.into(),
        has_rounds: definition.rounds.is_some(),
    }
}
