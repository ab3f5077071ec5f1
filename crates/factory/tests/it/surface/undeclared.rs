//! Rules F5.4 and F5.6: everything that code makes public beyond its contract is named with its place,
//! however it gets out; what cannot be seen through is refused.

use super::{GOOD, said, split};

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
            "implementation/lib.rs:3: `std::collections::*` cannot be seen and might make anything public; write it out (surface)",
        ),
        (
            "make!();",
            "implementation/lib.rs:3: what a macro makes cannot be seen and might make anything public; write it out (surface)",
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
    assert!(found[0].contains("cannot be seen"), "{found:?}");
}

#[test]
fn s5_6_what_cannot_be_seen_to_be_public_is_named() {
    let hidden = "cannot be seen and might make anything public; write it out (surface)";
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
    let wanted = "`, a method of a type that callers get and cannot name, cannot be seen and might make anything public; write it out (surface)";
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
fn s5_4_an_implementation_cannot_decide_its_own_tests() {
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
