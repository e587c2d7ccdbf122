// The board: pieces, moves by hand, promotion, arrows, marks, and the worth of each piece.

import { Chessground } from '@lichess-org/chessground';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import { normalizeMove } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { makeFen } from 'chessops/fen';
import type { CommentShape } from 'chessops/pgn';
import type { Move, NormalMove, Role, Square } from 'chessops/types';
import { makeSquare, parseSquare, parseUci } from 'chessops/util';
import { html, render } from 'lit-html';
import type { App } from '../app';
import { byId } from '../dom';
import { boardMark } from '../game/marks';

const PROMOTIONS: Role[] = ['queen', 'knight', 'rook', 'bishop'];
/// One step of a mouse wheel; finer ones add up.
const WHEEL_STEP = 40;

/// Colours that stay apart for every kind of colour blindness (Okabe and Ito).
export const BRUSH = { blue: '#0072b2', green: '#009e73', sky: '#56b4e9', red: '#d55e00', yellow: '#e69f00' };

export type ArrowKind = 'best' | 'other' | 'threat' | 'hint';

export class BoardView {
  private readonly ground;
  private readonly chooser = byId('promotion');
  private arrows: DrawShape[] = [];
  private labels: DrawShape[] = [];

  constructor(private readonly app: App) {
    const brush = (key: string, color: string, lineWidth: number, opacity = 0.85) => ({ key, color, opacity, lineWidth });
    this.ground = Chessground(byId('board'), {
      animation: { enabled: !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 180 },
      draggable: { showGhost: true },
      movable: { free: false, showDests: true, events: { after: (from, to) => this.moved(from, to) } },
      drawable: {
        onChange: shapes => this.drawn(shapes),
        brushes: {
          green: brush('green', BRUSH.green, 10),
          red: brush('red', BRUSH.red, 10),
          blue: brush('blue', BRUSH.blue, 10),
          yellow: brush('yellow', BRUSH.yellow, 10),
          best: brush('best', BRUSH.blue, 12),
          other: brush('other', BRUSH.sky, 8, 0.6),
          threat: brush('threat', BRUSH.red, 12),
          hint: brush('hint', BRUSH.yellow, 12),
        },
      },
    });
    app.onChange(() => this.update());
    addEventListener('resize', () => this.ground.redrawAll());
    this.bindWheel();
  }

  /// The wheel over the board goes through the game.
  private bindWheel(): void {
    let turned = 0;
    byId('board').addEventListener(
      'wheel',
      event => {
        if (event.ctrlKey) return;
        event.preventDefault();
        turned += event.deltaY;
        if (Math.abs(turned) < WHEEL_STEP) return;
        if (turned > 0) this.app.forward();
        else this.app.back();
        turned = 0;
      },
      { passive: false },
    );
  }

  update(): void {
    const { tree, movable, playing, orientation } = this.app;
    const { position, current } = tree;
    const free = movable === 'both' || movable === position.turn;
    this.chooser.hidden = true;
    this.ground.set({
      fen: makeFen(position.toSetup()),
      orientation,
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: squaresOf(current.move),
      movable: { ...(movable !== 'none' && { color: movable }), dests: free ? chessgroundDests(position, { chess960: tree.chess960 }) : new Map<Key, Key[]>() },
      premovable: { enabled: playing && movable !== 'none' },
    });
    this.ground.setShapes(current.shapes.map(({ color, from, to }) => ({ orig: makeSquare(from), brush: color, ...(from !== to && { dest: makeSquare(to) }) })));
    this.draw();
  }

  /// Who may move by hand.
  setMovable(movable: App['movable'] | undefined): void {
    this.app.movable = movable ?? 'none';
    this.update();
  }

  playPremove(): void {
    // Not inside the change that brought the reply: the premove is a change of its own.
    setTimeout(() => this.ground.playPremove());
  }

  cancelPremove(): void {
    this.ground.cancelPremove();
  }

  /// Shows arrows for moves in coordinates.
  setArrows(arrows: { uci: string; kind: ArrowKind }[]): void {
    this.arrows = arrows.flatMap(({ uci, kind }) => {
      const [orig, dest] = squaresOf(parseUci(uci) ?? null);
      return orig && dest ? [{ orig, dest, brush: kind }] : [];
    });
    this.draw();
  }

  /// Writes a number on pieces.
  setLabels(labels: { square: string; text: string; fill: string }[]): void {
    this.labels = labels.map(({ square, text, fill }) => ({ orig: square as Key, label: { text, fill } }));
    this.draw();
  }

  private draw(): void {
    const { current } = this.app.tree;
    const mark = boardMark(current.nags);
    const [, dest] = squaresOf(current.move);
    const badge: DrawShape[] = mark && dest && !this.labels.length ? [{ orig: dest, label: mark }] : [];
    this.ground.setAutoShapes([...this.arrows, ...this.labels, ...badge]);
  }

  /// Arrows and squares drawn by hand belong to the move.
  private drawn(shapes: DrawShape[]): void {
    const kept = shapes.flatMap(({ orig, dest, brush }): CommentShape[] => {
      const from = squareOf(orig);
      const color = (['green', 'red', 'yellow', 'blue'] as const).find(each => each === brush);
      return color ? [{ color, from, to: dest ? squareOf(dest) : from }] : [];
    });
    const node = this.app.tree.current;
    if (this.app.playing) node.shapes = kept;
    else this.app.edit('arrows', () => (node.shapes = kept));
  }

  private moved(from: Key, to: Key): void {
    const { position } = this.app.tree;
    const move: NormalMove = { from: squareOf(from), to: squareOf(to) };
    const isPawn = position.board.get(move.from)?.role === 'pawn';
    if (isPawn && (move.to >= 56 || move.to < 8)) this.askPromotion(move);
    else this.app.play(normalizeMove(position, move));
  }

  private askPromotion(move: NormalMove): void {
    const color = this.app.tree.position.turn;
    const choose = (role: Role): void => {
      this.chooser.hidden = true;
      this.app.play({ ...move, promotion: role });
    };
    render(PROMOTIONS.map(role => html`<button type="button" aria-label=${role} @click=${() => choose(role)}><piece class="${role} ${color}"></piece></button>`), this.chooser);
    this.chooser.hidden = false;
    this.chooser.querySelector('button')?.focus();
    this.chooser.onkeydown = event => {
      if (event.key === 'Escape') this.update();
    };
  }
}

/// A square of the board; squares in hand do not occur here.
function squareOf(key: Key): Square {
  return parseSquare(key) ?? 0;
}

/// Where a move begins and ends on the board; none for no move.
function squaresOf(move: Move | null): Key[] {
  return move && 'from' in move ? [makeSquare(move.from), makeSquare(move.to)] : [];
}
