//! Diagrams of boxes and arrows: state machines and steps of playbooks.

#[derive(Clone, Debug, Default)]
pub(super) struct Diagram {
    /// Whether it is a state machine (with an entry point and double borders for final states) or a graph of steps.
    pub(super) states: bool,
    /// The boxes, in order of declaration.
    pub(super) boxes: Vec<DiagramBox>,
    /// The arrows, by the positions of their boxes.
    pub(super) arrows: Vec<Arrow>,
    /// A text alternative.
    pub(super) alt: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DiagramBox {
    pub(super) label: String,
    /// A second, smaller line.
    pub(super) note: String,
    /// Whether it is the initial box.
    pub(super) first: bool,
    /// Whether it is final.
    pub(super) last: bool,
    /// Drawn with a dashed border: it may be skipped.
    pub(super) dashed: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Arrow {
    /// Where it begins.
    pub(super) from: usize,
    /// Where it leads.
    pub(super) to: usize,
    pub(super) label: String,
}

impl Diagram {
    /// How far each box is from the beginning: where arrows lead back, by the shortest way; in a plan, by the longest,
    /// so that every arrow leads forward.
    pub(super) fn layers(&self) -> Vec<usize> {
        if self.states { self.shortest() } else { self.longest() }
    }

    fn shortest(&self) -> Vec<usize> {
        let mut layers: Vec<Option<usize>> = self.boxes.iter().map(|one| one.first.then_some(0)).collect();
        for round in 0..self.boxes.len() {
            for arrow in &self.arrows {
                if layers[arrow.from] == Some(round) && layers[arrow.to].is_none() {
                    layers[arrow.to] = Some(round + 1);
                }
            }
        }
        layers.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn longest(&self) -> Vec<usize> {
        let mut layers = vec![0; self.boxes.len()];
        // A plan has no cycles, so this settles after at most as many rounds as there are boxes.
        for _ in 0..self.boxes.len() {
            for arrow in &self.arrows {
                layers[arrow.to] = layers[arrow.to].max(layers[arrow.from] + 1).min(self.boxes.len());
            }
        }
        layers
    }
}
