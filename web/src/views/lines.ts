// The lines of an analysis: each move can be clicked, and shows its position under the pointer.

import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { App } from '../app';
import type { Line } from '../engine/protocol';
import { makeFen } from 'chessops/fen';
import { makeUci } from 'chessops/util';
import { moveNumber, readLine, scoreText } from '../game/words';
import { hidePreview, showPreview } from './preview';

const SHOWN_MOVES = 14;

export function linesView(app: App, lines: Line[], threat: boolean) {
  const position = app.tree.position.clone();
  if (threat) position.turn = position.turn === 'white' ? 'black' : 'white';
  return lines.map(line => {
    const here = app.tree.current;
    const at = position.clone();
    const steps = readLine(at, line.moves).slice(0, SHOWN_MOVES);
    const plies = steps.map(({ move, san }, index) => {
      const number = moveNumber(at, index === 0);
      at.play(move);
      const fen = makeFen(at.toSetup());
      const path = steps.slice(0, index + 1).map(step => step.move);
      return { key: `${index}${makeUci(move)}`, number, san, fen, path, uci: makeUci(move) };
    });
    const side = 'mate' in line.score ? line.score.mate : line.score.cp;
    const follow = (path: (typeof steps)[number]['move'][]) => (): void => {
      hidePreview();
      if (!threat) app.edit('a line of the engine', () => (app.tree.current = app.tree.extend(here, path)));
    };
    return html`<li>
      <span class="score-chip ${side < 0 ? 'for-black' : 'for-white'}">${scoreText(line.score)}</span>
      <span class="line-moves">${repeat(plies, ply => ply.key, ply => html`<span class="ply">${ply.number ? html`<span class="number">${ply.number}</span>` : nothing}<button type="button" class="move" ?disabled=${threat} @click=${follow(ply.path)} @pointerenter=${(event: Event) => showPreview(event.currentTarget as HTMLElement, ply.fen, ply.uci, app.orientation)} @focus=${(event: Event) => showPreview(event.currentTarget as HTMLElement, ply.fen, ply.uci, app.orientation)} @pointerleave=${hidePreview} @blur=${hidePreview}>${ply.san}</button></span>`)}</span>
    </li>`;
  });
}
