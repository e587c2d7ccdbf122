// Everything by keyboard: single keys, typed moves, and spoken answers to command words.

import type { App } from '../app';
import { byId, inputById, onClick } from '../dom';
import { cameByPointer } from '../pointer';
import { readMove, spokenBoard, spokenSan } from '../game/words';
import type { Analysis } from './analysis';
import type { Play } from './play';

export function bindKeyboard(app: App, analysis: Analysis, play: Play): void {
  const input = inputById('typed-move');
  const help = byId('help') as HTMLDialogElement;
  const keys: Record<string, () => void> = {
    ArrowLeft: () => app.back(),
    ArrowRight: () => app.forward(),
    ArrowUp: () => app.start(),
    ArrowDown: () => app.end(),
    Home: () => app.start(),
    End: () => app.end(),
    v: () => app.variation(),
    f: () => app.flip(),
    a: () => analysis.toggle(),
    t: () => analysis.toggleThreat(),
    w: () => analysis.toggleInspect(),
    h: () => play.hint(),
    u: () => play.takeBack(),
    n: () => byId('tab-play').click(),
    r: () => byId('tab-report').click(),
    g: () => byId('tab-files').click(),
    s: () => byId('tab-settings').click(),
    e: () => app.announce(analysis.speak()),
    m: () => input.focus(),
    Delete: () => app.cut(),
    '?': () => help.showModal(),
  };
  for (const count of [1, 2, 3, 4, 5]) keys[String(count)] = () => analysis.setLineCount(count);

  addEventListener('keydown', event => {
    const target = event.target as HTMLElement;
    if (isText(target) || target.closest('dialog')) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      if (event.key === 'y' || event.shiftKey) app.redo();
      else app.undo();
      return;
    }
    const action = event.shiftKey && event.key === 'ArrowRight' ? keys.v : keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || needsArrows(target, event.key)) return;
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
  onClick('help-open', () => help.showModal());
}

/// Whether somebody writes there.
function isText(target: HTMLElement): boolean {
  return target.matches('textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file]), [contenteditable]');
}

/// Controls that are worked with arrow keys keep them, but only when one came there by keyboard: after a
/// click the arrows go through the game again.
function needsArrows(target: HTMLElement, key: string): boolean {
  return /^(Arrow|Home|End)/.test(key) && target.matches('select, [type=radio], [type=range], [role=tab]') && !cameByPointer();
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
    return byId('announcer').textContent;
  }
  field.textContent = move ? 'it is not your turn' : `${text} is not a legal move here`;
  return field.textContent;
}
