"""OpenSpiel's games in the words of this service."""

from typing import NamedTuple

NAMES = {"kalah": "mancala", "oware": "oware"}  # OpenSpiel's names by variant
SEEDS = 48
SIDES = "-SN"  # to move: nobody, South, North; in the order of the schema's Side


def load(variant):
    """OpenSpiel's game of a variant."""
    try:
        import pyspiel
    except ImportError as error:
        raise RuntimeError("OpenSpiel is missing. What installs it: scripts/venv") from error
    return pyspiel.load_game(NAMES[variant])


class Position(NamedTuple):
    """What both know of a position."""

    south: tuple
    north: tuple
    south_store: int
    north_store: int
    to_move: str  # one of SIDES

    @classmethod
    def of(cls, message):
        """Of a position of the service."""
        return cls(tuple(message.south), tuple(message.north), message.south_store, message.north_store,
                   SIDES[message.to_move])

    def __str__(self):
        """As position text."""
        south, north = (",".join(map(str, row)) for row in (self.south, self.north))
        return f"{south}/{north} {self.south_store}-{self.north_store} {self.to_move}"


class Play:
    """A game of OpenSpiel's, from its start on."""

    def __init__(self, variant, game=None):
        self.variant = variant
        game = game or load(variant)
        self.state = game.new_initial_state()
        self.limit = game.max_game_length()

    def over(self):
        return self.state.is_terminal()

    def cut(self):
        """True if the game is not over, but as long as OpenSpiel lets one be."""
        return not self.over() and self.state.move_number() >= self.limit

    def position(self):
        """The position; of a game that is over, with each row swept into its owner's store."""
        seen = self.state.observation_tensor(0)
        if self.variant == "kalah":
            # North's store, South's holes, South's store, North's holes; then the player and the move's number.
            board = [int(seeds) for seeds in seen]
            south, north, stores = board[1:7], board[8:14], (board[7], board[0])
        else:
            # South's holes, North's holes, both stores: as shares of all seeds.
            board = [round(share * SEEDS) for share in seen]
            south, north, stores = board[:6], board[6:12], board[12:]
        if self.over():
            # OpenSpiel's mancala counts the rows without moving them; its oware has collected them.
            stores = stores[0] + sum(south), stores[1] + sum(north)
            south = north = [0] * 6
        to_move = "-" if self.over() else SIDES[1 + self.state.current_player()]
        return Position(tuple(south), tuple(north), *stores, to_move)

    def legal(self):
        """OpenSpiel's legal actions by hole, counted from the mover's left; ascending."""
        first = 0
        if self.variant == "kalah":
            # The actions are places on its board, as in `position`.
            first = 8 if self.state.current_player() else 1
        return {action - first: action for action in sorted(self.state.legal_actions())}

    def move(self, action):
        self.state.apply_action(action)

    def outcome(self):
        """Of a game that is over: 1 if South won, -1 if North won, 0 if it is a draw."""
        return round(self.state.returns()[0])
