//! Generated sentences: random words by frequency, with function words between them. No real text is needed, and none
//! can leak into the table.

/// Words between the content words.
const FUNCTION_WORDS: &str = "i you we my your the a an this that to for of on in with from at is are was can could do does did \
                              will would what how when where why who which not no please need want have has it me if and or";

/// Sentences as lists of piece numbers.
pub(super) struct Sentences {
    random: Random,
    function: Vec<usize>,
    /// Whole words, the most frequent first.
    words: Vec<usize>,
    /// Cumulative probability of the words, each proportional to 1 / √rank.
    shares: Vec<f64>,
    continuations: Vec<usize>,
    question: Option<usize>,
}

impl Sentences {
    /// Sentences over these pieces, which are sorted by frequency.
    pub(super) fn over(pieces: &[(String, u32)], first_word: u32) -> Self {
        let find = |text: &str| pieces.iter().position(|(piece, _)| piece == text);
        let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
        let those = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let found = pieces.iter().enumerate().filter(|(_, (text, number))| *number >= first_word && wanted(text));
            found.map(|(n, _)| n).collect()
        };
        let words = those(&is_word);
        let continuations = those(&|text| text.strip_prefix("##").is_some_and(is_word));
        let mut sum = 0.0;
        let share = |rank: usize| {
            sum += 1.0 / (rank as f64).sqrt();
            sum
        };
        let shares = (1..=words.len()).map(share).collect();
        let function = FUNCTION_WORDS.split_whitespace().filter_map(find).collect();
        Self { random: Random(0), function, words, shares, continuations, question: find("?") }
    }

    fn word(&mut self) -> Option<usize> {
        if self.random.chance(20) {
            return pick(&mut self.random, &self.words);
        }
        let whole = *self.shares.last()?;
        let point = self.random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * whole;
        let rank = self.shares.partition_point(|share| *share <= point);
        self.words.get(rank).copied()
    }
}

impl Iterator for Sentences {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let mut sentence = Vec::new();
        for _ in 0..2 + self.random.below(4) {
            for _ in 0..self.random.below(3) {
                sentence.extend(pick(&mut self.random, &self.function));
            }
            sentence.push(self.word()?);
            if self.random.chance(15) {
                sentence.extend(pick(&mut self.random, &self.continuations));
            }
        }
        if self.random.chance(30) {
            sentence.extend(self.question);
        }
        Some(sentence)
    }
}

fn pick(random: &mut Random, list: &[usize]) -> Option<usize> {
    let n = random.below(list.len().max(1) as u64);
    list.get(n as usize).copied()
}

/// SplitMix64: deterministic.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
