//! A machine under observation: it does what the inner one does, and keeps what the inner one was
//! after every event. It does not change an answer.

use kernel::{Event, Input, Machine, Refusal};
use serde_json::Value;
use std::cell::RefCell;

/// The machine, and its snapshot after each event since the last look.
#[derive(Debug)]
pub struct Watched<M> {
    inner: M,
    trace: RefCell<Vec<Value>>,
}

impl<M: Machine> Watched<M> {
    /// Watches a machine that has taken in a whole journal already.
    pub fn new(inner: M) -> Self {
        Self {
            inner,
            trace: RefCell::default(),
        }
    }

    /// The machine itself.
    pub fn inner(&self) -> &M {
        &self.inner
    }

    /// Snapshots since the last look, one for each event, in order.
    pub fn take_trace(&self) -> Vec<Value> {
        self.trace.take()
    }
}

impl<M: Machine> Machine for Watched<M> {
    type What = M::What;
    type Fact = M::Fact;
    type Want = M::Want;
    type Status = M::Status;

    fn decide(&self, input: &Input<M::What>) -> Result<Vec<Event<M::Fact>>, Refusal> {
        self.inner.decide(input)
    }

    fn apply(&mut self, event: &Event<M::Fact>) {
        self.inner.apply(event);
        self.trace.get_mut().push(self.inner.snapshot());
    }

    fn wanted(&self) -> Vec<M::Want> {
        self.inner.wanted()
    }

    fn status(&self) -> M::Status {
        self.inner.status()
    }

    fn snapshot(&self) -> Value {
        self.inner.snapshot()
    }

    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()> {
        self.inner.restore(snapshot)
    }
}
