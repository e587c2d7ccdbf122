// The bar beside the board, the score in figures, and the chances to win, draw and lose.

import { byId } from '../dom';
import type { Line, Score } from '../engine/protocol';
import type { Side } from '../game/clock';
import { scoreText, shortScore, winPercent } from '../game/words';

/// Turns with the board; a mate fills it.
export function showBar(orientation: Side, line: { score: Score; wdl?: Line['wdl'] } | undefined, threat: boolean): void {
  const bar = byId('bar');
  const share = line ? whiteShare(line) : 50;
  byId('bar-white').style.height = `${share}%`;
  bar.dataset.bottom = orientation;
  bar.classList.toggle('unknown', !line);
  const text = byId('bar-score');
  text.textContent = line ? shortScore(line.score) : '';
  // The figure stands with whoever is ahead.
  text.dataset.side = share >= 50 ? 'white' : 'black';
  byId('score').textContent = line ? scoreText(line.score) : '';
  const [win, draw, loss] = line?.wdl ?? [0, 0, 0];
  for (const [id, value] of [['wdl-win', win], ['wdl-draw', draw], ['wdl-loss', loss]] as const) {
    const part = byId(id);
    part.style.flexGrow = String(value);
    part.textContent = value >= 80 ? `${Math.round(value / 10)}%` : '';
  }
  byId('wdl').hidden = !line?.wdl || threat;
  byId('wdl').setAttribute('aria-label', `White wins ${win / 10} %, draw ${draw / 10} %, Black wins ${loss / 10} %`);
}

function whiteShare({ score, wdl }: { score: Score; wdl?: Line['wdl'] }): number {
  if ('mate' in score) return score.mate > 0 ? 100 : 0;
  return wdl ? (wdl[0] + wdl[1] / 2) / 10 : winPercent(score);
}
