//! Encrypted connections.

use rustls::RootCertStore;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::settings::database_address::Certificates;
use crate::stores::database::SqlError;
use crate::stores::tls;

/// What encrypts connections and makes sure that they end at the host of the address.
pub(super) fn connector(certificates: &Certificates) -> Result<MakeRustlsConnect, SqlError> {
    let roots = match certificates {
        // Nothing is asked of it then.
        Certificates::None => RootCertStore::empty(),
        Certificates::Public => tls::public_roots(),
        Certificates::File(path) => {
            let mut roots = RootCertStore::empty();
            tls::add_file(&mut roots, path).map_err(SqlError::unchanged)?;
            roots
        }
    };
    let config = tls::client_config(roots).map_err(SqlError::unchanged)?;
    Ok(MakeRustlsConnect::new(config))
}
