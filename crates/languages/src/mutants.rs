//! Placebos and mutants of Rust, by its own parser: a mark at the beginning of each function of the
//! change, bodies that always give the same answer, and small changes. Pure: texts in, texts out. It does
//! not guess at types: a body gets the answers that its return type shows, or none.

mod apart;

use crate::script::Source;
use crate::unread::NoRust;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::{
    Attribute, BinOp, Block, Expr, FnArg, GenericArgument, ImplItem, Item, Pat, PathArguments,
    ReturnType, Signature, Stmt, TraitItem, Type,
};

/// Notes once for each test that a function was reached; the harness names threads after tests.
const MARK: &str = " { static SEEN: ::std::sync::Mutex<::std::vec::Vec<::std::string::String>> = ::std::sync::Mutex::new(::std::vec::Vec::new()); let test = ::std::thread::current().name().filter(|name| *name != \"main\").unwrap_or_default().to_owned(); if let ::std::result::Result::Ok(mut seen) = SEEN.lock() { if !seen.contains(&test) { if let ::std::result::Result::Ok(path) = ::std::env::var(\"PROOFHOUSE_REPORT\") { if let ::std::result::Result::Ok(mut file) = ::std::fs::OpenOptions::new().create(true).append(true).open(path + \".reached\") { let _ = ::std::io::Write::write_all(&mut file, ::std::format!(\"NUMBER {test}\\n\").as_bytes()); } } seen.push(test); } } } ";

const WHOLE: [&str; 12] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

/// A function with a body.
struct Body<'a> {
    name: String,
    signature: &'a Signature,
    block: &'a Block,
    attributes: &'a [Attribute],
    /// Does a trait say what it is given?
    of_a_trait: bool,
}

/// An edit of a text: where, and what stands there then.
type Edit = (std::ops::Range<usize>, String);

/// A source whose functions say that they were reached.
#[derive(Debug, Deserialize)]
pub struct Placebo {
    pub path: String,
    pub text: String,
}

/// A function of the change.
#[derive(Debug, Deserialize)]
pub struct Function {
    pub number: u32,
    pub name: String,
    pub path: String,
    pub line: u32,
}

/// A source in which one function is another.
#[derive(Debug, Deserialize)]
pub struct Mutant {
    /// Of its function.
    pub number: u32,
    pub what: String,
    pub line: u32,
    pub path: String,
    pub text: String,
}

impl Mutant {
    /// Is this mutant, of a function of this name, one of these: path, function, what?
    pub fn is_among(&self, these: &[[String; 3]], function: &str) -> bool {
        let own = [self.path.as_str(), function, self.what.as_str()];
        these.iter().any(|one| *one == own)
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// What choices follow from.
    pub seed: &'a str,
    /// The changed sources, as they are to be laid out.
    pub sources: &'a [Source<'a>],
    /// The texts of tests, whose expectations are tried as answers.
    pub tests: &'a [&'a str],
    /// Those that are chosen before all others: path, function, what.
    pub again: &'a [[String; 3]],
    /// How many of each kind there may be.
    pub constants: usize,
    pub others: usize,
    /// Up to how many functions get one constant each, however few there may be in all.
    pub each: usize,
}

/// What can be tried.
#[derive(Debug, Default)]
pub struct Mutants {
    pub code: Vec<Placebo>,
    pub functions: Vec<Function>,
    /// Bodies that always do the same.
    pub constants: Vec<Mutant>,
    /// Small changes.
    pub others: Vec<Mutant>,
    pub left_out: usize,
    pub faults: Vec<String>,
}

/// Parsers go down by recursion: as deep as a body that is let through may go, many times over. Whoever
/// asks for mutants does so on a thread with such a stack.
pub const STACK: usize = 256 << 20;

/// The placebos and mutants of changed sources. What cannot be read is a fault.
pub fn mutants(wanted: &Wanted<'_>) -> Mutants {
    let mut plan = Mutants::default();
    let mut dice = Dice::of(wanted.seed);
    let (mut constants, mut others, mut number) = (Vec::new(), Vec::new(), 0);
    let sources = wanted.sources.iter();
    for source in sources.filter(|source| source.path.ends_with(".rs")) {
        let path = source.path.to_owned();
        let (parsed, text) = match crate::rust::whole(source.now) {
            Ok(whole) => whole,
            Err(NoRust { line, why }) => {
                let fault = format!("{path}:{line}: it cannot be parsed: {why}");
                plan.faults.push(fault);
                continue;
            }
        };
        // Byte order marks and a `#!` line are no part of what is parsed, and stay.
        let head = &source.now[..source.now.len() - text.len()];
        let edited = |edits: &[Edit]| head.to_owned() + &edited(text, edits);
        let before = source.before.map(shapes).unwrap_or_default();
        let mut bodies = Vec::new();
        collect(&parsed.items, "", &mut bodies);
        bodies.retain(|body| {
            let shape = shape(text, body);
            body.signature.constness.is_none()
                && !body.block.stmts.is_empty()
                && before.get(&body.name) != Some(&shape)
        });
        let mut marks: Vec<Edit> = Vec::new();
        let mut tried: Vec<(u32, usize, String, Edit, bool)> = Vec::new();
        for body in &bodies {
            number += 1;
            let begin = begin(body.attributes, body.block);
            let mark = MARK.replace("NUMBER", &number.to_string());
            let line = body.signature.ident.span().start().line;
            plan.functions.push(Function {
                number,
                name: body.name.clone(),
                path: path.clone(),
                line: u32::try_from(line).unwrap_or_default(),
            });
            if let Some((code, what)) = apart::gives_otherwise(body, text) {
                tried.push((number, line, what, (begin..begin, code), true));
            }
            for (code, what) in answers(body, wanted.tests, text) {
                let code = format!(" if true {{ return {code}; }} ");
                tried.push((number, line, what, (begin..begin, code), true));
            }
            let mut small = Vec::new();
            statements(&body.block.stmts, text, &mut small);
            for (edit, what, line) in small {
                tried.push((number, line, what, edit, false));
            }
            marks.push((begin..begin, mark));
        }
        if marks.is_empty() {
            continue;
        }
        let placebo = edited(&marks);
        for (number, line, what, edit, constant) in tried {
            let mut edits = marks.clone();
            // Behind the mark, where both stand at the beginning of a body.
            edits.push(edit);
            let mutant = Mutant {
                number,
                what,
                line: u32::try_from(line).unwrap_or_default(),
                path: path.clone(),
                text: edited(&edits),
            };
            match constant {
                true => constants.push(mutant),
                false => others.push(mutant),
            }
        }
        plan.code.push(Placebo {
            path: path.clone(),
            text: placebo,
        });
    }
    let names: BTreeMap<u32, &str> = {
        let each = plan.functions.iter();
        each.map(|one| (one.number, one.name.as_str())).collect()
    };
    let of = |one: &Mutant| names.get(&one.number).copied().unwrap_or_default();
    for (all, most, each, chosen) in [
        (
            constants,
            wanted.constants,
            wanted.each,
            &mut plan.constants,
        ),
        (others, wanted.others, 0, &mut plan.others),
    ] {
        let all = in_turn(dice.shuffled(all));
        let most = most.max(functions(&all).min(each));
        let mut all = all;
        all.sort_by_key(|one| !one.is_among(wanted.again, of(one)));
        plan.left_out += all.len().saturating_sub(most);
        chosen.extend(all.into_iter().take(most));
    }
    plan
}

/// How many functions these mutants are of.
pub fn functions(all: &[Mutant]) -> usize {
    let numbers: BTreeSet<u32> = all.iter().map(|one| one.number).collect();
    numbers.len()
}

/// One of each function, then another of each: many of one leave no room for others.
pub fn in_turn(all: Vec<Mutant>) -> Vec<Mutant> {
    let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
    let nth = |one: Mutant| {
        let count = seen.entry(one.number).or_default();
        *count += 1;
        (*count, one)
    };
    let mut all: Vec<(usize, Mutant)> = all.into_iter().map(nth).collect();
    all.sort_by_key(|(nth, _)| *nth);
    all.into_iter().map(|(_, one)| one).collect()
}

/// The text with these edits. Of two at one place, the first stands first.
fn edited(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|(range, _)| range.start);
    let (mut whole, mut from) = (String::new(), 0);
    for (range, code) in edits {
        if range.start < from {
            continue;
        }
        whole.push_str(&text[from..range.start]);
        whole.push_str(code);
        from = range.end;
    }
    whole + &text[from..]
}

fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|one| {
        let path = one.path();
        let test = |tokens: &syn::MetaList| tokens.tokens.to_string().contains("test");
        path.is_ident("test") || path.is_ident("cfg") && one.meta.require_list().is_ok_and(test)
    })
}

fn collect<'a>(items: &'a [Item], owner: &str, found: &mut Vec<Body<'a>>) {
    let named = |name: &dyn std::fmt::Display| match owner {
        "" => name.to_string(),
        owner => format!("{owner}::{name}"),
    };
    for item in items {
        match item {
            Item::Fn(one) if !for_tests(&one.attrs) => found.push(Body {
                name: named(&one.sig.ident),
                signature: &one.sig,
                block: &one.block,
                attributes: &one.attrs,
                of_a_trait: false,
            }),
            Item::Mod(one) if !for_tests(&one.attrs) => {
                if let Some((_, items)) = &one.content {
                    collect(items, &named(&one.ident), found);
                }
            }
            Item::Impl(one) if !for_tests(&one.attrs) => {
                let owner = match &*one.self_ty {
                    Type::Path(path) => {
                        path.path.segments.last().map(|last| last.ident.to_string())
                    }
                    _ => None,
                };
                let of = one
                    .trait_
                    .as_ref()
                    .and_then(|(_, path, _)| path.segments.last());
                let of = of.map_or_else(String::new, |last| format!(" as {}", last.ident));
                let owner = format!("{}{of}", owner.unwrap_or_default());
                for item in &one.items {
                    if let ImplItem::Fn(method) = item {
                        found.push(Body {
                            name: named(&format!("{owner}::{}", method.sig.ident)),
                            signature: &method.sig,
                            block: &method.block,
                            attributes: &method.attrs,
                            of_a_trait: one.trait_.is_some(),
                        });
                    }
                }
            }
            Item::Trait(one) => {
                for item in &one.items {
                    if let TraitItem::Fn(method) = item
                        && let Some(block) = &method.default
                    {
                        found.push(Body {
                            name: named(&format!("{}::{}", one.ident, method.sig.ident)),
                            signature: &method.sig,
                            block,
                            attributes: &method.attrs,
                            of_a_trait: true,
                        });
                    }
                }
            }
            _ => {}
        }
    }
}

/// What a function is, but for white space: its signature and its body.
fn shape(text: &str, body: &Body<'_>) -> String {
    let from = body.signature.span().byte_range().start;
    let to = body.block.span().byte_range().end;
    text[from..to]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn shapes(text: &str) -> BTreeMap<String, String> {
    let Ok((parsed, text)) = crate::rust::whole(text) else {
        return BTreeMap::new();
    };
    let mut bodies = Vec::new();
    collect(&parsed.items, "", &mut bodies);
    let each = bodies.iter();
    each.map(|body| (body.name.clone(), shape(text, body)))
        .collect()
}

/// Behind the block's own attributes, which come first or not at all.
fn begin(attributes: &[Attribute], block: &Block) -> usize {
    let inner = |one: &Attribute| matches!(one.style, syn::AttrStyle::Inner(_));
    let braces = block.brace_token.span;
    match attributes.iter().any(inner) {
        false => braces.open().byte_range().end,
        true => {
            let first = block.stmts.first();
            first
                .map_or(braces.close(), Spanned::span)
                .byte_range()
                .start
        }
    }
}

/// What a body may always answer, each with a word for it.
fn answers(body: &Body<'_>, tests: &[&str], text: &str) -> Vec<(String, String)> {
    let name = body.signature.ident.to_string();
    let (mut found, mut said) = (Vec::new(), Vec::new());
    let ReturnType::Type(_, returned) = &body.signature.output else {
        return vec![(String::new(), "does nothing".to_owned())];
    };
    let texts = tests.iter().copied().chain([text]);
    let mut expected = Vec::new();
    for text in texts {
        if let Ok(tokens) = crate::rust::tokens_of(text) {
            literals(tokens, &name, &mut expected);
        }
    }
    found.extend(values(returned, &expected));
    // Errors by name: each that the body itself gives.
    let source = &text[body.block.span().byte_range()];
    for (at, _) in source.match_indices("Err(") {
        let inside = &source[at + 4..];
        let path = inside.split(')').next().unwrap_or_default();
        let plain = |each: char| each.is_alphanumeric() || each == '_' || each == ':';
        if path.contains("::") && path.chars().all(plain) && inside[path.len()..].starts_with(')') {
            found.push(format!("Err({path})"));
        }
    }
    let wanted = &text[returned.span().byte_range()];
    for argument in &body.signature.inputs {
        if let FnArg::Typed(one) = argument
            && let Pat::Ident(ident) = &*one.pat
            && &text[one.ty.span().byte_range()] == wanted
        {
            said.push((
                ident.ident.to_string(),
                format!("gives back `{}`", ident.ident),
            ));
            break;
        }
    }
    // Where nothing is given, one answer is all that there is. What is given and not looked at is no reason
    // for one, unless a trait asks for it.
    let given = |argument: &FnArg| matches!(argument, FnArg::Typed(_));
    if body.of_a_trait || !body.signature.inputs.iter().any(given) {
        let only = source.trim_start_matches('{').trim_end_matches('}').trim();
        found.retain(|code| code != only);
    }
    found.dedup();
    let each = found.into_iter().map(|code| {
        let what = format!("always gives {code}");
        (code, what)
    });
    each.chain(said).collect()
}

/// The values of a type, the expected ones first.
fn values(of: &Type, expected: &[String]) -> Vec<String> {
    let quoted = |text: &&String| text.starts_with('"');
    match of {
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec!["()".to_owned()],
        Type::Reference(one) => match &*one.elem {
            Type::Path(path) if path.path.is_ident("str") && one.mutability.is_none() => {
                let texts = expected.iter().filter(quoted).cloned();
                texts.chain(["\"\"".to_owned()]).collect()
            }
            _ => Vec::new(),
        },
        Type::Path(path) if path.qself.is_none() => {
            let Some(last) = path.path.segments.last() else {
                return Vec::new();
            };
            let inside = |nth: usize| match &last.arguments {
                PathArguments::AngleBracketed(list) => match list.args.iter().nth(nth) {
                    Some(GenericArgument::Type(inside)) => values(inside, expected),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            let wrapped = |with: &str, most: usize| {
                let each = inside(0).into_iter().take(most);
                each.map(|value| format!("{with}({value})"))
                    .collect::<Vec<_>>()
            };
            match last.ident.to_string().as_str() {
                "bool" => vec!["true".to_owned(), "false".to_owned()],
                "String" => {
                    let texts = expected.iter().filter(quoted);
                    let texts = texts.map(|text| format!("String::from({text})"));
                    texts.chain(["String::new()".to_owned()]).collect()
                }
                "Vec" => vec!["Vec::new()".to_owned()],
                "Option" => [vec!["None".to_owned()], wrapped("Some", 2)].concat(),
                "Result" => wrapped("Ok", 2),
                name if WHOLE.contains(&name) => {
                    let digits =
                        |text: &&String| text.trim_start_matches('-').parse::<u128>().is_ok();
                    let numbers = expected.iter().filter(digits).cloned();
                    numbers.chain(["0".to_owned(), "1".to_owned()]).collect()
                }
                "f32" | "f64" => vec!["0.0".to_owned(), "1.0".to_owned()],
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The values that tests expect where they speak of a function.
fn literals(tokens: TokenStream, name: &str, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let macro_name = match (at.checked_sub(2).map(|at| &tokens[at]), at.checked_sub(1)) {
            (Some(TokenTree::Ident(ident)), Some(bang)) if tokens[bang].to_string() == "!" => {
                ident.to_string()
            }
            _ => String::new(),
        };
        let speaks = || mentions(group.stream(), name);
        let said = match macro_name.as_str() {
            "assert_eq" | "assert_ne" if speaks() => arguments(group.stream())
                .iter()
                .filter_map(|one| literal(one))
                .collect(),
            "assert" if speaks() => {
                let text = group.stream().to_string();
                vec![(!text.trim_start().starts_with('!')).to_string()]
            }
            _ => Vec::new(),
        };
        for one in said {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        if group.delimiter() == Delimiter::Brace || macro_name.is_empty() {
            literals(group.stream(), name, found);
        }
    }
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn arguments(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut all = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(one) if one.as_char() == ',' => all.push(Vec::new()),
            _ => {
                if let Some(last) = all.last_mut() {
                    last.push(token);
                }
            }
        }
    }
    all
}

/// One literal, as it may stand anywhere, also within `Ok(...)` or `Some(...)`, or before `.to_owned()`.
fn literal(argument: &[TokenTree]) -> Option<String> {
    match argument {
        [TokenTree::Literal(one)] => Some(plain(&one.to_string())),
        [TokenTree::Punct(minus), TokenTree::Literal(one)] if minus.as_char() == '-' => {
            Some(format!("-{}", plain(&one.to_string())))
        }
        [TokenTree::Literal(one), TokenTree::Punct(dot), ..] if dot.as_char() == '.' => {
            Some(one.to_string())
        }
        [TokenTree::Ident(word)] if word == "true" || word == "false" => Some(word.to_string()),
        [TokenTree::Ident(_), TokenTree::Group(group)] => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            literal(&inside)
        }
        _ => None,
    }
}

/// A number without its type.
fn plain(literal: &str) -> String {
    let typed = WHOLE.iter().find_map(|kind| literal.strip_suffix(kind));
    match typed {
        Some(number) if literal.starts_with(|first: char| first.is_ascii_digit()) => {
            number.trim_end_matches('_').to_owned()
        }
        _ => literal.to_owned(),
    }
}

/// Small changes of statements: conditions negated, boundaries moved, calls dropped.
fn statements(all: &[Stmt], text: &str, found: &mut Vec<(Edit, String, usize)>) {
    for statement in all {
        match statement {
            Stmt::Expr(call @ (Expr::Call(_) | Expr::MethodCall(_)), Some(_)) => {
                let range = call.span().byte_range();
                let what = format!("`{}` dropped", &text[range.clone()]);
                found.push(((range, "()".to_owned()), what, call.span().start().line));
                expression(call, text, found);
            }
            Stmt::Expr(one, _) => expression(one, text, found),
            Stmt::Local(local) => {
                if let Some(begin) = &local.init {
                    expression(&begin.expr, text, found);
                }
            }
            Stmt::Item(_) | Stmt::Macro(_) => {}
        }
    }
}

fn expression(one: &Expr, text: &str, found: &mut Vec<(Edit, String, usize)>) {
    match one {
        Expr::If(one) => {
            condition(&one.cond, text, found);
            statements(&one.then_branch.stmts, text, found);
            if let Some((_, other)) = &one.else_branch {
                expression(other, text, found);
            }
        }
        Expr::While(one) => {
            expression(&one.cond, text, found);
            statements(&one.body.stmts, text, found);
        }
        Expr::Binary(one) => {
            let moved = match one.op {
                BinOp::Lt(_) => "<=",
                BinOp::Le(_) => "<",
                BinOp::Gt(_) => ">=",
                BinOp::Ge(_) => ">",
                _ => "",
            };
            if !moved.is_empty() {
                let (range, all) = (one.op.span().byte_range(), one.span().byte_range());
                let what = format!("`{}` with `{moved}`", &text[all]);
                found.push(((range, moved.to_owned()), what, one.op.span().start().line));
            }
            expression(&one.left, text, found);
            expression(&one.right, text, found);
        }
        Expr::Block(one) => statements(&one.block.stmts, text, found),
        Expr::ForLoop(one) => statements(&one.body.stmts, text, found),
        Expr::Loop(one) => statements(&one.body.stmts, text, found),
        Expr::Match(one) => {
            for arm in &one.arms {
                expression(&arm.body, text, found);
            }
        }
        Expr::Paren(one) => expression(&one.expr, text, found),
        Expr::Unary(one) => expression(&one.expr, text, found),
        Expr::Try(one) => expression(&one.expr, text, found),
        Expr::Return(one) => {
            if let Some(value) = &one.expr {
                expression(value, text, found);
            }
        }
        Expr::Assign(one) => expression(&one.right, text, found),
        Expr::Call(one) => {
            for argument in &one.args {
                expression(argument, text, found);
            }
        }
        Expr::MethodCall(one) => {
            expression(&one.receiver, text, found);
            for argument in &one.args {
                expression(argument, text, found);
            }
        }
        Expr::Closure(one) => expression(&one.body, text, found),
        _ => {}
    }
}

/// A condition may bind names, and then it is none that could be turned round.
fn condition(one: &Expr, text: &str, found: &mut Vec<(Edit, String, usize)>) {
    let range = one.span().byte_range();
    let said = &text[range.clone()];
    if !said.contains("let ") {
        let what = format!("`{said}` negated");
        found.push(((range, format!("!({said})")), what, one.span().start().line));
    }
    expression(one, text, found);
}

/// Choices that follow from a seed.
struct Dice(u64);

impl Dice {
    fn of(seed: &str) -> Self {
        Self(u64::from_str_radix(seed, 16).unwrap_or(1) | 1)
    }

    fn shuffled<T>(&mut self, mut all: Vec<T>) -> Vec<T> {
        for last in (1..all.len()).rev() {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let place = usize::try_from(self.0 >> 33).unwrap_or_default() % (last + 1);
            all.swap(last, place);
        }
        all
    }
}

#[cfg(test)]
mod tests;
