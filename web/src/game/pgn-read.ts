// PGN in: every game of a text, and for each what could not be read of it. Nothing is left out in silence.

import { normalizeMove } from 'chessops/chess';
import { parseComment, parseVariant } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { parseUci } from 'chessops/util';
import { GameTree, type TreeNode, addChild, newGame } from './tree';
import { moveNumber } from './words';

export interface Problem {
  /// The move as it stands in the text, with its number; empty if the whole game is meant.
  move: string;
  reason: string;
}

export interface ReadGame {
  headers: Map<string, string>;
  /// None if the game cannot be shown at all.
  tree: GameTree | undefined;
  problems: Problem[];
  /// Where its text begins and ends.
  from: number;
  to: number;
}

const HEADER = /\[\s*([A-Za-z0-9][\w+#=:-]*)\s+"((?:[^"\\\n]|\\.)*)"\s*\]/y;
const RESULT = /(?:1[-–—]0|0[-–—]1|1\/2[-–—]1\/2|\*)(?![\w-])/y;
const NUMBER = /\d+(?:\s*\.+|(?=[\s)]|$))|\.+/y;
const NAG = /\$(\d{1,4})/y;
const WORD = /[^\s(){};$[\]]+/y;
const SUFFIX = /[?!]+$/;
const MARKS: Record<string, number> = { '!': 1, '?': 2, '!!': 3, '??': 4, '!?': 5, '?!': 6, '□': 7, '=': 10, '∞': 13, '⩲': 14, '⩱': 15, '±': 16, '∓': 17, '+-': 18, '-+': 19, '+−': 18, '−+': 19, N: 146, D: 220 };

/// Reads one game after the other.
export function* readGames(text: string): Generator<ReadGame, undefined> {
  const reader = new Reader(text);
  for (let game = reader.next(); game; game = reader.next()) yield game;
  return undefined;
}

/// A line that is being read: the main one, or a variation.
interface Frame {
  /// The move read last; before the first one, where the line branches off.
  at: TreeNode;
  /// Nothing of the line was read yet: comments come before its first move.
  fresh: boolean;
  before: string[];
  /// A move of it could not be read, so that the rest cannot be either.
  broken: boolean;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {
    if (text.startsWith('\ufeff')) this.at = 1;
  }

  next(): ReadGame | undefined {
    this.skipBlank();
    if (this.at >= this.text.length) return undefined;
    const from = this.at;
    const headers = this.headers();
    const problems: Problem[] = [];
    const start = startOf(headers);
    if (typeof start === 'string') problems.push({ move: '', reason: start });
    const tree = typeof start === 'string' ? undefined : start;
    // Moves are read in any case: they say where the next game begins.
    new Moves(tree ?? newGame(), headers, tree ? problems : []).read(this);
    if (tree) tree.headers = headers;
    return { headers, tree, problems, from, to: this.at };
  }

  /// The match of a pattern at the present place, which is then left behind.
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match;
  }

  /// The letter at the present place; none at the end.
  peek(): string {
    return this.text.charAt(this.at);
  }

  skip(): void {
    this.at++;
  }

  /// Whether a header stands at the present place.
  atHeader(): boolean {
    HEADER.lastIndex = this.at;
    return this.peek() === '[' && HEADER.test(this.text);
  }

  /// Passes white space, and lines that begin with `%`.
  skipBlank(): void {
    for (;;) {
      this.take(/\s+/y);
      const lineStart = this.at === 0 || this.text[this.at - 1] === '\n';
      if (this.peek() !== '%' || !lineStart) return;
      this.line();
    }
  }

  /// The rest of the line.
  line(): string {
    return this.take(/[^\n]*/y)?.[0] ?? '';
  }

  /// A comment in braces; `undefined` if it has no end, then the game ends with it.
  braces(): string | undefined {
    this.skip();
    const end = this.text.indexOf('}', this.at);
    const next = end < 0 ? this.text.indexOf('\n[Event ', this.at) : -1;
    const to = end >= 0 ? end : next >= 0 ? next : this.text.length;
    const inside = this.text.slice(this.at, to);
    this.at = end >= 0 ? end + 1 : to;
    return end >= 0 ? inside : undefined;
  }

  private headers(): Map<string, string> {
    const headers = new Map<string, string>();
    for (;;) {
      this.skipBlank();
      if (this.peek() !== '[') return headers;
      const match = this.take(HEADER);
      if (match) headers.set(match[1] ?? '', (match[2] ?? '').replace(/\\(["\\])/g, '$1'));
      else this.line();
    }
  }
}

/// The position a game begins with, or why it cannot be shown.
function startOf(headers: Map<string, string>): GameTree | string {
  const variant = headers.get('Variant');
  if (variant && parseVariant(variant) !== 'chess') return `${variant} is another variant; chess and Chess960 are played here`;
  try {
    return GameTree.fromFen(headers.get('FEN'), /960|fischer/i.test(variant ?? ''));
  } catch (error) {
    return `its starting position cannot be used: ${error instanceof Error ? error.message : 'unreadable'}`;
  }
}

class Moves {
  private readonly frames: Frame[];

  constructor(
    tree: GameTree,
    private readonly headers: Map<string, string>,
    private readonly problems: Problem[],
  ) {
    this.frames = [{ at: tree.root, fresh: true, before: [], broken: false }];
  }

  private get frame(): Frame {
    return this.frames.at(-1) as Frame;
  }

  /// Reads up to the result, or to the headers of the next game.
  read(reader: Reader): void {
    for (;;) {
      reader.skipBlank();
      const letter = reader.peek();
      if (letter === '' || reader.atHeader()) return;
      if (letter === '{') {
        const comment = reader.braces();
        if (comment === undefined) this.problems.push({ move: '', reason: 'a comment has no end' });
        else this.comment(comment.trim());
      } else if (letter === ';') {
        reader.skip();
        this.comment(reader.line().trim());
      } else if (letter === '(') {
        reader.skip();
        this.open();
      } else if (letter === ')') {
        reader.skip();
        if (this.frames.length > 1) this.frames.pop();
      } else if (this.token(reader)) {
        return;
      }
    }
  }

  /// Anything else; `true` if it ends the game.
  private token(reader: Reader): boolean {
    const nag = reader.take(NAG);
    if (nag) return this.mark(Number(nag[1]));
    const result = reader.take(RESULT);
    if (result) {
      if (this.frames.length > 1) return false;
      if (result[0] !== '*' || !this.headers.has('Result')) this.headers.set('Result', result[0].replace(/[–—]/g, '-'));
      return true;
    }
    if (reader.take(NUMBER)) return false;
    const word = reader.take(WORD)?.[0];
    if (word === undefined) reader.skip();
    else this.word(word);
    return false;
  }

  private word(word: string): void {
    const known = MARKS[word];
    if (known !== undefined) {
      this.mark(known);
      return;
    }
    if (/^e\.?p\.?$/.test(word)) return;
    const suffix = SUFFIX.exec(word)?.[0] ?? '';
    this.move(suffix ? word.slice(0, -suffix.length) : word);
    const nag = MARKS[suffix];
    if (nag !== undefined) this.mark(nag);
  }

  private move(san: string): void {
    const { frame } = this;
    if (frame.broken) return;
    const { position } = frame.at;
    const move = parseSan(position, san.replace(/[–—]/g, '-').replace(/^[0o](-[0o]){1,2}/, castling => castling.replace(/[0o]/g, 'O'))) ?? coordinates(frame.at, san);
    if (!move) {
      frame.broken = true;
      const reason = /^(--|Z0|0000|@@@@)$/.test(san) ? 'a move that passes cannot be shown' : 'it is not a legal move here';
      this.problems.push({ move: `${moveNumber(position, true)} ${san}`, reason });
      return;
    }
    const node = addChild(frame.at, move);
    node.before = frame.before.join(' ');
    frame.before = [];
    frame.at = node;
    frame.fresh = false;
  }

  private mark(nag: number): false {
    const { at, broken, fresh } = this.frame;
    if (!broken && !fresh && !at.nags.includes(nag)) at.nags.push(nag);
    return false;
  }

  private comment(text: string): void {
    const { frame } = this;
    if (frame.broken || !text) return;
    if (frame.fresh && this.frames.length > 1) frame.before.push(text);
    else annotate(frame.at, text);
  }

  private open(): void {
    const { at, broken, fresh } = this.frame;
    this.frames.push({ at: at.parent ?? at, fresh: true, before: [], broken: broken || fresh });
  }
}

/// A move as coordinates, as some programs write it.
function coordinates(at: TreeNode, text: string) {
  const uci = parseUci(text.toLowerCase());
  const move = uci && normalizeMove(at.position, uci);
  return move && at.position.isLegal(move) ? move : undefined;
}

/// Adds what a comment says to a move: text, clock, evaluation, squares and arrows.
function annotate(node: TreeNode, text: string): void {
  const comment = parseComment(text);
  node.comment = joined(node.comment, comment.text);
  node.shapes.push(...comment.shapes);
  if (comment.clock !== undefined) node.clock = comment.clock;
  if (comment.emt !== undefined) node.spent = comment.emt;
  const { evaluation } = comment;
  if (evaluation) {
    node.score = 'mate' in evaluation ? { mate: evaluation.mate } : { cp: Math.round(evaluation.pawns * 100) };
    node.depth = evaluation.depth ?? 0;
  }
}

function joined(first: string, second: string): string {
  return [first, second].filter(Boolean).join(' ');
}
