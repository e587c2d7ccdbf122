// Polyglot opening books: positions are found by a key, moves carry weights.

import type { Position } from 'chessops/chess';
import type { Move, Role } from 'chessops/types';
import { normalizeMove } from 'chessops/chess';
// The published random numbers are written down once, in the crate that reads books for the engine.
import table from '../../../crates/chess/src/polyglot/random.rs?raw';

const ENTRY = 16;
const ROLES: Role[] = ['pawn', 'knight', 'bishop', 'rook', 'queen', 'king'];
const PROMOTIONS: (Role | undefined)[] = [undefined, 'knight', 'bishop', 'rook', 'queen'];

const RANDOM = [...table.matchAll(/0x([0-9A-F]{16})/g)].map(match => BigInt(match[0]));

function random(index: number): bigint {
  return RANDOM[index] ?? 0n;
}

export function polyglotKey(position: Position): bigint {
  let key = 0n;
  for (const [square, piece] of position.board) {
    const kind = 2 * ROLES.indexOf(piece.role) + (piece.color === 'white' ? 1 : 0);
    key ^= random(64 * kind + square);
  }
  for (const [index, [color, side]] of ([['white', 'h'], ['white', 'a'], ['black', 'h'], ['black', 'a']] as const).entries()) {
    if (position.castles.rook[color][side] !== undefined) key ^= random(768 + index);
  }
  if (position.epSquare !== undefined && epPossible(position, position.epSquare)) key ^= random(772 + (position.epSquare & 7));
  if (position.turn === 'white') key ^= random(780);
  return key;
}

/// Polyglot counts the square only if a pawn stands beside the one that passed.
function epPossible(position: Position, ep: number): boolean {
  const passed = ep + (position.turn === 'white' ? -8 : 8);
  return [-1, 1].some(step => {
    const beside = passed + step;
    const piece = beside >> 3 === passed >> 3 ? position.board.get(beside) : undefined;
    return piece?.role === 'pawn' && piece.color === position.turn;
  });
}

export class Book {
  private readonly data: DataView;

  /// Throws an error that says what is wrong with the file.
  constructor(bytes: ArrayBuffer) {
    if (bytes.byteLength === 0 || bytes.byteLength % ENTRY) throw new Error('it is no Polyglot book: its size is not a multiple of 16');
    this.data = new DataView(bytes);
  }

  get size(): number {
    return this.data.byteLength / ENTRY;
  }

  /// The moves of the book here, the most recommended first.
  moves(position: Position): { move: Move; weight: number }[] {
    const key = polyglotKey(position);
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.data.getBigUint64(ENTRY * middle) < key) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let index = low; index < this.size && this.data.getBigUint64(ENTRY * index) === key; index++) {
      const code = this.data.getUint16(ENTRY * index + 8);
      const promotion = PROMOTIONS[(code >> 12) & 7];
      const move = normalizeMove(position, { from: (code >> 6) & 63, to: code & 63, ...(promotion && { promotion }) });
      if (position.isLegal(move)) found.push({ move, weight: this.data.getUint16(ENTRY * index + 10) });
    }
    return found.sort((a, b) => b.weight - a.weight);
  }
}
