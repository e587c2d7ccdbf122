// What the page and the worker that reads files say to each other.

import type { Problem } from '../game/pgn-read';

/// A game of a file as the list shows it.
export interface GameRow {
  white: string;
  black: string;
  result: string;
  event: string;
  date: string;
  eco: string;
  opening: string;
  moves: number;
  problems: Problem[];
}

/// How often a move was played, and with what result.
export interface Played {
  san: string;
  white: number;
  draws: number;
  black: number;
}

export type FileRequest =
  | { kind: 'read'; file: Blob | string; name: string }
  | { kind: 'text'; index: number }
  | { kind: 'played'; id: number; key: string };

export type FileReply =
  | { kind: 'progress'; games: number; share: number }
  | { kind: 'done'; rows: GameRow[] }
  | { kind: 'failed'; reason: string }
  | { kind: 'text'; index: number; text: string }
  | { kind: 'played'; id: number; moves: Played[] };
