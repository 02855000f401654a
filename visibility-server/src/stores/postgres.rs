//! The state in a PostgreSQL database, which several nodes share.
//!
//! The connections have a thread of their own. Callers wait for it on theirs, which may block.

mod connection;
pub(crate) mod password;
#[cfg(test)]
mod tests;
mod tls;
mod value;

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod};
use tokio::time::timeout;
use visibility_core::store::StoreError;

use self::connection::{Connection, Interruption};
use super::database::{
    Database, Durability, Ending, Inspection, Isolation, SqlError, Statements, Transaction, Work,
    failed, lock_key,
};
use super::schema;
use crate::settings::database_address::DatabaseAddress;

/// How long a connection may take to be made, or to become free.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a statement may take: as long as the database gives it, and some more for the way.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(35);
/// How long the other end may leave data unacknowledged before the connection counts as lost.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(10);
/// What every connection starts with. Nothing but a fault reaches these bounds.
const SESSION: &str = "
SET synchronous_commit = on; SET statement_timeout = '30s'; SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = warning";
/// How often a transaction is run that others or faults interrupt.
const MOST_RUNS: u32 = 20;
/// How often it is run if each time the connection is lost.
const MOST_CONNECTIONS: u32 = 3;
/// How long it waits after the first run at most; then twice as long each time, up to a bound.
const FIRST_PAUSE: Duration = Duration::from_millis(4);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The database, and the connections to it.
#[derive(Debug)]
pub(super) struct Postgres {
    pool: Pool,
    /// How many connections were made.
    connections: Arc<AtomicU64>,
    /// None once it is being dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.pool.close();
        // A thread that runs other tasks must not wait for the one of the connections.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The tables of the schema in use.
const TABLES: &str = "SELECT CAST(quote_ident(tablename) AS TEXT) FROM pg_tables
     WHERE schemaname = current_schema() ORDER BY 1";

/// Whether an error says that pages of the database are damaged.
pub(super) fn is_damage(error: &(dyn Error + 'static)) -> bool {
    let text = error.to_string();
    // `data_corrupted` and `index_corrupted`.
    ["(SQLSTATE XX001)", "(SQLSTATE XX002)"].iter().any(|code| text.contains(code))
}

impl Postgres {
    /// Connects to the database and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// When the database cannot be reached or refuses the user, and when it was written by a newer version.
    pub(super) fn open(address: &DatabaseAddress, connections: usize) -> Result<Self, StoreError> {
        let describe = || format!("open the database {address}");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("database")
            .enable_all()
            .build()
            .map_err(|error| StoreError::io(describe(), error))?;
        let made = Arc::new(AtomicU64::default());
        let pool = pool(address, connections, Arc::clone(&made)).map_err(failed(describe))?;
        let postgres = Self { pool, connections: made, runtime: Some(runtime) };
        postgres.migrate().map_err(failed(describe))?;
        Ok(postgres)
    }

    /// Takes the steps of the schema that are missing, one node after another.
    fn migrate(&self) -> Result<(), SqlError> {
        let connection = self.connect()?;
        let lock = lock_key("schema");
        connection.begin(&format!("BEGIN; SELECT pg_advisory_xact_lock({lock})"))?;
        connection.run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")?;
        let statements: &dyn Statements = &connection;
        let taken: Option<i64> = statements
            .query_opt("SELECT max(version) FROM schema_version", &[], |row| row.get(0))?
            .flatten();
        for step in schema::missing_steps(taken.unwrap_or_default())? {
            connection.run(&schema::for_postgres(step))?;
        }
        connection.run(schema::LIMITS_OF_POSTGRES)?;
        let version = schema::VERSION;
        connection.run(&format!(
            "INSERT INTO schema_version (version) VALUES ({version}) ON CONFLICT DO NOTHING"
        ))?;
        connection.commit()
    }

    /// Waits for something that the thread of the connections does.
    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, SqlError> {
        let runtime = self.runtime.as_ref().ok_or_else(|| SqlError::unchanged("it is closed"))?;
        // The timers are those of the runtime. The work itself is done by this thread, which may be one of another
        // runtime.
        let _entered = runtime.enter();
        futures_executor::block_on(async { timeout(STATEMENT_TIMEOUT, work).await })
            .map_err(|_elapsed| SqlError::unchanged("the database does not answer"))
    }

    fn connect(&self) -> Result<Connection<'_>, SqlError> {
        let client = self.wait(self.pool.get())?.map_err(connection::pool_error)?;
        Ok(Connection::new(self, client))
    }

    /// Runs a transaction until nothing interrupts it before its commit.
    fn transact(&self, begin: &str, work: &mut Work<'_>) -> Result<(), SqlError> {
        let mut pause = FIRST_PAUSE;
        let mut lost = 0;
        for run in 1..=MOST_RUNS {
            let connection = self.connect()?;
            let Err(error) = run_once(&connection, begin, work) else { return Ok(()) };
            let is_last = match connection.interruption() {
                None => true,
                Some(Interruption::Conflict) => run == MOST_RUNS,
                Some(Interruption::Duplicate) => run > 1,
                Some(Interruption::ConnectionLost) => {
                    lost += 1;
                    lost == MOST_CONNECTIONS
                }
            };
            if is_last {
                return Err(error);
            }
            drop(connection);
            std::thread::sleep(random_part(pause));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Err(SqlError::unchanged("the transaction was never run"))
    }
}

impl Database for Postgres {
    fn read(&self, work: &mut Work<'_>) -> Result<(), SqlError> {
        for _lost in 1..MOST_CONNECTIONS {
            let connection = self.connect()?;
            work(&connection);
            if connection.interruption().is_none() {
                return Ok(());
            }
        }
        work(&self.connect()?);
        Ok(())
    }

    /// Reads all rows. A page whose header or checksum is wrong is an error.
    fn inspect(&self, limit: Duration) -> Result<Inspection, SqlError> {
        let started = Instant::now();
        let mut tables: Vec<String> = Vec::new();
        let mut outcome = Ok(());
        self.read(&mut |statements| {
            tables.clear();
            outcome = statements.query(TABLES, &[], &mut |row| {
                tables.push(row.get(0)?);
                Ok(())
            });
            Ending::Rollback
        })?;
        outcome?;
        for table in tables {
            if started.elapsed() >= limit {
                return Ok(Inspection::Unfinished);
            }
            let sql = format!("SELECT count(rows_of) FROM {table} AS rows_of");
            let mut outcome = Ok(());
            self.read(&mut |statements| {
                outcome = statements.query(&sql, &[], &mut |_row| Ok(()));
                Ending::Rollback
            })?;
            match outcome {
                Err(error) if is_damage(&*error.source) => {
                    return Ok(Inspection::Damaged(error.source.to_string()));
                }
                outcome => outcome?,
            }
        }
        Ok(Inspection::Sound)
    }

    fn snapshot(&self, work: &mut Work<'_>) -> Result<(), SqlError> {
        self.transact("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)
    }

    fn write(&self, transaction: Transaction<'_>, work: &mut Work<'_>) -> Result<(), SqlError> {
        let records = lock_key("records");
        let mut begin = match transaction.isolation {
            Isolation::All => "BEGIN ISOLATION LEVEL SERIALIZABLE".to_owned(),
            Isolation::Tenant(tenant) => format!(
                "BEGIN; SELECT pg_advisory_xact_lock_shared({records});
                 SELECT pg_advisory_xact_lock({})",
                lock_key(&format!("records of {tenant}"))
            ),
            Isolation::AllTenants => format!("BEGIN; SELECT pg_advisory_xact_lock({records})"),
        };
        if transaction.durability == Durability::ProcessEnd {
            begin.push_str("; SET LOCAL synchronous_commit = off");
        }
        self.transact(&begin, work)
    }

    /// A transaction in doubt has ended when the database knows that its connection is lost, which it does long
    /// before anything is deleted.
    fn settle(&self) -> Result<(), SqlError> {
        Ok(())
    }

    fn continue_numbers(&self, statements: &dyn Statements) -> Result<(), SqlError> {
        for sql in [
            "SELECT setval(pg_get_serial_sequence('data_file', 'id'), max(id)) FROM data_file",
            "SELECT setval(pg_get_serial_sequence('file_event', 'seq'), max(seq)) FROM file_event",
            "SELECT setval(pg_get_serial_sequence('hit', 'seq'), max(seq)) FROM hit",
        ] {
            statements.query(sql, &[], &mut |_row| Ok(()))?;
        }
        Ok(())
    }

    fn connections(&self) -> u64 {
        self.connections.load(Ordering::Acquire)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn shared_time(&self) -> Result<Option<DateTime<Utc>>, SqlError> {
        let connection = self.connect()?;
        let statements: &dyn Statements = &connection;
        let micros = statements.query_one(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
            &[],
            |row| row.get(0),
        )?;
        Ok(DateTime::from_timestamp_micros(micros))
    }

    fn bytes(&self) -> Result<u64, SqlError> {
        let connection = self.connect()?;
        let statements: &dyn Statements = &connection;
        statements.query_one(
            "SELECT CAST(coalesce(sum(pg_total_relation_size(oid)), 0) AS BIGINT) FROM pg_class
             WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
            &[],
            |row| row.get(0),
        )
    }
}

/// Runs a transaction once. A commit whose outcome is unknown is an error that is not interrupted: run again, the
/// transaction could meet its own effect and take it for that of another one.
fn run_once(connection: &Connection<'_>, begin: &str, work: &mut Work<'_>) -> Result<(), SqlError> {
    connection.begin(begin)?;
    let ending = work(connection);
    if connection.interruption().is_some() {
        return Err(SqlError::unchanged(
            "other transactions were in the way, or the connection was lost",
        ));
    }
    match ending {
        Ending::Commit => connection.commit(),
        Ending::Rollback => {
            connection.roll_back();
            Ok(())
        }
    }
}

fn pool(
    address: &DatabaseAddress,
    connections: usize,
    made: Arc<AtomicU64>,
) -> Result<Pool, SqlError> {
    let tls = tls::connector(address.certificates())?;
    let mut config = address.config().clone();
    config
        .application_name(concat!("visibility/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(NETWORK_TIMEOUT)
        .keepalives_idle(NETWORK_TIMEOUT)
        .keepalives_interval(NETWORK_TIMEOUT / 3);
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    Pool::builder(Manager::from_config(config, tls, recycling))
        .max_size(connections)
        .runtime(deadpool_postgres::Runtime::Tokio1)
        .wait_timeout(Some(CONNECT_TIMEOUT))
        .create_timeout(Some(CONNECT_TIMEOUT * 2))
        .post_create(Hook::async_fn(move |client, _metrics| {
            made.fetch_add(1, Ordering::AcqRel);
            Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
        }))
        .build()
        .map_err(SqlError::unchanged)
}

/// Some time up to a bound, so that transactions that met do not meet again.
fn random_part(most: Duration) -> Duration {
    let mut random = [0; 4];
    // Without random numbers it is the bound.
    if getrandom::fill(&mut random).is_err() {
        return most;
    }
    most.mul_f64(f64::from(u32::from_be_bytes(random)) / f64::from(u32::MAX))
}
