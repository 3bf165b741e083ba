//! A raw message: RFC 5322 headers and MIME parts.

use brain_core::{Digest, Failure};
use mail_parser::{Address, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::{Attachment, Mailbox, Output};

/// Parses a message. Real mail is often malformed: fields that cannot be parsed are left out.
pub(super) fn read(raw: &[u8]) -> Result<Output, Failure> {
    let parsed = MessageParser::default().parse(raw).filter(|message| !message.headers().is_empty());
    let Some(message) = parsed else {
        return Err(Failure::business("not_an_email", "This is not an e-mail: it has no headers."));
    };
    let bodies = (0..message.text_body_count()).filter_map(|place| message.body_text(place));
    let text: Vec<String> = bodies.map(|body| body.replace("\r\n", "\n").trim().to_owned()).collect();
    Ok(Output {
        from: mailboxes(message.from()).into_iter().next(),
        to: mailboxes(message.to()),
        cc: mailboxes(message.cc()),
        subject: message.subject().unwrap_or_default().trim().to_owned(),
        message_id: message.message_id().map(str::to_owned),
        in_reply_to: texts(message.in_reply_to()).into_iter().next(),
        references: texts(message.references()),
        date: message.date().and_then(|date| instant(&date.to_rfc3339())),
        text: text.join("\n\n"),
        attachments: attachments(&message),
        ..Output::default()
    })
}

/// Parses mailboxes from a line such as `Bob <bob@example.com>, jane@example.com`.
pub(super) fn mailboxes_of(line: &str) -> Vec<Mailbox> {
    // A line break would start another header.
    let header = format!("To: {}\r\n\r\n", line.replace(['\r', '\n'], " "));
    MessageParser::default().parse(header.as_bytes()).map(|message| mailboxes(message.to())).unwrap_or_default()
}

/// Normalises a timestamp with an offset.
pub(super) fn instant(text: &str) -> Option<String> {
    text.parse::<jiff::Timestamp>().ok().map(|instant| instant.to_string())
}

fn mailboxes(addresses: Option<&Address<'_>>) -> Vec<Mailbox> {
    let all = addresses.into_iter().flat_map(|addresses| addresses.iter());
    all.filter_map(|one| {
        let address = one.address.as_ref()?.trim().to_lowercase();
        let name = one.name.as_ref().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        (!address.is_empty()).then_some(Mailbox { name, address })
    })
    .collect()
}

fn texts(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(text) => vec![text.to_string()],
        HeaderValue::TextList(list) => list.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

fn attachments(message: &Message<'_>) -> Vec<Attachment> {
    message.attachments().map(attachment).collect()
}

fn attachment(part: &MessagePart<'_>) -> Attachment {
    let usual = match part.body {
        PartType::Message(_) => "message/rfc822",
        PartType::Text(_) => "text/plain",
        PartType::Html(_) => "text/html",
        _ => "application/octet-stream",
    };
    let declared = part.content_type().map(|declared| match declared.subtype() {
        Some(subtype) => format!("{}/{subtype}", declared.ctype()).to_lowercase(),
        None => declared.ctype().to_lowercase(),
    });
    let content = part.contents();
    Attachment {
        name: part.attachment_name().map(str::to_owned),
        media_type: declared.unwrap_or_else(|| usual.to_owned()),
        size: content.len() as u64,
        sha256: Some(Digest::of(content).to_string()),
    }
}
