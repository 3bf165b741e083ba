//! Reads a mail service's JSON. Services use different names for the same fields.

use brain_core::Failure;
use mail_parser::decoders::html::html_to_text;
use serde_json::{Map, Value};

use super::message::{instant, mailboxes_of};
use super::{Attachment, Mailbox, Output};

/// Reads the JSON. It must contain at least a sender or a text.
pub(super) fn read(email: &Map<String, Value>) -> Result<Output, Failure> {
    let words = |names: &[&str]| find(email, names).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let plain = words(&["text", "textbody", "plain", "bodyplain", "body", "strippedtext"]);
    let html = || words(&["html", "htmlbody", "bodyhtml"]).map(|html| html_to_text(&html));
    let text = plain.filter(|text| !text.is_empty()).or_else(html).unwrap_or_default();
    let from = find(email, &["from", "sender", "fromfull"]).map(mailboxes).unwrap_or_default();
    if from.is_empty() && text.is_empty() {
        return Err(Failure::business(
            "not_an_email",
            "`email` has neither a sender nor text. Pass the fields `from` and `text`.",
        ));
    }
    let bare = |id: String| id.trim_matches(['<', '>', ' ']).to_owned();
    Ok(Output {
        from: from.into_iter().next(),
        to: find(email, &["to", "recipients", "recipient"]).map(mailboxes).unwrap_or_default(),
        cc: find(email, &["cc"]).map(mailboxes).unwrap_or_default(),
        subject: words(&["subject"]).unwrap_or_default(),
        message_id: words(&["messageid", "id"]).map(bare),
        in_reply_to: words(&["inreplyto"]).map(bare),
        references: find(email, &["references"]).map(ids).unwrap_or_default(),
        date: words(&["date", "receivedat", "sentat", "timestamp"]).and_then(|text| instant(&text)),
        text: text.replace("\r\n", "\n").trim().to_owned(),
        attachments: find(email, &["attachments"])
            .and_then(Value::as_array)
            .map(|list| attachments(list))
            .unwrap_or_default(),
        ..Output::default()
    })
}

/// The value of the first of these names that is present. Case and punctuation are ignored: `messageId` is
/// `Message-ID`.
fn find<'e>(object: &'e Map<String, Value>, names: &[&str]) -> Option<&'e Value> {
    names.iter().find_map(|name| {
        let same =
            |key: &String| key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).eq(name.chars());
        object.iter().find(|(key, value)| same(key) && !value.is_null()).map(|(_, value)| value)
    })
}

fn mailboxes(value: &Value) -> Vec<Mailbox> {
    match value {
        Value::String(line) => mailboxes_of(line),
        Value::Array(list) => list.iter().flat_map(mailboxes).collect(),
        Value::Object(one) => {
            let words = |names: &[&str]| find(one, names).and_then(Value::as_str).map(|text| text.trim().to_owned());
            let address = words(&["address", "email"]).filter(|address| !address.is_empty());
            let name = words(&["name"]).filter(|name| !name.is_empty());
            address.map(|address| Mailbox { name, address: address.to_lowercase() }).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn ids(value: &Value) -> Vec<String> {
    let one =
        |text: &str| text.split_whitespace().map(|id| id.trim_matches(['<', '>', ',']).to_owned()).collect::<Vec<_>>();
    match value {
        Value::String(text) => one(text),
        Value::Array(list) => list.iter().filter_map(Value::as_str).flat_map(one).collect(),
        _ => Vec::new(),
    }
}

fn attachments(list: &[Value]) -> Vec<Attachment> {
    let one = |attachment: &Map<String, Value>| {
        let words = |names: &[&str]| find(attachment, names).and_then(Value::as_str).map(str::to_owned);
        Attachment {
            name: words(&["name", "filename"]),
            media_type: words(&["mediatype", "contenttype", "mimetype", "type"])
                .map_or_else(|| "application/octet-stream".to_owned(), |text| text.to_lowercase()),
            size: find(attachment, &["size", "contentlength", "length"]).and_then(Value::as_u64).unwrap_or(0),
            sha256: words(&["sha256"]),
        }
    };
    list.iter().filter_map(Value::as_object).map(one).collect()
}
