//! Vectors: of length one, stored as 32-bit floats in little-endian order, held in memory as bytes
//! with one scale each. Two unit vectors' dot product is the cosine that rule F14.3 ranks by.

use simsimd::SpatialSimilarity;

/// A vector of the same direction and of length one; a vector of zeros stays as it is.
pub(crate) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector
        .iter()
        .map(|x| f64::from(*x) * f64::from(*x))
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        for x in &mut vector {
            *x = (f64::from(*x) / length) as f32;
        }
    }
    vector
}

pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    // None is for different lengths, which the callers have refused.
    f32::dot(a, b).unwrap_or_default() as f32
}

pub(crate) fn dot_bytes(a: &[i8], b: &[i8]) -> f32 {
    i8::dot(a, b).unwrap_or_default() as f32
}

/// As it is stored.
pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// As it was stored.
pub(crate) fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers
        .iter()
        .map(|four| f32::from_le_bytes(*four))
        .collect()
}

/// Appends the vector in bytes; gives what one step of them is worth.
pub(crate) fn quantise(vector: &[f32], into: &mut Vec<i8>) -> f32 {
    let most = vector.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let step = most / 127.0;
    let per_step = if step > 0.0 { 1.0 / step } else { 0.0 };
    into.extend(vector.iter().map(|x| (x * per_step).round() as i8));
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_near_the_vector() {
        let vector = unit(
            (0..384)
                .map(|i| ((i * 37 % 101) as f32 - 50.0).sin())
                .collect(),
        );
        let mut bytes = Vec::new();
        let step = quantise(&vector, &mut bytes);
        for (x, byte) in vector.iter().zip(&bytes) {
            assert!((x - f32::from(*byte) * step).abs() <= step * 0.5001);
        }
        let cosine = dot_bytes(&bytes, &bytes) * step * step;
        // Half a step off in every number, all in one direction, is the worst there is.
        let worst: f32 = vector.iter().map(|x| step * x.abs()).sum();
        assert!((cosine - 1.0).abs() < worst, "{cosine} {worst}");
        assert_eq!(from_bytes(&to_bytes(&vector)), vector);
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut bytes = Vec::new();
        assert_eq!(quantise(&unit(vec![0.0; 4]), &mut bytes), 0.0);
        assert_eq!(bytes, [0, 0, 0, 0]);
    }
}
