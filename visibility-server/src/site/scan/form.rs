//! The form of one field.

use maud::{Markup, html};
use visibility_core::error::Problem;
use visibility_core::scan::demo;

use super::SCAN_PATH;
use crate::site::asker::Asker;
use crate::site::page::{PageContext, field_error, field_value, hidden};

/// What the form shows.
#[derive(Debug)]
pub(crate) struct ScanForm<'a> {
    /// What the form is signed with.
    pub(crate) sign: String,
    /// What is in the field.
    pub(crate) value: &'a str,
    /// What is wrong with it.
    pub(crate) error: Option<&'a Problem>,
    /// Who sees it.
    pub(crate) asker: &'a Asker,
}

impl ScanForm<'_> {
    /// The form, with what is wrong and what a scan does.
    pub(crate) fn render(&self, context: &PageContext) -> Markup {
        let text = |id| context.text("scan", id);
        let is_at_home = matches!(self.asker, Asker::Visitor { is_at_home: true, .. });
        html! {
            form.card.ask method="post" action=(context.base.link(SCAN_PATH)) {
                (hidden(context, &self.sign))
                label.hidden for="target" { (text("field")) }
                input #target type="text" name="target" value=(field_value(self.value)) placeholder="example.com" required
                    inputmode="url" autocapitalize="none" autocomplete="url" spellcheck="false"
                    aria-invalid=[self.error.map(|_| "true")]
                    aria-describedby=[self.error.map(|_| "target-error")];
                button type="submit" { (text("button")) }
            }
            (field_error(context, "target-error", self.error))
            @if context.base.is_demo() {
                (self.known_sites(context))
            } @else {
                p.hint { (text("about").sentence()) " " a href=(context.base.link("/bot")) { (text("bot")) } }
            }
            @if is_at_home { p.notice { (text("at-home").sentence()) } }
        }
    }

    /// A button for each site that a demonstration can scan.
    fn known_sites(&self, context: &PageContext) -> Markup {
        html! {
            p.notice { (context.text("scan", "demo").sentence()) }
            form.buttons method="post" action=(context.base.link(SCAN_PATH)) {
                (hidden(context, &self.sign))
                @for site in demo::sites() {
                    @let domain = site.domain.as_str();
                    button.plain type="submit" name="target" value=(domain) { (domain) }
                }
            }
        }
    }
}
