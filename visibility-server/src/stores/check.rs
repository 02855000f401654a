//! Checks the consistency of the stores: sums are equal, and every named object exists.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{self, BufReader};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use flate2::bufread::MultiGzDecoder;
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaDataReader};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::commit;
use visibility_core::store::{StoreError, TRASH};

use super::database::Inspection;
use super::identity::IdentityError;
use super::location::StoreLocation;
use super::objects::ObjectTotals;
use super::state::damage::{DamagedObject, LookTotals};
use super::state::ledger_totals::{LedgerSnapshot, LedgerTotals};
use super::state::uncounted::{DayTotals, UncountedDays};
use super::{ObjectFiles, Stores, database_damage};

/// How long the database is inspected.
const INSPECTION_LIMIT: Duration = Duration::from_mins(10);

/// Bytes of the end of a file that are read first. Most footers are shorter.
const FOOTER_BYTES: u64 = 64 * 1024;

/// What a check has found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckReport {
    /// The sums of each tenant.
    pub tenants: BTreeMap<TenantSlug, LedgerTotals>,
    /// Live files that were opened.
    pub files: usize,
    /// Answers that are objects.
    pub answers: usize,
    /// What must not be.
    pub differences: Vec<Difference>,
    /// Objects that nothing names and that are old enough to be swept. They do no harm.
    pub orphans: Vec<String>,
    /// How many objects that nothing names are of batches that arrived after everything in the database: a batch of now has
    /// some, one that a crash interrupted leaves some, and if they are many, the database may be an old one.
    pub newer: usize,
    /// Objects in the trash.
    pub trash: ObjectTotals,
    /// How well the objects that are needed are known.
    pub looks: LookTotals,
    /// Days whose counts by kind and by hour are not whole, as records were published by an earlier version. They do no harm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<UncountedDays>,
}

/// Something that must not be.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Difference {
    /// The database and the objects do not belong together.
    Identity(IdentityError),
    /// Ledger, files and rollups of a tenant know different numbers of records.
    Sums {
        /// Whose.
        tenant: TenantSlug,
        /// The numbers.
        books: LedgerTotals,
    },
    /// The records of a day are not the same number by status, by kind and by hour.
    Day(DayTotals),
    /// The database is damaged.
    Database {
        /// What is damaged of it.
        problem: String,
    },
    /// An object does not exist.
    Missing {
        /// The name of the object.
        name: String,
    },
    /// An object has more or fewer bytes than the manifest says.
    Size {
        /// The name of the object.
        name: String,
        /// Bytes by the manifest.
        expected: u64,
        /// Bytes of the object.
        found: u64,
    },
    /// A file has more or fewer rows than the manifest says.
    Rows {
        /// The name of the object.
        name: String,
        /// Rows by the manifest.
        expected: u64,
        /// Rows of the file.
        found: u64,
    },
    /// An object is not what was written, and out of use until a good copy is in its place.
    Damaged(DamagedObject),
    /// A file cannot be opened.
    Unreadable {
        /// The name of the object.
        name: String,
        /// Why it cannot be read.
        reason: String,
    },
}

impl CheckReport {
    /// Whether nothing is lost and nothing is counted twice.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Checks stores, also while a process serves from them. What comes first may note in the ledger what it has found.
///
/// # Errors
///
/// When a store cannot be read.
pub fn check_location(
    location: impl Into<StoreLocation>,
    now: DateTime<Utc>,
    first: &mut dyn FnMut(&Stores) -> Result<(), StoreError>,
) -> Result<CheckReport, StoreError> {
    let checked = Stores::open(location).and_then(|stores| {
        first(&stores)?;
        check(&stores, now)
    });
    let error = match checked {
        Ok(report) => return Ok(report),
        Err(error) => error,
    };
    let difference = if let Some(problem) = IdentityError::of(&error) {
        Difference::Identity(problem.clone())
    } else if let Some(problem) = database_damage(&error) {
        Difference::Database { problem }
    } else {
        return Err(error);
    };
    Ok(CheckReport { differences: vec![difference], ..CheckReport::default() })
}

/// Checks the stores, also while a process serves from them. Reads the footer of every file, and the
/// answers that have objects of their own to their end.
///
/// # Errors
///
/// When a store cannot be read.
pub fn check(stores: &Stores, now: DateTime<Utc>) -> Result<CheckReport, StoreError> {
    let snapshot = stores.state_store().ledger_snapshot()?;
    let listed = stores.objects().list_all()?;
    let sizes: BTreeMap<&str, u64> =
        listed.iter().map(|object| (object.name.as_str(), object.bytes)).collect();

    let mut differences = Vec::new();
    if let Inspection::Damaged(problem) = stores.state_store().inspect(INSPECTION_LIMIT)? {
        differences.push(Difference::Database { problem });
    }
    let newer = stores.count_newer().or_else(|error| {
        differences.push(Difference::Identity(IdentityError::of(&error).cloned().ok_or(error)?));
        Ok::<_, StoreError>(0)
    })?;
    differences.extend(unbalanced(&snapshot));
    differences.extend(snapshot.different_days.into_iter().map(Difference::Day));
    differences.extend(snapshot.damaged.iter().cloned().map(Difference::Damaged));
    let damaged: BTreeSet<&str> =
        snapshot.damaged.iter().map(|object| object.name.as_str()).collect();
    for (_tenant, data_file) in &snapshot.files {
        let file = &data_file.file;
        if damaged.contains(file.name.as_str()) {
            continue;
        }
        differences.extend(match sizes.get(file.name.as_str()) {
            None => check_missing(stores, &file.name)?,
            Some(&found) if found != file.bytes => {
                Some(Difference::Size { name: file.name.clone(), expected: file.bytes, found })
            }
            Some(&bytes) => check_rows(stores, &file.name, bytes, Some(file.rows)),
        });
        let partial = file.partial.as_ref().filter(|_| !data_file.is_partial_damaged);
        if let Some(partial) = partial {
            differences.extend(match sizes.get(partial.as_str()) {
                Some(&bytes) => check_rows(stores, partial, bytes, None),
                None => check_missing(stores, partial)?,
            });
        }
    }
    let answers = snapshot.answers.iter().map(|(_tenant, answer)| &answer.name);
    for name in answers.filter(|name| !damaged.contains(name.as_str())) {
        differences.extend(if sizes.contains_key(name.as_str()) {
            check_answer(stores, name)
        } else {
            check_missing(stores, name)?
        });
    }

    let orphans = commit::orphans(stores.objects(), stores.state_store(), now)?;
    Ok(CheckReport {
        tenants: snapshot.totals,
        files: snapshot.files.len(),
        answers: snapshot.answers.len(),
        differences,
        orphans: orphans.into_iter().map(|object| object.name).collect(),
        trash: ObjectTotals::of(&stores.objects().list_all_below(TRASH)?),
        newer,
        looks: stores.state_store().look_totals()?,
        uncounted: snapshot.uncounted_days,
    })
}

fn unbalanced(snapshot: &LedgerSnapshot) -> impl Iterator<Item = Difference> {
    let unbalanced = snapshot.totals.iter().filter(|(_, books)| !books.is_balanced());
    unbalanced.map(|(tenant, books)| Difference::Sums { tenant: tenant.clone(), books: *books })
}

/// Looks once more for an object that was not listed: the listing of a bucket may lag.
fn check_missing(stores: &Stores, name: &str) -> Result<Option<Difference>, StoreError> {
    let is_there = stores.objects().exists(name)?;
    Ok((!is_there).then(|| Difference::Missing { name: name.to_owned() }))
}

/// Reads a stored response to its end, where its checksum is.
fn check_answer(stores: &Stores, name: &str) -> Option<Difference> {
    let read = || -> Result<u64, Box<dyn Error>> {
        let file = stores.objects().open(name)?;
        Ok(io::copy(&mut MultiGzDecoder::new(BufReader::new(file)), &mut io::sink())?)
    };
    let reason = match read() {
        Ok(0) => "it is empty".to_owned(),
        Ok(_) => return None,
        Err(error) => error.to_string(),
    };
    Some(Difference::Unreadable { name: name.to_owned(), reason })
}

/// Reads the footer of a file; without expected rows it is enough that there is one.
fn check_rows(
    stores: &Stores,
    name: &str,
    bytes: u64,
    expected: Option<u64>,
) -> Option<Difference> {
    let found = match rows_of(stores.objects(), name, bytes) {
        Ok(rows) => rows,
        Err(error) => {
            return Some(Difference::Unreadable {
                name: name.to_owned(),
                reason: error.to_string(),
            });
        }
    };
    let expected = expected.filter(|expected| *expected != found)?;
    Some(Difference::Rows { name: name.to_owned(), expected, found })
}

/// The number of rows by the footer of a file.
fn rows_of(objects: &dyn ObjectFiles, name: &str, bytes: u64) -> Result<u64, Box<dyn Error>> {
    Ok(read_footer(objects, name, bytes)?.num_rows().unsigned_abs())
}

/// What the footer of a Parquet file says, of which no more is read than that takes.
///
/// # Errors
///
/// When it cannot be read, or is no footer.
pub(crate) fn read_footer(
    objects: &dyn ObjectFiles,
    name: &str,
    bytes: u64,
) -> Result<FileMetaData, Box<dyn Error>> {
    let mut wanted = FOOTER_BYTES.min(bytes);
    loop {
        let end = Bytes::from(objects.read_range(name, bytes - wanted..bytes)?);
        let mut reader = ParquetMetaDataReader::new();
        match reader.try_parse_sized(&end, bytes) {
            Ok(()) => return Ok(reader.finish()?.file_metadata().clone()),
            Err(ParquetError::NeedMoreData(needed))
                if (wanted + 1..=bytes).contains(&(needed as u64)) =>
            {
                wanted = needed as u64;
            }
            Err(error) => return Err(error.into()),
        }
    }
}
