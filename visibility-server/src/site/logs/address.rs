//! What the address of a page asks for: a period, filters, and the figure whose chart is shown.

use chrono::{Days, Months, NaiveDate};
use url::form_urlencoded::{self, Serializer};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::limits;
use visibility_core::text::locale::Lang;
use visibility_core::traffic::PathKind;

use crate::http::parameter_error::ParameterError;
use crate::http::query_parameters::{QueryParameters, wrong};
use crate::http::response::ApiError;
use crate::http::urls::LOGS_PATH;
use crate::traffic::page::Page;
use crate::traffic::selection::{Selection, StatusSelection};
use crate::traffic::series::{SeriesGroup, SeriesQuestion, SeriesStep};
use crate::traffic::{Question, QuestionKind, parameters};

/// Rows of a list on one page.
const ROWS: usize = 50;
/// Filters of all pages: parameters that the routes have as well.
pub(super) const FILTERS: [&str; 4] = ["host", "purpose", "agent", "vendor"];
/// Those of the page about errors.
pub(super) const ERROR_FILTERS: [&str; 5] = ["host", "purpose", "agent", "vendor", "status"];
/// Most days whose chart has a bar for each hour.
const MAX_DAYS_OF_HOURS: i64 = 2;

/// A period that has a name, and so is another one tomorrow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum NamedPeriod {
    Today,
    Days7,
    Days30,
    Days90,
    Months25,
}

/// A figure with a chart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum KeyFigure {
    Requests,
    ForPerson,
    Pages,
    Refused,
    Missing,
}

/// What the address of a page asks for.
#[derive(Clone, Debug)]
pub(super) struct LogsAddress {
    /// None if its days were chosen one by one.
    pub(super) period: Option<NamedPeriod>,
    pub(super) selection: Selection,
    pub(super) figure: KeyFigure,
    /// The part of a list.
    pub(super) page: Page,
    /// The filters as they were given, by their names.
    filters: Vec<(&'static str, String)>,
    today: NaiveDate,
}

/// An address that is being made.
#[derive(Clone, Debug)]
pub(super) struct Link {
    path: String,
    pairs: Vec<(&'static str, String)>,
}

impl NamedPeriod {
    pub(super) const ALL: [Self; 5] =
        [Self::Today, Self::Days7, Self::Days30, Self::Days90, Self::Months25];
    const USUAL: Self = Self::Days30;

    /// Its name in addresses and in `locales/`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Today => "1d",
            Self::Days7 => "7d",
            Self::Days30 => "30d",
            Self::Days90 => "90d",
            Self::Months25 => "25m",
        }
    }

    /// Its first day, if this is the last one.
    fn first_day(self, last: NaiveDate) -> NaiveDate {
        let days_before = |days| last.checked_sub_days(Days::new(days));
        let first = match self {
            Self::Today => Some(last),
            Self::Days7 => days_before(6),
            Self::Days30 => days_before(29),
            Self::Days90 => days_before(89),
            Self::Months25 => {
                last.checked_sub_months(Months::new(25)).and_then(|day| day.succ_opt())
            }
        };
        first.unwrap_or(last)
    }
}

impl KeyFigure {
    pub(super) const ALL: [Self; 5] =
        [Self::Requests, Self::ForPerson, Self::Pages, Self::Refused, Self::Missing];

    /// Its name in addresses and in `locales/`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::ForPerson => "for-person",
            Self::Pages => "pages",
            Self::Refused => "refused",
            Self::Missing => "missing",
        }
    }

    /// The parameter of the routes that leaves its records alone.
    fn parameter(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Requests => None,
            Self::ForPerson => Some(("purpose", Purpose::User.as_str())),
            Self::Pages => Some(("kind", PathKind::Page.as_str())),
            Self::Refused => Some(("status", "refused")),
            Self::Missing => Some(("status", "missing")),
        }
    }

    fn group(self) -> SeriesGroup {
        match self {
            Self::Requests | Self::Pages => SeriesGroup::Purpose,
            Self::ForPerson | Self::Refused | Self::Missing => SeriesGroup::Agent,
        }
    }
}

impl LogsAddress {
    /// That of a request with this query.
    ///
    /// # Errors
    ///
    /// When a parameter is wrong or unknown.
    pub(super) fn read(
        tenant: &TenantSlug,
        query: &str,
        known_filters: &[&'static str],
        today: NaiveDate,
    ) -> Result<Self, ApiError> {
        // A form sends all of its fields, also those that were left empty.
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .filter(|(_, value)| !value.trim().is_empty())
            .collect();
        let own = ["period", "figure", "from", "to", "limit", "after"];
        let known: Vec<&str> = own.into_iter().chain(known_filters.iter().copied()).collect();
        let given = QueryParameters::new(&pairs, &known)?;
        let named = match given.text("period") {
            None => NamedPeriod::USUAL,
            Some(name) => NamedPeriod::ALL
                .into_iter()
                .find(|period| period.name() == name)
                .ok_or_else(|| wrong("period", ParameterError::NotAPeriod))?,
        };
        let figure = match given.text("figure") {
            None => KeyFigure::Requests,
            Some(name) => KeyFigure::ALL
                .into_iter()
                .find(|figure| figure.name() == name)
                .ok_or_else(|| wrong("figure", ParameterError::NotAFigure))?,
        };
        let has_days = given.text("from").or(given.text("to")).is_some();
        let period = (!has_days).then_some(named);
        let filters = known_filters
            .iter()
            .filter_map(|name| Some((*name, given.text(name)?.trim().to_owned())))
            .collect();
        // What the routes know is read as they read it.
        let mut of_route: Vec<(String, String)> = pairs
            .iter()
            .filter(|(name, _)| !["period", "figure", "lang"].contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.trim().to_owned()))
            .collect();
        if let Some(period) = period {
            let days = [("from", period.first_day(today)), ("to", today)];
            of_route.extend(days.map(|(name, day)| (name.to_owned(), day.to_string())));
        }
        let has_limit = given.text("limit").is_some();
        if !has_limit {
            of_route.push(("limit".to_owned(), ROWS.to_string()));
        }
        let about = (tenant.clone(), Lang::En);
        let read = parameters::read(QuestionKind::Errors, about, &of_route, today)?;
        let Question::Errors(question) = read else { return Err(ApiError::internal()) };
        let (selection, page) = (question.selection, question.page);
        Ok(Self { period, selection, figure, page, filters, today })
    }

    pub(super) fn length(&self) -> i64 {
        (self.selection.to - self.selection.from).num_days() + 1
    }

    /// The value of a filter.
    pub(super) fn filter(&self, name: &str) -> Option<&str> {
        self.filters.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str())
    }

    /// All filters, by name.
    pub(super) fn filters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.filters.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// About one agent, which the path of the page names and its query does not.
    #[must_use]
    pub(super) fn of_agent(mut self, id: &str) -> Self {
        self.selection.agent = Some(id.to_owned());
        self
    }

    /// The selection without the day that is not over, for numbers that are compared with those of days before.
    pub(super) fn whole_days(&self) -> Option<Selection> {
        let yesterday = self.today.pred_opt()?;
        let is_open = self.selection.to >= self.today;
        (is_open && self.selection.from <= yesterday)
            .then(|| Selection { to: yesterday, ..self.selection.clone() })
    }

    /// The question that the chart of a figure answers.
    pub(super) fn chart(&self, figure: KeyFigure) -> SeriesQuestion {
        let mut selection = self.selection.clone();
        match figure {
            KeyFigure::Requests => {}
            KeyFigure::ForPerson => selection.purpose = Some(Purpose::User),
            KeyFigure::Pages => selection.kind = Some(PathKind::Page),
            KeyFigure::Refused => selection.status = Some(StatusSelection::Refused),
            KeyFigure::Missing => selection.status = Some(StatusSelection::Missing),
        }
        let by = self.step(selection.kind.is_none());
        SeriesQuestion { selection, by, group: figure.group() }
    }

    /// Hours for a day or two, where they are counted.
    pub(super) fn step(&self, is_counted_by_hour: bool) -> SeriesStep {
        let first_hour = self.today.checked_sub_days(Days::new(limits::HOUR_DAYS.into()));
        let has_hours = first_hour.is_some_and(|first| self.selection.from >= first);
        if is_counted_by_hour && has_hours && self.length() <= MAX_DAYS_OF_HOURS {
            SeriesStep::Hour
        } else {
            SeriesStep::Day
        }
    }

    /// A page about the same records.
    pub(super) fn link(&self, path: &str) -> Link {
        let mut pairs = match self.period {
            Some(NamedPeriod::USUAL) => Vec::new(),
            Some(period) => vec![("period", period.name().to_owned())],
            None => self.days(),
        };
        pairs.extend(self.filters.iter().cloned());
        Link { path: path.to_owned(), pairs }
    }

    /// The first page, with a figure.
    pub(super) fn figure_link(&self, figure: KeyFigure) -> Link {
        let mut link = self.link(LOGS_PATH);
        if let Some(agent) = &self.selection.agent {
            link = link.with("agent", agent.as_str());
        }
        if figure == KeyFigure::Requests { link } else { link.with("figure", figure.name()) }
    }

    /// The same page in another period.
    pub(super) fn period_link(&self, path: &str, period: NamedPeriod) -> Link {
        let link = self.link(path).without("from").without("to").without("period");
        if period == NamedPeriod::USUAL { link } else { link.with("period", period.name()) }
    }

    /// The answer to a question about these records, as a file.
    pub(super) fn file(&self, kind: QuestionKind, extension: &str) -> Link {
        let mut pairs = self.days();
        if kind != QuestionKind::Sources {
            pairs.extend(self.filters.iter().cloned());
        }
        let file = Link { path: format!("{LOGS_PATH}/{}.{extension}", kind.name()), pairs };
        match &self.selection.agent {
            Some(agent) if kind != QuestionKind::Sources => file.with("agent", agent.as_str()),
            _ => file,
        }
    }

    /// The chart of a figure as a file.
    pub(super) fn chart_file(&self, figure: KeyFigure, extension: &str) -> Link {
        let SeriesQuestion { by, group, .. } = self.chart(figure);
        let mut link = self.file(QuestionKind::Series, extension);
        if let Some((name, value)) = figure.parameter() {
            link = link.with(name, value);
        }
        link.with_series(by, group)
    }

    fn days(&self) -> Vec<(&'static str, String)> {
        let Selection { from, to, .. } = &self.selection;
        vec![("from", from.to_string()), ("to", to.to_string())]
    }
}

impl Link {
    /// With a parameter instead of the one of that name.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.pairs.retain(|(own, _)| *own != name);
        self.pairs.push((name, value.into()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.pairs.retain(|(own, _)| *own != name);
        self
    }

    /// With the parameters of a series that are not the usual ones.
    pub(super) fn with_series(self, by: SeriesStep, group: SeriesGroup) -> Self {
        let link = if by == SeriesStep::Hour { self.with("by", "hour") } else { self };
        match group {
            SeriesGroup::Purpose => link,
            SeriesGroup::Agent => link.with("group", "agent"),
            SeriesGroup::Vendor => link.with("group", "vendor"),
            SeriesGroup::Host => link.with("group", "host"),
            SeriesGroup::Status => link.with("group", "status"),
            SeriesGroup::Kind => link.with("group", "kind"),
        }
    }

    /// Path and query.
    pub(super) fn text(&self) -> String {
        if self.pairs.is_empty() {
            return self.path.clone();
        }
        let query = Serializer::new(String::new()).extend_pairs(&self.pairs).finish();
        format!("{}?{query}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn read(query: &str) -> Result<LogsAddress, ApiError> {
        LogsAddress::read(&"acme".parse().unwrap(), query, &ERROR_FILTERS, day("2026-11-29"))
    }

    #[test]
    fn a_named_period_ends_today() {
        for (query, from) in [
            ("", "2026-10-31"),
            ("period=1d", "2026-11-29"),
            ("period=7d&from=&to=", "2026-11-23"),
            ("period=90d", "2026-09-01"),
            ("period=25m", "2024-10-30"),
        ] {
            let address = read(query).unwrap();
            assert_eq!(address.selection.from, day(from), "{query}");
            assert_eq!(address.selection.to, day("2026-11-29"), "{query}");
        }
        let chosen = read("period=7d&from=2026-11-01&to=2026-11-03").unwrap();
        assert_eq!((chosen.period, chosen.length()), (None, 3));
    }

    #[test]
    fn links_have_what_the_address_has() {
        let address = read("period=7d&host=a%26b.example&purpose=user&lang=tr").unwrap();
        let link = address.figure_link(KeyFigure::Refused).text();
        assert_eq!(link, "/logs?period=7d&host=a%26b.example&purpose=user&figure=refused");
        let file = address.chart_file(KeyFigure::Refused, "csv").text();
        assert_eq!(
            file,
            "/logs/series.csv?from=2026-11-23&to=2026-11-29&host=a%26b.example&purpose=user\
             &status=refused&group=agent"
        );
        let month = address.period_link("/logs", NamedPeriod::Days30).without("host").text();
        assert_eq!(month, "/logs?purpose=user");
        assert_eq!(read("").unwrap().figure_link(KeyFigure::Requests).text(), "/logs");
    }

    #[test]
    fn the_day_that_is_not_over_is_not_compared() {
        let whole = read("period=7d").unwrap().whole_days().unwrap();
        assert_eq!((whole.from, whole.to), (day("2026-11-23"), day("2026-11-28")));
        assert_eq!(read("period=1d").unwrap().whole_days(), None);
        assert_eq!(read("from=2026-11-01&to=2026-11-03").unwrap().whole_days(), None);
    }

    #[test]
    fn a_day_is_shown_by_hour() {
        let step = |query: &str, figure| read(query).unwrap().chart(figure).by;
        assert_eq!(step("period=1d", KeyFigure::Refused), SeriesStep::Hour);
        assert_eq!(step("period=1d", KeyFigure::Pages), SeriesStep::Day);
        assert_eq!(step("period=7d", KeyFigure::Requests), SeriesStep::Day);
        let old = "from=2026-01-01&to=2026-01-02";
        assert_eq!(step(old, KeyFigure::Requests), SeriesStep::Day);
    }

    #[test]
    fn what_no_page_knows_is_refused() {
        for query in [
            "period=8d",
            "figure=bytes",
            "from=yesterday",
            "from=2026-11-03&to=2026-11-01",
            "tenant=globex",
            "host=a&host=b",
            "purpose=none",
            "status=9xx",
            "after=x",
        ] {
            assert!(read(query).is_err(), "{query}");
        }
    }
}
