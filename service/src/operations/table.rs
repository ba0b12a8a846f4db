// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The endpoints of the operations in the table.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use halimede_arith::interface::{Interface, Plan, Settings, Visitor};
use halimede_arith::job::Operation;

use super::{Endpoint, Served};
use crate::objects::Objects;
use crate::query::hash;
use crate::queue::{Lane, Queue};
use crate::refusal::{Reason, Refusal};

/// Returns the endpoints of all operations that engines describe.
pub fn endpoints(queue: &Arc<Queue>, objects: &Arc<Objects>) -> Vec<Arc<dyn Endpoint>> {
    let (lanes, endpoints) = (HashMap::new(), Vec::new());
    let mut table = Table { queue, objects, lanes, endpoints };
    halimede_operations::visit(&mut table);
    table.endpoints
}

struct Table<'q> {
    queue: &'q Arc<Queue>,
    objects: &'q Arc<Objects>,
    /// One lane per [`Operation`], which several interfaces may share.
    lanes: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    endpoints: Vec<Arc<dyn Endpoint>>,
}

impl Table<'_> {
    fn lane<Op: Operation>(&mut self) -> Arc<Lane<Op>> {
        let known = self.lanes.get(&TypeId::of::<Op>()).map(Arc::clone);
        if let Some(Ok(lane)) = known.map(Arc::downcast) {
            return lane;
        }
        let lane = self.queue.lane::<Op>();
        self.lanes.insert(TypeId::of::<Op>(), Arc::clone(&lane) as _);
        lane
    }
}

impl Visitor for Table<'_> {
    fn visit<I: Interface>(&mut self) {
        let (lane, objects) = (self.lane::<I::Operation>(), Arc::clone(self.objects));
        let kept = Plans::<I::Operation>::default();
        let plan = Box::new(move |settings| kept.of::<I>(settings, &objects));
        self.endpoints.push(Arc::new(Served { about: I::ABOUT, plan, lane }));
    }
}

/// The cached plans of an interface: later batches reuse their content, such as parsed keys.
struct Plans<Op: Operation>(Mutex<Vec<KeptPlan<Op>>>);

type KeptPlan<Op> = (Vec<(&'static str, String)>, Arc<Plan<Op>>);

impl<Op: Operation> Default for Plans<Op> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Op: Operation> Plans<Op> {
    fn of<I: Interface<Operation = Op>>(
        &self,
        mut settings: Settings,
        objects: &Objects,
    ) -> Result<Arc<Plan<Op>>, Refusal> {
        let refuse = |error| Refusal::new(Reason::Setting, error);
        if !I::ABOUT.has_few_plans() {
            let named: Vec<_> = settings
                .named_objects()
                .map(|(name, kind, value)| (name, kind, hash(value).unwrap_or_default()))
                .collect();
            for (name, kind, hash) in named {
                settings.attach(name, objects.object(kind, &hash)?).map_err(refuse)?;
            }
            return I::plan(&settings).map(Arc::new).map_err(refuse);
        }
        let mut words = settings.chosen();
        words.sort_unstable();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plan)) = kept.iter().find(|(known, _)| *known == words) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(I::plan(&settings).map_err(refuse)?);
        kept.push((words, Arc::clone(&plan)));
        Ok(plan)
    }
}
