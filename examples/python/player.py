"""A bot's part in one game: it follows the game, and does what there is to do.

It knows no rules: the server says which moves there are. Now and then it offers a draw or asks to take back
a move, and it answers such offers.
"""

import random
import time
from uuid import uuid4

import grpc

from bot import SIDES, call, chosen, ended, follow, reason, told
from mancala.v1 import game_service_pb2 as api
from mancala.v1.board_pb2 import SIDE_NORTH, SIDE_SOUTH
from mancala.v1.game_pb2 import (
    GAME_STATUS_ACTIVE, GAME_STATUS_FINISHED, OFFER_KIND_DRAW, OFFER_KIND_TAKEBACK)
from mancala.v1.game_service_pb2_grpc import GameServiceStub
from mancala.v1.player_service_pb2 import GetPlayerRequest
from mancala.v1.player_service_pb2_grpc import PlayerServiceStub

WHIM = 0.2  # chance of agreeing to a draw although it is ahead
OFFERS = {OFFER_KIND_DRAW: "offers a draw", OFFER_KIND_TAKEBACK: "asks to take back a move"}
# Reasons of refusals that are nobody's fault: somebody else was first, or such an offer can't be made now.
NO_FAULT = {
    "SEAT_TAKEN", "GAME_STARTED", "GAME_OVER", "STALE_TURN", "OFFER_OPEN", "OFFER_GONE", "OFFER_REPEATED",
    "NOTHING_TO_TAKE_BACK", "TOO_MANY_TAKEBACKS"}


def happened(event):
    """An event in words."""
    change = event.WhichOneof("change")
    if change == "moved":
        return told(event.moved)
    if change == "offer_made":
        offer = event.offer_made.offer
        return f"{SIDES[offer.side]} {OFFERS.get(offer.kind, 'offers something new')}"
    if change == "offer_answered":
        return "accepted" if event.offer_answered.accepted else "declined"
    if change == "resigned":
        return f"{SIDES[event.resigned.side]} resigns"
    return change.replace("_", " ") if change else "something new"


class Player:
    """A player, and the game that it is in."""

    def __init__(self, channel, token, options):
        self.games, self.token = GameServiceStub(channel), token
        self.options, self.lot = options, random.Random(options.seed)
        self.me = call(PlayerServiceStub(channel).GetPlayer, GetPlayerRequest(), token).player.player_id
        self.game = self.side = self.asked = None

    def change(self, method, request):
        """The game after a change; None if it is refused and that is nobody's fault."""
        request.request_id = str(uuid4())
        try:
            return call(method, request, self.token).game
        except grpc.RpcError as error:
            if reason(error) not in NO_FAULT:
                raise

    def play(self, game):
        """Plays a game from where it stands. Says whether it came to a result."""
        self.game, self.asked = game, None
        self.side = SIDE_SOUTH if game.south.player_id == self.me else SIDE_NORTH
        print(f"game {game.game_id}: plays {SIDES[self.side]}", flush=True)
        state, heard = game, time.monotonic()
        self.act(state)
        for message in follow(self.games, game.game_id, game.seq):
            if message.HasField("event"):
                state, heard = message.event.state, time.monotonic()
                print(f"#{message.event.seq} {happened(message.event)}", flush=True)
                self.act(state)
            elif message.HasField("heartbeat"):  # nothing else has come for 10 s
                if self.may_move(state):
                    self.act(state, waits=False)
                elif time.monotonic() - heard > self.options.patience:
                    self.leave()
        print(f"game {game.game_id}: {ended(state.result)}", flush=True)
        return state.status == GAME_STATUS_FINISHED

    def may_move(self, state):
        """Whether it has the move."""
        return state.status == GAME_STATUS_ACTIVE and state.position.to_move == self.side

    def act(self, state, waits=True):
        """Answers, offers or moves. If something has happened since, that is refused, and what has
        happened is still to be heard of."""
        offered = state.HasField("open_offer")
        if offered and state.open_offer.side != self.side:
            self.answer(state)
        elif self.may_move(state) and not (waits and (offered or self.offer(state))):
            self.move(self.game.game_id, state)

    def answer(self, state):
        """Answers an offer: yes to a takeback, and to a draw unless it is ahead."""
        stores = {SIDE_SOUTH: state.position.south_store, SIDE_NORTH: state.position.north_store}
        ahead = 2 * stores[self.side] > sum(stores.values())
        draw = state.open_offer.kind == OFFER_KIND_DRAW and (not ahead or self.lot.random() < WHIM)
        agrees = draw or state.open_offer.kind == OFFER_KIND_TAKEBACK
        self.change(self.games.AnswerOffer, api.AnswerOfferRequest(
            game_id=self.game.game_id, offer_id=state.open_offer.offer_id,
            answer=api.OFFER_ANSWER_ACCEPT if agrees else api.OFFER_ANSWER_DECLINE))

    def offer(self, state):
        """Offers something now and then, once a turn at most. Gives the game if it did; then it waits for
        the answer, for with the next move the offer is gone."""
        draw, takeback = self.lot.random(), self.lot.random()
        here = {"game_id": self.game.game_id, "expected_turn": state.turn}
        if self.asked != state.turn:
            self.asked = state.turn
            if draw < self.options.draws:
                return self.change(self.games.OfferDraw, api.OfferDrawRequest(**here))
            if takeback < self.options.takebacks:
                return self.change(self.games.RequestTakeback, api.RequestTakebackRequest(**here))

    def move(self, game_id, state):
        """Makes a move."""
        request = api.ListLegalMovesRequest(game_id=game_id, omit_steps=True)
        legal = call(self.games.ListLegalMoves, request, self.token)
        if legal.moves and legal.turn == state.turn:
            time.sleep(self.options.pause)
            hole = chosen(legal.moves, self.options.strategy, self.lot)
            self.change(self.games.SubmitMove, api.SubmitMoveRequest(
                game_id=game_id, hole=hole, expected_turn=state.turn, omit_steps=True))

    def abort(self, game):
        """Aborts a game; gives None if it is too late for that."""
        return self.change(self.games.AbortGame, api.AbortGameRequest(game_id=game.game_id))

    def leave(self):
        """Ends the game that it is in, for nobody should wait for a player who has gone."""
        if self.game and not self.abort(self.game):
            self.change(self.games.ResignGame, api.ResignGameRequest(game_id=self.game.game_id))
