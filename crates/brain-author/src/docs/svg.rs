//! Diagrams in HTML: SVG with a layout of our own, so that a page needs no script.
//!
//! Colours come from the page's style sheet, which has a light and a dark set.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::diagram::{Arrow, Diagram};
use super::html_page::escape;
use super::layout::{ENTRY, LOOP, Layout, Position, Route, layout, text_width};

const LABEL_SIZE: f64 = 11.0;

type Point = (f64, f64);

/// The rectangle of a label: left, top, right, bottom.
type Taken = (f64, f64, f64, f64);

/// The diagram as SVG.
pub(super) fn svg(diagram: &Diagram) -> String {
    let drawn = layout(diagram);
    let ports = Ports::new(&drawn);
    let mut taken: Vec<Taken> = drawn.places.iter().filter(|place| place.shown.is_some()).map(around).collect();
    let (mut arrows, mut labels, mut right) = (String::new(), String::new(), drawn.width);
    for (index, route) in drawn.routes.iter().enumerate() {
        let arrow = &diagram.arrows[route.arrow];
        let curves = if arrow.from == arrow.to {
            own_loop(&drawn.places[arrow.from])
        } else {
            ports.curves(&drawn, index, route)
        };
        let path: String = curves.iter().map(|curve| curve.path()).collect();
        let start = curves.first().map_or((0.0, 0.0), |curve| curve.points[0]);
        let _infallible = writeln!(
            arrows,
            r#"<path class="arrow" d="M{:.1},{:.1}{path}" marker-end="url(#head)"/>"#,
            start.0, start.1
        );
        right = curves.iter().flat_map(|curve| curve.points).map(|(x, _)| x + 14.0).fold(right, f64::max);
        label(&mut labels, &mut taken, arrow, &curves);
    }
    right = taken.iter().map(|one| one.2 + 8.0).fold(right, f64::max);
    let bottom = taken.iter().map(|one| one.3 + 8.0).fold(drawn.height, f64::max);
    let boxes: String = drawn.places.iter().map(|place| boxed(diagram, place)).collect();
    format!(
        "<svg class=\"drawing\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {right:.0} {bottom:.0}\" width=\"{right:.0}\" height=\"{bottom:.0}\">\n{arrows}{boxes}{labels}</svg>",
        escape(&diagram.alt),
    )
}

/// The arrowhead shared by all diagrams of a page.
pub(super) const HEAD: &str = r#"<svg width="0" height="0" aria-hidden="true" style="position:absolute"><defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="head" d="M0,1 L9,5 L0,9 z"/></marker></defs></svg>
"#;

fn around(place: &Position) -> Taken {
    (place.x, place.y - place.height / 2.0, place.x + place.width, place.y + place.height / 2.0)
}

fn boxed(diagram: &Diagram, place: &Position) -> String {
    let Some(one) = place.shown.map(|shown| &diagram.boxes[shown]) else { return String::new() };
    let (left, top, ..) = around(place);
    let mut text = String::new();
    let kind = if one.dashed { "box dashed" } else { "box" };
    let round = if diagram.states { 14.0 } else { 6.0 };
    let (width, height, middle) = (place.width, place.height, left + place.width / 2.0);
    let _infallible = writeln!(
        text,
        r#"<rect class="{kind}" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="{round}"/>"#
    );
    if diagram.states && one.last {
        let _infallible = writeln!(
            text,
            r#"<rect class="inner" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{}"/>"#,
            left + 3.5,
            top + 3.5,
            width - 7.0,
            height - 7.0,
            round - 3.5
        );
    }
    if diagram.states && one.first {
        let _infallible = writeln!(
            text,
            r#"<circle class="entry" cx="{0:.1}" cy="{1:.1}" r="5"/><path class="arrow" d="M{2:.1},{1:.1} L{3:.1},{1:.1}" marker-end="url(#head)"/>"#,
            left - ENTRY + 8.0,
            place.y,
            left - ENTRY + 13.0,
            left
        );
    }
    let label = escape(&one.label);
    if one.note.is_empty() {
        let _infallible =
            writeln!(text, r#"<text class="name" x="{middle:.1}" y="{:.1}">{label}</text>"#, place.y + 5.0);
    } else {
        let _infallible = writeln!(
            text,
            r#"<text class="name" x="{middle:.1}" y="{:.1}">{label}</text><text class="note" x="{middle:.1}" y="{:.1}">{}</text>"#,
            place.y - 3.0,
            place.y + 14.0,
            escape(&one.note)
        );
    }
    text
}

/// A cubic Bézier curve.
struct Curve {
    points: [Point; 4],
}

impl Curve {
    /// A curve between two sides, horizontal at both ends.
    fn level(from: Point, to: Point) -> Self {
        let bend = ((to.0 - from.0) / 2.0).clamp(-80.0, 80.0);
        Self { points: [from, (from.0 + bend, from.1), (to.0 - bend, to.1), to] }
    }

    fn path(&self) -> String {
        let [_, a, b, to] = self.points;
        format!(" C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}", a.0, a.1, b.0, b.1, to.0, to.1)
    }

    /// The point at parameter `share`.
    fn at(&self, share: f64) -> Point {
        let rest = 1.0 - share;
        let weights = [rest.powi(3), 3.0 * rest * rest * share, 3.0 * rest * share * share, share.powi(3)];
        let sum =
            |of: fn(&Point) -> f64| self.points.iter().zip(weights).map(|(point, weight)| of(point) * weight).sum();
        (sum(|point| point.0), sum(|point| point.1))
    }
}

/// A loop above a box.
fn own_loop(place: &Position) -> Vec<Curve> {
    let (left, top, ..) = around(place);
    let middle = left + place.width / 2.0;
    let (from, to) = ((middle - 12.0, top), (middle + 12.0, top));
    vec![Curve { points: [from, (from.0 - 12.0, top - LOOP), (to.0 + 12.0, top - LOOP), to] }]
}

/// Where arrows touch the sides of boxes: spread over the side, ordered by their other end.
struct Ports {
    /// Start and end point of each route.
    ends: Vec<(Point, Point)>,
}

/// Where a route begins or ends, on the left or right side of a node.
struct End {
    place: usize,
    right: bool,
    route: usize,
    begins: bool,
    /// Vertical position of the next node.
    towards: f64,
    /// Whether the next node is in another layer, or above or below in the same.
    goes: Goes,
}

/// The direction of an end, in order from top to bottom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Goes {
    Above,
    Across,
    Below,
}

impl End {
    /// Order along a side. Arrows within a layer are nested: the nearest is innermost.
    fn before(&self, other: &Self) -> Ordering {
        let nested = match self.goes {
            Goes::Across => self.towards.total_cmp(&other.towards).then(self.route.cmp(&other.route)),
            Goes::Above => other.towards.total_cmp(&self.towards).then(self.route.cmp(&other.route)),
            Goes::Below => other.towards.total_cmp(&self.towards).then(other.route.cmp(&self.route)),
        };
        self.goes.cmp(&other.goes).then(nested)
    }
}

impl Ports {
    fn new(drawn: &Layout) -> Self {
        let mut all: Vec<End> = Vec::new();
        for (route, one) in drawn.routes.iter().enumerate() {
            let [first, second, ..] = one.places[..] else { continue };
            if first == second {
                continue;
            }
            let (last, before) = (one.places[one.places.len() - 1], one.places[one.places.len() - 2]);
            for (place, next, begins) in [(first, second, true), (last, before, false)] {
                let (here, there) = (&drawn.places[place], &drawn.places[next]);
                let goes = match (there.layer == here.layer, there.y < here.y) {
                    (false, _) => Goes::Across,
                    (true, true) => Goes::Above,
                    (true, false) => Goes::Below,
                };
                all.push(End { place, right: there.layer >= here.layer, route, begins, towards: there.y, goes });
            }
        }
        let mut ends = vec![((0.0, 0.0), (0.0, 0.0)); drawn.routes.len()];
        for (place, at) in drawn.places.iter().enumerate() {
            for right in [false, true] {
                let mut side: Vec<&End> = all.iter().filter(|end| end.place == place && end.right == right).collect();
                side.sort_by(|a, b| a.before(b));
                for (position, end) in side.iter().enumerate() {
                    let share = (position as f64 + 1.0) / (side.len() as f64 + 1.0) - 0.5;
                    let height = if side.len() == 1 { 0.0 } else { at.height * 0.9 * share };
                    let point = (if right { at.x + at.width } else { at.x }, at.y + height);
                    let slot = &mut ends[end.route];
                    if end.begins { slot.0 = point } else { slot.1 = point }
                }
            }
        }
        Self { ends }
    }

    /// The curves of a route through its nodes.
    fn curves(&self, drawn: &Layout, index: usize, route: &Route) -> Vec<Curve> {
        let (start, end) = self.ends[index];
        let (first, last) = (route.places[0], route.places[route.places.len() - 1]);
        if drawn.places[first].layer == drawn.places[last].layer {
            let out = 34.0 + (end.1 - start.1).abs() / 6.0;
            let beyond = start.0.max(end.0) + out;
            return vec![Curve { points: [start, (beyond, start.1), (beyond, end.1), end] }];
        }
        let forward = drawn.places[first].layer < drawn.places[last].layer;
        let mut at = start;
        let mut curves = Vec::new();
        for passed in &route.places[1..route.places.len() - 1] {
            let place = &drawn.places[*passed];
            let (near, far) = if forward { (place.x, place.x + place.width) } else { (place.x + place.width, place.x) };
            curves.push(Curve::level(at, (near, place.y)));
            curves.push(Curve { points: [(near, place.y), (near, place.y), (far, place.y), (far, place.y)] });
            at = (far, place.y);
        }
        curves.push(Curve::level(at, end));
        curves
    }
}

/// Places a label where it covers nothing: on the line or next to it.
fn label(labels: &mut String, taken: &mut Vec<Taken>, arrow: &Arrow, curves: &[Curve]) {
    let Some(first) = curves.first().filter(|_| !arrow.label.is_empty()) else { return };
    let half = text_width(&arrow.label, LABEL_SIZE) / 2.0 + 2.0;
    let place = |(x, y): Point| (x - half, y - 8.0, x + half, y + 8.0);
    let free = |one: &Taken| {
        one.1 > 0.0
            && taken.iter().all(|other| one.2 < other.0 || one.0 > other.2 || one.3 < other.1 || one.1 > other.3)
    };
    let shares = [0.5, 0.42, 0.58, 0.35, 0.65];
    let beside = [0.0, -12.0, 12.0, -18.0, 18.0, -28.0, 28.0, -40.0, 40.0];
    let spots = beside.iter().flat_map(|off| {
        shares.iter().map(move |share| {
            let (x, y) = first.at(*share);
            (x, y + off)
        })
    });
    let spot = spots.into_iter().find(|point| free(&place(*point))).unwrap_or_else(|| first.at(0.5));
    taken.push(place(spot));
    let _infallible = writeln!(
        labels,
        r#"<text class="label" x="{:.1}" y="{:.1}">{}</text>"#,
        spot.0,
        spot.1 + 4.0,
        escape(&arrow.label)
    );
}
