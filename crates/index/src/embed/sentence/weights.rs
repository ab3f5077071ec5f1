//! The safetensors format: eight bytes of length, a JSON header, raw numbers. Numbers of 32 and 16
//! bits are read; every offset is checked before it is used.

use super::error::ModelError;
use serde::Deserialize;
use std::collections::BTreeMap;

const FILE: &str = "model.safetensors";

/// The largest header that is believed.
const HEADER: usize = 16 << 20;

#[derive(Debug, Deserialize)]
struct Head {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// Named arrays in a file.
#[derive(Debug)]
pub(super) struct Weights<'a> {
    heads: BTreeMap<String, Head>,
    data: &'a [u8],
}

impl<'a> Weights<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let wrong = |why: &str| ModelError::unfit(FILE, why);
        let (length, rest) = bytes
            .split_first_chunk::<8>()
            .ok_or_else(|| wrong("it is cut short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > HEADER {
            return Err(wrong("its header is too long"));
        }
        let (header, data) = rest
            .split_at_checked(length)
            .ok_or_else(|| wrong("it is cut short"))?;
        let header: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(ModelError::json(FILE))?;
        let mut heads = BTreeMap::new();
        for (name, value) in header {
            if name == "__metadata__" {
                continue;
            }
            let head = Deserialize::deserialize(&value)
                .map_err(|error| wrong(&format!("{name}: {error}")))?;
            // Some files name everything below `bert.`.
            let short = name.strip_prefix("bert.").unwrap_or(&name).to_owned();
            heads.insert(short, head);
        }
        Ok(Self { heads, data })
    }

    /// An array of exactly this shape.
    pub(super) fn take(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let wrong = |why: String| ModelError::Array {
            name: name.to_owned(),
            why,
        };
        let head = self
            .heads
            .get(name)
            .ok_or_else(|| wrong("it is missing".to_owned()))?;
        if head.shape != shape {
            return Err(wrong(format!("shape {:?}, not {shape:?}", head.shape)));
        }
        let (start, end) = head.data_offsets;
        let bytes = self
            .data
            .get(start..end)
            .ok_or_else(|| wrong("it lies outside the file".to_owned()))?;
        let count: usize = shape.iter().product();
        let numbers: Vec<f32> = match head.dtype.as_str() {
            "F32" => crate::vector::from_bytes(bytes),
            "F16" => shorts(bytes).map(half).collect(),
            "BF16" => shorts(bytes)
                .map(|bits| f32::from_bits(u32::from(bits) << 16))
                .collect(),
            other => return Err(wrong(format!("numbers of type {other} are not known here"))),
        };
        if numbers.len() != count || !numbers.iter().all(|x| x.is_finite()) {
            return Err(wrong(
                "too few numbers, or some that are not finite".to_owned(),
            ));
        }
        Ok(numbers)
    }
}

fn shorts(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|two| u16::from_le_bytes(*two))
}

/// IEEE half precision.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (
        i32::from(bits >> 10 & 0x1f),
        f32::from(bits & 0x3ff) / 1024.0,
    );
    match exponent {
        0 => sign * fraction * 2f32.powi(-14),
        31 => f32::NAN,
        _ => sign * (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves_are_read() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
            (0x0000, 0.0),
        ] {
            assert_eq!(half(bits), value, "{bits:x}");
        }
    }
}
