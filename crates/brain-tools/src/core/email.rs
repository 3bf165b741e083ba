//! `core.normalise_email`: normalises a raw e-mail, or an inbound mail service's JSON, to one form.

mod described;
mod message;
mod quote;
mod subject;

use brain_core::Failure;
use brain_macros::tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The raw message: RFC 5322, with headers and MIME parts.
    raw: Option<String>,
    /// The message as a mail service's JSON: `from`, `to`, `subject`, `text` or `html`, `attachments` …
    email: Option<Map<String, Value>>,
}

/// A sender or recipient.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct Mailbox {
    /// The display name.
    name: Option<String>,
    /// The address, in lower case.
    address: String,
}

/// An attachment, without its content.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Attachment {
    /// Its file name.
    name: Option<String>,
    /// Its media type.
    media_type: String,
    /// Its size in bytes.
    size: u64,
    /// The SHA-256 of its content, if the content is known.
    sha256: Option<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Output {
    /// The sender.
    from: Option<Mailbox>,
    /// The recipients.
    to: Vec<Mailbox>,
    /// The recipients of a copy.
    cc: Vec<Mailbox>,
    /// The subject.
    subject: String,
    /// The subject without prefixes such as `Re:`, `Fwd:` and `AW:`.
    subject_clean: String,
    /// The message's id, without angle brackets.
    message_id: Option<String>,
    /// The id of the message that it answers.
    in_reply_to: Option<String>,
    /// Ids of the earlier messages of the conversation, oldest first.
    references: Vec<String>,
    /// The id of the first message of the conversation, if the headers name it.
    thread_id: Option<String>,
    /// When it was sent, as RFC 3339.
    date: Option<String>,
    /// The plain text; converted from the HTML if there is no plain part.
    text: String,
    /// The text without its quotations.
    text_new: String,
    /// The quoted text.
    text_quoted: Option<String>,
    /// The attachments, without their content.
    attachments: Vec<Attachment>,
    /// Ids from tags in the subject: `[Request:UUID]`.
    request_ids: Vec<String>,
}

/// Normalises an e-mail: sender, recipients, subject, new and quoted text, and the conversation it belongs to.
#[tool(crate = crate, name = "core.normalise_email", title = "Normalise an e-mail")]
fn normalise_email(input: Input) -> Result<Output, Failure> {
    let mut email = match (input.raw, input.email) {
        (Some(raw), None) => message::read(raw.as_bytes())?,
        (None, Some(email)) => described::read(&email)?,
        _ => return Err(Failure::contract("bad_input", "Give either `raw` or `email`.")),
    };
    email.subject_clean = subject::clean(&email.subject).to_owned();
    email.request_ids = subject::request_ids(&email.subject);
    email.thread_id = email.references.first().or(email.in_reply_to.as_ref()).or(email.message_id.as_ref()).cloned();
    let (new, quoted) = quote::separate(&email.text);
    email.text_new = new;
    email.text_quoted = quoted;
    Ok(email)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const RAW: &str = "From: \"Bob Smith\" <Bob@Example.com>\r\n\
        To: Office <office@roofs.example>, jane@roofs.example\r\n\
        Cc: =?utf-8?q?J=C3=BCrgen?= <j@example.com>\r\n\
        Subject: AW: Re: Roof [Request:01890A5D-ac96-774b-bcce-b302099a8057]\r\n\
        Message-ID: <m3@example.com>\r\n\
        In-Reply-To: <m2@roofs.example>\r\n\
        References: <m1@example.com> <m2@roofs.example>\r\n\
        Date: Tue, 3 Mar 2026 10:15:00 +1100\r\n\
        MIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\
        <p>Yes, <b>please</b> start.</p><p>Bob</p>\r\n\
        --b\r\nContent-Type: application/pdf; name=plan.pdf\r\n\
        Content-Disposition: attachment; filename=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--b--\r\n";

    fn email(input: Value) -> Value {
        serde_json::to_value(normalise_email(serde_json::from_value(input).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_raw_message_is_normalised() {
        let email = email(json!({"raw": RAW}));
        assert_eq!(email["from"], json!({"name": "Bob Smith", "address": "bob@example.com"}));
        assert_eq!(email["to"][1], json!({"name": null, "address": "jane@roofs.example"}));
        assert_eq!(email["cc"][0]["name"], "Jürgen");
        assert_eq!(email["subject_clean"], "Roof [Request:01890A5D-ac96-774b-bcce-b302099a8057]");
        assert_eq!(email["request_ids"], json!(["01890a5d-ac96-774b-bcce-b302099a8057"]));
        assert_eq!(email["message_id"], "m3@example.com");
        assert_eq!(email["in_reply_to"], "m2@roofs.example");
        assert_eq!(email["references"], json!(["m1@example.com", "m2@roofs.example"]));
        assert_eq!(email["thread_id"], "m1@example.com");
        assert_eq!(email["date"], "2026-03-02T23:15:00Z");
        assert!(email["text"].as_str().unwrap().starts_with("Yes, please start."), "{email}");
        let attachment = &email["attachments"][0];
        assert_eq!((&attachment["name"], &attachment["size"]), (&json!("plan.pdf"), &json!(5)));
        assert_eq!(attachment["media_type"], "application/pdf");
        assert_eq!(
            attachment["sha256"], "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            "the digest of `hello`"
        );
    }

    #[test]
    fn the_json_of_a_mail_service_is_normalised_to_the_same_form() {
        let email = email(json!({"email": {
            "from": "Bob Smith <bob@example.com>",
            "to": ["office@roofs.example", {"name": "Jane", "email": "Jane@roofs.example"}],
            "subject": "Fwd: Hello",
            "html": "<p>Hi</p>",
            "messageId": "<m1@example.com>",
            "date": "2026-03-03T10:15:00+11:00",
            "attachments": [{"filename": "a.txt", "contentType": "text/plain", "size": 3}],
        }}));
        assert_eq!(email["from"], json!({"name": "Bob Smith", "address": "bob@example.com"}));
        assert_eq!(email["to"][1], json!({"name": "Jane", "address": "jane@roofs.example"}));
        assert_eq!((&email["subject_clean"], &email["text_new"]), (&json!("Hello"), &json!("Hi")));
        assert_eq!((&email["message_id"], &email["thread_id"]), (&json!("m1@example.com"), &json!("m1@example.com")));
        assert_eq!(email["date"], "2026-03-02T23:15:00Z");
        let attachment = json!({"name": "a.txt", "media_type": "text/plain", "size": 3, "sha256": null});
        assert_eq!(email["attachments"], json!([attachment]));
    }

    #[test]
    fn input_that_is_not_a_message_is_rejected() {
        for input in [json!({}), json!({"raw": "x", "email": {}}), json!({"raw": ""}), json!({"email": {}})] {
            assert!(normalise_email(serde_json::from_value(input.clone()).unwrap()).is_err(), "{input}");
        }
    }
}
