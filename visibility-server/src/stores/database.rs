//! The seam below the SQL: what a database does for the [state](super::state), whose rules are written once.
//!
//! Statements are in the SQL that SQLite and PostgreSQL share. Their parameters are `?1`, `?2` and so on, times are
//! microseconds since 1970, and days are days since 1970.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::digest::Digest;
use visibility_core::store::{StoreError, StoreErrorKind};

/// A database, and its transactions.
pub(crate) trait Database: fmt::Debug + Send + Sync {
    /// Runs statements, each as a transaction of its own. May run the work again from its start.
    fn read(&self, work: &mut Work<'_>) -> Result<(), SqlError>;

    /// Runs statements that change nothing and see one moment. May run the work again from its start.
    fn snapshot(&self, work: &mut Work<'_>) -> Result<(), SqlError>;

    /// Runs statements as one transaction, unless the work asks for its end without effect. May run the work again
    /// from its start, so that the work must change nothing else.
    ///
    /// An error whose kind is [`StoreErrorKind::Unknown`] leaves open whether the transaction took effect.
    fn write(&self, transaction: Transaction<'_>, work: &mut Work<'_>) -> Result<(), SqlError>;

    /// Makes sure that no transaction whose outcome was unknown takes effect later.
    fn settle(&self) -> Result<(), SqlError>;

    /// Bytes that the tables take.
    fn bytes(&self) -> Result<u64, SqlError>;

    /// Makes the numbers of new rows go on after those that were copied, within a transaction.
    fn continue_numbers(&self, statements: &dyn Statements) -> Result<(), SqlError>;

    /// Reads the whole database, for as long as the limit says, to find out whether it is damaged.
    fn inspect(&self, limit: Duration) -> Result<Inspection, SqlError>;

    /// How often this process has connected to it, if that is another process: each time it may be another one.
    fn connections(&self) -> u64 {
        0
    }

    /// Whether several nodes may share it.
    fn is_shared(&self) -> bool {
        false
    }

    /// The time of a database that several nodes share.
    fn shared_time(&self) -> Result<Option<DateTime<Utc>>, SqlError> {
        Ok(None)
    }
}

/// What reading a whole database has found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Inspection {
    /// It is not damaged.
    Sound,
    /// It is damaged, and what of it.
    Damaged(String),
    /// It is not known: the time was not enough.
    Unfinished,
}

/// What runs statements. It returns how its transaction ends.
pub(crate) type Work<'a> = dyn FnMut(&dyn Statements) -> Ending + 'a;

/// How a transaction ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ending {
    Commit,
    Rollback,
}

/// What a transaction needs of its database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transaction<'a> {
    #[cfg_attr(
        not(any(feature = "postgres", all(feature = "fault-points", debug_assertions))),
        expect(dead_code, reason = "SQLite runs one transaction after another")
    )]
    pub(crate) isolation: Isolation<'a>,
    pub(crate) durability: Durability,
}

impl Transaction<'_> {
    /// A transaction that is isolated from all others and survives a loss of power.
    pub(crate) const DEFAULT: Self =
        Self { isolation: Isolation::All, durability: Durability::PowerLoss };
}

impl<'a> Transaction<'a> {
    /// A transaction that publishes, replaces or forgets records of a tenant.
    pub(crate) fn of_tenant(tenant: &'a TenantSlug) -> Self {
        Self { isolation: Isolation::Tenant(tenant), ..Self::DEFAULT }
    }

    /// A transaction that publishes, replaces or forgets records of any tenant.
    pub(crate) fn of_all_tenants() -> Self {
        Self { isolation: Isolation::AllTenants, ..Self::DEFAULT }
    }

    /// A transaction that a loss of power may undo.
    pub(crate) fn until_power_loss() -> Self {
        Self { durability: Durability::ProcessEnd, ..Self::DEFAULT }
    }
}

/// From what a transaction is isolated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Isolation<'a> {
    /// From all other transactions: their effects are as if they ran one after another.
    All,
    /// From those that publish, replace or forget records of one tenant, or of all.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(dead_code, reason = "SQLite runs one transaction after another")
    )]
    Tenant(&'a TenantSlug),
    /// From those that publish, replace or forget records of any tenant.
    AllTenants,
}

/// What a transaction survives once it has returned.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Durability {
    /// A loss of power.
    PowerLoss,
    /// The end of the process. It does not wait for the disk; a loss of power may undo the latest ones.
    ProcessEnd,
}

/// Statements of one connection.
pub(crate) trait Statements {
    /// Runs a statement, and says how many rows it changed.
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, SqlError>;

    /// Runs a statement once for each row of values, in one round trip if the database is elsewhere. Says how many rows
    /// were changed in all.
    fn execute_each(&self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<u64, SqlError>;

    /// Runs a statement, and gives each of its rows to a closure, which runs no other statement of the connection.
    fn query(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(Row<'_>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError>;
}

impl dyn Statements + '_ {
    /// All rows of a statement.
    pub(crate) fn query_all<T, L: FromIterator<T>>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<L, SqlError> {
        let mut rows = Vec::new();
        self.query(sql, values, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows.into_iter().collect())
    }

    /// The first row of a statement, if it has one.
    pub(crate) fn query_opt<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        let mut found = None;
        self.query(sql, values, &mut |row| {
            if found.is_none() {
                found = Some(read(row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The row of a statement that always has one.
    pub(crate) fn query_one<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.query_opt(sql, values, read)?
            .ok_or_else(|| SqlError::unchanged("a statement that always has a row had none"))
    }

    /// Whether a statement has rows.
    pub(crate) fn exists(&self, sql: &str, values: &[Value<'_>]) -> Result<bool, SqlError> {
        self.query_opt(sql, values, |_row| Ok(())).map(|found| found.is_some())
    }
}

/// The value of a parameter or a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// A number. No count that is stored reaches the end of what a column holds.
    pub(crate) fn int(number: impl TryInto<i64>) -> Self {
        Self::Int(number.try_into().unwrap_or(i64::MAX))
    }
}

/// The values of the parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::stores::database::ToValue::to_value(&$value)),*]
    };
}
pub(crate) use params;

/// What may be the value of a parameter.
pub(crate) trait ToValue {
    fn to_value(&self) -> Value<'_>;
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl ToValue for $number {
            fn to_value(&self) -> Value<'_> {
                Value::int(*self)
            }
        }

        impl FromValue for $number {
            fn from_value(value: Value<'_>) -> Option<Self> {
                if let Value::Int(int) = value { int.try_into().ok() } else { None }
            }
        }
    )*};
}
numbers!(i32, i64, u16, u32, u64, usize);

impl ToValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<const N: usize> ToValue for [u8; N] {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl ToValue for Digest {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self.as_bytes())
    }
}

impl FromValue for Digest {
    fn from_value(value: Value<'_>) -> Option<Self> {
        FromValue::from_value(value).map(Self::from_bytes)
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

/// A row that a statement has found.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a>(&'a dyn Columns);

/// The columns of a row, as a database gives them.
pub(crate) trait Columns {
    fn value(&self, column: usize) -> Result<Value<'_>, SqlError>;
}

impl<'a> Row<'a> {
    pub(crate) fn new(columns: &'a dyn Columns) -> Self {
        Self(columns)
    }

    /// The value of a column as it is.
    pub(crate) fn value(&self, column: usize) -> Result<Value<'_>, SqlError> {
        self.0.value(column)
    }

    /// The value of a column.
    pub(crate) fn get<T: FromValue>(&self, column: usize) -> Result<T, SqlError> {
        let value = self.0.value(column)?;
        T::from_value(value).ok_or_else(|| {
            SqlError::unchanged(format!("column {column} has a value of another type"))
        })
    }
}

/// What the value of a column may be read as.
pub(crate) trait FromValue: Sized {
    fn from_value(value: Value<'_>) -> Option<Self>;
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        if value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl FromValue for String {
    fn from_value(value: Value<'_>) -> Option<Self> {
        if let Value::Text(text) = value { Some(text.to_owned()) } else { None }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        if let Value::Bytes(bytes) = value { Some(bytes.to_owned()) } else { None }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: Value<'_>) -> Option<Self> {
        if let Value::Bytes(bytes) = value { bytes.try_into().ok() } else { None }
    }
}

/// The number of a lock that nodes share, by its name.
pub(crate) fn lock_key(name: &str) -> i64 {
    let digest = Sha256::digest(format!("visibility: {name}"));
    digest.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

/// Why a statement or a transaction failed.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub(crate) struct SqlError {
    /// What is certain about the transaction.
    pub(crate) kind: StoreErrorKind,
    pub(crate) source: Box<dyn Error + Send + Sync>,
}

impl SqlError {
    /// An error that has changed nothing.
    pub(crate) fn unchanged(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind: StoreErrorKind::Unchanged, source: source.into() }
    }
}

/// Adds to an error what was to be done.
pub(crate) fn failed(action: impl FnOnce() -> String) -> impl FnOnce(SqlError) -> StoreError {
    |error| StoreError { kind: error.kind, action: action(), source: Some(error.source) }
}
