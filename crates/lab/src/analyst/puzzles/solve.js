// One puzzle after the other: click a piece, then its square. The answers are played by the page.
(() => {
  const puzzles = [...document.querySelectorAll("script.puzzle")].map((data) => JSON.parse(data.textContent));
  const find = (selector) => document.querySelector(".solve " + selector);
  const note = find(".note"), title = find("h2"), more = find(".more");
  let index = 0, ply = 0, from = null, failed = false, solved = 0;
  const draw = makeBoard(find("svg"), (name) => choose(name));

  const show = (marks) => {
    const puzzle = puzzles[index];
    draw(puzzle.fens[ply], marks, puzzle.fens[0].split(" ")[1] === "b");
  };
  const last = () => {
    const move = ply > 0 ? puzzles[index].moves[ply - 1] : puzzles[index].before;
    return [move.slice(0, 2), move.slice(2, 4)];
  };
  const open = (to) => {
    index = (to + puzzles.length) % puzzles.length;
    ply = 0;
    from = null;
    failed = false;
    more.textContent = "";
    title.textContent = `Puzzle ${index + 1} of ${puzzles.length}: ${puzzles[index].asks}`;
    note.textContent = "Click a piece, then its square.";
    show(last());
  };
  const finish = (text) => {
    const puzzle = puzzles[index];
    ply = puzzle.moves.length;
    show(last());
    note.textContent = text + " " + puzzle.line;
    more.textContent = `Rating about ${puzzle.rating} · ${puzzle.themes}`;
  };
  const choose = (name) => {
    const puzzle = puzzles[index];
    if (puzzles.length === 0 || ply >= puzzle.moves.length) return;
    if (from === null) {
      from = name;
      show([name]);
      return;
    }
    const tried = from + name, expected = puzzle.moves[ply];
    from = null;
    if (tried.slice(0, 2) === tried.slice(2, 4)) {
      show(last());
    } else if (expected.slice(0, 4) !== tried) {
      failed = true;
      note.textContent = `${tried} is not it. Try again.`;
      show(last());
    } else if (ply + 1 >= puzzle.moves.length) {
      if (!failed) solved += 1;
      finish(failed ? "Found." : `Solved, ${solved} at the first try so far.`);
    } else {
      ply += 2;
      note.textContent = `Yes. ${puzzle.san[ply - 1]} is the answer. Go on.`;
      show(last());
    }
  };
  const actions = {
    back: () => open(index - 1),
    on: () => open(index + 1),
    again: () => open(index),
    answer: () => { failed = true; finish("The solution:"); },
  };
  document.querySelectorAll(".solve button").forEach((button) => {
    button.addEventListener("click", () => { if (puzzles.length > 0) actions[button.dataset.do](); });
  });
  if (puzzles.length > 0) open(0);
  else note.textContent = "There is no puzzle here.";
})();
