//! Quality metrics: ranking, out-of-scope detection and calibration.

/// Area under the ROC curve: how often an in-scope score ranks above an out-of-scope one. 0.5 is chance, 1 is perfect.
pub fn auroc(inside: &[f32], outside: &[f32]) -> f64 {
    let mut all: Vec<(f32, bool)> =
        inside.iter().map(|score| (*score, true)).chain(outside.iter().map(|score| (*score, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Ties share their rank.
    let (mut rank, mut sum) = (1.0, 0.0);
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let shared = rank + (same.len() as f64 - 1.0) / 2.0;
        sum += shared * same.iter().filter(|(_, is_inside)| *is_inside).count() as f64;
        rank += same.len() as f64;
    }
    let (n, m) = (inside.len() as f64, outside.len() as f64);
    if n * m == 0.0 { 0.0 } else { (sum - n * (n + 1.0) / 2.0) / (n * m) }
}

/// Share of out-of-scope scores below the threshold that 95 % of the in-scope scores reach.
pub fn recall_at_95(inside: &[f32], outside: &[f32]) -> f64 {
    let mut sorted = inside.to_vec();
    sorted.sort_by(f32::total_cmp);
    let Some(limit) = sorted.get(sorted.len() / 20) else { return 0.0 };
    outside.iter().filter(|score| *score < limit).count() as f64 / outside.len().max(1) as f64
}

/// Expected calibration error over ten bins.
pub fn calibration_error(said: &[(f32, bool)]) -> f64 {
    let mut bands = [(0.0_f64, 0.0_f64, 0_usize); 10];
    for (confidence, right) in said {
        let band = &mut bands[((confidence * 10.0) as usize).min(9)];
        band.0 += f64::from(*confidence);
        band.1 += f64::from(u8::from(*right));
        band.2 += 1;
    }
    let off: f64 = bands.iter().map(|(confidence, right, _)| (confidence - right).abs()).sum();
    off / said.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auroc_and_recall_measure_separation() {
        assert_eq!(auroc(&[0.9, 0.8], &[0.1, 0.2]), 1.0);
        assert_eq!(auroc(&[0.5], &[0.5]), 0.5);
        assert_eq!(auroc(&[0.1, 0.9], &[0.5]), 0.5);
        assert_eq!(recall_at_95(&[0.9; 20], &[0.1, 0.95]), 0.5);
    }

    #[test]
    fn calibrated_confidence_has_no_error() {
        let said = [(0.75, true), (0.75, true), (0.75, true), (0.75, false)];
        assert!(calibration_error(&said) < 1e-6);
        assert!((calibration_error(&[(0.95, false)]) - 0.95).abs() < 1e-6);
    }
}
