//! A small crate of ours that asks a product by its public functions. It is built beside the product and
//! gets the inputs when it runs; which types it can carry, the compiler says.

use super::EDITION;
use std::collections::{BTreeMap, BTreeSet};

const MAIN: &str = include_str!("drive/main.rs.in");
const JSON: &str = include_str!("drive/json.rs.in");
/// The name of the crate, and of its program.
pub const DRIVER: &str = "proofhouse-exam";

/// A library of the product.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Library {
    /// As code names it.
    pub name: String,
    /// As its manifest does.
    pub package: String,
    /// Its folder, from the driver's own.
    pub folder: String,
}

/// The library that a call is of: what stands before the first `::`.
pub fn library_of(call: &str) -> &str {
    call.split("::").next().unwrap_or_default()
}

/// The files of the driver for these calls, each with the number of its inputs.
pub fn driver(
    libraries: &BTreeSet<Library>,
    calls: &BTreeSet<(String, usize)>,
) -> BTreeMap<&'static str, String> {
    // What is ours need not be fast; what is the product's is built as it always is.
    let mut manifest = format!(
        "[package]\nname = {DRIVER:?}\nversion = \"0.0.0\"\nedition = \"{EDITION}\"\n\n[workspace]\n\n\
         [profile.dev]\ndebug = false\nincremental = false\n\n\
         [profile.release.package.{DRIVER}]\nopt-level = 0\n\n[dependencies]\n"
    );
    for library in libraries {
        manifest.push_str(&format!(
            "{} = {{ path = {:?}, package = {:?} }}\n",
            library.name, library.folder, library.package
        ));
    }
    let mut called = String::from(
        "//! The calls.\n\nuse crate::{Answer, Failure};\nuse crate::json::{Json, ToJson, input};\n\n\
         pub fn call(name: &str, with: &[Json]) -> Answer {\n    match (name, with) {\n",
    );
    for (call, inputs) in calls {
        let names: Vec<String> = (0..*inputs).map(|number| format!("i{number}")).collect();
        let each: Vec<String> = names.iter().map(|name| format!("input({name})?")).collect();
        called.push_str(&format!(
            "        ({call:?}, [{}]) => ToJson::answer(&{call}({})),\n",
            names.join(", "),
            each.join(", ")
        ));
    }
    called.push_str("        _ => Err(Failure::named(\"unfit\", \"\")),\n    }\n}\n");
    BTreeMap::from([
        ("Cargo.toml", manifest),
        ("src/main.rs", MAIN.to_owned()),
        ("src/json.rs", JSON.to_owned()),
        ("src/called.rs", called),
    ])
}

/// Is it only for their types that the calls cannot be built?
pub fn is_for_types(errors: &str) -> bool {
    const TYPES: [&str; 4] = ["E0277", "E0282", "E0283", "E0790"];
    let codes = errors.split("error[").skip(1);
    let codes: Vec<&str> = codes.filter_map(|rest| rest.split(']').next()).collect();
    !codes.is_empty() && codes.iter().all(|code| TYPES.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_calls_what_is_asked_for_and_knows_no_input() {
        let library = Library {
            name: "my_cart".to_owned(),
            package: "my-cart".to_owned(),
            folder: "../..".to_owned(),
        };
        let calls = BTreeSet::from([("my_cart::sums::total".to_owned(), 2)]);
        let files = driver(&BTreeSet::from([library]), &calls);
        assert!(
            files["Cargo.toml"].contains("my_cart = { path = \"../..\", package = \"my-cart\" }")
        );
        let call = "(\"my_cart::sums::total\", [i0, i1]) => ToJson::answer(&my_cart::sums::total(input(i0)?, input(i1)?)),";
        assert!(files["src/called.rs"].contains(call), "{files:#?}");
        assert_eq!(library_of("my_cart::sums::total"), "my_cart");
        assert!(is_for_types(
            "error[E0277]: the trait bound\nerror[E0282]: type"
        ));
        assert!(!is_for_types(
            "error[E0277]: a\nerror[E0425]: cannot find function"
        ));
        assert!(!is_for_types("could not compile"));
    }
}
