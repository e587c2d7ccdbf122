// What the endgame tables say about the moves of the position on the board, where the program has tables.

import { makeSan } from 'chessops/san';
import { parseUci } from 'chessops/util';
import { html, nothing, render } from 'lit-html';
import type { App } from '../app';
import { byId, debounce } from '../dom';
import type { Endgame, Outcome } from '../engine/protocol';

const WORDS: Record<Outcome, string> = {
  win: 'wins',
  cursed_win: 'wins, were it not for the fifty-move rule',
  draw: 'draws',
  blessed_loss: 'loses, were it not for the fifty-move rule',
  loss: 'loses',
};

export class EndgameView {
  /// Most pieces the tables know.
  private pieces = 0;
  private id = 0;

  constructor(private readonly app: App) {
    app.onChange(debounce(60, () => this.ask()));
  }

  /// The engine is there, with tables of so many pieces.
  greet(pieces: number): void {
    this.pieces = pieces;
    this.ask();
  }

  private ask(): void {
    const { engine, tree, playing } = this.app;
    this.id = 0;
    const known = !playing && tree.position.board.occupied.size() <= this.pieces && !tree.position.isEnd();
    if (!known) {
      byId('tables-box').hidden = true;
      return;
    }
    this.id = engine.nextId();
    engine.send({ type: 'endgame', id: this.id, position: tree.message() });
  }

  show({ id, moves }: Endgame): void {
    if (id !== this.id) return;
    const { position } = this.app.tree;
    byId('tables-box').hidden = moves.length === 0;
    const best = moves[0];
    if (!best) return;
    byId('tables-verdict').textContent = `${position.turn === 'white' ? 'White' : 'Black'} ${WORDS[best.outcome]} with best play.`;
    render(
      moves.map(({ move: uci, outcome, plies }) => {
        const move = parseUci(uci);
        if (!move) return nothing;
        return html`<li><button type="button" class="move" @click=${() => this.app.play(move)}>${makeSan(position, move)}</button><span class="small" title="Plies to the next capture or pawn move">${plies === null ? nothing : `DTZ ${plies}`}</span><span class="small">${WORDS[outcome]}</span></li>`;
      }),
      byId('tables'),
    );
  }
}
