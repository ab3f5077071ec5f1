//! Several backends side by side: each path goes to the route with the longest prefix, by whole
//! names. Paths are passed on as they are. What has no route is not there.

use super::sight::Both;
use super::{
    Backend, Capped, Code, Denied, Glob, Grep, Hit, Kind, Listed, Rel, Seen, Sight, Truncated,
    Which, Writing,
};
use std::sync::Arc;

/// Routes by prefix.
#[derive(Default)]
pub struct Composite {
    routes: Vec<(Rel, Arc<dyn Backend>)>,
}

impl Composite {
    /// Without any route.
    pub fn new() -> Composite {
        Composite::default()
    }

    /// Sends `prefix` and all below it to `backend`, unless a longer prefix fits.
    pub fn route(mut self, prefix: &Rel, backend: Arc<dyn Backend>) -> Composite {
        self.routes.retain(|(known, _)| known != prefix);
        self.routes.push((prefix.clone(), backend));
        // The longest first; of two that fit one path, one is below the other.
        self.routes
            .sort_by(|a, b| (b.0.as_str().len(), &a.0).cmp(&(a.0.as_str().len(), &b.0)));
        self
    }

    fn index(&self, path: &str) -> Option<usize> {
        self.routes
            .iter()
            .position(|(prefix, _)| super::rel::below(path, prefix.as_str()).is_some())
    }

    fn at(&self, path: &Rel) -> Result<&dyn Backend, Denied> {
        let index = self
            .index(path.as_str())
            .ok_or_else(|| Denied::not_found(path))?;
        Ok(self.routes[index].1.as_ref())
    }

    /// Asks every route that has something at or below `start`, and puts the answers together.
    fn gather<T: Ord>(
        &self,
        start: &Rel,
        sight: &dyn Sight,
        most: usize,
        ask: &Ask<'_, T>,
    ) -> Result<Capped<T>, Denied> {
        let mut all = Capped::nothing();
        let mut answered = Err(Denied::not_found(start));
        for (index, (prefix, backend)) in self.routes.iter().enumerate() {
            let own = Own {
                routes: self,
                index,
            };
            let answer = if self.index(start.as_str()) == Some(index) {
                ask(backend.as_ref(), start, &Both(sight, &own))
            } else if prefix.is_within(start) && sight.enters(prefix.as_str()) {
                ask(backend.as_ref(), prefix, &Both(sight, &own))
            } else {
                continue;
            };
            match answer {
                Ok(more) => {
                    answered = Ok(());
                    all.items.extend(more.items);
                    if more.truncated == Truncated::Yes {
                        all.truncated = Truncated::Yes;
                    }
                }
                // A route whose folder has not been made yet has nothing to add.
                Err(denied) if denied.code() == Code::NotFound => {}
                Err(denied) => return Err(denied),
            }
        }
        // The top of everything is there even while it is empty.
        if !start.is_root() {
            answered?;
        }
        all.items.sort_unstable();
        if all.items.len() > most {
            all.items.truncate(most);
            all.truncated = Truncated::Yes;
        }
        Ok(all)
    }
}

/// Asks one route from one start.
type Ask<'a, T> = dyn Fn(&dyn Backend, &Rel, &dyn Sight) -> Result<Capped<T>, Denied> + 'a;

/// What one route governs: nothing of what a longer prefix took over.
struct Own<'c> {
    routes: &'c Composite,
    index: usize,
}

impl Sight for Own<'_> {
    fn enters(&self, folder: &str) -> bool {
        self.routes.index(folder) == Some(self.index)
    }

    fn sees(&self, file: &str) -> Seen {
        match self.routes.index(file) == Some(self.index) {
            true => Seen::Whole,
            false => Seen::Nothing,
        }
    }
}

impl Backend for Composite {
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
        self.at(path)?.read(path)
    }

    fn write(&self, path: &Rel, bytes: &[u8], writing: Writing) -> Result<(), Denied> {
        self.at(path)?.write(path, bytes, writing)
    }

    fn edit(&self, path: &Rel, find: &str, replace: &str, which: Which) -> Result<usize, Denied> {
        self.at(path)?.edit(path, find, replace, which)
    }

    fn delete(&self, path: &Rel) -> Result<(), Denied> {
        self.at(path)?.delete(path)
    }

    fn ls_seen(&self, path: &Rel, sight: &dyn Sight) -> Result<Capped<Listed>, Denied> {
        let mut listed = match self.index(path.as_str()) {
            Some(index) => {
                let own = Own {
                    routes: self,
                    index,
                };
                self.routes[index].1.ls_seen(path, &Both(sight, &own))
            }
            None => Err(Denied::not_found(path)),
        };
        // Routes below are folders here, once there is something in them to list.
        for (prefix, backend) in &self.routes {
            let Some(rest) = prefix.below(path).filter(|rest| !rest.is_empty()) else {
                continue;
            };
            let step = path.join(rest.split('/').next().unwrap_or_default())?;
            let shown = sight.enters(step.as_str()) && sight.enters(prefix.as_str());
            if !shown || backend.ls_seen(prefix, sight).is_err() {
                continue;
            }
            let folder = Listed {
                path: step,
                kind: Kind::Folder,
                size: 0,
            };
            match &mut listed {
                Ok(listed) if listed.items.contains(&folder) => {}
                Ok(listed) => listed.items.push(folder),
                Err(_) => {
                    listed = Ok(Capped {
                        items: vec![folder],
                        truncated: Truncated::No,
                    });
                }
            }
        }
        match listed {
            Err(denied) if path.is_root() && denied.code() == Code::NotFound => {
                Ok(Capped::nothing())
            }
            listed => listed.map(|mut listed| {
                listed.items.sort();
                listed
            }),
        }
    }

    fn glob_seen(&self, query: &Glob, sight: &dyn Sight) -> Result<Capped<Rel>, Denied> {
        self.gather(
            query.start(),
            sight,
            query.most(),
            &|backend, start, sight| backend.glob_seen(&query.clone().under(start), sight),
        )
    }

    fn grep_seen(&self, query: &Grep, sight: &dyn Sight) -> Result<Capped<Hit>, Denied> {
        self.gather(
            query.start(),
            sight,
            query.most(),
            &|backend, start, sight| backend.grep_seen(&query.clone().under(start), sight),
        )
    }
}
