//! The choice of mechanisms that the kernel asks for at every move, and the choices that it is compiled
//! for: there everything but the seeds is known beforehand.
//!
//! Any other choice plays just as well by [`AsDefined`], which looks it up. A choice belongs into the
//! list below if somebody plays it by the million.

use super::{
    Again, Blocked, CaptureKind, Definition, Destination, Feeding, GrandSlam, Landing, Laps,
    LastSeed, Lift, Majority, OppositeEmpty, Rules, Store,
};

/// A value of each mechanism that a move meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) lift: Lift,
    pub(crate) laps: Laps,
    pub(crate) store: Store,
    pub(crate) again: Again,
    pub(crate) feeding: Feeding,
    pub(crate) blocked: Blocked,
    pub(crate) majority: Majority,
    pub(crate) capture: CaptureKind,
    pub(crate) to: Destination,
    pub(crate) landing: Option<Landing>,
    pub(crate) last_seed: Option<LastSeed>,
    pub(crate) opposite_empty: OppositeEmpty,
    pub(crate) grand_slam: Option<GrandSlam>,
}

impl Choice {
    /// That of a definition.
    pub(crate) fn of(definition: &Definition) -> Choice {
        Choice {
            lift: definition.lift,
            laps: definition.laps,
            store: definition.store,
            again: definition.again,
            feeding: definition.feeding,
            blocked: definition.blocked,
            majority: definition.majority,
            capture: definition.capture.kind,
            to: definition.capture.to,
            landing: definition.capture.landing,
            last_seed: definition.capture.last_seed,
            opposite_empty: definition.capture.opposite_empty,
            grand_slam: definition.capture.grand_slam,
        }
    }
}

impl Choice {
    /// Whether a position can come back. Where seeds are sown into stores it can't: a sowing that leaves
    /// the mover's row puts a seed into a store, and one that doesn't moves seeds nearer to it. But laps
    /// from the next hole can leave the row without passing the store.
    #[inline(always)]
    pub(crate) fn can_repeat(&self) -> bool {
        self.store == Store::PassedOver || self.laps == Laps::RelayFromNext
    }

    /// Whether a hole's contents alone say that it may be played, as long as nobody must be fed.
    #[inline(always)]
    pub(crate) fn needs_no_sowing(&self) -> bool {
        self.laps == Laps::Single && self.grand_slam != Some(GrandSlam::Forbidden)
    }
}

/// The fewest seeds that a hole is played from.
#[inline(always)]
pub(crate) fn least_to_play(lift: Lift) -> u8 {
    match lift {
        Lift::All => 1,
        Lift::AllButOne => 2,
    }
}

/// Where a kernel has its choice from.
pub(crate) trait Mechanisms {
    /// The choice of these rules.
    fn choice(rules: &Rules) -> &Choice;
}

/// Looked up.
pub(crate) struct AsDefined;

impl Mechanisms for AsDefined {
    #[inline(always)]
    fn choice(rules: &Rules) -> &Choice {
        &rules.choice
    }
}

macro_rules! compiled {
    ($($name:ident = $choice:expr;)*) => {
        /// Which choice a kernel is compiled for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Compiled {
            $($name,)*
            /// None of them.
            AsDefined,
        }

        impl Compiled {
            pub(crate) fn of(choice: &Choice) -> Compiled {
                match choice {
                    $(known if known == $name::CHOICE => Compiled::$name,)*
                    _ => Compiled::AsDefined,
                }
            }
        }

        $(
            /// Known beforehand.
            pub(crate) struct $name;

            impl $name {
                const CHOICE: &Choice = &$choice;
            }

            impl Mechanisms for $name {
                #[inline(always)]
                fn choice(_: &Rules) -> &Choice {
                    $name::CHOICE
                }
            }
        )*
    };
}

/// A choice to name the differences from.
const PLAIN: Choice = Choice {
    lift: Lift::All,
    laps: Laps::Single,
    store: Store::PassedOver,
    again: Again::Never,
    feeding: Feeding::Free,
    blocked: Blocked::Ends,
    majority: Majority::PlaysOn,
    capture: CaptureKind::Opposite,
    to: Destination::Store,
    landing: None,
    last_seed: None,
    opposite_empty: OppositeEmpty::Nothing,
    grand_slam: None,
};

compiled! {
    AdjiBoto = Choice {
        lift: Lift::AllButOne,
        blocked: Blocked::Passes,
        capture: CaptureKind::NextRun,
        ..PLAIN
    };
    Bosh = Choice {
        laps: Laps::RelayFromNext,
        capture: CaptureKind::BeyondEmpty,
        ..PLAIN
    };
    EnDodoi = Choice {
        laps: Laps::Relay,
        landing: Some(Landing::OwnRow),
        last_seed: Some(LastSeed::Captured),
        ..PLAIN
    };
    Kalah = Choice {
        store: Store::Sown,
        again: Again::LastInStore,
        blocked: Blocked::EndsWithEmptyRow,
        landing: Some(Landing::OwnRow),
        last_seed: Some(LastSeed::Captured),
        ..PLAIN
    };
    Oware = Choice {
        feeding: Feeding::Required,
        majority: Majority::Ends,
        capture: CaptureKind::RunBack,
        grand_slam: Some(GrandSlam::Void),
        ..PLAIN
    };
    SadeqaIi = Choice {
        laps: Laps::Relay,
        to: Destination::Removed,
        landing: Some(Landing::EitherRow),
        last_seed: Some(LastSeed::Stays),
        ..PLAIN
    };
}

/// Runs an expression with a type standing for what rules have chosen: a compiled choice, if there is
/// that one.
macro_rules! with_mechanisms {
    ($rules:expr, |$mechanisms:ident| $run:expr) => {
        with_mechanisms!(
            $rules, $mechanisms, $run,
            AdjiBoto, Bosh, EnDodoi, Kalah, Oware, SadeqaIi, AsDefined
        )
    };
    ($rules:expr, $mechanisms:ident, $run:expr, $($name:ident),*) => {
        match $rules.compiled {
            $(
                $crate::rules::mechanisms::Compiled::$name => {
                    type $mechanisms = $crate::rules::mechanisms::$name;
                    $run
                }
            )*
        }
    };
}
pub(crate) use with_mechanisms;
