//! Sentences in two languages.
