//! Names and encodings of the columns.
//!
//! No unsigned types: other engines cannot read them. Strings of few values are encoded by a
//! dictionary; only columns by which readers prune have statistics, as they cost time.

use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterPropertiesPtr,
};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};

/// The columns of a record file, in the order in which they are written.
const RECORDS: &str = "
message records {
    required int64 timestamp (TIMESTAMP(MICROS, true));
    required binary agent (STRING);
    required binary user_agent (STRING);
    required binary request_method (STRING);
    required binary request_path (STRING);
    required int32 status_code;
    required int64 response_bytes;
    required binary referrer (STRING);
    required binary host (STRING);
    required binary client_ip_hash (STRING);
    required binary verification (STRING);
}";
/// The columns of a file of partial counts. Its rows are sorted by path, day, host, agent and class.
const PARTIALS: &str = "
message partials {
    required binary path (STRING);
    required int32 day (DATE);
    required binary host (STRING);
    required binary agent (STRING);
    required int32 status_class;
    required int64 records;
    required int64 bytes;
}";
/// Columns of a record file that readers prune by.
const PRUNED_BY: [&str; 3] = ["timestamp", "agent", "host"];
/// Numbers of many values.
const NO_DICTIONARY: [&str; 2] = ["timestamp", "response_bytes"];
/// Bytes of a dictionary beyond which the rest of a column is written plain.
const MAX_DICTIONARY_BYTES: usize = 8 * 1024 * 1024;
/// Values that are handed to an encoder at a time.
pub(super) const WRITE_BATCH: usize = 4096;
/// How sure an agent's name is: the user agent claims it, and nothing was verified.
pub(super) const CLAIMED: &str = "claimed";

/// The schema of record files.
pub(super) fn records() -> Result<TypePtr, ParquetError> {
    parse_message_type(RECORDS).map(Arc::new)
}

/// How record files are encoded.
pub(super) fn record_properties() -> Result<WriterPropertiesPtr, ParquetError> {
    let mut properties = base()?;
    for column in PRUNED_BY {
        properties = properties
            .set_column_statistics_enabled(ColumnPath::from(column), EnabledStatistics::Chunk);
    }
    for column in NO_DICTIONARY {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), false);
    }
    Ok(Arc::new(properties.build()))
}

/// The schema of files of partial counts.
pub(super) fn partials() -> Result<TypePtr, ParquetError> {
    parse_message_type(PARTIALS).map(Arc::new)
}

/// How files of partial counts are encoded. What is packed already is not compressed: it would
/// hardly be smaller.
pub(super) fn partial_properties() -> Result<WriterPropertiesPtr, ParquetError> {
    let path = ColumnPath::from("path");
    let mut properties = base()?
        .set_column_dictionary_enabled(path.clone(), false)
        .set_column_encoding(path, Encoding::DELTA_BYTE_ARRAY)
        .set_offset_index_disabled(true);
    for column in ["day", "status_class", "records", "bytes"] {
        properties = properties
            .set_column_dictionary_enabled(ColumnPath::from(column), false)
            .set_column_encoding(ColumnPath::from(column), Encoding::DELTA_BINARY_PACKED);
    }
    for column in ["day", "host", "agent", "status_class", "records", "bytes"] {
        properties =
            properties.set_column_compression(ColumnPath::from(column), Compression::UNCOMPRESSED);
    }
    Ok(Arc::new(properties.build()))
}

fn base() -> Result<WriterPropertiesBuilder, ParquetError> {
    Ok(WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_page_size_limit(MAX_DICTIONARY_BYTES)
        .set_write_batch_size(WRITE_BATCH)
        .set_created_by(concat!("visibility-server ", env!("CARGO_PKG_VERSION")).to_owned()))
}
