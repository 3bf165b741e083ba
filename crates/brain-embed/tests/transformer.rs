//! Real weights, compared with the numbers of an independent implementation (numpy, with the original tokenizer).
#![cfg(feature = "transformer")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use brain_embed::{Encoder, Precision, Transformer};

/// The first six numbers of each vector, and the last two.
const REFERENCE: [(&str, [f32; 8]); 4] = [
    ("cancel my order", [-0.04302, 0.05597, 0.09816, 0.03339, -0.04704, -0.04031, -0.05361, -0.08104]),
    ("I want to call off my purchase", [-0.05137, 0.04479, -0.05459, -0.0305, -0.06922, -0.00657, -0.00663, 0.01669]),
    ("what is the weather", [-0.0478, 0.06705, 0.12836, 0.09561, 0.00112, -0.01746, -0.11694, 0.07044]),
    ("Ça va? Zoë’s café: 3.50 € — naïve!", [0.06656, 0.02577, 0.04712, 0.00009, -0.02547, 0.02195, -0.02616, -0.0435]),
];

fn minilm(precision: Precision) -> Transformer {
    Transformer::load_with(&brain_testbed::minilm().unwrap(), precision).unwrap()
}

fn vector(encoder: &dyn Encoder, text: &str) -> Vec<f32> {
    let mut out = vec![0.0; encoder.dim()];
    encoder.encode(text, &mut out);
    out
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn vectors_match_the_reference_and_quantisation_keeps_their_direction() {
    let (exact, rounded) = (minilm(Precision::F32), minilm(Precision::Q8));
    for (text, reference) in REFERENCE {
        let vector_exact = vector(&exact, text);
        let some: Vec<f32> = vector_exact[..6].iter().chain(&vector_exact[382..]).copied().collect();
        for (value, expected) in some.iter().zip(reference) {
            assert!((value - expected).abs() < 2e-5, "{text}: {some:?}");
        }
        let cosine = dot(&vector_exact, &vector(&rounded, text));
        assert!(cosine > 0.998, "{text}: {cosine}");
    }
    assert_ne!(exact.id(), rounded.id());
}

#[test]
fn similar_meanings_have_similar_vectors() {
    let encoder = minilm(Precision::Q8);
    let [order, purchase, weather] = [0, 1, 2].map(|n| vector(&encoder, REFERENCE[n].0));
    let (near, far) = (dot(&order, &purchase), dot(&order, &weather));
    assert!(near > 0.45 && far < 0.15, "{near} {far}");
}

#[test]
fn a_vector_depends_neither_on_its_batch_nor_on_truncated_text() {
    let encoder = minilm(Precision::Q8);
    let long = "word ".repeat(400);
    let longer = format!("{long} and more");
    let mut texts: Vec<&str> = REFERENCE.iter().map(|(text, _)| *text).collect();
    texts.extend(["", "a", &long, &longer, "list all open invoices of Acme"]);
    let together = encoder.encode_targets(&texts);
    for (text, together) in texts.iter().zip(&together) {
        assert_eq!(&vector(&encoder, text), together, "{text}");
        assert!((dot(together, together) - 1.0).abs() < 1e-5);
    }
    assert_eq!(together[6], together[7]);
}
