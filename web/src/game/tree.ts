// A game with variations, comments and marks, and where in it we are.

import { Chess, type Position } from 'chessops/chess';
import { INITIAL_FEN, makeFen } from 'chessops/fen';
import type { CommentShape } from 'chessops/pgn';
import { makeSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci } from 'chessops/util';
import type { PositionMessage, ReportedGame, Score } from '../engine/protocol';
import { readFen } from './fen';
import { winPercent } from './words';

/// A position of the game with the move that led to it.
export interface TreeNode {
  readonly position: Position;
  readonly parent: TreeNode | null;
  readonly move: Move | null;
  readonly san: string;
  children: TreeNode[];
  /// What is said before the move, at the beginning of a variation.
  before: string;
  comment: string;
  nags: number[];
  /// Coloured squares and arrows.
  shapes: CommentShape[];
  /// Seconds left on the mover's clock, and seconds the move took.
  clock?: number;
  spent?: number;
  score?: Score;
  /// Iterations behind the score; 0 if nobody says.
  depth: number;
}

export interface Ending {
  winner: 'white' | 'black' | undefined;
  reason: string;
}

export class GameTree {
  current: TreeNode;
  headers = new Map<string, string>();
  /// What the report said about this game.
  report: ReportedGame | undefined;

  constructor(
    readonly root: TreeNode,
    readonly chess960: boolean,
  ) {
    this.current = root;
  }

  /// A game from a position, of Chess960 if said so or if castling needs it; throws an error that says what is wrong with it.
  static fromFen(fen = INITIAL_FEN, chess960 = false): GameTree {
    const read = readFen(fen);
    if ('reason' in read) throw new Error(read.reason);
    return new GameTree(makeNode(read.position, null, null, ''), chess960 || read.chess960);
  }

  get position(): Position {
    return this.current.position;
  }

  get fen(): string {
    return makeFen(this.position.toSetup());
  }

  get startFen(): string {
    return makeFen(this.root.position.toSetup());
  }

  /// Whether there is nothing in it that anybody would miss.
  get isEmpty(): boolean {
    return this.root.children.length === 0 && !this.root.comment && this.startFen === INITIAL_FEN;
  }

  /// Follows a move, adding it if it is new.
  play(move: Move): TreeNode {
    this.current = childOf(this.current, move);
    return this.current;
  }

  /// Adds moves after a node without going there; returns the last one.
  extend(from: TreeNode, moves: Move[]): TreeNode {
    return moves.reduce(childOf, from);
  }

  /// Removes the current move and everything after it.
  cut(): void {
    const { parent } = this.current;
    if (!parent) return;
    parent.children = parent.children.filter(other => other !== this.current);
    this.current = parent;
  }

  /// Makes the line of the current move the main one.
  promote(): void {
    for (let at: TreeNode = this.current; at.parent; at = at.parent) {
      const { parent } = at;
      parent.children = [at, ...parent.children.filter(other => other !== at)];
    }
  }

  /// The nodes from the start to the current one.
  path(): TreeNode[] {
    return pathTo(this.current);
  }

  /// The current place as the number of the child at each step.
  indices(): number[] {
    return this.path().flatMap(at => (at.parent ? [at.parent.children.indexOf(at)] : []));
  }

  /// Goes as far along such numbers as there are moves.
  goTo(indices: number[]): void {
    let at = this.root;
    for (const index of indices) at = at.children[index] ?? at;
    this.current = at;
  }

  /// The main line with its start.
  mainline(): TreeNode[] {
    const nodes = [this.root];
    for (let at = this.root.children[0]; at; at = at.children[0]) nodes.push(at);
    return nodes;
  }

  /// The current position for the engine.
  message(): PositionMessage {
    return this.messageOf(this.path());
  }

  messageOf(path: TreeNode[]): PositionMessage {
    const moves = path.flatMap(at => (at.move ? [makeUci(at.move)] : []));
    return { fen: this.startFen, moves, chess960: this.chess960 };
  }

  /// Why the game is over in the current position, if it is.
  ending(): Ending | undefined {
    const { position } = this;
    if (position.isCheckmate()) return { winner: position.outcome()?.winner, reason: 'checkmate' };
    if (position.isStalemate()) return { winner: undefined, reason: 'stalemate' };
    if (position.isInsufficientMaterial()) return { winner: undefined, reason: 'insufficient material' };
    if (position.halfmoves >= 100) return { winner: undefined, reason: 'the 50-move rule' };
    const here = repetitionKey(position);
    const times = this.path().filter(at => repetitionKey(at.position) === here).length;
    return times >= 3 ? { winner: undefined, reason: 'threefold repetition' } : undefined;
  }
}

/// The nodes from the start to a node.
export function pathTo(node: TreeNode): TreeNode[] {
  const nodes = [];
  for (let at: TreeNode | null = node; at; at = at.parent) nodes.push(at);
  return nodes.reverse();
}

/// Takes over a score unless a deeper one is known.
export function learn(node: TreeNode, score: Score, depth: number): void {
  if (node.score && node.depth > depth) return;
  node.score = score;
  node.depth = depth;
}

/// White's chances from 0 to 100 as far as they are known; the end of a game needs no engine.
export function chancesAt({ position, children, score }: TreeNode): number | undefined {
  const outcome = children.length ? undefined : position.outcome();
  if (outcome) return outcome.winner === 'white' ? 100 : outcome.winner === 'black' ? 0 : 50;
  return score && winPercent(score);
}

/// The node after a move, made if it is new.
export function childOf(from: TreeNode, move: Move): TreeNode {
  const san = makeSan(from.position, move);
  return from.children.find(other => other.san === san) ?? addChild(from, move, san);
}

/// Adds a move, even one that is there already: some files repeat moves, and stay as they are.
export function addChild(from: TreeNode, move: Move, san = makeSan(from.position, move)): TreeNode {
  const position = from.position.clone();
  position.play(move);
  const made = makeNode(position, from, move, san);
  from.children.push(made);
  return made;
}

function makeNode(position: Position, parent: TreeNode | null, move: Move | null, san: string): TreeNode {
  return { position, parent, move, san, children: [], before: '', comment: '', nags: [], shapes: [], depth: 0 };
}

/// An untouched game.
export function newGame(): GameTree {
  return new GameTree(makeNode(Chess.default(), null, null, ''), false);
}

function repetitionKey(position: Position): string {
  return makeFen(position.toSetup()).split(' ').slice(0, 4).join(' ');
}
