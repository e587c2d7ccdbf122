// Positions as text, and in plain words what is wrong with one.

import { Chess, type Position } from 'chessops/chess';
import { parseFen } from 'chessops/fen';

/// Reads a FEN; `chess960` if its castling rights need those rules.
export function readFen(text: string): { position: Position; chess960: boolean } | { reason: string } {
  const setup = parseFen(text.trim());
  if (setup.isErr) return { reason: fieldReason(text.trim(), setup.error.message) };
  const position = Chess.fromSetup(setup.value);
  if (position.isErr) return { reason: SETUP[position.error.message] ?? 'this position cannot arise in a game' };
  return { position: position.value, chess960: castlesUnusually(position.value) };
}

const FIELDS: Record<string, string> = {
  ERR_TURN: 'the side to move must be w or b',
  ERR_CASTLING: 'castling rights must be letters such as KQkq, or -',
  ERR_EP_SQUARE: 'the square for en passant must be a square or -',
  ERR_HALFMOVES: 'the count of half-moves since a capture or pawn move must be a number',
  ERR_FULLMOVES: 'the number of the move must be a number',
  ERR_REMAINING_CHECKS: 'there are more fields than a FEN has',
  ERR_POCKETS: 'pieces in hand belong to another variant',
};

const SETUP: Record<string, string> = {
  ERR_EMPTY: 'the board is empty',
  ERR_KINGS: 'each side needs exactly one king',
  ERR_OPPOSITE_CHECK: 'the side that is not to move stands in check',
  ERR_IMPOSSIBLE_CHECK: 'no move could have given this check',
  ERR_PAWNS_ON_BACKRANK: 'a pawn stands on the first or last rank',
};

function fieldReason(text: string, code: string): string {
  if (!text) return 'there is no text';
  return code === 'ERR_BOARD' ? boardReason(text.split(/\s+/)[0] ?? '') : (FIELDS[code] ?? 'it cannot be read');
}

/// Which rank is wrong, counted as the player sees them.
function boardReason(board: string): string {
  const ranks = board.split('/');
  if (ranks.length !== 8) return `the board has ${ranks.length} ${ranks.length === 1 ? 'rank' : 'ranks'} instead of 8`;
  for (const [index, rank] of ranks.entries()) {
    const wrong = /[^pnbrqkPNBRQK1-8~]/.exec(rank)?.[0];
    if (wrong) return `“${wrong}” on rank ${8 - index} is no piece`;
    const squares = Array.from(rank).reduce((sum, letter) => sum + (Number(letter) || 1), 0);
    if (squares !== 8) return `rank ${8 - index} has ${squares} squares instead of 8`;
  }
  return 'the board cannot be read';
}

/// Whether a king or rook that may castle does not stand where it does in the usual game.
function castlesUnusually(position: Position): boolean {
  const usual: Record<number, number> = { 0: 4, 7: 4, 56: 60, 63: 60 };
  return [...position.castles.castlingRights].some(rook => {
    const king = position.board.kingOf(rook < 32 ? 'white' : 'black');
    return usual[rook] !== king;
  });
}
