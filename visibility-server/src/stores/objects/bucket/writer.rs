//! An object on its way to a bucket.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use object_store::path::Path as Location;
use object_store::{
    MultipartUpload, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, PutPayloadMut,
};
use tokio::runtime::Handle;
use visibility_core::store::{ObjectWriter, StoreError};

use super::super::{failed, io_kind, wait_for};

/// Bytes of each part but the last one: the least that stores allow, as a batch writes three objects at a time. Some
/// stores want all parts to be equally large.
const PART_BYTES: usize = 5 * 1024 * 1024;
/// Bytes of the pieces in which a part gathers.
const PIECE_BYTES: usize = 64 * 1024;

/// One part is in flight at a time. An object that is smaller than a part is written by one request.
pub(super) struct BucketWriter {
    store: Arc<dyn ObjectStore>,
    runtime: Handle,
    location: Location,
    upload: Option<Box<dyn MultipartUpload>>,
    part: PutPayloadMut,
    bytes: u64,
    has_failed: bool,
}

impl BucketWriter {
    pub(super) fn new(store: Arc<dyn ObjectStore>, runtime: Handle, location: Location) -> Self {
        Self {
            store,
            runtime,
            location,
            upload: None,
            part: new_part(),
            bytes: 0,
            has_failed: false,
        }
    }

    fn write_part(&mut self) -> object_store::Result<()> {
        let part = self.take_part();
        let _entered = self.runtime.enter();
        let mut upload = match self.upload.take() {
            Some(upload) => upload,
            None => wait_for(self.store.put_multipart(&self.location))?,
        };
        let outcome = wait_for(upload.put_part(part));
        self.upload = Some(upload);
        outcome
    }

    fn take_part(&mut self) -> PutPayload {
        std::mem::replace(&mut self.part, new_part()).freeze()
    }

    /// Lets the store forget the parts. No one waits for that: the upload may have failed because the store is away,
    /// and a rule of the bucket forgets them as well.
    fn abort(&mut self) {
        if let Some(mut upload) = self.upload.take() {
            self.runtime.spawn(async move { upload.abort().await });
        }
    }

    fn complete(&mut self) -> object_store::Result<()> {
        if self.upload.is_none() {
            let payload = self.take_part();
            let put = self.store.put_opts(&self.location, payload, PutMode::Create.into());
            let _entered = self.runtime.enter();
            return wait_for(put).map(|_done| ());
        }
        if self.part.content_length() > 0 {
            self.write_part()?;
        }
        let _entered = self.runtime.enter();
        let Some(upload) = &mut self.upload else { return Ok(()) };
        wait_for(upload.complete())?;
        self.upload = None;
        Ok(())
    }
}

fn new_part() -> PutPayloadMut {
    PutPayloadMut::new().with_block_size(PIECE_BYTES)
}

impl Write for BucketWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            return Err(io::Error::other("an earlier write of this object failed"));
        }
        let room = PART_BYTES - self.part.content_length();
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.part.extend_from_slice(taken);
        self.bytes += taken.len() as u64;
        if self.part.content_length() == PART_BYTES
            && let Err(error) = self.write_part()
        {
            self.has_failed = true;
            self.abort();
            return Err(io::Error::new(io_kind(&error), error));
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for BucketWriter {
    fn finish(mut self: Box<Self>) -> Result<u64, StoreError> {
        let action = format!("finish {}", self.location);
        if self.has_failed {
            return Err(StoreError::unchanged(action, "an earlier write of it failed"));
        }
        self.complete().map(|()| self.bytes).map_err(|error| failed(action, &error))
    }
}

impl Drop for BucketWriter {
    fn drop(&mut self) {
        self.abort();
    }
}

impl fmt::Debug for BucketWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.location.as_ref();
        formatter.debug_struct("BucketWriter").field("name", &name).finish_non_exhaustive()
    }
}
