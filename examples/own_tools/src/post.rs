//! An `async` function: done outside, after its start has been written down, and tried again when it may help.

use brain::{Failure, NativeContext, data, tool};

/// A letter.
#[data]
struct Letter {
    /// Who gets it.
    to: String,
    /// What it says.
    text: String,
}

/// Where it is.
#[data]
struct Posted {
    /// How the post knows the letter; the same however often it is handed over.
    tracking: String,
    /// How often it was handed over.
    attempts: u32,
}

/// Hands a letter to the post.
#[tool(
    name = "post.send",
    title = "Post a letter",
    phrases = ["post a letter to {to}: {text}"],
    effect = "external",
    consent = "user",
    idempotency = "key",
    no_undo = "A posted message cannot be recalled."
)]
async fn send(input: Letter, cx: NativeContext) -> Result<Posted, Failure> {
    if input.to.eq_ignore_ascii_case("nobody") {
        return Err(Failure::business("unknown_address", "Nobody lives nowhere."));
    }
    // A real one would call an external system here and give it the key, so that it can tell a repetition.
    Ok(Posted { tracking: cx.key.to_string(), attempts: cx.attempt })
}
