// A game as plain data, to be kept in the browser or to come back to.

import type { ReportedGame } from '../engine/protocol';
import { readGames } from './pgn-read';
import { writePgn } from './pgn-write';
import { type GameTree, newGame } from './tree';

export interface Snapshot {
  pgn: string;
  /// The place in the game.
  path: number[];
  report: ReportedGame | undefined;
}

export function snapshot(tree: GameTree): Snapshot {
  return { pgn: writePgn(tree), path: tree.indices(), report: tree.report };
}

export function restore(state: Snapshot): GameTree {
  const tree = readGames(state.pgn).next().value?.tree ?? newGame();
  tree.goTo(state.path);
  tree.report = state.report;
  return tree;
}
