// Scores and moves as text for eyes, and as sentences for ears.

import type { Position } from 'chessops/chess';
import { parseSan, makeSan } from 'chessops/san';
import { normalizeMove } from 'chessops/chess';
import type { Move } from 'chessops/types';
import { parseUci } from 'chessops/util';
import type { Score } from '../engine/protocol';
import type { Ending } from './tree';

/// `+0.35`, `#5`, `-#3`.
export function scoreText(score: Score): string {
  if ('mate' in score) return score.mate < 0 ? `-#${-score.mate}` : `#${score.mate}`;
  if (Math.abs(score.cp) >= 15000) return score.cp > 0 ? 'won' : 'lost';
  const pawns = (score.cp / 100).toFixed(2);
  return score.cp >= 0 ? `+${pawns}` : pawns.replace('-', '−');
}

/// The same in three letters, for the bar.
export function shortScore(score: Score): string {
  if ('mate' in score) return `#${Math.abs(score.mate)}`;
  const pawns = Math.abs(score.cp) / 100;
  return pawns >= 150 ? '' : pawns.toFixed(pawns < 10 ? 1 : 0);
}

/// `1-0`, `0-1`, `½-½`.
export function endingText({ winner }: Ending): string {
  return winner === 'white' ? '1-0' : winner === 'black' ? '0-1' : '½-½';
}

export function spokenEnding({ winner, reason }: Ending): string {
  return winner ? `${winner === 'white' ? 'White' : 'Black'} has won by ${reason}` : `the game is drawn by ${reason}`;
}

/// The chances of White from 0 to 100: the curve that lichess publishes.
export function winPercent(score: Score): number {
  const cp = 'mate' in score ? (score.mate >= 0 ? 1000 : -1000) : score.cp;
  const capped = Math.max(-1000, Math.min(1000, cp));
  return 50 + 50 * (2 / (1 + Math.exp(-0.00368208 * capped)) - 1);
}

export function spokenScore(score: Score): string {
  if ('mate' in score) {
    return `${score.mate < 0 ? 'Black' : 'White'} mates in ${Math.abs(score.mate)}`;
  }
  const pawns = Math.abs(score.cp / 100).toFixed(1);
  if (Math.abs(score.cp) < 20) return 'the position is even';
  return `${score.cp > 0 ? 'White' : 'Black'} is better by ${pawns}`;
}

const PIECES: Record<string, string> = { N: 'knight', B: 'bishop', R: 'rook', Q: 'queen', K: 'king' };

/// `Nbxd7+` becomes `knight b takes d7, check`.
export function spokenSan(san: string): string {
  if (san.startsWith('O-O-O')) return 'castles queen-side' + ending(san);
  if (san.startsWith('O-O')) return 'castles king-side' + ending(san);
  return (
    san
      .replace(/[+#]/, '')
      .replace(/^[NBRQK]/, letter => `${PIECES[letter]} `)
      .replace('x', ' takes ')
      .replace(/=([NBRQ])/, (_, letter: string) => ` becomes ${PIECES[letter]}`)
      .replace(/ {2,}/g, ' ') + ending(san)
  );
}

function ending(san: string): string {
  return san.endsWith('#') ? ', checkmate' : san.endsWith('+') ? ', check' : '';
}

/// Reads a typed move: `Nf3`, `nf3`, `e2e4`, `0-0`.
export function readMove(position: Position, text: string): Move | undefined {
  const plain = text.trim().replace(/0/g, 'O');
  const capital = plain.charAt(0).toUpperCase() + plain.slice(1);
  const castled = plain.toUpperCase();
  for (const san of [plain, capital, castled]) {
    const move = parseSan(position, san);
    if (move) return move;
  }
  const uci = parseUci(text.trim().toLowerCase());
  const move = uci && normalizeMove(position, uci);
  return move && position.isLegal(move) ? move : undefined;
}

/// A line of coordinates as moves with their notation; stops at the first that does not fit.
export function readLine(start: Position, ucis: string[]): { move: Move; san: string }[] {
  const position = start.clone();
  const steps = [];
  for (const uci of ucis) {
    const move = parseUci(uci);
    if (!move || !position.isLegal(move)) break;
    steps.push({ move, san: makeSan(position, move) });
    position.play(move);
  }
  return steps;
}

/// `12.` or `12...` for the move about to be played.
export function moveNumber(position: Position, first: boolean): string {
  if (position.turn === 'white') return `${position.fullmoves}.`;
  return first ? `${position.fullmoves}…` : '';
}

const ROLE_ORDER = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;

/// All pieces, side by side, for those who do not see them.
export function spokenBoard(position: Position): string {
  const side = (color: 'white' | 'black'): string =>
    ROLE_ORDER.map(role => {
      const squares = [...position.board.pieces(color, role)].map(
        square => `${'abcdefgh'.charAt(square & 7)}${(square >> 3) + 1}`,
      );
      return squares.length ? `${role} ${squares.join(' ')}` : '';
    })
      .filter(Boolean)
      .join(', ');
  return `White: ${side('white')}. Black: ${side('black')}. ${position.turn === 'white' ? 'White' : 'Black'} to move.`;
}
