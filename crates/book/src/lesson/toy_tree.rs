//! Alpha-beta on a tree of numbers, with a record of everything it looked at.

/// A tree to search: numbers at the leaves, from the view of the side that moves at the root.
pub enum Tree {
    /// The end of a line.
    Leaf(i32),
    /// A choice.
    Choice(Vec<Tree>),
}

/// A node after the search.
pub struct Visit {
    /// Whether the search looked at it.
    pub visited: bool,
    /// Its value from the root's view: what was found, or for a leaf what stands there.
    pub value: i32,
    /// The window it was entered with, from the root's view.
    window: (i32, i32),
    /// Whether it ended before all its children were seen.
    cut: bool,
    /// What lies below.
    pub children: Vec<Visit>,
}

const INFINITE: i32 = 1_000;

impl Visit {
    /// The value as text, with a mark for a bound.
    pub fn label(&self) -> String {
        match (self.visited, self.cut) {
            (false, _) => String::new(),
            (true, false) => self.value.to_string(),
            (true, true) => format!("{} cut", self.value),
        }
    }

    /// The window as text.
    pub fn window(&self) -> String {
        let bound = |value: i32| match value {
            INFINITE => "∞".to_owned(),
            value if value == -INFINITE => "-∞".to_owned(),
            value => value.to_string(),
        };
        if self.visited {
            format!("{} … {}", bound(self.window.0), bound(self.window.1))
        } else {
            String::new()
        }
    }

    /// Leaves below, looked at or not.
    pub fn leaves(&self) -> usize {
        if self.children.is_empty() { 1 } else { self.children.iter().map(Self::leaves).sum() }
    }

    /// Leaves that were looked at.
    pub fn leaves_visited(&self) -> usize {
        if self.children.is_empty() {
            usize::from(self.visited)
        } else {
            self.children.iter().map(Self::leaves_visited).sum()
        }
    }

    /// Levels below this one.
    pub fn height(&self) -> usize {
        self.children.iter().map(|child| child.height() + 1).max().unwrap_or(0)
    }
}

/// The tree of the chapter: three moves with three answers each and two moves after them.
pub fn example() -> Tree {
    let pairs =
        [[[3, 17], [2, 12], [15, 9]], [[25, 0], [2, 5], [3, 14]], [[6, 4], [20, 7], [1, 11]]];
    let pair = |[a, b]: [i32; 2]| Tree::Choice(vec![Tree::Leaf(a), Tree::Leaf(b)]);
    Tree::Choice(pairs.into_iter().map(|three| Tree::Choice(three.map(pair).into())).collect())
}

/// The same tree with the best moves first everywhere.
pub fn well_ordered(tree: Tree, maximise: bool) -> Tree {
    let Tree::Choice(children) = tree else { return tree };
    let mut children: Vec<_> =
        children.into_iter().map(|child| well_ordered(child, !maximise)).collect();
    children
        .sort_by_key(|child| if maximise { -minimax(child, false) } else { minimax(child, true) });
    Tree::Choice(children)
}

/// The value without any pruning.
pub fn minimax(tree: &Tree, maximise: bool) -> i32 {
    match tree {
        Tree::Leaf(value) => *value,
        Tree::Choice(children) => {
            let values = children.iter().map(|child| minimax(child, !maximise));
            if maximise { values.max() } else { values.min() }.unwrap_or(0)
        }
    }
}

/// Alpha-beta from the root with an open window.
pub fn search(tree: &Tree) -> Visit {
    search_window(tree, -INFINITE, INFINITE)
}

/// Alpha-beta from the root with a window.
pub fn search_window(tree: &Tree, alpha: i32, beta: i32) -> Visit {
    visit(tree, alpha, beta, true)
}

fn visit(tree: &Tree, mut alpha: i32, mut beta: i32, maximise: bool) -> Visit {
    let window = (alpha, beta);
    let Tree::Choice(choices) = tree else {
        return Visit { value: minimax(tree, maximise), ..unseen(tree, window) }.seen();
    };
    let mut value = if maximise { -INFINITE } else { INFINITE };
    let mut children = Vec::new();
    let mut cut = false;
    for choice in choices {
        if cut {
            children.push(unseen(choice, window));
            continue;
        }
        let child = visit(choice, alpha, beta, !maximise);
        if maximise {
            value = value.max(child.value);
            alpha = alpha.max(value);
        } else {
            value = value.min(child.value);
            beta = beta.min(value);
        }
        cut = alpha >= beta && children.len() + 1 < choices.len();
        children.push(child);
    }
    Visit { visited: true, value, window, cut, children }
}

impl Visit {
    fn seen(mut self) -> Self {
        self.visited = true;
        self
    }
}

/// A part of the tree that was never looked at.
fn unseen(tree: &Tree, window: (i32, i32)) -> Visit {
    let children = match tree {
        Tree::Leaf(_) => Vec::new(),
        Tree::Choice(children) => children.iter().map(|child| unseen(child, window)).collect(),
    };
    let value = if let Tree::Leaf(value) = tree { *value } else { 0 };
    Visit { visited: false, value, window, cut: false, children }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_beta_finds_the_value_of_minimax_with_fewer_leaves() {
        let (plain, ordered) = (example(), well_ordered(example(), true));
        let (first, second) = (search(&plain), search(&ordered));
        assert_eq!(first.value, minimax(&plain, true));
        assert_eq!(second.value, first.value);
        assert!(second.leaves_visited() <= first.leaves_visited());
        assert!(first.leaves_visited() < first.leaves());
    }
}
