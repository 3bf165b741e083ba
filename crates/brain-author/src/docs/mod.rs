//! `brain pack docs`: a pack as a document, in Markdown or as one HTML page.
//!
//! [`markdown`] and [`html`] are pure functions of a checked registry and a pack's name. `page` and the files it calls
//! build the content as blocks; the two writers only format blocks.

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

/// One pack as Markdown, with Mermaid diagrams. `None` if there is no such pack.
pub fn markdown(registry: &Registry, pack: &str) -> Option<String> {
    page::page(registry, pack).map(|page| markdown_page::write(&page))
}

/// One pack as a self-contained page without scripts or external resources. `None` if there is no such pack.
pub fn html(registry: &Registry, pack: &str) -> Option<String> {
    page::page(registry, pack).map(|page| html_page::write(&page))
}
