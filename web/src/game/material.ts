// Who is ahead in material, and with which pieces.

import type { Position } from 'chessops/chess';
import type { Role } from 'chessops/types';
import type { Side } from './clock';
import { other } from './clock';

const WORTH = { queen: 9, rook: 5, bishop: 3, knight: 3, pawn: 1, king: 0 } as const;
const ORDER = ['queen', 'rook', 'bishop', 'knight', 'pawn'] as const;

export interface Advantage {
  /// What a side has more of than the other.
  pieces: { role: Role; count: number }[];
  /// The difference in pawns, if it is in favour of the side.
  points: number;
}

export function advantage(position: Position, side: Side): Advantage {
  const more = (role: Role): number => position.board.pieces(side, role).size() - position.board.pieces(other(side), role).size();
  const pieces = ORDER.map(role => ({ role, count: more(role) })).filter(({ count }) => count > 0);
  const points = ORDER.reduce((sum, role) => sum + WORTH[role] * more(role), 0);
  return { pieces, points: Math.max(0, points) };
}
