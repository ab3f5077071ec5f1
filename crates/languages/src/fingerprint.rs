//! The interface fingerprint: SHA-256 over the RFC 8785 text of the five dimensions. All members
//! are strings, booleans and lists of these, so the canonical order is known here and is written
//! straight out; a test holds it against a general canonicaliser. Numbers never occur.
//!
//! It is the one fingerprint that people see. The machine tells its locked contracts apart by the hash of
//! their JSON (`delivery/registry.rs`), whatever form they have.

use crate::dimensions::{
    Effect, EffectKind, ErrorSurface, Input, Modes, Output, SurfaceKind, SurfaceRef,
};
use kernel::document;
use kernel::form::{Form, Formed, Rule, Size, Wrong};
use kernel::module::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;

/// 64 lowercase hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Formed for Fingerprint {
    const FORM: Form = Form::Text(Rule {
        pattern: "^[0-9a-f]{64}$",
        most: 0,
        judge: |text| match Fingerprint::parse(text) {
            Some(_) => None,
            None => Wrong::content("bad_fingerprint", "should be 64 lowercase hex digits"),
        },
    });
}

impl Fingerprint {
    /// The fingerprint of a surface.
    pub fn of(surface: SurfaceRef<'_>) -> Self {
        Self(hex(&Sha256::digest(canonical(surface))))
    }

    /// Reads one; none if it is not 64 lowercase hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (text.len() == 64 && text.bytes().all(digits)).then(|| Self(text.to_owned()))
    }

    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The RFC 8785 text that is hashed.
pub fn canonical(surface: SurfaceRef<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(2_048);
    for (lead, dimension) in [
        (&b"{\"effects\":"[..], Dimension::Effects),
        (b",\"error_surfaces\":", Dimension::ErrorSurfaces),
        (b",\"inputs\":", Dimension::Inputs),
        (b",\"modes\":", Dimension::Modes),
        (b",\"outputs\":", Dimension::Outputs),
    ] {
        out.extend_from_slice(lead);
        dimension.write(surface, &mut out);
    }
    out.push(b'}');
    out
}

#[derive(Clone, Copy)]
enum Dimension {
    Inputs,
    Outputs,
    ErrorSurfaces,
    Effects,
    Modes,
}

impl Dimension {
    /// In the order of the document.
    const ALL: [(&'static str, Dimension); 5] = [
        ("inputs", Dimension::Inputs),
        ("outputs", Dimension::Outputs),
        ("error_surfaces", Dimension::ErrorSurfaces),
        ("effects", Dimension::Effects),
        ("modes", Dimension::Modes),
    ];

    fn write(self, surface: SurfaceRef<'_>, out: &mut Vec<u8>) {
        match self {
            Dimension::Inputs => list(surface.inputs, out, input),
            Dimension::Outputs => list(surface.outputs, out, output),
            Dimension::ErrorSurfaces => list(surface.error_surfaces, out, error_surface),
            Dimension::Effects => list(surface.effects, out, effect),
            Dimension::Modes => modes(surface.modes, out),
        }
    }

    /// Each item's own canonical text; `modes` is one item.
    fn items(self, surface: SurfaceRef<'_>) -> Vec<String> {
        fn each<T>(items: &[T], write: fn(&T, &mut Vec<u8>)) -> Vec<String> {
            let text = |item| {
                let mut out = Vec::new();
                write(item, &mut out);
                String::from_utf8_lossy(&out).into_owned()
            };
            items.iter().map(text).collect()
        }
        match self {
            Dimension::Inputs => each(surface.inputs, input),
            Dimension::Outputs => each(surface.outputs, output),
            Dimension::ErrorSurfaces => each(surface.error_surfaces, error_surface),
            Dimension::Effects => each(surface.effects, effect),
            Dimension::Modes => each(std::slice::from_ref(surface.modes), modes),
        }
    }
}

fn list<T>(items: &[T], out: &mut Vec<u8>, write: fn(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

fn input(input: &Input, out: &mut Vec<u8>) {
    typed_item(
        b"{\"constraints\":",
        &input.constraints,
        &input.name,
        &input.type_,
        out,
    );
}

fn output(output: &Output, out: &mut Vec<u8>) {
    typed_item(
        b"{\"invariants\":",
        &output.invariants,
        &output.name,
        &output.type_,
        out,
    );
}

fn typed_item(lead: &[u8], texts: &[String], name: &str, type_: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(lead);
    list(texts, out, |text, out| string(text, out));
    out.extend_from_slice(b",\"name\":");
    string(name, out);
    out.extend_from_slice(b",\"type\":");
    string(type_, out);
    out.push(b'}');
}

fn error_surface(error: &ErrorSurface, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"name\":");
    string(&error.name, out);
    out.extend_from_slice(match error.surface {
        SurfaceKind::Exception => b",\"surface\":\"exception\",\"when\":",
        SurfaceKind::Code => b",\"surface\":\"code\",\"when\":".as_slice(),
        SurfaceKind::Variant => b",\"surface\":\"variant\",\"when\":",
    });
    string(&error.when, out);
    out.push(b'}');
}

fn effect(effect: &Effect, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"description\":");
    string(&effect.description, out);
    out.extend_from_slice(b",\"target\":");
    string(&effect.target, out);
    out.extend_from_slice(match effect.type_ {
        EffectKind::Post => b",\"type\":\"POST\"}".as_slice(),
        EffectKind::Put => b",\"type\":\"PUT\"}",
        EffectKind::Patch => b",\"type\":\"PATCH\"}",
        EffectKind::Write => b",\"type\":\"WRITE\"}",
        EffectKind::Call => b",\"type\":\"CALL\"}",
        EffectKind::Mutation => b",\"type\":\"MUTATION\"}",
    });
}

fn modes(modes: &Modes, out: &mut Vec<u8>) {
    let truth = |value: bool| if value { b"true".as_slice() } else { b"false" };
    out.extend_from_slice(b"{\"async\":");
    out.extend_from_slice(truth(modes.async_));
    out.extend_from_slice(b",\"notes\":");
    string(&modes.notes, out);
    out.extend_from_slice(b",\"sync\":");
    out.extend_from_slice(truth(modes.sync));
    out.push(b'}');
}

/// RFC 8785, 3.2.2.2: the short escapes where there are some, four hex digits for the other
/// control characters, everything else as it is.
fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0c => b'f',
            0x0d => b'r',
            0..=0x1f => b'u',
            _ => continue,
        };
        out.extend_from_slice(&bytes[from..at]);
        from = at + 1;
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            out.extend_from_slice(b"00");
            out.extend_from_slice(hex(&[*byte]).as_bytes());
        }
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

document! {
    /// How one dimension differs.
    #[derive(Eq)]
    pub struct DimensionDiff {
        /// `inputs`, `outputs`, `error_surfaces`, `effects` or `modes`.
        dimension: String,
        /// Items of the locked contract that the other has not.
        removed: Vec<serde_json::Value> = Form::List(&Form::Any, Size::ANY),
        /// Items of the other that the locked contract has not.
        added: Vec<serde_json::Value> = Form::List(&Form::Any, Size::ANY),
        /// The same items in another order, or another number of times.
        reordered: bool,
    }
}

document! {
    /// Two surfaces that should be the same and are not (rule F11.2).
    #[derive(Eq)]
    pub struct Mismatch {
        /// The locked one.
        expected: Fingerprint,
        /// The one that was found.
        actual: Fingerprint,
        /// Which dimensions differ, and how.
        dimensions: Vec<DimensionDiff>,
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, actual) = (&self.expected, &self.actual);
        write!(
            f,
            "Interface fingerprint mismatch: expected {expected}, got {actual}"
        )
    }
}

impl std::error::Error for Mismatch {}

document! {
    /// What a ship leaves beside a module that does not match (rule F11.2).
    #[derive(Eq)]
    pub struct MismatchArtifact as "FingerprintMismatch" {
        /// `MM-...`.
        module_id: String,
        /// The version that was to be shipped.
        module_version: Version,
        /// Both fingerprints, and how each dimension differs.
        mismatch: Mismatch,
    }
}

/// Compares with the locked surface.
pub fn compare(locked: SurfaceRef<'_>, actual: SurfaceRef<'_>) -> Result<Fingerprint, Mismatch> {
    let (expected, got) = (Fingerprint::of(locked), Fingerprint::of(actual));
    if expected == got {
        return Ok(expected);
    }
    let dimensions = Dimension::ALL.iter().filter_map(|(name, dimension)| {
        let (before, after) = (dimension.items(locked), dimension.items(actual));
        (before != after).then(|| difference(name, &before, &after))
    });
    Err(Mismatch {
        expected,
        actual: got,
        dimensions: dimensions.collect(),
    })
}

fn difference(name: &str, before: &[String], after: &[String]) -> DimensionDiff {
    let less = |a: &[String], b: &[String]| -> Vec<serde_json::Value> {
        let b: BTreeSet<&String> = b.iter().collect();
        let gone = a.iter().filter(|item| !b.contains(item));
        gone.map(|item| serde_json::from_str(item).unwrap_or_default())
            .collect()
    };
    let (removed, added) = (less(before, after), less(after, before));
    DimensionDiff {
        dimension: name.to_owned(),
        reordered: removed.is_empty() && added.is_empty(),
        removed,
        added,
    }
}
