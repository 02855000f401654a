//! Objects in a bucket, at a real store: `tests/s3` starts it.

use std::io::Write as _;

use tempfile::TempDir;
use visibility_server::settings::Settings;
use visibility_server::stores::Stores;
use visibility_server::stores::identity::IdentityError;
use visibility_server::stores::location::StoreLocation;
use visibility_tests::bucket;
use visibility_tests::contract::{check_object_files, check_objects};

/// The stores of a data directory, with the objects of another one.
fn open(data_dir: &TempDir, objects: &TempDir) -> Result<Stores, IdentityError> {
    let mut settings = Settings { data_dir: data_dir.path().to_owned(), ..Settings::default() };
    bucket::set_shared(&mut settings, objects.path());
    let location = StoreLocation::of(&settings).expect("a place");
    Stores::open_exclusive(location)
        .map_err(|error| IdentityError::of(&error).cloned().expect("they do not belong together"))
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn objects_in_a_bucket_keep_the_contract() {
    let folder = TempDir::new().expect("a folder");
    let stores = open(&folder, &folder).expect("it opens");
    check_objects(stores.objects());
    check_object_files(stores.objects());
}

#[tokio::test(flavor = "current_thread")]
#[ignore = "needs an S3-compatible store: tests/run s3"]
async fn a_bucket_works_on_a_thread_that_drives_tasks() {
    let folder = TempDir::new().expect("a folder");
    check_objects(open(&folder, &folder).expect("it opens").objects());
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn a_place_in_a_bucket_belongs_to_one_database() {
    let [first, second, third] = [(); 3].map(|()| TempDir::new().expect("a folder"));
    let stores = open(&first, &first).expect("it opens");
    let other = open(&second, &first).expect_err("it is that of the first");
    assert!(matches!(other, IdentityError::NoDatabase { .. }), "{other}");
    drop(open(&second, &second).expect("it has one of its own"));
    let other = open(&second, &first).expect_err("it is that of the first");
    assert!(matches!(other, IdentityError::OtherStore { .. }), "{other}");
    // Two prefixes of a bucket know nothing of each other.
    let mut writer = stores.objects().create("tenant=a/new/1.parquet").expect("it starts");
    writer.write_all(b"record").expect("it writes");
    writer.finish().expect("it finishes");
    assert_eq!(open(&third, &third).expect("it opens").objects().list_all().expect("it lists"), []);
}

#[test]
#[ignore = "needs an S3-compatible store: tests/run s3"]
fn more_objects_than_a_page_are_listed() {
    let folder = TempDir::new().expect("a folder");
    let stores = open(&folder, &folder).expect("it opens");
    let names: Vec<String> =
        (0..1_050).map(|number| format!("tenant=a/new/{number:05}.parquet")).collect();
    for name in &names {
        stores.objects().create(name).expect("it starts").finish().expect("it finishes");
    }
    let mut pages = Vec::new();
    let mut found = Vec::new();
    stores
        .objects()
        .list(&mut |page| {
            pages.push(page.len());
            found.extend(page.into_iter().map(|object| object.name));
            Ok(())
        })
        .expect("it lists");
    assert!(pages.len() == 2 && pages.iter().all(|objects| *objects <= 1_000), "{pages:?}");
    assert_eq!(found, names);
}
