//! Query parameters of questions about records.

use std::collections::BTreeMap;
use std::str::FromStr;

use chrono::{Days, NaiveDate};
use visibility_core::agents::Purpose;

use super::parameter_error::ParameterError;
use super::response::ApiError;

/// Days that are counted if the request names none.
const USUAL_DAYS: u64 = 30;
/// Most days that are counted at once: as long as rollups are kept by default.
const MAX_DAYS: i64 = 800;

/// The parameters of a request by their names.
pub(crate) struct QueryParameters<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> QueryParameters<'a> {
    /// Takes each of the known parameters at most once; `lang` is always one of them, as errors have a language.
    ///
    /// # Errors
    ///
    /// When there is another one, or one of them twice.
    pub(crate) fn new(pairs: &'a [(String, String)], known: &[&str]) -> Result<Self, ApiError> {
        let mut by_name = BTreeMap::new();
        for (name, value) in pairs {
            if name != "lang" && !known.contains(&name.as_str()) {
                return Err(wrong(name, ParameterError::Unknown));
            }
            if by_name.insert(name.as_str(), value.as_str()).is_some() {
                return Err(wrong(name, ParameterError::Twice));
            }
        }
        Ok(Self(by_name))
    }

    /// The text of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    /// The text of a parameter that is not empty if it is there.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub(crate) fn filled(&self, name: &str) -> Result<Option<&'a str>, ApiError> {
        match self.text(name) {
            Some("") => Err(wrong(name, ParameterError::Empty)),
            text => Ok(text),
        }
    }

    /// What the text of a parameter stands for.
    ///
    /// # Errors
    ///
    /// When it stands for nothing: the error that is given.
    pub(crate) fn parsed<T: FromStr>(
        &self,
        name: &str,
        error: ParameterError,
    ) -> Result<Option<T>, ApiError> {
        let parse = |text: &str| text.parse().ok().ok_or_else(|| wrong(name, error));
        self.text(name).map(parse).transpose()
    }

    /// One of some words.
    ///
    /// # Errors
    ///
    /// When it is another word: the error that is given.
    pub(crate) fn word<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
        error: ParameterError,
    ) -> Result<Option<T>, ApiError> {
        let parse = |text: &str| {
            let word = serde_json::Value::from(text);
            serde_json::from_value(word).ok().ok_or_else(|| wrong(name, error))
        };
        self.text(name).map(parse).transpose()
    }

    /// The days from `from` to `to`; the last thirty if nothing is said.
    ///
    /// # Errors
    ///
    /// When one of them is not a day, and when they are in the wrong order or too many.
    pub(crate) fn days(&self, today: NaiveDate) -> Result<(NaiveDate, NaiveDate), ApiError> {
        let from: Option<NaiveDate> = self.parsed("from", ParameterError::NotADay)?;
        let to = self.parsed("to", ParameterError::NotADay)?.unwrap_or(today);
        let usual = || to.checked_sub_days(Days::new(USUAL_DAYS - 1)).unwrap_or(to);
        let from = from.unwrap_or_else(usual);
        match (to - from).num_days() {
            ..0 => Err(wrong("from", ParameterError::AfterTo)),
            0..MAX_DAYS => Ok((from, to)),
            _ => Err(wrong("from", ParameterError::TooManyDays)),
        }
    }

    /// The only purpose of agents.
    ///
    /// # Errors
    ///
    /// When it is not a purpose.
    pub(crate) fn purpose(&self) -> Result<Option<Purpose>, ApiError> {
        self.word("purpose", ParameterError::NotAPurpose)
    }
}

/// Names come from strangers: an unknown one is shown cut off, and its value never.
pub(crate) fn wrong(name: &str, error: ParameterError) -> ApiError {
    let name: String = name.chars().filter(|shown| !shown.is_control()).take(64).collect();
    error.problem_for(&name).field(&name, error.note()).into()
}
