//! Game trees as alpha-beta sees them.

use super::{Anchor, GREY, INK, Svg};
use crate::lesson::toy_tree::Visit;

const WIDTH: f64 = 720.0;
const LEVEL: f64 = 78.0;

/// Draws a visited tree: value and window at each node, what was never looked at in grey.
pub fn draw(title: &str, root: &Visit) -> String {
    let leaves = root.leaves();
    let mut svg = Svg::new(WIDTH, 60.0 + LEVEL * (root.height() as f64) + 20.0);
    let mut next_leaf = 0.0;
    node(&mut svg, root, 0, WIDTH / leaves as f64, &mut next_leaf);
    svg.finish(title)
}

/// Draws a node with all below it and returns where it stands.
fn node(svg: &mut Svg, visit: &Visit, level: usize, step: f64, next_leaf: &mut f64) -> f64 {
    let y = 40.0 + LEVEL * level as f64;
    if visit.children.is_empty() {
        let x = (*next_leaf + 0.5) * step;
        *next_leaf += 1.0;
        let colour = if visit.visited { "#e8f1f8" } else { "#f4f4f4" };
        svg.rect(x - 15.0, y - 13.0, 30.0, 26.0, colour);
        let ink = if visit.visited { INK } else { GREY };
        svg.text(x, y + 4.5, 13.0, Anchor::Middle, ink, visit.value);
        return x;
    }
    // The children first: a parent stands above the middle of them, and its lines lie below it.
    let places: Vec<_> =
        visit.children.iter().map(|child| node(svg, child, level + 1, step, next_leaf)).collect();
    let x = f64::midpoint(places[0], places[places.len() - 1]);
    for (child, place) in visit.children.iter().zip(&places) {
        let colour = if child.visited { INK } else { "#cccccc" };
        svg.line((x, y + 14.0), (*place, y + LEVEL - 14.0), colour, 1.2);
    }
    let fill = if level.is_multiple_of(2) { "#fff3df" } else { "#e3efe3" };
    svg.rect(x - 36.0, y - 16.0, 72.0, 31.0, if visit.visited { fill } else { "#f4f4f4" });
    let ink = if visit.visited { INK } else { GREY };
    svg.text(x, y - 2.0, 12.5, Anchor::Middle, ink, visit.label());
    svg.text(x, y + 11.0, 10.5, Anchor::Middle, INK, visit.window());
    x
}
