//! Both stores in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::DateTime;

use super::sums::Sums;
use super::{
    EachPage, LIST_PAGE, Ledger, ListedObject, NewFile, ObjectWriter, Objects, Publication,
    PublishOutcome, ResponseBody, SET_ASIDE, StoreError, StoredResponse, TRASH, is_below,
};
use crate::accounts::tenant::{BatchKey, TenantSlug};

/// A ledger in memory, with all that it has published.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    state: Mutex<LedgerState>,
}

#[derive(Clone, Debug, Default)]
struct LedgerState {
    answers: BTreeMap<BatchKey, StoredResponse>,
    files: Vec<(TenantSlug, NewFile)>,
    sums: BTreeMap<TenantSlug, Sums>,
    hosts: BTreeMap<TenantSlug, BTreeSet<String>>,
}

impl MemoryLedger {
    /// The files of a tenant, in the order of their publication.
    pub fn files(&self, tenant: &TenantSlug) -> Vec<NewFile> {
        let state = self.state();
        let of_tenant = state.files.iter().filter(|(owner, _)| owner == tenant);
        of_tenant.map(|(_, file)| file.clone()).collect()
    }

    /// All that was added up of a tenant.
    pub fn sums(&self, tenant: &TenantSlug) -> Sums {
        self.state().sums.get(tenant).cloned().unwrap_or_default()
    }

    /// The batches that are published, and their answers.
    pub fn responses(&self) -> BTreeMap<BatchKey, StoredResponse> {
        self.state().answers.clone()
    }

    fn state(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ledger as it is now, on its own from here on.
impl Clone for MemoryLedger {
    fn clone(&self) -> Self {
        Self { state: Mutex::new(self.state().clone()) }
    }
}

impl Ledger for MemoryLedger {
    fn response(&self, key: &BatchKey) -> Result<Option<StoredResponse>, StoreError> {
        Ok(self.state().answers.get(key).cloned())
    }

    fn publish(&self, publication: &Publication) -> Result<PublishOutcome, StoreError> {
        publication.check_sums()?;
        let mut state = self.state();
        if let Some(answer) = state.answers.get(&publication.key) {
            return Ok(PublishOutcome::Before(answer.clone()));
        }
        state.answers.insert(publication.key.clone(), publication.response.clone());
        let tenant = &publication.key.tenant;
        state.files.extend(publication.file.clone().map(|file| (tenant.clone(), file)));
        let hosts = state.hosts.entry(tenant.clone()).or_default();
        let folded = publication.sums.fold_hosts(hosts);
        hosts.extend(folded.new_hosts.into_iter().map(str::to_owned));
        state.sums.entry(tenant.clone()).or_default().add(&folded.sums);
        Ok(PublishOutcome::First)
    }

    fn unnamed(&self, names: &[String]) -> Result<BTreeSet<String>, StoreError> {
        let state = self.state();
        let answers = state.answers.values().filter_map(|answer| match &answer.body {
            ResponseBody::Object(object) => Some(&object.name),
            ResponseBody::Inline(_) => None,
        });
        let files = state
            .files
            .iter()
            .flat_map(|(_, file)| std::iter::once(&file.name).chain(&file.partial));
        let named: BTreeSet<&String> = answers.chain(files).collect();
        Ok(names.iter().filter(|name| !named.contains(name)).cloned().collect())
    }
}

/// Objects in memory. All of them are as old as the Unix epoch, as there is no clock here.
#[derive(Debug, Default)]
pub struct MemoryObjects {
    objects: Arc<Mutex<ObjectMap>>,
}

/// Contents by name.
type ObjectMap = BTreeMap<String, Vec<u8>>;

impl Objects for MemoryObjects {
    fn create(&self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        if lock(&self.objects).contains_key(name) {
            return Err(StoreError::unchanged(format!("create {name}"), "it exists"));
        }
        Ok(Box::new(MemoryWriter {
            objects: Arc::clone(&self.objects),
            name: name.to_owned(),
            content: Vec::new(),
        }))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let found = lock(&self.objects).get(name).cloned();
        found.ok_or_else(|| StoreError::unchanged(format!("read {name}"), "it does not exist"))
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        lock(&self.objects).remove(name);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let mut objects = lock(&self.objects);
        if let Some(content) = objects.remove(from) {
            objects.insert(to.to_owned(), content);
        }
        Ok(())
    }

    fn list(&self, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.list_where(|name| !is_below(name, TRASH) && !is_below(name, SET_ASIDE), each_page)
    }

    fn list_below(&self, folder: &str, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.list_where(|name| is_below(name, folder), each_page)
    }
}

impl MemoryObjects {
    fn list_where(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        each_page: &mut EachPage<'_>,
    ) -> Result<(), StoreError> {
        let objects = lock(&self.objects);
        let wanted = objects.iter().filter(|(name, _)| is_wanted(name));
        let listed: Vec<ListedObject> = wanted
            .map(|(name, content)| ListedObject {
                name: name.clone(),
                modified: DateTime::UNIX_EPOCH,
                bytes: content.len() as u64,
            })
            .collect();
        // A page may be given to what changes the objects.
        drop(objects);
        listed.chunks(LIST_PAGE).try_for_each(|page| each_page(page.to_vec()))
    }
}

#[derive(Debug)]
struct MemoryWriter {
    objects: Arc<Mutex<ObjectMap>>,
    name: String,
    content: Vec<u8>,
}

impl Write for MemoryWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.content.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for MemoryWriter {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        let bytes = self.content.len() as u64;
        lock(&self.objects).insert(self.name, self.content);
        Ok(bytes)
    }
}

fn lock(objects: &Mutex<ObjectMap>) -> MutexGuard<'_, ObjectMap> {
    objects.lock().unwrap_or_else(PoisonError::into_inner)
}
