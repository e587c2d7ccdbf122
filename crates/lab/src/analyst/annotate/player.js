// Lets a reader play through the games of the page and try again where something was missed.
(() => {
  document.querySelectorAll("script.positions").forEach((data) => {
    const game = JSON.parse(data.textContent);
    if (game.length === 0) return;
    const root = data.closest(".game");
    const svg = root.querySelector(".player svg");
    const note = root.querySelector(".player .note");
    const steps = root.querySelectorAll(".moves [data-ply]");
    let ply = 0, flipped = false, task = null, from = null;

    const place = makeBoard(svg, (name) => choose(name));
    const draw = (marks) => place(game[ply].fen, marks, flipped);

    const show = (to) => {
      ply = Math.max(0, Math.min(game.length - 1, to));
      task = null;
      from = null;
      const last = ply > 0 ? game[ply - 1] : null;
      draw(last ? [last.uci.slice(0, 2), last.uci.slice(2, 4)] : []);
      steps.forEach((step) => step.classList.toggle("now", Number(step.dataset.ply) === ply));
      note.textContent = last ? last.label + " " + (last.note || "") : "";
    };

    const ask = (index) => {
      show(index);
      task = game[index];
      flipped = task.fen.split(" ")[1] === "b";
      draw([]);
      note.textContent = task.label + " was played. Find something better: click a piece, then its square.";
    };

    const choose = (name) => {
      if (!task) return;
      if (from === null) {
        from = name;
        draw([name]);
        return;
      }
      const tried = from + name;
      from = null;
      if (task.best.slice(0, 4) === tried) {
        note.textContent = "Yes, " + task.san + ". " + task.line;
        task = null;
        draw([tried.slice(0, 2), tried.slice(2, 4)]);
      } else {
        draw([]);
        note.textContent = tried.slice(0, 2) === tried.slice(2, 4) ? "Choose a piece."
          : tried + " is not the engine's choice. Try again, or step on to see it.";
      }
    };

    const mistakes = game.map((step, index) => (step.best ? index : -1)).filter((index) => index >= 0);
    let next = 0;
    const actions = {
      first: () => show(0),
      back: () => show(ply - 1),
      on: () => show(ply + 1),
      last: () => show(game.length - 1),
      flip: () => { flipped = !flipped; draw([]); },
      retry: () => {
        if (mistakes.length === 0) { note.textContent = "There is nothing to mend."; return; }
        ask(mistakes[next++ % mistakes.length]);
      },
    };
    root.querySelectorAll(".player button").forEach((button) => {
      button.addEventListener("click", () => actions[button.dataset.do]());
    });
    root.querySelector(".player").addEventListener("keydown", (event) => {
      const action = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
      if (action) { event.preventDefault(); actions[action](); }
    });
    steps.forEach((step) => step.addEventListener("click", () => show(Number(step.dataset.ply))));
    show(0);
  });
})();
