// Writes a report into the game it belongs to, beside what the user wrote.

import { parseSan } from 'chessops/san';
import type { MoveReport, ReportedGame, Score } from '../engine/protocol';
import { MOVE_MARKS } from './marks';
import { type GameTree, type TreeNode, learn } from './tree';

export const NAG = { inaccuracy: 6, mistake: 2, blunder: 4, only: 7, brilliant: 3 } as const;
/// Moves of the better line that are added to the game.
const SHOWN_LINE = 6;

/// Whether a report speaks of the main line of this game.
export function belongs(report: ReportedGame, tree: GameTree): boolean {
  const line = tree.mainline();
  return report.moves.length > 0 && report.moves.every(step => line[step.ply]?.san === step.san);
}

export function annotate(tree: GameTree, report: ReportedGame): void {
  const line = tree.mainline();
  if (tree.report) for (const step of tree.report.moves) forget(step, line[step.ply]);
  tree.report = report;
  for (const step of report.moves) {
    const node = line[step.ply];
    if (node) annotateMove(tree, step, node);
  }
  if (report.opening) tree.headers.set('Opening', report.opening.name).set('ECO', report.opening.eco);
}

/// The mark a report gives to a move, if any.
export function markOf(step: MoveReport): number | undefined {
  const found = step.judgement ?? step.mark;
  return found ? NAG[found] : undefined;
}

/// The score after a move; none if it mates, which needs no score.
export function scoreOf(step: MoveReport): Score | undefined {
  return 'mate' in step.eval && step.eval.mate === 0 ? undefined : step.eval;
}

/// Takes away what an earlier report wrote; what the user wrote stays.
function forget(step: MoveReport, node: TreeNode | undefined): void {
  if (node?.san !== step.san) return;
  const nag = markOf(step);
  node.nags = node.nags.filter(other => other !== nag);
  const remarks = step.remarks.join(' ');
  if (remarks) node.comment = node.comment.replace(remarks, '').trim();
}

function annotateMove(tree: GameTree, step: MoveReport, node: TreeNode): void {
  const score = scoreOf(step);
  if (score) learn(node, score, step.depth);
  const nag = markOf(step);
  if (nag === undefined) return;
  if (!node.nags.some(other => MOVE_MARKS.includes(other))) node.nags = [nag, ...node.nags];
  const remarks = step.remarks.join(' ');
  if (remarks && !node.comment.includes(remarks)) node.comment = [node.comment, remarks].filter(Boolean).join(' ');
  if (!step.judgement || !node.parent) return;
  let at = node.parent;
  for (const san of step.best_line.slice(0, SHOWN_LINE)) {
    const move = parseSan(at.position, san);
    if (!move) break;
    at = tree.extend(at, [move]);
  }
}
