//! A bound on what one input may make the program allocate.

use std::{alloc::System, panic, sync::Once};

use cap::Cap;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// What one input may have allocated at a time, in bytes, beside what was there before it. An allocation
/// beyond it ends the process.
const BOUND: usize = 32 * 1024 * 1024;

/// Runs one input within the bound.
///
/// # Panics
///
/// If more than the bound was allocated while the limit was being set, which no input does.
pub fn bounded<T>(run: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(lift_on_panic);
    let limit = HEAP.allocated().saturating_add(BOUND);
    HEAP.set_limit(limit)
        .expect("the bound is above what there is");
    run()
}

/// A backtrace takes more than any input may.
fn lift_on_panic() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        HEAP.set_limit(usize::MAX)
            .expect("there is no more than that");
        hook(info);
    }));
}
