// A game with variations and comments, and where in it we are.

import { Chess, type Position } from 'chessops/chess';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import {
  ChildNode,
  type Game,
  Node as PgnNode,
  type PgnNodeData,
  defaultGame,
  makeComment,
  makePgn,
  parseComment,
  parsePgn,
} from 'chessops/pgn';
import { makeSan, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci } from 'chessops/util';
import type { PositionMessage, Score } from './protocol';

/// A position of the game with the move that led to it.
export interface TreeNode {
  readonly position: Position;
  readonly parent: TreeNode | null;
  readonly move: Move | null;
  readonly san: string;
  children: TreeNode[];
  comment: string;
  nags: number[];
  score?: Score;
}

export class GameTree {
  current: TreeNode;
  headers = new Map<string, string>();

  constructor(
    readonly root: TreeNode,
    readonly chess960: boolean,
  ) {
    this.current = root;
  }

  /// A game from a position, of Chess960 if said so or if castling needs it; throws an error that says what is wrong with it.
  static fromFen(fen = INITIAL_FEN, chess960 = false): GameTree {
    const position = Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
    return new GameTree(node(position, null, null, ''), chess960 || castlesUnusually(position));
  }

  /// All games of a file; what cannot be read of a game is left out.
  static fromPgn(text: string): GameTree[] {
    return parsePgn(text).map(game => {
      const chess960 = /960|fischer/i.test(game.headers.get('Variant') ?? '');
      const tree = GameTree.fromFen(game.headers.get('FEN') ?? INITIAL_FEN, chess960);
      tree.headers = game.headers;
      tree.root.comment = (game.comments ?? []).join(' ');
      addMoves(tree.root, game.moves);
      return tree;
    });
  }

  get position(): Position {
    return this.current.position;
  }

  get fen(): string {
    return makeFen(this.position.toSetup());
  }

  /// Follows a move, adding it if it is new.
  play(move: Move): TreeNode {
    this.current = child(this.current, move);
    return this.current;
  }

  /// Adds moves after a node without going there; returns the last one.
  extend(from: TreeNode, moves: Move[]): TreeNode {
    return moves.reduce(child, from);
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
    const nodes = [];
    for (let at: TreeNode | null = this.current; at; at = at.parent) nodes.unshift(at);
    return nodes;
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
    return { fen: makeFen(this.root.position.toSetup()), moves, chess960: this.chess960 };
  }

  /// Why the game is over in the current position, if it is.
  ending(): { winner: 'white' | 'black' | undefined; reason: string } | undefined {
    const { position } = this;
    if (position.isCheckmate()) return { winner: position.outcome()?.winner, reason: 'checkmate' };
    if (position.isStalemate()) return { winner: undefined, reason: 'stalemate' };
    if (position.isInsufficientMaterial()) return { winner: undefined, reason: 'insufficient material' };
    if (position.halfmoves >= 100) return { winner: undefined, reason: 'the 50-move rule' };
    const here = repetitionKey(position);
    const times = this.path().filter(at => repetitionKey(at.position) === here).length;
    return times >= 3 ? { winner: undefined, reason: 'threefold repetition' } : undefined;
  }

  toPgn(): string {
    const game: Game<PgnNodeData> = defaultGame();
    for (const [name, value] of this.headers) game.headers.set(name, value);
    const start = makeFen(this.root.position.toSetup());
    if (start !== INITIAL_FEN) {
      game.headers.set('SetUp', '1').set('FEN', start);
      if (this.chess960) game.headers.set('Variant', 'Chess960');
    }
    if (this.root.comment) game.comments = [this.root.comment];
    const add = (from: TreeNode, to: PgnNode<PgnNodeData>): void => {
      for (const next of from.children) {
        const made = new ChildNode<PgnNodeData>({ san: next.san, nags: next.nags, comments: comments(next) });
        to.children.push(made);
        add(next, made);
      }
    };
    add(this.root, game.moves);
    return makePgn(game);
  }
}

function node(position: Position, parent: TreeNode | null, move: Move | null, san: string): TreeNode {
  return { position, parent, move, san, children: [], comment: '', nags: [] };
}

function child(from: TreeNode, move: Move): TreeNode {
  const san = makeSan(from.position, move);
  const known = from.children.find(other => other.san === san);
  if (known) return known;
  const position = from.position.clone();
  position.play(move);
  const made = node(position, from, move, san);
  from.children.push(made);
  return made;
}

/// A loop, not recursion, along the line: games are long, nesting is shallow.
function addMoves(start: TreeNode, line: PgnNode<PgnNodeData>): void {
  let at = start;
  let from = line;
  while (from.children.length > 0) {
    const [main, ...others] = from.children.map(next => ({ next, made: addMove(at, next.data) }));
    for (const { next, made } of others) if (made) addMoves(made, next);
    if (!main?.made) return;
    at = main.made;
    from = main.next;
  }
}

function addMove(at: TreeNode, data: PgnNodeData): TreeNode | undefined {
  const move = parseSan(at.position, data.san);
  if (!move) return undefined;
  const made = child(at, move);
  const parsed = (data.comments ?? []).map(parseComment);
  made.comment = parsed.map(comment => comment.text).filter(Boolean).join(' ');
  made.nags = data.nags ?? [];
  const evaluation = parsed.find(comment => comment.evaluation)?.evaluation;
  if (evaluation) {
    made.score =
      'mate' in evaluation ? { mate: evaluation.mate } : { cp: Math.round(evaluation.pawns * 100) };
  }
  return made;
}

function comments(from: TreeNode): string[] {
  const { score } = from;
  const text = makeComment({
    text: from.comment,
    ...(score && { evaluation: 'mate' in score ? score : { pawns: score.cp / 100 } }),
  });
  return text ? [text] : [];
}

/// Whether a king or rook that may castle does not stand where it does in the usual game.
function castlesUnusually(position: Position): boolean {
  const usual: Record<number, number> = { 0: 4, 7: 4, 56: 60, 63: 60 };
  return [...position.castles.castlingRights].some(rook => {
    const king = position.board.kingOf(rook < 32 ? 'white' : 'black');
    return usual[rook] !== king;
  });
}

function repetitionKey(position: Position): string {
  return makeFen(position.toSetup()).split(' ').slice(0, 4).join(' ');
}
