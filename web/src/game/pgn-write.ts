// PGN out: everything a game holds. It is also the form in which games are kept and steps are undone.

import { INITIAL_FEN } from 'chessops/fen';
import { defaultHeaders, makeComment } from 'chessops/pgn';
import type { GameTree, TreeNode } from './tree';
import { moveNumber } from './words';

const LINE_LENGTH = 100;

export function writePgn(tree: GameTree): string {
  const headers = new Map([...defaultHeaders(), ...tree.headers]);
  if (tree.startFen === INITIAL_FEN) {
    headers.delete('SetUp');
    headers.delete('FEN');
  } else {
    headers.set('SetUp', '1').set('FEN', tree.startFen);
  }
  if (tree.chess960) headers.set('Variant', 'Chess960');
  const head = [...headers].map(([name, value]) => `[${name} "${value.replace(/[\\"]/g, '\\$&')}"]\n`).join('');
  const words: string[] = [];
  addComment(words, tree.root);
  addLine(words, tree.root);
  words.push(/^(1-0|0-1|1\/2-1\/2)$/.exec(headers.get('Result') ?? '')?.[0] ?? '*');
  return `${head}\n${wrapped(words)}\n`;
}

/// The moves after a node; a loop along the line, because games are long and nesting is shallow.
function addLine(words: string[], from: TreeNode): void {
  let numbered = true;
  for (let at = from; at.children[0]; at = at.children[0]) {
    const [main, ...others] = at.children as [TreeNode, ...TreeNode[]];
    addMove(words, main, numbered);
    for (const other of others) {
      words.push('(');
      addMove(words, other, true);
      addLine(words, other);
      words.push(')');
    }
    numbered = others.length > 0 || words.at(-1)?.endsWith('}') === true;
  }
}

function addMove(words: string[], node: TreeNode, numbered: boolean): void {
  if (node.before) words.push(braces(node.before));
  const number = node.parent ? moveNumber(node.parent.position, numbered || node.before !== '') : '';
  if (number) words.push(number.replace('…', '...'));
  words.push(node.san, ...node.nags.map(nag => `$${nag}`));
  addComment(words, node);
}

function addComment(words: string[], node: TreeNode): void {
  const { score, depth } = node;
  const deep = depth > 0 ? { depth } : {};
  const text = makeComment({
    text: node.comment,
    shapes: node.shapes,
    ...(node.clock !== undefined && { clock: node.clock }),
    ...(node.spent !== undefined && { emt: node.spent }),
    ...(score && { evaluation: 'mate' in score ? { mate: score.mate, ...deep } : { pawns: score.cp / 100, ...deep } }),
  });
  if (text.trim()) words.push(braces(text.trim()));
}

/// A closing brace would end the comment.
function braces(text: string): string {
  return `{ ${text.replaceAll('}', ')')} }`;
}

/// Lines of a readable length; comments stay whole.
function wrapped(words: string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line && line.length + word.length >= LINE_LENGTH) {
      lines.push(line);
      line = '';
    }
    line += !line || word === ')' || line.endsWith('(') ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}
