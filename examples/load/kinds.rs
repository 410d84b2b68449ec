//! Kinds of lists.

/// What a kind of list is filtered by.
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// Somebody asks who has an identity.
    pub viewer: bool,
    /// Whose games are listed.
    pub player: Whose,
    /// Of a status.
    pub status: bool,
    /// Of a variant.
    pub variant: bool,
    /// With an open seat.
    pub open_seat: bool,
}

/// Whose games are listed.
pub enum Whose {
    /// Everybody's.
    Everybody,
    /// The viewer's.
    Own,
    /// Some player's.
    Others,
}

const ALL: Kind = Kind {
    name: "everybody's",
    viewer: false,
    player: Whose::Everybody,
    status: false,
    variant: false,
    open_seat: false,
};

/// Every kind that is asked for.
pub const KINDS: &[Kind] = &[
    ALL,
    Kind {
        name: "a status",
        status: true,
        ..ALL
    },
    Kind {
        name: "a variant",
        variant: true,
        ..ALL
    },
    Kind {
        name: "variant and status",
        variant: true,
        status: true,
        ..ALL
    },
    Kind {
        name: "open seats",
        open_seat: true,
        ..ALL
    },
    Kind {
        name: "a player's",
        player: Whose::Others,
        ..ALL
    },
    Kind {
        name: "all, with identity",
        viewer: true,
        ..ALL
    },
    Kind {
        name: "open seats, with identity",
        viewer: true,
        open_seat: true,
        ..ALL
    },
    Kind {
        name: "own",
        viewer: true,
        player: Whose::Own,
        ..ALL
    },
    Kind {
        name: "own of a status",
        viewer: true,
        player: Whose::Own,
        status: true,
        ..ALL
    },
    Kind {
        name: "with a player",
        viewer: true,
        player: Whose::Others,
        ..ALL
    },
    Kind {
        name: "with, of variant, status",
        viewer: true,
        player: Whose::Others,
        status: true,
        variant: true,
        ..ALL
    },
];
