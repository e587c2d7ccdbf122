// Draws a run of `tabiya learn`: once from the data in the page, or again and again from its server.
(() => {
  const here = document.currentScript;
  const by = (id) => document.getElementById(id);
  const make = (name, attributes, parent, text) => {
    const node = document.createElementNS(parent.namespaceURI, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  };
  const signed = (number) => (number > 0 ? "+" : "") + number.toFixed(0);
  const duration = (seconds) => seconds < 100 ? seconds.toFixed(0) + " s"
    : seconds < 6000 ? (seconds / 60).toFixed(0) + " min" : (seconds / 3600).toFixed(1) + " h";
  const PHASES = { planning: "planning", play: "playing games", explore: "judging positions of searches", positions: "choosing positions", train: "training",
    gate: "meeting the best net", measure: "meeting yardsticks", idle: "at rest" };

  const rows = (table, lines) => {
    table.replaceChildren();
    lines.forEach(({ cells, best, head }) => {
      const row = make("tr", best ? { class: "best" } : {}, table);
      cells.forEach((cell) => make(head ? "th" : "td", {}, row, cell));
    });
  };

  // Places of numbers in a drawing, with its edges written down.
  const frame = (svg, [left, right], [low, high], label) => {
    svg.replaceChildren();
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const span = (from, to) => (to > from ? to - from : 1);
    const x = (value) => 50 + (value - left) / span(left, right) * (width - 60);
    const y = (value) => height - 25 - (value - low) / span(low, high) * (height - 40);
    make("line", { class: "axis", x1: 50, x2: width - 10, y1: height - 25, y2: height - 25 }, svg);
    make("text", { x: 2, y: y(high) + 8 }, svg, label.y(high));
    make("text", { x: 2, y: y(low) }, svg, label.y(low));
    make("text", { x: 50, y: height - 8 }, svg, label.x(left));
    make("text", { x: width - 10, y: height - 8, "text-anchor": "end" }, svg, label.x(right));
    return { x, y, right: width - 10 };
  };
  const line = (points) => points.map(([x, y]) => x.toFixed(1) + "," + y.toFixed(1)).join(" ");

  const strength = (run) => {
    const nets = run.ratings.filter((one) => one.generation !== null);
    const others = run.ratings.filter((one) => one.generation === null && one.games > 0);
    const all = run.ratings.filter((one) => one.games > 0).map((one) => one.elo).concat([0]);
    const place = frame(by("strength"), [0, Math.max(...nets.map((one) => one.seconds), 1)],
      [Math.min(...all), Math.max(...all)], { x: duration, y: signed });
    const svg = by("strength");
    const shown = nets.filter((one) => one.generation === 0 || one.games > 0);
    const edge = (sign) => shown.map((one) => [place.x(one.seconds), place.y(one.elo + sign * one.error)]);
    make("polygon", { class: "shade", points: line(edge(1).concat(edge(-1).reverse())) }, svg);
    make("polyline", { class: "course", points: line(shown.map((one) => [place.x(one.seconds), place.y(one.elo)])) }, svg);
    shown.forEach((one) => {
      const generation = run.generations[one.generation - 1];
      make("circle", { class: !generation || generation.is_promoted ? "dot" : "lost", r: 4,
        cx: place.x(one.seconds), cy: place.y(one.elo) }, svg);
    });
    others.forEach((one) => {
      make("line", { class: "yardstick", x1: 50, x2: place.right, y1: place.y(one.elo), y2: place.y(one.elo) }, svg);
      make("text", { x: place.right, y: place.y(one.elo) - 4, "text-anchor": "end" }, svg, one.name + " " + signed(one.elo));
    });
    const score = (met) => "+" + met.games.wins + " =" + met.games.draws + " −" + met.games.losses;
    const best = run.generations.filter((one) => one.is_promoted).map((one) => one.plan.generation).pop();
    const yardsticks = run.generations.length ? run.generations[0].yardsticks.map((met) => met.opponent) : [];
    rows(by("nets"), [{ head: true, cells: ["net", "Elo", "after", "games", "nodes", "positions", "shape", "loss",
      "against the best before", ...yardsticks.map((name) => "against " + name)] }].concat(
      run.generations.map((one) => {
        const rated = nets[one.plan.generation];
        return { best: one.plan.generation === best, cells: [one.plan.generation,
          signed(rated.elo) + " ± " + rated.error.toFixed(0), duration(one.seconds), one.plan.games, one.plan.nodes,
          one.positions, one.plan.shape, one.validation_loss.toFixed(5), score(one.gate), ...one.yardsticks.map(score)] };
      })));
  };

  const loss = (run) => {
    const last = run.generations[run.generations.length - 1];
    const live = run.status && run.status.phase === "train" && run.status.losses.length > 1;
    const points = live ? run.status.losses.map(([step, training, validation]) => ({ step, training, validation }))
      : last ? last.curve : [];
    if (points.length === 0) return;
    const settled = points.slice(Math.min(points.length - 1, Math.floor(points.length / 50) + 1));
    const values = settled.map((one) => one.training).concat(points.map((one) => one.validation).filter((one) => one));
    const place = frame(by("loss"), [0, points[points.length - 1].step], [Math.min(...values), Math.max(...values)],
      { x: (step) => step + " steps", y: (value) => value.toFixed(4) });
    const top = Math.max(...values);
    const course = (of) => line(points.filter(of).map((one) => [place.x(one.step), place.y(Math.min(top, of(one)))]));
    make("polyline", { class: "thin", points: course((one) => one.training) }, by("loss"));
    make("polyline", { class: "course", points: course((one) => one.validation) }, by("loss"));
  };

  const bars = (svg, counts, names) => {
    const most = Math.max(...counts, 1), sum = counts.reduce((all, one) => all + one, 0) || 1;
    svg.replaceChildren();
    const width = 340 / counts.length;
    counts.forEach((count, index) => {
      const height = count / most * 115;
      make("rect", { class: "bar", x: index * width + 2, y: 135 - height, width: width - 4, height }, svg);
      make("text", { x: (index + .5) * width, y: 130 - height, "text-anchor": "middle" }, svg, (100 * count / sum).toFixed(0) + "%");
      make("text", { x: (index + .5) * width, y: 152, "text-anchor": "middle" }, svg, names[index]);
    });
  };

  const data = (run) => {
    const last = run.generations[run.generations.length - 1];
    if (!last) return;
    bars(by("pieces"), last.histogram.pieces, ["2–5", "–9", "–13", "–17", "–21", "–25", "–29", "–32"]);
    const edges = run.score_edges;
    bars(by("scores"), last.histogram.scores, edges.map((edge) => "≤" + edge).concat([">" + edges[edges.length - 1]]));
    const [losses, draws, wins] = last.histogram.results, sum = losses + draws + wins || 1;
    by("results").textContent = "Of " + sum + " positions of generation " + last.plan.generation + " the side to move won "
      + (100 * wins / sum).toFixed(0) + " %, drew " + (100 * draws / sum).toFixed(0) + " %, lost " + (100 * losses / sum).toFixed(0) + " %.";
    const pawn = (one) => Math.abs(one.piece_values[0].units) || 1;
    rows(by("values"), [{ head: true, cells: ["net", ...last.piece_values.map((one) => one.piece)] }].concat(
      run.generations.map((one) => ({ cells: [one.plan.generation,
        ...one.piece_values.map((value) => (value.units / pawn(one)).toFixed(1))] }))));
  };

  let games = [], chosen = 0, ply = 0;
  const board = () => {
    const svg = by("board"), game = games[chosen];
    svg.replaceChildren();
    for (let square = 0; square < 64; square++) {
      const x = square % 8, y = Math.floor(square / 8);
      make("rect", { class: (x + y) % 2 ? "dark" : "light", x: 40 * x, y: 40 * y, width: 40, height: 40 }, svg);
    }
    if (!game) return;
    const at = game.plies[ply];
    at.pieces.split("/").forEach((row, y) => {
      let x = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") { x += Number(letter); continue; }
        const side = letter === letter.toUpperCase() ? "w" : "b";
        make("use", { href: "#" + side + letter.toLowerCase(), x: 40 * x, y: 40 * y, width: 40, height: 40 }, svg);
        x += 1;
      }
    });
    svg.setAttribute("aria-label", at.pieces);
    const score = at.score === null ? "" : " (" + (at.score / 100).toFixed(2) + " for White)";
    by("move").textContent = at.mv ? at.mv + score : game.result;
  };
  const step = (to) => { if (games[chosen]) { ply = Math.max(0, Math.min(games[chosen].plies.length - 1, to)); board(); } };
  const offer = (run) => {
    const last = run.generations[run.generations.length - 1];
    const found = run.status && run.status.games.length ? run.status.games : last ? last.games : [];
    const title = games[chosen] && games[chosen].title;
    // Whoever looks at a game keeps it.
    if (title && ply > 0 && !found.some((game) => game.title === title)) return;
    games = found;
    chosen = Math.max(0, games.findIndex((game) => game.title === title));
    ply = games[chosen] ? Math.min(ply, games[chosen].plies.length - 1) : 0;
    by("game").replaceChildren();
    games.forEach((game, index) => make("option", { value: index }, by("game"), game.title + ", " + game.result));
    by("game").value = chosen;
    board();
  };
  by("game").addEventListener("change", () => { chosen = Number(by("game").value); ply = 0; board(); });
  const steps = { first: () => step(0), back: () => step(ply - 1), on: () => step(ply + 1), last: () => step(Infinity) };
  document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", steps[button.dataset.do]));
  document.addEventListener("keydown", (event) => {
    const act = { ArrowLeft: steps.back, ArrowRight: steps.on, Home: steps.first, End: steps.last }[event.key];
    if (act && event.target.tagName !== "SELECT") act();
  });

  const show = (run) => {
    const from = typeof run.settings.from === "string" ? { random: "random weights", hce: "the classical evaluation" }[run.settings.from] : "a net";
    by("about").textContent = "From " + from + " by its own games; " + run.generations.length + " generations done.";
    const now = run.status;
    if (now) {
      const amount = now.total ? ", " + now.done + " of " + now.total + " " + now.unit + ", " + now.rate.toFixed(0) + "/s" : "";
      by("now").textContent = (now.phase === "idle" ? "At rest" : "Generation " + now.generation + ": " + PHASES[now.phase] + amount
        + (now.left ? ", " + duration(now.left) + " left" : "")) + "; " + duration(now.seconds) + " of work so far.";
      by("share").value = now.total ? now.done / now.total : now.phase === "idle" ? 1 : 0;
    }
    [strength, loss, data, offer].forEach((part) => part(run));
  };

  const inside = by("run");
  if (inside) {
    show(JSON.parse(inside.textContent));
    return;
  }
  const ask = () => fetch(here.dataset.from).then((answer) => answer.json()).then(show)
    .catch(() => { by("now").textContent = "The run does not answer."; }).finally(() => setTimeout(ask, 2000));
  ask();
})();
