// The bar beside the board, the score in figures, and the chances to win, draw and lose.

import { byId } from '../dom';
import type { Line, Score } from '../engine/protocol';
import type { Side } from '../game/clock';
import type { Ending } from '../game/tree';
import { endingText, scoreText, shortScore, winPercent } from '../game/words';

/// What is known of a position: a score, chances, or that the game is over.
export interface Known {
  score?: Score | undefined;
  wdl?: Line['wdl'];
  ending?: Ending | undefined;
}

/// Turns with the board; a mate fills it.
export function showBar(orientation: Side, known: Known, threat: boolean): void {
  const { score, wdl, ending } = known;
  const bar = byId('bar');
  const share = whiteShare(known);
  byId('bar-white').style.height = `${share}%`;
  bar.dataset.bottom = orientation;
  bar.classList.toggle('unknown', !score && !ending);
  const text = byId('bar-score');
  text.textContent = score && !ending ? shortScore(score) : '';
  // The figure stands with whoever is ahead.
  text.dataset.side = share >= 50 ? 'white' : 'black';
  byId('score').textContent = ending ? endingText(ending) : score ? scoreText(score) : '';
  const [win, draw, loss] = wdl ?? [0, 0, 0];
  for (const [id, value] of [['wdl-win', win], ['wdl-draw', draw], ['wdl-loss', loss]] as const) {
    const part = byId(id);
    part.style.flexGrow = String(value);
    part.textContent = value >= 80 ? `${Math.round(value / 10)}%` : '';
  }
  byId('wdl').hidden = !wdl || threat;
  byId('wdl').setAttribute('aria-label', `White wins ${win / 10} %, draw ${draw / 10} %, Black wins ${loss / 10} %`);
}

function whiteShare({ score, wdl, ending }: Known): number {
  if (ending) return ending.winner === 'white' ? 100 : ending.winner === 'black' ? 0 : 50;
  if (!score) return 50;
  if ('mate' in score) return score.mate > 0 ? 100 : 0;
  return wdl ? (wdl[0] + wdl[1] / 2) / 10 : winPercent(score);
}
