//! `visibility-server files`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;

use super::{expect_tenant, stores};
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::ingest::live_files::{self, LiveFile};
use crate::stores::Stores;
use crate::stores::state::damage::DamagedObject;

/// A file on the wire.
#[derive(Debug, Serialize)]
struct FileView {
    tenant: TenantSlug,
    #[serde(flatten)]
    file: LiveFile,
}

/// Lists the live files of one tenant or of all.
pub(super) fn run(
    tenant: Option<&TenantSlug>,
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let stores = stores(global)?;
    let tenants = match tenant {
        Some(tenant) => {
            expect_tenant(&stores, tenant, Utc::now())?;
            vec![tenant.clone()]
        }
        None => stores.state_store().tenants_with_files()?,
    };
    let mut listed = Vec::new();
    for tenant in tenants {
        say_what_is_left_out(&stores, &tenant, console)?;
        let files = live_files::live_files(&stores, &tenant)?;
        listed.extend(files.into_iter().map(|file| FileView { tenant: tenant.clone(), file }));
    }
    if format.is_json() {
        console.print_json(&listed)?;
    } else if listed.is_empty() {
        console.say("There are no files.");
    } else {
        let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
        console.print_table(&["tenant", "rows", "bytes", "from", "to", "path"], &rows)?;
    }
    Ok(Exit::Ok)
}

/// Says which records are in none of the files because they are damaged.
fn say_what_is_left_out(
    stores: &Stores,
    tenant: &TenantSlug,
    console: Console,
) -> Result<(), CommandError> {
    for object in stores.state_store().damaged_objects(Some(tenant))? {
        if let (Some(from), Some(to)) = (object.from, object.to) {
            let DamagedObject { name, records, .. } = object;
            console.say(&format!(
                "{name} is damaged: {records} records of {tenant} from {from} to {to} are left out"
            ));
        }
    }
    Ok(())
}

fn row(shown: &FileView) -> Vec<String> {
    let FileView { tenant, file } = shown;
    let minute = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M").to_string();
    vec![
        tenant.to_string(),
        file.rows.to_string(),
        file.bytes.to_string(),
        minute(file.min_time),
        minute(file.max_time),
        file.path.clone(),
    ]
}
