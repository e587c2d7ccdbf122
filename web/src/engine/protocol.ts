// What page and server say to each other; mirrors crates/cli/src/serve/protocol.rs, see docs/WEB.md.
// Scores and chances are from White's view. Castling is king takes own rook.

export interface PositionMessage {
  fen: string;
  moves: string[];
  chess960: boolean;
}

export type Limit =
  | { kind: 'time'; ms: number }
  | { kind: 'clock'; white_ms: number; black_ms: number; increment_ms: number };

export type Request =
  | { type: 'analyse'; id: number; position: PositionMessage; lines: number; threat: boolean }
  | { type: 'think'; id: number; position: PositionMessage; limit: Limit; elo: number | null }
  | { type: 'inspect'; id: number; position: PositionMessage }
  | { type: 'opening'; id: number; position: PositionMessage }
  | { type: 'report'; id: number; position: PositionMessage; nodes: number }
  | { type: 'cancel_report' }
  | { type: 'stop' }
  | { type: 'new_game' }
  | { type: 'option'; name: string; value: string };

export type Score = { cp: number } | { mate: number };

export interface Line {
  depth: number;
  score: Score;
  wdl: [number, number, number];
  moves: string[];
}

export interface Lines {
  type: 'lines';
  id: number;
  depth: number;
  nodes: number;
  nps: number;
  threads: number;
  lines: Line[];
}

export interface Inspection {
  type: 'inspection';
  id: number;
  value: number;
  pieces: { square: string; worth: number }[];
  terms: { name: string; value: number }[];
}

export type OptionRow = { name: string; help: string } & (
  | { kind: 'check'; default: boolean }
  | { kind: 'spin'; default: number; min: number; max: number }
  | { kind: 'button' }
);

export interface Hello {
  type: 'hello';
  version: string;
  evaluation: string;
  elo: [number, number] | null;
  options: OptionRow[];
}

export interface OpeningName {
  type: 'opening';
  id: number;
  eco: string | null;
  name: string | null;
}

export interface Best {
  type: 'best';
  id: number;
  move: string | null;
  score: Score;
}

/// How a side played; part of the schema of docs/ANALYST.md.
export interface SideSummary {
  name: string;
  accuracy: number | null;
  average_loss_cp: number | null;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
  only_moves: number;
  brilliancies: number;
  phases: { phase: string; moves: number; accuracy: number }[];
}

export interface MoveReport {
  ply: number;
  number: number;
  color: 'white' | 'black';
  san: string;
  eval: Score;
  /// Iterations of the search after the move.
  depth: number;
  best: string | null;
  best_line: string[];
  win_before: number;
  win_after: number;
  accuracy: number;
  judgement: 'inaccuracy' | 'mistake' | 'blunder' | null;
  mark: 'only' | 'brilliant' | null;
  remarks: string[];
}

/// A game in the schema of docs/ANALYST.md.
export interface ReportedGame {
  opening: { eco: string; name: string } | null;
  budget: string;
  white: SideSummary;
  black: SideSummary;
  moves: MoveReport[];
}

export interface Report {
  type: 'report';
  id: number;
  game: ReportedGame;
}

/// How far a report is.
export interface Progress {
  type: 'progress';
  id: number;
  done: number;
  total: number;
}

export interface Refused {
  type: 'refused';
  id: number | null;
  reason: string;
}

export type Reply =
  | Hello
  | Lines
  | Best
  | Inspection
  | OpeningName
  | Report
  | Progress
  | Refused;
