//! The API reference: every operation and every schema of the OpenAPI document on one page.

use serde_json::{Map, Value};

use super::html::{escape, inline, page, prose};

/// The methods of an item, in display order.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

struct Operation<'d> {
    method: &'static str,
    path: &'d str,
    body: &'d Value,
}

impl Operation<'_> {
    fn id(&self) -> &str {
        self.body["operationId"].as_str().unwrap_or_default()
    }

    fn badge(&self) -> String {
        format!("<span class=\"method {0}\">{1}</span>", self.method, self.method.to_uppercase())
    }
}

/// The page of a document.
pub(super) fn page_of(document: &Value) -> String {
    let operations = operations(document);
    let schemas = document["components"]["schemas"].as_object();
    let (mut contents, mut sections) = (String::new(), String::new());
    for tag in document["tags"].as_array().into_iter().flatten() {
        let name = tag["name"].as_str().unwrap_or_default();
        let of_tag: Vec<&Operation<'_>> = operations.iter().filter(|one| one.body["tags"][0] == name).collect();
        contents.push_str(&format!("<h2>{}</h2><ul>", escape(name)));
        sections.push_str(&format!("<section><h2>{}</h2>", escape(name)));
        sections.push_str(&prose(tag["description"].as_str().unwrap_or_default()));
        for operation in of_tag {
            let (id, path) = (escape(operation.id()), escape(operation.path));
            let entry = format!("<li><a href=\"#{id}\">{}<span>{path}</span></a></li>", operation.badge());
            contents.push_str(&entry);
            sections.push_str(&article(operation));
        }
        contents.push_str("</ul>");
        sections.push_str("</section>");
    }
    contents.push_str("<h2>schemas</h2><ul>");
    sections.push_str("<section><h2>schemas</h2>");
    for (name, schema) in schemas.into_iter().flatten() {
        let anchor = schema_anchor(name);
        contents.push_str(&format!("<li><a href=\"#{anchor}\"><span>{}</span></a></li>", escape(name)));
        sections.push_str(&format!("<article id=\"{anchor}\"><h3>{}</h3>", escape(name)));
        sections.push_str(&prose(schema["description"].as_str().unwrap_or_default()));
        sections.push_str(&fields(schema));
        sections.push_str("</article>");
    }
    contents.push_str("</ul>");
    sections.push_str("</section>");
    let info = &document["info"];
    let version = escape(info["version"].as_str().unwrap_or_default());
    let about = prose(info["description"].as_str().unwrap_or_default());
    let body = format!(
        "<div class=\"layout\"><nav><h1><a href=\"/\">Brain</a> API</h1><div class=\"soft\">version {version}</div>{contents}</nav>\
         <main class=\"reference\"><h1>API reference</h1>{about}\
         <p>The same as a document for tools: <a href=\"/openapi.json\">/openapi.json</a>.</p>{sections}</main></div>"
    );
    page("Brain API", &body)
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let each = paths.flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| item.get(*method).map(|body| Operation { method, path, body }))
    });
    each.collect()
}

fn article(operation: &Operation<'_>) -> String {
    let body = operation.body;
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let mut html = format!(
        "<article id=\"{}\"><h3>{}<span class=\"path\">{}</span></h3><p><strong>{}</strong></p>{}",
        escape(operation.id()),
        operation.badge(),
        escape(operation.path),
        inline(text("summary")),
        prose(text("description")),
    );
    if let Some(parameters) = body["parameters"].as_array().filter(|list| !list.is_empty()) {
        html.push_str("<h4>Parameters</h4><table><tr><th>name</th><th>type</th><th>meaning</th></tr>");
        for one in parameters {
            let place = one["in"].as_str().unwrap_or_default();
            html.push_str(&format!(
                "<tr><td><code>{}</code>{} <span class=\"soft\">{}</span></td><td>{}</td><td>{}</td></tr>",
                escape(one["name"].as_str().unwrap_or_default()),
                need(one["required"] == true),
                escape(place),
                type_of(&one["schema"]),
                inline(one["description"].as_str().unwrap_or_default()),
            ));
        }
        html.push_str("</table>");
    }
    for (kind, content) in body["requestBody"]["content"].as_object().into_iter().flatten() {
        html.push_str(&format!("<h4>Body</h4><p><code>{}</code>: {}</p>", escape(kind), type_of(&content["schema"])));
    }
    html.push_str("<h4>Answers</h4><table class=\"status\">");
    for (status, answer) in body["responses"].as_object().into_iter().flatten() {
        let content = answer["content"].as_object().and_then(|all| all.values().next());
        let schema = content.filter(|_| !status.starts_with(['4', '5'])).map(|content| type_of(&content["schema"]));
        html.push_str(&format!(
            "<tr><td><code>{}</code></td><td>{}{}</td></tr>",
            escape(status),
            inline(answer["description"].as_str().unwrap_or_default()),
            schema.map_or_else(String::new, |schema| format!(" · {schema}")),
        ));
    }
    html.push_str("</table></article>");
    html
}

fn need(required: bool) -> &'static str {
    if required { " <span class=\"need\">required</span>" } else { "" }
}

fn schema_anchor(name: &str) -> String {
    format!("schema-{}", escape(name))
}

/// The fields of an object, or the type of anything else.
fn fields(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        return format!("<p>{}</p>", type_of(schema));
    };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut html = String::from("<table><tr><th>field</th><th>type</th><th>meaning</th></tr>");
    for (name, property) in properties {
        html.push_str(&format!(
            "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>",
            escape(name),
            need(required.contains(&name.as_str())),
            type_of(property),
            inline(property["description"].as_str().unwrap_or_default()),
        ));
    }
    html.push_str("</table>");
    html
}

/// The type of a value in a few words, with a link to its schema if it is a named one.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return format!("<a href=\"#{}\">{}</a>", schema_anchor(name), escape(name));
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(list) = schema[several].as_array() {
            return list.iter().map(type_of).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let words = values.iter().filter_map(Value::as_str).map(|word| format!("<code>{}</code>", escape(word)));
        return words.collect::<Vec<_>>().join(" ");
    }
    let names: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["anything"],
    };
    let words: Vec<String> = names.iter().map(|name| named_type(name, schema)).collect();
    words.join(" or ")
}

fn named_type(name: &str, schema: &Value) -> String {
    let bounds = |schema: &Map<String, Value>| {
        let bound = |key: &str, sign: &str| schema.get(key).map(|value| format!(" {sign} {value}"));
        [bound("minimum", "≥"), bound("maximum", "≤")].into_iter().flatten().collect::<String>()
    };
    match (name, schema["format"].as_str()) {
        ("array", _) => format!("list of {}", type_of(&schema["items"])),
        ("object", _) => match schema["additionalProperties"].as_object() {
            Some(_) => format!("map of {}", type_of(&schema["additionalProperties"])),
            None => "object".to_owned(),
        },
        ("string", Some(format)) => escape(format),
        (other, _) => escape(&format!("{other}{}", schema.as_object().map(bounds).unwrap_or_default())),
    }
}
