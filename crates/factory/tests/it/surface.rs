//! What a module's code makes public against its contract (sections 5.4, 5.6 and 11.2).

use factory::contract::Surface;
use factory::contract::from_plan;
use factory::engineering::plan::IoContract;
use factory::surface::{Extracted, Language, entry_points, judge, rust};
use std::collections::BTreeMap;

fn list(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn contract(inputs: &[&str], outputs: &[&str], errors: &[&str], modes: &[&str]) -> Surface {
    from_plan::surface(&IoContract {
        inputs: list(inputs),
        outputs: list(outputs),
        error_surfaces: list(errors),
        effects: list(&["none: pure"]),
        modes: list(modes),
    })
}

/// One input, one output, one error.
fn split() -> Surface {
    contract(
        &["line: string; not empty"],
        &["parts: (String, String)"],
        &["Malformed: no blank"],
        &["sync"],
    )
}

fn extract(files: &[(&str, &str)]) -> Extracted {
    let files = files.iter();
    let files = files.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    rust::extract(&files.collect(), &BTreeMap::new()).unwrap()
}

/// Every mismatch, as people read it.
fn said(contract: &Surface, files: &[(&str, &str)]) -> Vec<String> {
    let found = judge(contract.surface(), Language::Rust, &extract(files));
    found.iter().map(ToString::to_string).collect()
}

const GOOD: &str = "pub enum Broken { Malformed }\npub fn split(line: &str) -> Result<(String, String), Broken> { todo!() }\n";

#[test]
fn s5_4_one_entry_with_its_inputs_outputs_and_errors_is_the_contract() {
    for code in [
        GOOD,
        "pub struct Malformed;\npub fn f(line: String) -> Result<(String, String), Malformed> { todo!() }",
        "pub mod deep { pub use super::inner::*; }\nmod inner { pub struct Malformed; pub fn f(line: impl AsRef<str>) -> std::result::Result<(String, String), Malformed> { todo!() } }",
        "type Result<T> = std::result::Result<T, Malformed>;\n#[derive(Debug)] pub struct Malformed;\nimpl std::fmt::Display for Malformed {}\npub fn f(line: &str) -> Result<(String, String)> { todo!() }\nfn own() {}\npub(crate) fn near() {}\n#[cfg(test)] pub mod tests { pub fn t() {} }",
        // One record in the place of parameters, one in that of the result.
        "pub struct Asked { pub line: String }\npub struct Malformed;\npub fn f(asked: Asked) -> Result<(String, String), Malformed> { todo!() }",
        "pub struct Given { pub parts: (String, String) }\npub struct Malformed;\npub fn f(line: &str) -> Result<Given, Malformed> { todo!() }",
    ] {
        assert_eq!(said(&split(), &[("lib.rs", code)]), [""; 0], "{code}");
    }
    let code = extract(&[("lib.rs", GOOD)]);
    assert_eq!(entry_points(split().surface(), &code), ["split"]);
}

#[test]
fn s5_6_everything_public_that_is_not_declared_is_named_with_its_place() {
    for (more, wanted) in [
        (
            "pub fn other() {}",
            "implementation/lib.rs:3: the function `other` is public; a contract has one entry (surface)",
        ),
        (
            "pub struct Extra;",
            "implementation/lib.rs:3: the type `Extra` is public, and the contract does not name it (surface)",
        ),
        (
            "pub const LIMIT: u8 = 1;",
            "implementation/lib.rs:3: the constant `LIMIT` is public (surface)",
        ),
        (
            "pub trait Split {}",
            "implementation/lib.rs:3: the trait `Split` is public (surface)",
        ),
        (
            "#[macro_export]\nmacro_rules! m { () => {} }",
            "implementation/lib.rs:4: the macro `m` is public (surface)",
        ),
        (
            "impl Broken { pub fn explain(&self) {} }",
            "implementation/lib.rs:3: `Broken::explain` is public: `Broken` carries values, and a contract has one entry (surface)",
        ),
        (
            "pub use std::collections::BTreeMap;",
            "implementation/lib.rs:3: `BTreeMap` of `std` is made public, and the contract does not name it (surface)",
        ),
        (
            "pub use std::collections::*;",
            "implementation/lib.rs:3: `std::collections::*` can not be seen and might make anything public; write it out (surface)",
        ),
        (
            "make!();",
            "implementation/lib.rs:3: what a macro makes can not be seen and might make anything public; write it out (surface)",
        ),
        (
            "pub mod more;",
            "implementation/more.rs:1: the function `helper` is public; a contract has one entry (surface)",
        ),
        (
            "mod more;\npub use more::helper as aid;",
            "implementation/more.rs:1: the function `aid` is public; a contract has one entry (surface)",
        ),
    ] {
        let code = format!("{GOOD}{more}\n");
        let found = said(
            &split(),
            &[("lib.rs", &code), ("more.rs", "pub fn helper() {}\n")],
        );
        assert_eq!(found, [wanted], "{more}");
    }
}

#[test]
fn s11_2_what_the_contract_declares_and_the_code_does_not_is_named_by_dimension() {
    let head = "pub enum Broken { Malformed }\n";
    for (code, wanted) in [
        (
            "pub fn f(text: &str) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: `f` has no parameter `line` (inputs)",
                "implementation/lib.rs:2: `f` takes `text`, which is no input of the contract (inputs)",
            ],
        ),
        (
            "pub fn f(line: u64) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: the input `line` is `string` in the contract and `u64` in the code (inputs)",
            ],
        ),
        (
            "pub fn f(line: &mut str) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: `f` changes `line`, and the contract declares no effect (effects)",
            ],
        ),
        (
            "pub fn f(line: &str) -> Result<String, Broken> { todo!() }",
            vec![
                "implementation/lib.rs:2: the output `parts` is `(String, String)` in the contract and `Result<String, Broken>` in the code (outputs)",
            ],
        ),
        (
            "pub async fn f(line: &str) -> Result<(String, String), Broken> { todo!() }",
            vec![
                "contract.json: no public function is sync, and the contract says that it is (modes)",
                "implementation/lib.rs:2: the function `f` is public; a contract has one entry (surface)",
            ],
        ),
        (
            "pub fn f(line: &str) -> Result<(String, String), String> { todo!() }",
            vec![
                "implementation/lib.rs:1: the type `Broken` is public, and the contract does not name it (surface)",
                "implementation/lib.rs:2: `f` returns `Result<(String, String), String>`, which can not tell Malformed apart (error_surfaces)",
            ],
        ),
    ] {
        let code = format!("{head}{code}\n");
        let found = said(&split(), &[("lib.rs", &code)]);
        for line in &wanted {
            assert!(found.iter().any(|one| one == line), "{code}\n{found:#?}");
        }
        let extra = found.len() - wanted.len();
        // Without an entry, the type of its errors is accounted for all the same.
        assert!(extra == 0, "{code}\n{found:#?}");
    }
}

#[test]
fn s11_2_errors_are_told_apart_by_name() {
    let two = contract(
        &["line: string"],
        &["size: integer"],
        &["Empty: nothing in it", "TooLong: beyond 80"],
        &["sync"],
    );
    let code = |variants: &str| {
        format!(
            "pub enum Broken {{\n{variants}\n}}\npub fn f(line: &str) -> Result<usize, Broken> {{ todo!() }}\n"
        )
    };
    assert_eq!(
        said(&two, &[("lib.rs", &code("Empty,\nTooLong(usize)"))]),
        [""; 0]
    );
    assert_eq!(
        said(&two, &[("lib.rs", &code("Empty"))]),
        ["implementation/lib.rs:1: `Broken` has no variant `TooLong` (error_surfaces)"]
    );
    assert_eq!(
        said(&two, &[("lib.rs", &code("Empty,\nTooLong,\nOdd"))]),
        ["implementation/lib.rs:4: `Broken::Odd` is no declared error (error_surfaces)"]
    );
    let none = contract(&["line: string"], &["size: integer"], &["none"], &["sync"]);
    let found = said(&none, &[("lib.rs", &code("Empty"))]);
    assert!(
        found
            .iter()
            .any(|one| one.contains("the contract declares no error")),
        "{found:?}"
    );
    assert_eq!(
        said(&none, &[("lib.rs", "pub fn f(line: &str) -> usize { 0 }")]),
        [""; 0]
    );
}

#[test]
fn s5_5_a_contract_with_both_modes_has_two_entries() {
    let both = contract(
        &["a: integer", "b: integer"],
        &["sum: integer"],
        &["none"],
        &["sync", "async"],
    );
    let code = "pub fn add(a: i64, b: i64) -> i64 { 0 }\npub async fn add_later(a: i64, b: i64) -> i64 { 0 }\n";
    assert_eq!(said(&both, &[("lib.rs", code)]), [""; 0]);
    assert_eq!(
        entry_points(both.surface(), &extract(&[("lib.rs", code)])),
        ["add", "add_later"]
    );
    let later = "pub fn add(a: i64, b: i64) -> i64 { 0 }\npub fn l(a: i64, b: i64) -> impl std::future::Future<Output = i64> { async { 0 } }\n";
    assert_eq!(said(&both, &[("lib.rs", later)]), [""; 0]);
    let swapped = "pub fn add(b: i64, a: i64) -> i64 { 0 }\n";
    let found = said(&both, &[("lib.rs", swapped)]);
    assert!(
        found[0].contains("no public function is async"),
        "{found:?}"
    );
    assert!(found[1].contains("in another order than a, b"), "{found:?}");
}

#[test]
fn s5_4_types_that_the_contract_names_are_public_with_all_that_they_hold() {
    let order = contract(
        &["order: Order", "note: string; optional, may be left out"],
        &["total: integer", "lines: list of Line"],
        &["none"],
        &["sync"],
    );
    let code = "pub struct Order { pub lines: Vec<Line>, pub by: Person }\npub struct Line { pub cents: u64 }\npub struct Person { pub name: String }\npub struct Bill { pub total: u64, pub lines: Vec<Line> }\npub fn bill(order: &Order, note: Option<&str>) -> Bill { todo!() }\n";
    assert_eq!(said(&order, &[("lib.rs", code)]), [""; 0]);
    let found = said(&order, &[("lib.rs", &code.replace("Option<&str>", "&str"))]);
    assert_eq!(
        found,
        ["implementation/lib.rs:5: `note` is optional and can not be left out (inputs)"]
    );
    let found = said(
        &order,
        &[(
            "lib.rs",
            &code.replace("total: u64", "total: String, pub vat: u64"),
        )],
    );
    assert_eq!(found.len(), 2, "{found:?}");
    let tuple = code
        .replace("-> Bill", "-> (u64, Vec<Line>)")
        .replace("pub struct Bill", "struct Bill");
    assert_eq!(said(&order, &[("lib.rs", &tuple)]), [""; 0]);
}

#[test]
fn s6_8_what_a_used_module_makes_public_may_be_passed_on_and_reuse_is_said() {
    let mut uses = BTreeMap::new();
    let other = "pub struct Malformed;\npub fn split(line: &str) -> Result<(String, String), Malformed> { todo!() }";
    uses.insert("mm_other".to_owned(), extract(&[("lib.rs", other)]));
    let judged = |code: &str| -> Vec<String> {
        let files = BTreeMap::from([("lib.rs".to_owned(), code.to_owned())]);
        let found = rust::extract(&files, &uses).unwrap();
        let found = judge(split().surface(), Language::Rust, &found);
        found.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        judged(
            "pub use mm_other::Malformed;\npub fn f(line: &str) -> Result<(String, String), Malformed> { todo!() }"
        ),
        [""; 0]
    );
    assert_eq!(
        judged("pub use mm_other::{Malformed, split};"),
        [
            "implementation/lib.rs:1: `split` is that of `mm_other`: reuse that module instead (surface)"
        ]
    );
}

#[test]
fn code_that_does_not_parse_is_named_with_its_line() {
    let files = |text: &str| BTreeMap::from([("lib.rs".to_owned(), text.to_owned())]);
    let error = rust::extract(&files("fn a() {}\nfn b( {"), &BTreeMap::new()).unwrap_err();
    assert!(error.starts_with("lib.rs:2: "), "{error}");
    let error = rust::extract(&files("mod gone;"), &BTreeMap::new()).unwrap_err();
    assert_eq!(error, "lib.rs:1: `mod gone` has no file");
    for (paths, good) in [
        (vec!["lib.rs", "a/b.rs"], true),
        (vec!["__init__.py", "_core.py"], true),
        (vec!["lib.rs", "a.py"], false),
        (vec!["main.rs"], false),
        (vec!["notes.md"], false),
    ] {
        assert_eq!(
            Language::of(paths.iter().copied()).is_ok(),
            good,
            "{paths:?}"
        );
    }
}

#[test]
fn s5_4_a_proposer_is_told_what_a_ship_will_ask_of_its_workspace() {
    use factory::engineering::context::{Scene, brief};
    use factory::engineering::roles::{Occasion, Role};
    let mut work = factory::engineering::work::Work::default();
    let plan = factory::engineering::plan::judge(&crate::said::plan(&[("MM-a", &[])])).unwrap();
    let module = plan.modules[0].clone();
    work.lock(plan);
    let task = factory::project::TaskId::new("T-a");
    let scene = Scene {
        task: &task,
        work: &work,
        module: Some(0),
        upstream: &[],
        criteria: &[],
    };
    let told = brief(&scene, Role::Proposer, Occasion::Propose);
    assert!(told.contains("the crate `mm_a`"), "{told}");
    let surface = from_plan::surface(module.io_contract.as_ref().unwrap());
    for one in factory::contract::coverage::required(surface.surface()) {
        assert!(told.contains(&format!("- `{}`: ", one.key)), "{told}");
    }
    assert!(!brief(&scene, Role::Challenger, Occasion::Challenge).contains("mm_a"));
}

#[test]
fn s5_6_a_second_thing_of_a_declared_name_is_named() {
    let other = "pub mod other { pub fn split(x: String, y: u8) {}\npub struct Broken; }\n";
    let found = said(&split(), &[("lib.rs", &format!("{GOOD}{other}"))]);
    assert_eq!(
        found,
        [
            "implementation/lib.rs:3: a second `split` is public; only one of them is declared (surface)",
            "implementation/lib.rs:4: a second `Broken` is public; only one of them is declared (surface)",
        ]
    );
}

#[test]
fn modules_that_re_export_each_other_in_circles_are_read_once() {
    use std::fmt::Write;
    let mut code = GOOD.to_owned();
    for at in 0..200 {
        writeln!(code, "pub mod m{at} {{ pub use super::*; }}").unwrap();
    }
    assert_eq!(said(&split(), &[("lib.rs", &code)]), [""; 0]);
    let chain: String = (0..40)
        .map(|at| format!("mod n{at} {{ pub use super::n{}::*; }}\n", at + 1))
        .collect();
    let code = format!("{GOOD}pub use n0::*;\n{chain}mod n40 {{ pub fn deep() {{}} }}\n");
    let found = said(&split(), &[("lib.rs", &code)]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("can not be seen"), "{found:?}");
}

#[test]
fn s5_6_what_can_not_be_seen_to_be_public_is_named() {
    let hidden = "can not be seen and might make anything public; write it out (surface)";
    for (more, wanted) in [
        (
            "#[cfg(any())] pub fn split(line: &str) {}",
            "what depends on a `cfg`",
        ),
        ("#[cfg(all())] mod more;", "what depends on a `cfg`"),
        (
            "#[cfg_attr(all(), path = \"evil.txt\")] pub mod more;",
            "a module by `#[path]`",
        ),
        (
            "extern \"C\" { pub fn more(); }",
            "what an `extern` block declares",
        ),
        ("impl Broken { make!(); }", "what a macro makes"),
        (
            "const _: () = { impl Broken { pub fn more(&self) {} } };",
            "an `impl` inside of a body or macro",
        ),
        (
            "fn own() { impl Broken { pub fn more(&self) {} } }",
            "an `impl` inside of a body or macro",
        ),
        (
            "macro_rules! own { () => { impl Broken { pub fn more(&self) {} } } }",
            "an `impl` inside of a body or macro",
        ),
        (
            "fn own() { #[macro_export] macro_rules! m { () => {} } }",
            "an exported macro inside of a body or macro",
        ),
        (
            "fn own() { #[path = \"data.txt\"] mod m; m::own() }",
            "a module of another file inside of a body or macro",
        ),
        (
            "fn own() { mod a { #[cfg_attr(all(), path = \"data.txt\")] mod m; } }",
            "a module of another file inside of a body or macro",
        ),
        (
            "macro_rules! own { ($a:ident $b:tt) => { #[$a = \"data.txt\"] $b m; } } fn f() { own!(path mod) }",
            "a module of another file inside of a body or macro",
        ),
        (
            "impl Gone { pub fn more(&self) {} }",
            "the type that this `impl` is for",
        ),
    ] {
        let code = format!("{GOOD}{more}\n");
        let found = said(&split(), &[("lib.rs", &code), ("more.rs", "")]);
        let wanted = format!("implementation/lib.rs:3: {wanted} {hidden}");
        assert!(found.contains(&wanted), "{more}: {found:#?}");
    }
    for (more, wanted) in [
        (
            "mod own { #[macro_export] macro_rules! m { () => {} } }",
            "the macro `m` is public",
        ),
        (
            "type Other = Broken; impl Other { pub fn more(&self) {} }",
            "`Broken::more` is public",
        ),
        (
            "mod own { use super::*; impl Broken { pub fn more(&self) {} } }",
            "`Broken::more` is public",
        ),
        (
            "mod own { use super::Broken as B; impl B { pub const MORE: u8 = 1; } }",
            "the constant `Broken::MORE` is public",
        ),
        (
            "mod own { pub struct Inner; impl Inner { pub fn more(&self) {} } }\npub use own::Inner as Order;",
            "`Order::more` is public",
        ),
        (
            "mod own { pub struct Inner; impl Inner { pub fn more(&self) {} } }\npub type Order = own::Inner;",
            "`Order::more` is public",
        ),
    ] {
        let code = format!("{GOOD}{more}\n");
        let found = said(&split(), &[("lib.rs", &code)]);
        assert!(
            found.iter().any(|one| one.contains(wanted)),
            "{more}: {found:#?}"
        );
    }
    // Ordinary code is let be.
    for more in [
        "struct Own; impl Own { pub fn more(&self) {} }",
        "mod own { use super::Own; impl Own { pub fn more(&self) {} } }\nstruct Own;",
        "fn own() { struct Seen; impl Seen { fn new() -> Self { Seen } } impl Drop for Seen { fn drop(&mut self) {} } }",
        "fn own() -> impl Fn(u8) -> u8 { |a| a }",
        "#[cfg(unix)] fn own() {}",
        "impl Broken { pub(crate) fn near(&self) {} #[cfg(test)] pub fn t(&self) {} }",
        "macro_rules! own { () => { 1 } }",
        "fn own() -> u8 { mod inner { pub fn one() -> u8 { 1 } } inner::one() }",
        "mod own { mod deep { pub(crate) fn one() {} } }",
    ] {
        let code = format!("{GOOD}{more}\n");
        assert_eq!(said(&split(), &[("lib.rs", &code)]), [""; 0], "{more}");
    }
}

#[test]
fn s5_6_public_methods_of_a_type_that_nobody_can_name_are_refused() {
    let wanted = "`, a method of a type that callers get and can not name, can not be seen and might make anything public; write it out (surface)";
    let broken = "pub enum Broken { Malformed }\n";
    let entry = "pub fn split(line: &str) -> Result<inner::Parts, Broken> { todo!() }\n";
    let refused = |code: &str| {
        let found = said(&split(), &[("lib.rs", code)]);
        found.iter().filter(|one| one.ends_with(wanted)).count()
    };
    for (code, count) in [
        // In a private module, so that its name is nobody's; `more` is for everybody.
        (
            format!(
                "{broken}{entry}mod inner {{ pub struct Parts; impl Parts {{ pub fn more(&self) {{}} fn own(&self) {{}} }} }}"
            ),
            1,
        ),
        // By another name, behind a list, and through a field of what is returned.
        (
            format!(
                "{broken}type Kept = inner::Parts;\npub fn split(line: &str) -> Result<Vec<Kept>, Broken> {{ todo!() }}\nmod inner {{ pub struct Parts; impl Parts {{ pub const MORE: u8 = 1; }} }}"
            ),
            1,
        ),
        (
            format!(
                "{broken}{entry}mod inner {{ pub struct Parts {{ pub deep: Deep }} pub struct Deep; impl Deep {{ pub fn more() {{}} }} }}"
            ),
            1,
        ),
        // By a method of a type that is handed out: both are named.
        (
            format!(
                "{broken}{entry}mod inner {{ pub struct Parts; impl Parts {{ pub fn next(self) -> Deep {{ Deep }} }} pub struct Deep; impl Deep {{ pub fn more(&self) {{}} }} }}"
            ),
            2,
        ),
        // As a parameter: callers make none, and their closures get one.
        (
            format!(
                "{broken}pub fn split(line: &str, with: impl Fn(&inner::Parts)) -> Result<(String, String), Broken> {{ todo!() }}\nmod inner {{ pub struct Parts; impl Parts {{ pub fn more(&self) {{}} }} }}"
            ),
            1,
        ),
        // Nobody gets this one.
        (
            format!(
                "{GOOD}mod inner {{ pub struct Hidden; impl Hidden {{ pub fn more(&self) {{}} }} pub fn private() -> Hidden {{ Hidden }} }}"
            ),
            0,
        ),
        (
            format!(
                "{broken}{entry}mod inner {{ pub struct Parts; impl Parts {{ pub(crate) fn more(&self) {{}} }} }}"
            ),
            0,
        ),
    ] {
        assert_eq!(
            refused(&code),
            count,
            "{code}: {:#?}",
            said(&split(), &[("lib.rs", &code)])
        );
    }
}

#[test]
fn s5_4_an_implementation_can_not_decide_its_own_tests() {
    for (more, word) in [
        ("fn end() { std::process::exit(0) }", "exit"),
        ("use std::process as p;\nfn end() { p::exit(0) }", "exit"),
        ("use std::process::*;\nfn end() { r#exit(0) }", "exit"),
        (
            "macro_rules! call { ($a:ident $b:ident) => { std::$a::$b(0) } }\nfn end() { call!(process exit) }",
            "exit",
        ),
        (
            "use std::{process::exit as bye};\nfn end() { bye(0) }",
            "exit",
        ),
        (
            "fn end() { use std::os::unix::process::CommandExt; c().exec(); }",
            "exec",
        ),
        (
            "extern \"C\" { fn _exit(code: i32); }\nfn end() { unsafe { _exit(0) } }",
            "unsafe",
        ),
        ("#[no_mangle] fn write() {}", "no_mangle"),
        ("core::arch::global_asm!(\"\");", "global_asm"),
        ("fn end() { include!(\"end.txt\") }", "include"),
    ] {
        let code = format!("{GOOD}{more}");
        let wanted = format!("`{word}` could end a test");
        let found = said(&split(), &[("lib.rs", &code)]);
        assert!(
            found.iter().any(|one| one.contains(&wanted)),
            "{more}: {found:?}"
        );
        // Also from a file of its own.
        let root = format!("{GOOD}mod inner;");
        let found = said(&split(), &[("lib.rs", &root), ("inner.rs", more)]);
        assert!(
            found.iter().any(|one| one.contains(&wanted)),
            "{more}: {found:?}"
        );
    }
    for fair in [
        "struct Shell { exit: u8 }\nfn exit(shell: &Shell) -> u8 { shell.exit }",
        "#![forbid(unsafe_code)]\nfn process(word: &str) -> &str { word } // exit, unsafe",
        "fn word() -> &'static str { \"std::process::exit unsafe\" }",
    ] {
        let root = format!("{GOOD}mod inner;");
        let found = said(&split(), &[("lib.rs", &root), ("inner.rs", fair)]);
        assert_eq!(found, [""; 0], "{fair}");
    }
}

#[test]
fn s5_6_what_a_trait_hands_out_is_reached() {
    let moment = "pub struct Broken2;\npub struct Malformed { pub(crate) inner: inner::Hidden }\nmod inner { pub struct Hidden; impl Hidden { pub fn back(&self) {} } }\npub fn split(line: &str) -> Result<(String, String), Malformed> { todo!() }\n".replace("pub struct Broken2;\n", "");
    assert_eq!(said(&split(), &[("lib.rs", &moment)]), [""; 0]);
    for more in [
        "impl std::ops::Deref for Malformed { type Target = inner::Hidden; fn deref(&self) -> &Self::Target { &self.inner } }",
        "impl Give for Malformed { fn give(&self) -> Option<inner::Hidden> { None } }",
    ] {
        let code = format!("{moment}{more}");
        let found = said(&split(), &[("lib.rs", &code)]);
        assert!(
            found.iter().any(|one| one.contains("`back`")),
            "{more}: {found:?}"
        );
    }
    // What it takes, nobody outside has.
    let taken = format!(
        "{moment}impl From<inner::Hidden> for Malformed {{ fn from(inner: inner::Hidden) -> Self {{ Self {{ inner }} }} }}"
    );
    assert_eq!(said(&split(), &[("lib.rs", &taken)]), [""; 0]);
}
