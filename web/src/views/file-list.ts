// The games of a file: a list to search, and what could not be read of them.

import { html, nothing, render } from 'lit-html';
import { byId } from '../dom';
import type { GameRow } from '../files/messages';

/// More rows nobody reads; searching narrows them down.
const SHOWN = 200;
const SHOWN_PROBLEMS = 50;

export function showFileList(rows: GameRow[], search: string, chosen: number, choose: (index: number) => void): void {
  byId('file-games').hidden = rows.length < 2;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.flatMap((row, index) => {
    const text = [row.white, row.black, row.result, row.event, row.date, row.eco, row.opening].join(' ').toLowerCase();
    return words.every(word => text.includes(word)) ? [{ row, index }] : [];
  });
  render(
    html`${found.slice(0, SHOWN).map(({ row, index }) => html`<li><button type="button" class="game-row" aria-current=${index === chosen ? 'true' : nothing} @click=${() => choose(index)}><span class="number">${index + 1}</span><span class="players">${row.white || '?'} – ${row.black || '?'}${row.problems.length ? html` <span class="nag2" title="with problems" role="img" aria-label="with problems">⚠</span>` : nothing}</span><span class="result">${row.result}</span><span class="small">${[row.event, row.date, row.eco, row.opening].filter(Boolean).join(', ')}</span></button></li>`)}`,
    byId('file-list'),
  );
  byId('file-more').textContent = found.length > SHOWN ? `and ${(found.length - SHOWN).toLocaleString('en')} more: search to narrow them down` : found.length === 0 ? 'no game has all these words' : '';
}

export function showProblems(rows: GameRow[]): void {
  const all = rows.flatMap((row, index) => row.problems.map(problem => ({ row, index, problem })));
  byId('problems').hidden = all.length === 0;
  render(
    html`${all.slice(0, SHOWN_PROBLEMS).map(({ row, index, problem }) => html`<li>Game ${index + 1}${row.white || row.black ? ` (${row.white || '?'} – ${row.black || '?'})` : ''}: ${problem.move ? html`<strong>${problem.move}</strong>, ${problem.reason}; what follows in this line is left out` : problem.reason}</li>`)}${all.length > SHOWN_PROBLEMS ? html`<li>and ${all.length - SHOWN_PROBLEMS} more</li>` : nothing}`,
    byId('problems'),
  );
}
