// The board: pieces, moves by hand, promotion, arrows, and the worth of each piece.

import { Chessground } from '@lichess-org/chessground';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import { normalizeMove } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { makeFen } from 'chessops/fen';
import type { Move, NormalMove, Role } from 'chessops/types';
import { makeSquare, parseSquare, parseUci } from 'chessops/util';
import type { App } from './app';
import { byId, element } from './dom';

const PROMOTIONS: Role[] = ['queen', 'knight', 'rook', 'bishop'];

/// Colours that stay apart for every kind of colour blindness (Okabe and Ito), one per rank.
const BRUSH = { line1: '#0072b2', line2: '#009e73', line3: '#56b4e9', threat: '#d55e00', hint: '#e69f00' };

export type ArrowKind = 'best' | 'other' | 'threat' | 'hint';

export class BoardView {
  private readonly ground;
  private readonly chooser = byId('promotion');
  private arrows: DrawShape[] = [];
  private labels: DrawShape[] = [];
  orientation: 'white' | 'black' = 'white';

  constructor(private readonly app: App) {
    const brush = (key: string, color: string, lineWidth: number, opacity = 0.85) => ({
      key,
      color,
      opacity,
      lineWidth,
    });
    this.ground = Chessground(byId('board'), {
      animation: { enabled: !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 180 },
      draggable: { showGhost: true },
      premovable: { enabled: false },
      movable: { free: false, showDests: true, events: { after: (from, to) => this.moved(from, to) } },
      drawable: {
        brushes: {
          green: brush('green', BRUSH.line2, 10),
          red: brush('red', BRUSH.threat, 10),
          blue: brush('blue', BRUSH.line1, 10),
          yellow: brush('yellow', BRUSH.hint, 10),
          best: brush('best', BRUSH.line1, 12),
          other: brush('other', BRUSH.line3, 8, 0.6),
          threat: brush('threat', BRUSH.threat, 12),
          hint: brush('hint', BRUSH.hint, 12),
        },
      },
    });
    app.onChange(() => this.update());
    addEventListener('resize', () => this.ground.redrawAll());
  }

  update(): void {
    const { tree, movable } = this.app;
    const { position, current } = tree;
    this.hideChooser();
    this.ground.set({
      fen: makeFen(position.toSetup()),
      orientation: this.orientation,
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: squaresOf(current.move),
      movable: {
        ...(movable && { color: movable }),
        dests: movable ? chessgroundDests(position, { chess960: tree.chess960 }) : new Map(),
      },
    });
  }

  flip(): void {
    this.orientation = this.orientation === 'white' ? 'black' : 'white';
    this.update();
  }

  /// Shows arrows for moves in coordinates.
  setArrows(arrows: { uci: string; kind: ArrowKind }[]): void {
    this.arrows = arrows.flatMap(({ uci, kind }) => {
      const move = parseUci(uci);
      const [orig, dest] = squaresOf(move ?? null);
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
    this.ground.setAutoShapes([...this.arrows, ...this.labels]);
  }

  private moved(from: Key, to: Key): void {
    const { position } = this.app.tree;
    const move: NormalMove = { from: parseSquare(from) ?? 0, to: parseSquare(to) ?? 0 };
    const isPawn = position.board.get(move.from)?.role === 'pawn';
    if (isPawn && (move.to >= 56 || move.to < 8)) this.askPromotion(move);
    else this.app.play(normalizeMove(position, move));
  }

  private askPromotion(move: NormalMove): void {
    const color = this.app.tree.position.turn;
    const buttons = PROMOTIONS.map(role =>
      element(
        'button',
        { 'aria-label': role, onclick: () => this.app.play({ ...move, promotion: role }) },
        element('piece' as 'span', { class: `${role} ${color}` }),
      ),
    );
    this.chooser.replaceChildren(...buttons);
    this.chooser.hidden = false;
    buttons[0]?.focus();
    this.chooser.onkeydown = event => {
      if (event.key === 'Escape') this.update();
    };
  }

  private hideChooser(): void {
    this.chooser.hidden = true;
  }
}

/// Where a move begins and ends on the board; none for no move.
function squaresOf(move: Move | null): Key[] {
  return move && 'from' in move ? [makeSquare(move.from), makeSquare(move.to)] : [];
}
