//! The public surface of a crate, from the texts of its files: what `pub` reaches from the root,
//! through modules and re-exports. What a macro or a foreign glob might make public cannot be
//! seen, and is said so; code for tests is no part of it.

mod black_box;
mod constants;
pub mod driver;
mod ending;
mod for_tests;
pub mod inline_tests;
mod items;
mod methods;
mod named;
mod product;
mod reached;
mod stubs;
mod tokens;
mod tree;

pub use black_box::{Reach, private_reaches};
pub use constants::{ANSWER, constants};
pub use for_tests::for_tests_alone;
pub use named::named;
pub use product::product;
pub use stubs::{STUB, stubbed};

use self::items::{attributes, conditional, for_tests, of_item, public, says, sets_path, written};
use self::tokens::{clean, line};
use self::tree::{Crate, DEEPEST, Module, Target};
use crate::unread::{NoRust, Unread};
use crate::{Extracted, Files, Function, Item, Kind};
use std::collections::{BTreeMap, BTreeSet};
use syn::UseTree;
use syn::spanned::Spanned;

/// The edition of every crate that is made: modules, and the products that they become.
pub const EDITION: &str = "2021";

/// The tokens of a source, without what stands before them.
pub(crate) fn tokens_of(text: &str) -> Result<proc_macro2::TokenStream, NoRust> {
    tokens::lex(clean(text))
}

/// A whole file, bodies and all, and the text that its places are places of: the end of the one
/// given. It goes down by recursion: call it where there is a stack for that.
pub(crate) fn whole(text: &str) -> Result<(syn::File, &str), NoRust> {
    let clean = clean(text);
    let tokens = tokens::with_bodies(tokens::lex(clean)?)?;
    let parsed = syn::parse2(tokens).map_err(|error| NoRust {
        line: line(error.span()),
        why: error.to_string(),
    })?;
    Ok((parsed, clean))
}

/// The surface of a crate. `uses` are the surfaces of the crates that it may re-export from, by
/// crate name. An error says which file does not parse, and where.
pub fn extract(files: &Files, uses: &BTreeMap<String, Extracted>) -> Result<Extracted, Unread> {
    let mut krate = Crate {
        files,
        uses,
        modules: Vec::new(),
        found: Extracted::default(),
        seen: BTreeSet::new(),
        walked: BTreeSet::new(),
    };
    krate.file("lib.rs", Vec::new(), "")?;
    krate.walk(0, 0);
    methods::add(&mut krate);
    let mut found = krate.found;
    found.forging = ending::places(files);
    found
        .items
        .sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    Ok(found)
}

/// One file, parsed, or where it cannot be. Places are those of the [`clean`] text; bodies of
/// functions are cut.
fn parse(name: &str, text: &str) -> Result<syn::File, Unread> {
    let place = |source: NoRust| Unread::NoRust {
        file: name.to_owned(),
        source,
    };
    let tokens = tokens::lex(clean(text)).map_err(place)?;
    let tokens = tokens::without_bodies(tokens).map_err(place)?;
    syn::parse2(tokens).map_err(|error| {
        let (line, why) = (line(error.span()), error.to_string());
        place(NoRust { line, why })
    })
}

impl<'f> Crate<'f> {
    /// Reads a file and the modules below it. `folder` is where its `mod` files are.
    fn file(&mut self, name: &str, path: Vec<String>, folder: &str) -> Result<usize, Unread> {
        let text = self
            .files
            .get(name)
            .ok_or_else(|| Unread::NoFile(name.to_owned()))?;
        let parsed = parse(name, text)?;
        for (line, what) in tokens::hidden(clean(text)) {
            self.unseen(name, line, &what);
        }
        self.module(name, clean(text), path, folder, parsed.items)
    }

    fn module(
        &mut self,
        file: &str,
        text: &'f str,
        path: Vec<String>,
        folder: &str,
        items: Vec<syn::Item>,
    ) -> Result<usize, Unread> {
        let items: Vec<syn::Item> = items
            .into_iter()
            .filter(|item| !attributes(item).is_some_and(for_tests))
            .collect();
        let here = self.modules.len();
        self.modules.push(Module {
            path: path.clone(),
            file: file.to_owned(),
            text,
            items: Vec::new(),
            children: BTreeMap::new(),
        });
        for item in &items {
            if let Some(span) = conditional(item) {
                self.unseen(file, line(span), "what depends on a `cfg`");
            }
            match item {
                syn::Item::Macro(one) => self.exported(file, one),
                syn::Item::Mod(one) => {
                    let name = one.ident.to_string();
                    let mut below = path.clone();
                    below.push(name.clone());
                    let line = line(one.ident.span());
                    if one.attrs.iter().any(sets_path) {
                        self.unseen(file, line, "a module by `#[path]`");
                        continue;
                    }
                    let inside = format!("{folder}{name}/");
                    let child = match &one.content {
                        Some((_, items)) => {
                            self.module(file, text, below, &inside, items.clone())?
                        }
                        None => {
                            let beside = format!("{folder}{name}.rs");
                            let own = format!("{inside}mod.rs");
                            let places = [beside, own];
                            let found = places.iter().find(|path| self.files.contains_key(*path));
                            let Some(found) = found else {
                                let file = file.to_owned();
                                return Err(Unread::NoModule { file, line, name });
                            };
                            self.file(found, below, &inside)?
                        }
                    };
                    self.modules[here].children.insert(name, child);
                }
                syn::Item::Type(alias) => {
                    let parameters = alias.generics.type_params();
                    let parameters = parameters.map(|one| one.ident.to_string()).collect();
                    let written = written(text, &*alias.ty);
                    let name = alias.ident.to_string();
                    self.found.aliases.insert(name, (parameters, written));
                }
                _ => {}
            }
        }
        self.modules[here].items = items;
        Ok(here)
    }

    /// Everything public of a module that is public itself.
    fn walk(&mut self, module: usize, depth: u32) {
        if depth > DEEPEST {
            let file = self.modules[module].file.clone();
            self.unseen(&file, 1, "what is re-exported over so many modules");
            return;
        }
        if !self.walked.insert(module) {
            return;
        }
        for at in 0..self.modules[module].items.len() {
            let item = self.modules[module].items[at].clone();
            let file = self.modules[module].file.clone();
            match &item {
                syn::Item::Mod(one) if public(&one.vis) => {
                    let child = self.modules[module].children.get(&one.ident.to_string());
                    if let Some(child) = child.copied() {
                        self.walk(child, depth + 1);
                    }
                }
                syn::Item::Use(one) if public(&one.vis) => {
                    self.reexport(module, &mut Vec::new(), &one.tree, depth);
                }
                syn::Item::ExternCrate(one) if public(&one.vis) => {
                    let what = "a crate that is made public as a whole";
                    self.unseen(&file, line(one.ident.span()), what);
                }
                syn::Item::Macro(one) => {
                    if one.ident.is_none() && !one.mac.path.is_ident("thread_local") {
                        let line = line(one.mac.path.span());
                        self.unseen(&file, line, "what a macro makes");
                    }
                }
                syn::Item::ForeignMod(one) => {
                    let line = line(one.abi.extern_token.span());
                    self.unseen(&file, line, "what an `extern` block declares");
                }
                syn::Item::Verbatim(one) => {
                    self.unseen(&file, line(one.span()), "an item of a new kind");
                }
                _ => self.add(module, at, None),
            }
        }
    }

    /// A macro is exported from the root, whatever module it stands in.
    fn exported(&mut self, file: &str, one: &syn::ItemMacro) {
        if let Some(name) = &one.ident
            && one.attrs.iter().any(|a| says(a, "macro_export"))
        {
            self.found.items.push(Item {
                name: name.to_string(),
                file: file.to_owned(),
                line: line(one.mac.path.span()),
                kind: Kind::Other {
                    word: "macro".to_owned(),
                },
            });
        }
    }

    /// Adds an item if it is public, or under the name of its re-export, which is.
    fn add(&mut self, module: usize, at: usize, renamed: Option<&str>) {
        let here = &self.modules[module];
        let Some((name, visible, span, kind)) = of_item(&here.items[at], here.text) else {
            return;
        };
        if renamed.is_none() && !public(visible) {
            return;
        }
        let name = renamed.map_or(name, str::to_owned);
        let item = Item {
            name: name.clone(),
            file: here.file.clone(),
            line: line(span),
            kind,
        };
        if self.seen.insert((module, at, name)) {
            self.found.items.push(item);
        }
    }

    fn reexport(&mut self, module: usize, path: &mut Vec<String>, tree: &UseTree, depth: u32) {
        match tree {
            UseTree::Path(one) => {
                path.push(one.ident.to_string());
                self.reexport(module, path, &one.tree, depth);
                path.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.reexport(module, path, tree, depth);
                }
            }
            UseTree::Name(one) => {
                let name = one.ident.to_string();
                self.named(module, path, &name, &name, line(one.ident.span()), depth);
            }
            UseTree::Rename(one) => {
                let (from, to) = (one.ident.to_string(), one.rename.to_string());
                self.named(module, path, &from, &to, line(one.rename.span()), depth);
            }
            UseTree::Glob(glob) => match self.resolve(module, path, depth) {
                Target::Module(child) => self.walk(child, depth + 1),
                _ => {
                    let file = self.modules[module].file.clone();
                    let what = format!("`{}::*`", path.join("::"));
                    self.unseen(&file, line(glob.star_token.span()), &what);
                }
            },
        }
    }

    fn named(
        &mut self,
        module: usize,
        path: &[String],
        from: &str,
        to: &str,
        line: u32,
        depth: u32,
    ) {
        let mut whole = path.to_vec();
        if from != "self" {
            whole.push(from.to_owned());
        }
        let file = self.modules[module].file.clone();
        match self.resolve(module, &whole, depth) {
            Target::Item(module, at) => self.add(module, at, Some(to)),
            Target::Module(child) => self.walk(child, depth + 1),
            Target::Foreign(krate, name) => {
                let known = self.uses.get(&krate).and_then(|uses| uses.get(&name));
                if known.is_some() {
                    self.found.handed_on.insert(to.to_owned(), krate.clone());
                }
                let kind = match known.map(|item| &item.kind) {
                    Some(Kind::Function(function)) => Kind::Function(Function {
                        from: Some(krate),
                        ..function.clone()
                    }),
                    Some(kind) => kind.clone(),
                    None => Kind::Foreign { from: krate },
                };
                let item = Item {
                    name: to.to_owned(),
                    file,
                    line,
                    kind,
                };
                self.found.items.push(item);
            }
            Target::Nowhere => {
                let what = format!("`{}`, which is not found", whole.join("::"));
                self.unseen(&file, line, &what);
            }
        }
    }
}
