//! Layout of diagrams: layers from left to right by distance from the start.
//!
//! A small layered graph drawing (Sugiyama): an arrow over several layers gets a dummy node in each layer between, so
//! that it never crosses a box; the order within layers is improved by the barycentre heuristic; then everything is
//! pulled towards its neighbours as far as the spacing allows.

use super::diagram::Diagram;

/// Height of a box with one line.
const LINE_HEIGHT: f64 = 38.0;
/// Height of a box with two lines.
const TWO_LINES: f64 = 50.0;
/// Height of a dummy node.
const PASSING: f64 = 24.0;
/// Vertical space between nodes without loops and labels.
const BETWEEN: f64 = 22.0;
/// Space above a box with a loop.
pub(super) const LOOP: f64 = 30.0;
/// Minimum space between layers.
const GAP: f64 = 56.0;
/// Space for the entry point of a state machine.
pub(super) const ENTRY: f64 = 34.0;
const MARGIN: f64 = 12.0;
const SWEEPS: usize = 12;

/// A node: a box, or a dummy where an arrow passes a layer.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// The box; `None` for a dummy.
    pub(super) shown: Option<usize>,
    pub(super) layer: usize,
    /// Vertical centre.
    pub(super) y: f64,
    /// Left edge.
    pub(super) x: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An arrow and the nodes it passes, from start to end.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) arrow: usize,
    pub(super) places: Vec<usize>,
}

/// All nodes and routes with their positions.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) places: Vec<Position>,
    pub(super) routes: Vec<Route>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Approximate width of a text.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|c| {
            if "iljt.,:'| ".contains(c) {
                0.36
            } else if c.is_uppercase() || "mw".contains(c) {
                0.82
            } else {
                0.62
            }
        })
        .sum::<f64>()
        * size
}

/// Computes the layout.
pub(super) fn layout(diagram: &Diagram) -> Layout {
    let layers = diagram.layers();
    let count = layers.iter().max().map_or(0, |last| last + 1);
    let mut places: Vec<Position> = diagram
        .boxes
        .iter()
        .enumerate()
        .map(|(index, one)| Position {
            shown: Some(index),
            layer: layers[index],
            y: 0.0,
            x: 0.0,
            width: (text_width(&one.label, 14.0).max(text_width(&one.note, 11.0)) + 28.0).max(64.0),
            height: if one.note.is_empty() { LINE_HEIGHT } else { TWO_LINES },
        })
        .collect();
    let routes = routes(diagram, &layers, &mut places);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, place) in places.iter().enumerate() {
        order[place.layer].push(index);
    }
    let neighbours = neighbours(&routes, places.len());
    sort(&mut order, &neighbours, &places);
    let loops = |place: &Position| {
        place.shown.is_some_and(|shown| diagram.arrows.iter().any(|arrow| arrow.from == shown && arrow.to == shown))
    };
    let looped: Vec<bool> = places.iter().map(loops).collect();
    down(&order, &neighbours, &looped, &mut places);
    across(diagram, &order, &routes, &mut places);
    finish(places, routes, &looped)
}

/// The routes, with a dummy node in every layer between their ends.
fn routes(diagram: &Diagram, layers: &[usize], places: &mut Vec<Position>) -> Vec<Route> {
    let mut routes = Vec::new();
    for (arrow, ends) in diagram.arrows.iter().enumerate() {
        let (from, to) = (layers[ends.from], layers[ends.to]);
        let mut passed = vec![ends.from];
        let between: Vec<usize> = if from < to { (from + 1..to).collect() } else { (to + 1..from).rev().collect() };
        for layer in between {
            passed.push(places.len());
            places.push(Position { shown: None, layer, y: 0.0, x: 0.0, width: 0.0, height: PASSING });
        }
        passed.push(ends.to);
        routes.push(Route { arrow, places: passed });
    }
    routes
}

/// The adjacent nodes of each node.
fn neighbours(routes: &[Route], count: usize) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); count];
    for pair in routes.iter().flat_map(|route| route.places.windows(2)) {
        if let [from, to] = *pair {
            neighbours[from].push(to);
            neighbours[to].push(from);
        }
    }
    neighbours
}

/// Orders each layer by the barycentre of its neighbours, sweeping back and forth.
fn sort(order: &mut [Vec<usize>], neighbours: &[Vec<usize>], places: &[Position]) {
    let mut rank = vec![0.0_f64; places.len()];
    let number = |layer: &[usize], rank: &mut Vec<f64>| {
        for (position, place) in layer.iter().enumerate() {
            rank[*place] = position as f64 - layer.len() as f64 / 2.0;
        }
    };
    for layer in order.iter() {
        number(layer, &mut rank);
    }
    for sweep in 0..SWEEPS {
        for step in 0..order.len() {
            let (layer, side) = if sweep % 2 == 0 { (step, -1) } else { (order.len() - 1 - step, 1) };
            let beside = layer.checked_add_signed(side);
            let middle = |place: usize| {
                let near: Vec<f64> = neighbours[place]
                    .iter()
                    .filter(|other| Some(places[**other].layer) == beside)
                    .map(|other| rank[*other])
                    .collect();
                if near.is_empty() { rank[place] } else { near.iter().sum::<f64>() / near.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> = order[layer].iter().map(|place| (middle(*place), *place)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[layer] = keyed.into_iter().map(|(_, place)| place).collect();
            number(&order[layer], &mut rank);
        }
    }
}

/// Vertical positions: each node as close to its neighbours as the nodes above allow.
fn down(order: &[Vec<usize>], neighbours: &[Vec<usize>], looped: &[bool], places: &mut [Position]) {
    let apart = |above: usize, below: usize, places: &[Position]| {
        let room = if looped[below] { LOOP + BETWEEN } else { BETWEEN };
        (places[above].height + places[below].height) / 2.0 + room
    };
    for sweep in 0..=SWEEPS {
        for layer in order {
            let wanted: Vec<f64> = layer
                .iter()
                .map(|place| {
                    let near = &neighbours[*place];
                    if sweep == 0 || near.is_empty() {
                        places[*place].y
                    } else {
                        near.iter().map(|other| places[*other].y).sum::<f64>() / near.len() as f64
                    }
                })
                .collect();
            let mut at = f64::NEG_INFINITY;
            let mut above: Option<usize> = None;
            for (place, wanted) in layer.iter().zip(&wanted) {
                if let Some(above) = above {
                    at += apart(above, *place, places);
                }
                at = at.max(*wanted);
                places[*place].y = at;
                above = Some(*place);
            }
            // Moving nodes only downwards would shift the layer: keep its centre.
            let got: f64 = layer.iter().map(|place| places[*place].y).sum();
            let shift = (wanted.iter().sum::<f64>() - got) / layer.len().max(1) as f64;
            for place in layer {
                places[*place].y += shift;
            }
        }
    }
}

/// Horizontal positions: columns as wide as their widest box, and as far apart as their labels need.
fn across(diagram: &Diagram, order: &[Vec<usize>], routes: &[Route], places: &mut [Position]) {
    let mut x = MARGIN + if diagram.states { ENTRY } else { 0.0 };
    for (layer, members) in order.iter().enumerate() {
        let widest = members.iter().map(|place| places[*place].width).fold(0.0, f64::max);
        for place in members {
            places[*place].x = x + (widest - places[*place].width) / 2.0;
            if places[*place].shown.is_none() {
                places[*place].x = x;
                places[*place].width = widest;
            }
        }
        let label = routes
            .iter()
            .filter(|route| {
                let ends = (places[route.places[0]].layer, places[route.places[1]].layer);
                ends.0 != ends.1 && ends.0.min(ends.1) == layer
                    || ends == (layer, layer) && route.places[0] != route.places[1]
            })
            .map(|route| text_width(&diagram.arrows[route.arrow].label, 11.0))
            .fold(0.0, f64::max);
        x += widest + if label > 0.0 { label + 52.0 } else { GAP };
    }
}

/// Shifts everything to the margin and measures it.
fn finish(mut places: Vec<Position>, routes: Vec<Route>, looped: &[bool]) -> Layout {
    let top = places
        .iter()
        .zip(looped)
        .map(|(place, looped)| place.y - place.height / 2.0 - if *looped { LOOP } else { 0.0 })
        .fold(f64::INFINITY, f64::min);
    for place in &mut places {
        place.y += MARGIN - top;
    }
    let width = places.iter().map(|place| place.x + place.width).fold(0.0, f64::max) + MARGIN;
    let height = places.iter().map(|place| place.y + place.height / 2.0).fold(0.0, f64::max) + MARGIN;
    Layout { places, routes, width, height }
}
