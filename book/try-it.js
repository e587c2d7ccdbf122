// Turns blocks of the language `fen` into boards to step through. Where the engine lies beside the book
// (`make npm` before `make book`), one can play against it and ask it; without it, and without JavaScript,
// the position stays readable as text.
//
// A block is a FEN or `startpos`, then perhaps a line `moves` with moves as coordinates.
'use strict';

(() => {
  const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
  const SIDE = 40;
  const FILES = 'abcdefgh';

  /// Pieces by square name, such as `{ e1: 'K' }`.
  function readFen(fen) {
    const pieces = {};
    fen.split(' ')[0].split('/').forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (/\d/.test(letter)) file += Number(letter);
        else pieces[FILES[file++] + (8 - down)] = letter;
      }
    });
    return pieces;
  }

  /// The pieces after a legal move; castling is the king's step or king takes own rook.
  function play(pieces, move) {
    const next = { ...pieces };
    const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
    const piece = next[from];
    const isWhite = piece === piece?.toUpperCase();
    const takesOwnRook = /k/i.test(piece) && next[to] === (isWhite ? 'R' : 'r');
    const isCastling = takesOwnRook || (/k/i.test(piece) && Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(to[0])) === 2);
    delete next[from];
    if (isCastling) {
      const short = to[0] > from[0];
      const rank = from[1];
      delete next[takesOwnRook ? to : (short ? 'h' : 'a') + rank];
      next[(short ? 'g' : 'c') + rank] = piece;
      next[(short ? 'f' : 'd') + rank] = isWhite ? 'R' : 'r';
      return next;
    }
    // En passant: the pawn that is taken stands beside.
    if (/p/i.test(piece) && from[0] !== to[0] && !next[to]) delete next[to[0] + from[1]];
    const promoted = move[4];
    next[to] = promoted ? (isWhite ? promoted.toUpperCase() : promoted) : piece;
    return next;
  }

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    Object.assign(made, attributes);
    made.append(...children);
    return made;
  }

  function drawBoard(pieces, marked) {
    const parts = [`<svg viewBox="-14 0 ${8 * SIDE + 14} ${8 * SIDE + 16}" role="img" aria-label="chess board">`];
    for (let down = 0; down < 8; down++) {
      for (let file = 0; file < 8; file++) {
        const square = FILES[file] + (8 - down);
        const kind = marked.includes(square) ? 'mark' : (file + down) % 2 ? 'dark' : 'light';
        const [x, y] = [file * SIDE, down * SIDE];
        parts.push(`<rect class="${kind}" data-square="${square}" x="${x}" y="${y}" width="${SIDE}" height="${SIDE}"/>`);
        const piece = pieces[square];
        if (piece) {
          const side = piece === piece.toUpperCase() ? 'w' : 'b';
          parts.push(`<use href="#${side}${piece.toLowerCase()}" x="${x}" y="${y}" width="${SIDE}" height="${SIDE}"/>`);
        }
      }
      parts.push(`<text x="-9" y="${down * SIDE + 25}">${8 - down}</text>`);
      parts.push(`<text x="${down * SIDE + 17}" y="${8 * SIDE + 13}">${FILES[down]}</text>`);
    }
    return parts.join('') + '</svg>';
  }

  /// One engine for all boards of a page; null where none lies beside the book.
  async function findEngine() {
    const root = typeof path_to_root === 'undefined' ? '' : path_to_root;
    try {
      const { Engine } = await import(new URL(`${root}engine/index.js`, document.baseURI).href);
      const engine = new Engine();
      await engine.ready;
      return engine;
    } catch {
      return null;
    }
  }

  class Board {
    constructor(block, fen, moves) {
      this.fen = fen;
      this.moves = moves;
      this.shown = 0;
      this.from = null;
      this.engine = null;
      this.board = element('div', { className: 'try-board' });
      this.note = element('p', { className: 'try-note' });
      const button = (text, title, act) => element('button', { type: 'button', textContent: text, title, onclick: act });
      this.buttons = element('div', { className: 'try-buttons' },
        button('|◀', 'to the start', () => this.show(0)),
        button('◀', 'one move back', () => this.show(this.shown - 1)),
        button('▶', 'one move on', () => this.show(this.shown + 1)),
        button('▶|', 'to the end', () => this.show(this.moves.length)));
      this.board.addEventListener('click', event => this.click(event.target.dataset?.square));
      block.closest('pre').replaceWith(element('div', { className: 'try-it' }, this.board, this.buttons, this.note));
      this.show(0);
    }

    pieces() {
      return this.moves.slice(0, this.shown).reduce(play, readFen(this.fen));
    }

    show(count) {
      this.shown = Math.max(0, Math.min(count, this.moves.length));
      this.from = null;
      this.redraw();
      const side = (this.fen.split(' ')[1] === 'b') !== (this.shown % 2 === 1) ? 'Black' : 'White';
      const last = this.shown > 0 ? `${this.moves[this.shown - 1]}, then ` : '';
      this.note.textContent = `${last}${side} to move. ${this.engine ? 'Click a piece and a square to play.' : ''}`;
    }

    redraw() {
      const last = this.shown > 0 ? this.moves[this.shown - 1] : '';
      const marked = this.from ? [this.from] : [last.slice(0, 2), last.slice(2, 4)];
      this.board.innerHTML = drawBoard(this.pieces(), marked);
    }

    useEngine(found) {
      this.engine = found;
      const ask = element('button', { type: 'button', textContent: 'What is best?', onclick: () => this.ask() });
      this.buttons.append(ask);
      this.show(this.shown);
    }

    async ask() {
      this.note.textContent = 'Thinking …';
      try {
        const { lines, depth } = await this.engine.analyse({ fen: this.fen, moves: this.moves.slice(0, this.shown), time: 1000 });
        const line = lines[0];
        if (!line) {
          this.note.textContent = 'No legal move.';
          return;
        }
        const { cp, mate } = line.score;
        const value = mate === undefined ? `${(cp / 100).toFixed(2)} for White` : `mate in ${Math.abs(mate)}`;
        this.note.textContent = `Depth ${depth}: ${value}, ${line.moves.slice(0, 8).join(' ')}`;
      } catch (error) {
        this.note.textContent = String(error.message ?? error);
      }
    }

    async click(square) {
      if (!this.engine || !square) return;
      const pieces = this.pieces();
      if (!this.from) {
        this.from = pieces[square] ? square : null;
        this.redraw();
        return;
      }
      const isPawn = /p/i.test(pieces[this.from]);
      const move = this.from + square + (isPawn && /[18]/.test(square[1]) ? 'q' : '');
      const before = this.moves.slice(0, this.shown);
      try {
        // The engine knows the rules: an illegal move is refused with a reason.
        const answer = await this.engine.bestMove({ fen: this.fen, moves: [...before, move], time: 300 });
        this.moves = answer ? [...before, move, answer] : [...before, move];
        this.show(this.moves.length);
      } catch (error) {
        this.show(this.shown);
        this.note.textContent = String(error.message ?? error);
      }
    }
  }

  document.body.insertAdjacentHTML('afterbegin', window.TABIYA_PIECES);
  const boards = [...document.querySelectorAll('code.language-fen')].map(block => {
    const [first, second = ''] = block.textContent.trim().split('\n');
    const moves = second.startsWith('moves ') ? second.slice(6).trim().split(/\s+/) : [];
    return new Board(block, first === 'startpos' ? START : first, moves);
  });
  if (boards.length > 0) {
    void findEngine().then(found => {
      document.documentElement.dataset.engine = found ? 'here' : 'none';
      if (found) boards.forEach(board => board.useEngine(found));
    });
  }
})();
