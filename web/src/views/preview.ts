// A small board beside a move of a line.

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import { parseUci, makeSquare } from 'chessops/util';
import { byId } from '../dom';
import type { Side } from '../game/clock';

let ground: Api | undefined;

export function showPreview(at: HTMLElement, fen: string, uci: string, orientation: Side): void {
  const frame = byId('preview');
  frame.hidden = false;
  ground ??= Chessground(byId('preview-board'), { viewOnly: true, coordinates: false, animation: { enabled: false }, drawable: { enabled: false } });
  const move = parseUci(uci);
  ground.set({ fen, orientation, lastMove: move && 'from' in move ? [makeSquare(move.from), makeSquare(move.to)] : [] });
  const place = at.getBoundingClientRect();
  const size = frame.offsetWidth;
  const left = Math.max(4, Math.min(place.left, innerWidth - size - 4));
  const below = place.bottom + 6;
  frame.style.left = `${left}px`;
  frame.style.top = `${below + size > innerHeight ? Math.max(4, place.top - size - 6) : below}px`;
  ground.redrawAll();
}

export function hidePreview(): void {
  byId('preview').hidden = true;
}
