//! Values on their way to PostgreSQL and back.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::stores::database::{Columns, SqlError, Value};

type AnyError = Box<dyn Error + Sync + Send>;

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        match (self, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(int), &Type::INT4) => i32::try_from(*int)?.to_sql(kind, out),
            (Value::Int(int), &Type::INT8) => int.to_sql(kind, out),
            // PostgreSQL has no text with a NUL. A stranger who sends one must not look like a database that fails.
            (Value::Text(text), &Type::TEXT) if text.contains('\0') => {
                text.replace('\0', "\u{fffd}").to_sql(kind, out)
            }
            (Value::Text(text), &Type::TEXT) => text.to_sql(kind, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            (value, _) => Err(format!("{value:?} for a parameter of the type {kind}").into()),
        }
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value<'a> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, AnyError> {
        Ok(match *kind {
            Type::INT4 => Self::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Self::Int(i64::from_sql(kind, raw)?),
            Type::TEXT => Self::Text(FromSql::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(raw),
            _ => return Err(format!("a column of the type {kind}").into()),
        })
    }

    fn from_sql_null(_kind: &Type) -> Result<Self, AnyError> {
        Ok(Self::Null)
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }
}

impl Columns for tokio_postgres::Row {
    fn value(&self, column: usize) -> Result<Value<'_>, SqlError> {
        self.try_get(column).map_err(|error| SqlError::unchanged(error.to_string()))
    }
}
