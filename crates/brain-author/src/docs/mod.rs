//! `brain pack docs`: a pack as a document for people, in Markdown or as one HTML page.
//!
//! [`markdown`] and [`html`] are pure: a checked registry and the name of a pack go in, text comes out. What is said
//! stands in one place (`page` and the files it calls) as blocks; the two writers only decide how blocks look.

mod block;
mod diagram;
mod html_page;
mod input_table;
mod layout;
mod markdown_page;
mod mermaid;
mod page;
mod playbook_section;
mod record_section;
mod svg;
mod table_section;
mod tool_policy;
mod tool_section;

use brain_registry::Registry;

/// One pack as Markdown; state machines and step graphs are Mermaid. `None` if there is no such pack.
pub fn markdown(registry: &Registry, pack: &str) -> Option<String> {
    page::page(registry, pack).map(|page| markdown_page::write(&page))
}

/// One pack as a page that needs nothing else: no scripts, no fonts, no pictures from elsewhere. `None` if there is no
/// such pack.
pub fn html(registry: &Registry, pack: &str) -> Option<String> {
    page::page(registry, pack).map(|page| html_page::write(&page))
}
