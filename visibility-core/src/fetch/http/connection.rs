//! Opens connections: targets, and limits on concurrent ones.
//!
//! The route of a request is a task-local value around it. The client's resolver answers with the
//! route and with nothing else, so what was checked is what is connected to.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolving};
use tokio::sync::Semaphore;
use tower_layer::Layer;
use tower_service::Service;

use crate::fetch::BoxFuture;
use crate::fetch::http::guard::Route;

tokio::task_local! {
    static PATH: Path;
}

/// What a connection needs to know about the request that it is opened for.
struct Path {
    route: Route,
    /// Opened to everyone once there is a connection.
    lock: Option<Arc<Semaphore>>,
}

/// Runs a request along a route. `lead` is the request's duty to open the gate, if it has it.
pub(super) async fn along<F: Future>(
    route: Route,
    lead: Option<&ConnectionLeader>,
    request: F,
) -> F::Output {
    let lock = lead.map(|lead| Arc::clone(&lead.0));
    PATH.scope(Path { route, lock }, request).await
}

/// The client's resolver.
#[derive(Debug)]
pub(super) struct RouteResolver;

impl reqwest::dns::Resolve for RouteResolver {
    fn resolve(&self, _name: Name) -> Resolving {
        let route = PATH.try_with(|path| path.route.clone());
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = match route {
                Ok(route) => route.addresses().to_vec(),
                Err(_) => return Err(io::Error::from(io::ErrorKind::PermissionDenied).into()),
            };
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// One gate for each origin over TLS: a first request opens a connection, and the others wait for
/// it, so that they can share it when HTTP/2 was negotiated.
#[derive(Debug, Default)]
pub(super) struct OriginLocks(Mutex<BTreeMap<String, Arc<Semaphore>>>);

/// The duty of the first request of an origin. The gate opens at the latest when it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionLeader(Arc<Semaphore>);

impl Drop for ConnectionLeader {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl OriginLocks {
    /// Waits until there is a connection to the origin, or takes on the duty to open one.
    pub(super) async fn wait_or_lead(&self, origin: String) -> Option<ConnectionLeader> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(origin).or_insert_with(|| Arc::new(Semaphore::new(1))))
        };
        if lock.is_closed() {
            return None;
        }
        if let Ok(duty) = Arc::clone(&lock).acquire_owned().await {
            duty.forget();
            return Some(ConnectionLeader(lock));
        }
        tokio::time::sleep(HANDOVER).await;
        None
    }
}

/// Time for a fresh connection to get from the connector into the client's pool.
const HANDOVER: Duration = Duration::from_millis(2);

/// Opens the gate of a request once its connection is established.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignalConnected;

impl<S> Layer<S> for SignalConnected {
    type Service = SignalConnectedService<S>;

    fn layer(&self, inner: S) -> SignalConnectedService<S> {
        SignalConnectedService { inner }
    }
}

#[derive(Clone, Debug)]
pub(super) struct SignalConnectedService<S> {
    inner: S,
}

impl<S, R> Service<R> for SignalConnectedService<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let lock = PATH.try_with(|path| path.lock.clone()).ok().flatten();
        let connecting = self.inner.call(request);
        Box::pin(async move {
            let connection = connecting.await;
            if let Some(lock) = lock {
                lock.close();
            }
            connection
        })
    }
}
