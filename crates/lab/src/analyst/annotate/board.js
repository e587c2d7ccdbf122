// A board of squares that can be clicked; `choose` is told their names.
const makeBoard = (svg, choose) => {
  const SIDE = 40;
  const make = (name, attributes) => {
    const node = document.createElementNS(svg.namespaceURI, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    svg.append(node);
    return node;
  };
  const names = [];
  for (const rank of "12345678") for (const file of "abcdefgh") names.push(file + rank);

  const pieces = (fen) => {
    const found = {};
    fen.split(" ")[0].split("/").forEach((row, index) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") file += Number(letter);
        else found["abcdefgh"[file++] + (8 - index)] = letter;
      }
    });
    return found;
  };

  return (fen, marks, flipped) => {
    const corner = (square) => {
      const file = square.charCodeAt(0) - 97, rank = square.charCodeAt(1) - 49;
      return flipped ? [(7 - file) * SIDE, rank * SIDE] : [file * SIDE, (7 - rank) * SIDE];
    };
    const place = (kind, name, attributes) => {
      const [x, y] = corner(name);
      const node = make(kind, { x, y, width: SIDE, height: SIDE, ...attributes });
      node.addEventListener("click", () => choose(name));
    };
    svg.replaceChildren();
    names.forEach((name) => {
      const dark = (name.charCodeAt(0) + name.charCodeAt(1)) % 2 === 0;
      place("rect", name, { class: (dark ? "dark" : "light") + (marks.includes(name) ? " marked" : "") });
    });
    const all = pieces(fen);
    for (const name in all) {
      const letter = all[name].toLowerCase();
      place("use", name, { href: "#" + (all[name] === letter ? "b" : "w") + letter });
    }
    svg.setAttribute("aria-label", fen);
  };
};
