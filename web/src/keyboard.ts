// Everything by keyboard: single keys, typed moves, and spoken answers to command words.

import type { Analysis } from './analysis';
import type { App } from './app';
import type { BoardView } from './board';
import { byId } from './dom';
import type { Play } from './play';
import { readMove, spokenBoard, spokenSan } from './words';

export function bindKeyboard(app: App, board: BoardView, analysis: Analysis, play: Play): void {
  const input = byId<HTMLInputElement>('typed-move');
  const help = byId<HTMLDialogElement>('help');
  const keys: Record<string, () => void> = {
    ArrowLeft: () => app.back(),
    ArrowRight: () => app.forward(),
    ArrowUp: () => app.start(),
    ArrowDown: () => app.end(),
    Home: () => app.start(),
    End: () => app.end(),
    f: () => board.flip(),
    a: () => analysis.toggle(),
    t: () => analysis.toggleThreat(),
    w: () => analysis.toggleInspect(),
    h: () => play.hint(),
    u: () => play.takeBack(),
    n: () => byId('tab-play').click(),
    r: () => byId('tab-report').click(),
    s: () => byId('tab-settings').click(),
    e: () => app.announce(analysis.speak()),
    m: () => input.focus(),
    '?': () => help.showModal(),
  };
  for (const count of [1, 2, 3, 4, 5]) keys[String(count)] = () => analysis.setLineCount(count);

  addEventListener('keydown', event => {
    const target = event.target as HTMLElement;
    const typing = target.closest('input:not([type=checkbox]), textarea, select, dialog, [role=tablist]');
    const action = keys[event.key];
    if (typing || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });

  byId('typed').addEventListener('submit', event => {
    event.preventDefault();
    const text = input.value.trim();
    input.value = '';
    if (text) app.announce(answer(text, app, analysis) ?? '');
  });
  input.addEventListener('keydown', event => {
    if (event.key === 'Escape') input.blur();
  });
  byId('help-open').addEventListener('click', () => help.showModal());
}

/// Plays a typed move, or answers a command word.
function answer(text: string, app: App, analysis: Analysis): string | undefined {
  const { position, current } = app.tree;
  switch (text.toLowerCase()) {
    case 'board':
      return spokenBoard(position);
    case 'eval':
      return analysis.speak();
    case 'last':
      return current.san ? spokenSan(current.san) : 'no move yet';
    case 'back':
      app.back();
      return undefined;
  }
  const move = readMove(position, text);
  const allowed = app.movable === 'both' || app.movable === position.turn;
  const field = byId('typed-status');
  field.textContent = '';
  if (move && allowed) {
    app.play(move);
    return byId('announcer').textContent ?? undefined;
  }
  field.textContent = move ? 'it is not your turn' : `${text} is not a legal move here`;
  return field.textContent;
}
