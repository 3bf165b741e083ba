//! A kernel that is moved step by step, for simulation.

use std::sync::Arc;

use brain_core::Random;
use brain_engine::{Driver, Host, Outside};
use brain_registry::Registry;
use brain_store::Store;
use brain_tools::Toolbox;

use crate::budget::SpendCaps;
use crate::error::KernelError;
use crate::host::KernelHost;
use crate::kernel::{Expiry, Kernel};
use crate::vocabulary::LanguageConfig;

/// Replaces or wraps the host and the outside world.
pub type Wrap<'a> = dyn Fn(Arc<dyn Host>, Arc<dyn Outside>) -> (Arc<dyn Host>, Arc<dyn Outside>) + 'a;

impl Kernel {
    /// A kernel without threads or a clock of its own; the returned driver moves it. `wrap` intercepts its host and its
    /// outside world. For simulation.
    #[expect(clippy::too_many_arguments, reason = "a simulated node is built in one place from all its parts")]
    pub fn by_hand(
        registry: Arc<Registry>,
        toolbox: Arc<Toolbox>,
        store: Arc<dyn Store>,
        clock: Arc<brain_core::VirtualClock>,
        mut random: Box<dyn Random>,
        flow: brain_engine::FlowConfig,
        expiry: Expiry,
        wrap: &Wrap<'_>,
    ) -> Result<(Arc<Self>, Driver), KernelError> {
        let own = Arc::new(KernelHost::new(toolbox, store.clone(), SpendCaps::default()));
        let (host, outside) = wrap(own.clone(), own.clone());
        let of_engine = Box::new(brain_core::SeededRandom::new(random.next_u64()));
        let driver = Driver::on_lease(store, host, outside, clock, of_engine, flow);
        let engine = driver.engine().clone();
        let kernel = Self::over(engine, registry, &own, random, &LanguageConfig::default(), expiry)?;
        Ok((kernel, driver))
    }
}
