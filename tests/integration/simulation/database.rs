//! The real database does what the model has committed, and must then know the same as the model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::sums::Sums;
use visibility_core::store::{Ledger as _, NewFile, PublishOutcome, ResponseBody, StoreError};
use visibility_server::settings::Retention;
use visibility_server::stores::Stores;
use visibility_server::stores::state::StateStore;
use visibility_tests::database;

use super::model::{Change, Model, RAW_DAYS};

/// Counts outlive each run.
const RETENTION: Retention = Retention { raw_days: RAW_DAYS, rollup_months: 1_200 };

/// Does everything that was committed in a run; what the model has refused is not in there.
///
/// # Panics
///
/// When the database does something else.
pub(crate) fn do_the_same(model: &Model) {
    let folder = tempfile::tempdir().expect("a folder");
    let stores = Stores::open(database::location(folder.path())).expect("it opens");
    let store = stores.state_store();
    for change in &model.history {
        apply(store, change).unwrap_or_else(|error| panic!("{change:?}: {error}"));
    }
    for (key, batch) in &model.batches {
        assert_eq!(store.response(key).expect("it reads").as_ref(), Some(&batch.answer), "{key:?}");
    }
    let (objects, named) = (objects(model), model.named());
    assert_eq!(
        store.unnamed(&objects.iter().cloned().collect::<Vec<_>>()).expect("it reads"),
        objects.difference(&named).cloned().collect()
    );
    assert!(objects.is_superset(&named));
    let mut live = BTreeMap::new();
    let mut counted = 0;
    for tenant in tenants(model) {
        let files = store.live_files(&tenant, &always()).expect("it reads");
        live.extend(files.into_iter().map(|found| (found.file.name, found.file.rows)));
        let sums = store.sums(&tenant).expect("it reads");
        counted += sums.rollups.iter().map(|row| row.records).sum::<u64>();
        let mut expected = sums_of_batches(model, &tenant);
        // Counts by hour do not live as long as the others.
        expected.hours.retain(|row| sums.hours.iter().any(|other| other.hour == row.hour));
        assert_eq!(sums, expected, "{tenant}");
    }
    let expected: BTreeMap<_, _> =
        model.live.iter().map(|(name, file)| (name.clone(), file.rows)).collect();
    assert_eq!(live, expected);
    assert_eq!(counted, model.counted);
    let retired = store.retired_files(DateTime::<Utc>::MAX_UTC).expect("it reads");
    let retired: BTreeSet<_> = retired.into_iter().map(|file| file.name).collect();
    assert_eq!(retired, model.retired.keys().cloned().collect());
}

fn apply(store: &StateStore, change: &Change) -> Result<(), StoreError> {
    match change {
        Change::Publish(publication) => {
            assert_eq!(store.publish(publication)?, PublishOutcome::First);
            let again = store.publish(publication)?;
            assert_eq!(again, PublishOutcome::Before(publication.response.clone()));
        }
        Change::Replace { retire, name, file, now } => {
            let mut ids = Vec::new();
            for found in store.live_files(&file.tenant, &always())? {
                if retire.contains(&found.file.name) {
                    ids.push(found.id);
                }
            }
            let micros = file.newest.timestamp_micros();
            let merged = [NewFile {
                name: name.clone(),
                partial: None,
                rows: file.rows,
                bytes: file.rows,
                min_timestamp_micros: micros,
                max_timestamp_micros: micros,
                ..NewFile::default()
            }];
            store.replace(&file.tenant, &ids, &merged, *now)?;
            // One who has slept in the meantime changes nothing.
            store.replace(&file.tenant, &ids, &merged, *now).expect_err("they are live no more");
        }
        Change::Forget { now } => {
            store.apply_retention(&RETENTION, *now)?;
        }
        Change::Strike { name } => {
            let retired = store.retired_files(DateTime::<Utc>::MAX_UTC)?;
            let ids: Vec<i64> = retired.iter().filter(|f| f.name == *name).map(|f| f.id).collect();
            store.delete_retired_files(&ids)?;
        }
    }
    Ok(())
}

fn tenants(model: &Model) -> BTreeSet<TenantSlug> {
    let published = model.history.iter().filter_map(|change| match &**change {
        Change::Publish(publication) => Some(publication.key.tenant.clone()),
        _ => None,
    });
    published.collect()
}

/// What all batches of a tenant come to.
fn sums_of_batches(model: &Model, tenant: &TenantSlug) -> Sums {
    let mut sums = Sums::default();
    for change in &model.history {
        if let Change::Publish(publication) = &**change
            && publication.key.tenant == *tenant
        {
            sums.add(&publication.sums);
        }
    }
    sums
}

/// All objects that had a name once.
fn objects(model: &Model) -> BTreeSet<String> {
    let names = model.history.iter().flat_map(|change| match &**change {
        Change::Publish(publication) => {
            let answer = match &publication.response.body {
                ResponseBody::Object(object) => Some(object.name.clone()),
                ResponseBody::Inline(_) => None,
            };
            let file = publication.file.iter();
            let files = file.flat_map(|file| [Some(file.name.clone()), file.partial.clone()]);
            files.chain([answer]).flatten().collect()
        }
        Change::Replace { name, .. } => vec![name.clone()],
        Change::Forget { .. } | Change::Strike { .. } => Vec::new(),
    });
    names.collect()
}

fn always() -> std::ops::RangeInclusive<NaiveDate> {
    NaiveDate::MIN..=NaiveDate::MAX
}
