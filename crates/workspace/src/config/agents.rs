//! What the config says about agents: `[agents.NAME]` and `[prices.MODEL]`.

use super::Config;
use crate::error::Error;
use agents::{Login, Price, Prices, Rates, Resuming, Tuning};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

impl Config {
    /// What is set about one agent. Relative files are relative to `base`.
    pub fn tuning(&self, agent: &str, base: &Path) -> Result<Tuning, Error> {
        let name = |key: &str| format!("agents.{agent}.{key}");
        Ok(Tuning {
            program: self.text(&name("program")).map(str::to_owned),
            args: self.texts(&name("args")),
            env: self.texts(&name("env")),
            // A repository must not choose where a key is sent.
            base_url: self.own_text(&name("base_url"))?.map(str::to_owned),
            login: self.text(&name("login")).map(|login| match login {
                "user" => Login::User,
                _ => Login::Key,
            }),
            key_file: self.text(&name("key_file")).map(|file| place(file, base)),
            idle: self.number(&name("idle_seconds")).map(Duration::from_secs),
            // A repository must not choose what of a person's own an agent gets.
            setup: self.own_texts(&name("setup"))?,
            session: self.text(&name("session")).map(|session| match session {
                "fresh" => Resuming::Fresh,
                _ => Resuming::Resume,
            }),
            prices: self.prices()?,
        })
    }

    /// A file that only the person's own config and environment may name.
    pub fn own_file(&self, name: &str, base: &Path) -> Result<Option<PathBuf>, Error> {
        Ok(self.own_text(name)?.map(|file| place(file, base)))
    }

    /// Every key file that is named, for whoever must not see or keep what is in it.
    pub fn key_files(&self, base: &Path) -> Vec<PathBuf> {
        let named = self
            .iter()
            .filter(|(name, _, _)| name.ends_with(".key_file"));
        let files = named.filter_map(|(name, _, _)| Some(place(self.text(name)?, base)));
        files.collect()
    }

    /// Every variable that is passed on to some agent.
    pub fn passed_on(&self) -> BTreeSet<String> {
        let lists = self
            .iter()
            .filter(|(name, _, _)| name.starts_with("agents.") && name.ends_with(".env"));
        lists
            .filter_map(|(name, _, _)| self.texts(name))
            .flatten()
            .collect()
    }

    /// The user's own prices.
    fn prices(&self) -> Result<Prices, Error> {
        let names = self.iter().filter_map(|(name, _, _)| {
            let model = name.strip_prefix("prices.")?;
            model.rsplit_once('.').map(|(model, _)| model.to_owned())
        });
        let models: BTreeSet<String> = names.collect();
        let embedded = Prices::embedded();
        let mut prices = Prices::none();
        for model in models {
            let rate = |key: &str| self.number(&format!("prices.{model}.{key}"));
            let needed = |key: &str| {
                rate(key).ok_or_else(|| {
                    let what = format!("`prices.{model}` has no `{key}`");
                    let mend = format!("add `{key}`: micro-dollars per million tokens");
                    Error::user("config_malformed", what, mend)
                })
            };
            let input = needed("input")?;
            let rates = Rates {
                input,
                cached: rate("cached").unwrap_or(input),
                written: rate("written").unwrap_or(input),
                output: needed("output")?,
            };
            let known = embedded.find(&model).unwrap_or_default();
            let price = Price {
                rates,
                long: None,
                ..known
            };
            prices = prices.with(model, price);
        }
        Ok(prices)
    }
}

/// A file as people write it: from their home, from the repository, or absolute.
fn place(file: &str, base: &Path) -> PathBuf {
    match (file.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(file),
    }
}
