// The board editor: any position, by hand.

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Key, Piece } from '@lichess-org/chessground/types';
import { html, render } from 'lit-html';
import type { App } from '../app';
import { byId, inputById, onClick, selectById } from '../dom';
import { readFen } from '../game/fen';
import { GameTree } from '../game/tree';

const ROLES = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
const EMPTY = '8/8/8/8/8/8/8/8';
const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR';

export class Editor {
  private readonly dialog = byId('editor') as HTMLDialogElement;
  private ground: Api | undefined;
  /// What a click on a square puts there; nothing moves pieces, `erase` removes them.
  private brush: Piece | 'erase' | undefined;

  constructor(private readonly app: App) {
    onClick('editor-open', () => this.open());
    onClick('editor-clear', () => this.set(`${EMPTY} w - - 0 1`));
    onClick('editor-start', () => this.set(`${START} w KQkq - 0 1`));
    onClick('editor-cancel', () => this.dialog.close());
    onClick('editor-use', () => this.use());
    for (const id of ['editor-turn', 'castle-K', 'castle-Q', 'castle-k', 'castle-q']) byId(id).addEventListener('change', () => this.check());
    inputById('editor-fen').addEventListener('change', () => this.set(inputById('editor-fen').value));
  }

  open(): void {
    if (this.app.playing) return;
    this.dialog.showModal();
    this.ground ??= Chessground(byId('editor-board'), {
      movable: { free: true, color: 'both' },
      draggable: { deleteOnDropOff: true },
      selectable: { enabled: true },
      drawable: { enabled: false },
      animation: { enabled: false },
      events: { change: () => this.check(), select: square => this.put(square) },
    });
    this.brush = undefined;
    this.set(this.app.tree.fen);
    this.ground.redrawAll();
  }

  private put(square: Key): void {
    const { brush, ground } = this;
    if (!brush || !ground) return;
    const there = ground.state.pieces.get(square);
    const same = brush !== 'erase' && there?.role === brush.role && there.color === brush.color;
    ground.selectSquare(null);
    ground.setPieces(new Map([[square, brush === 'erase' || same ? undefined : brush]]));
    this.check();
  }

  private set(fen: string): void {
    const [board = EMPTY, turn = 'w', castling = '-'] = fen.trim().split(/\s+/);
    this.ground?.set({ fen: board });
    selectById('editor-turn').value = turn === 'b' ? 'b' : 'w';
    for (const letter of 'KQkq') inputById(`castle-${letter}`).checked = castling.includes(letter);
    this.check();
  }

  private fen(): string {
    const castling = Array.from('KQkq').filter(letter => inputById(`castle-${letter}`).checked).join('') || '-';
    return `${this.ground?.getFen() ?? EMPTY} ${selectById('editor-turn').value} ${castling} - 0 1`;
  }

  /// Says at once whether the position can be used.
  private check(): void {
    const fen = this.fen();
    inputById('editor-fen').value = fen;
    const read = readFen(fen);
    byId('editor-status').textContent = 'reason' in read ? read.reason : '';
    (byId('editor-use') as HTMLButtonElement).disabled = 'reason' in read;
    const choose = (brush: Piece | 'erase' | undefined) => (): void => {
      this.brush = brush;
      this.check();
    };
    const { brush } = this;
    render(
      html`<div class="brushes"><button type="button" class="switch" aria-pressed=${String(brush === undefined)} @click=${choose(undefined)}>Move</button>
        <button type="button" class="switch" aria-pressed=${String(brush === 'erase')} @click=${choose('erase')}>Erase</button></div>
        ${(['white', 'black'] as const).map(color => html`<div class="brushes">${ROLES.map(role => html`<button type="button" class="switch spare" aria-label="${color} ${role}" aria-pressed=${String(brush !== undefined && brush !== 'erase' && brush.role === role && brush.color === color)} @click=${choose({ role, color })}><piece class="${role} ${color}"></piece></button>`)}</div>`)}`,
      byId('editor-pieces'),
    );
  }

  private use(): void {
    this.dialog.close();
    this.app.load(GameTree.fromFen(this.fen()));
    byId('tab-analyse').click();
    this.app.announce('The position is on the board');
  }
}
