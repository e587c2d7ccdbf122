// Games through the page and back: nothing may be lost, and what cannot be read is told.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Game, type Node, type PgnNodeData, parseComment, parsePgn } from 'chessops/pgn';
import { describe, expect, it } from 'vitest';
import { type ReadGame, readGames } from '../../src/game/pgn-read';
import { writePgn } from '../../src/game/pgn-write';
import type { GameTree } from '../../src/game/tree';

const DATA = new URL('../../../../shared/data/pgn/', import.meta.url);
/// Every tenth game is enough for every day; EVERY_GAME=1 takes them all, which lasts minutes.
const STEP = process.env.EVERY_GAME ? 1 : 10;

function read(text: string): ReadGame[] {
  return [...readGames(text)];
}

function only(text: string): GameTree {
  const [game] = read(text);
  if (!game?.tree) throw new Error('no game');
  return game.tree;
}

/// A line as another reader sees it: moves, marks, words, clocks, squares, in order.
function seen(node: Node<PgnNodeData>): unknown[] {
  return node.children.map(child => {
    const comments = (child.data.comments ?? []).map(parseComment);
    const words = comments.map(comment => comment.text).join(' ').split(/\s+/).filter(Boolean);
    return {
      // Some files tell apart what a pin tells apart already.
      san: child.data.san.replace(/[+#]/, '').replace(/^([NBRQK])[a-h]?[1-8]?x?(?=[a-h][1-8])/, '$1'),
      nags: [...new Set(child.data.nags)],
      before: (child.data.startingComments ?? []).join(' ').split(/\s+/).filter(Boolean),
      words,
      clock: comments.find(comment => comment.clock !== undefined)?.clock,
      spent: comments.find(comment => comment.emt !== undefined)?.emt,
      evaluation: comments.find(comment => comment.evaluation)?.evaluation,
      shapes: comments.flatMap(comment => comment.shapes),
    };
  });
}

function flat(game: Game<PgnNodeData>): unknown[] {
  const all: unknown[] = [];
  const stack: Node<PgnNodeData>[] = [game.moves];
  for (let at = stack.pop(); at; at = stack.pop()) {
    all.push(seen(at));
    stack.push(...at.children);
  }
  return all;
}

describe('round trip', () => {
  it('keeps comments, marks, clocks, squares and arrows, and comments before variations', () => {
    const text = `[White "A \\"B\\" C"]

{ First words } 1. e4 $1 { [%clk 0:09:58.5] [%csl Ge4,Rd5] [%cal Ge2e4] good } (1. d4 { queen's pawn } d5) ({ or } 1. c4 $5) 1... e5 { [%emt 0:00:03] [%eval 0.31,22] } 2. Nf3 { [%eval #-3] } *`;
    const tree = only(text);
    const [before, after] = [text, writePgn(tree)].map(each => parsePgn(each)[0]);
    if (!before || !after) throw new Error('unreadable');
    expect(flat(after)).toEqual(flat(before));
    expect(after.headers.get('White')).toBe('A "B" C');
    expect(after.comments).toEqual(['First words']);
    expect(tree.mainline()[1]?.clock).toBe(598.5);
    expect(tree.mainline()[2]?.depth).toBe(22);
  });

  it('keeps comments to the end of the line, which other readers drop', () => {
    expect(only('1. e4 ; the best by test\ne5 *').mainline()[1]?.comment).toBe('the best by test');
  });

  it('leaves a repeated move beside the main line', () => {
    const tree = only('1. e4 {main} (1. e4 {again} c5) e5 *');
    expect(tree.root.children.map(child => child.comment)).toEqual(['main', 'again']);
    expect(tree.mainline().map(node => node.san)).toEqual(['', 'e4', 'e5']);
  });

  it('survives a brace in a comment', () => {
    const tree = only('1. e4 *');
    const node = tree.mainline()[1];
    if (node) node.comment = 'a } b';
    expect(only(writePgn(tree)).mainline()[1]?.comment).toBe('a ) b');
  });

  it.skipIf(!existsSync(DATA))('keeps everything in the collections', () => {
    let games = 0;
    for (const name of readdirSync(DATA).filter(file => /\.pgn(\.gz)?$/.test(file))) {
      const bytes = readFileSync(new URL(name, DATA));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      for (const [index, game] of read(text).entries()) {
        if (index % STEP) continue;
        // The other reader gives up on a backslash that escapes nothing.
        const expected = parsePgn(text.slice(game.from, game.to).replace(/\\(?!["\\])/g, '\\\\'))[0];
        if (!game.tree || !expected) throw new Error(`${name}: game ${index + 1} is missing`);
        expect(game.problems, `${name} ${index + 1}`).toEqual([]);
        const written = parsePgn(writePgn(game.tree))[0];
        if (!written) throw new Error('unreadable');
        expect(flat(written), `${name} ${index + 1}`).toEqual(flat(expected));
        for (const [key, value] of game.headers) if (key !== 'FEN' && key !== 'Variant') expect(written.headers.get(key)).toBe(key === 'Result' && !/^(1-0|0-1|1\/2-1\/2)$/.test(value) ? '*' : value);
        games++;
      }
    }
    expect(games).toBeGreaterThan(200);
  }, 900_000);

  it.skipIf(!existsSync(DATA))('reads the tricky files as other readers do', () => {
    const folder = new URL('tricky/', DATA);
    for (const row of readFileSync(new URL('INDEX.tsv', folder), 'utf8').trim().split('\n').slice(1)) {
      const [file = '', , errors, plies = ''] = row.split('\t');
      const text = readFileSync(new URL(file, folder), 'latin1');
      const games = read(text);
      const found = games.map(game => (game.tree?.mainline().length ?? 1) - 1);
      // What a reader of one line per game takes for one broken game is four to us, all of them readable.
      if (file === 'pgn-extract--test-fuzzydepth.pgn') {
        expect(found).toEqual([5, 5, 5, 5]);
        continue;
      }
      const wanted = plies.split(',').map(Number).filter(Boolean);
      if (errors === '0') expect(found.filter(Boolean), file).toEqual(wanted);
      else expect(games.flatMap(game => game.problems).length, file).toBeGreaterThan(0);
      for (const { tree } of games) {
        if (!tree) continue;
        const again = only(writePgn(tree));
        expect(writePgn(again), file).toBe(writePgn(tree));
      }
    }
  });
});

describe('what is wrong', () => {
  it('names the move, and keeps the other games', () => {
    const games = read('[White "A"]\n\n1. e4 e5 2. Qxf7 Kxf7 *\n\n[White "B"]\n\n1. d4 *');
    expect(games.map(game => game.tree?.mainline().length)).toEqual([3, 2]);
    expect(games[0]?.problems).toEqual([{ move: '2. Qxf7', reason: 'it is not a legal move here' }]);
    expect(games[1]?.problems).toEqual([]);
  });

  it('goes on after a variation that cannot be read', () => {
    const [game] = read('1. e4 (1. e5 d5 (1... c5) 2. c4) 1... c5 *');
    expect(game?.tree?.mainline().map(node => node.san)).toEqual(['', 'e4', 'c5']);
    expect(game?.problems).toHaveLength(1);
  });

  it('refuses other variants by name', () => {
    const games = read('[Variant "Atomic"]\n\n1. e4 e5 *\n\n[Event "x"]\n\n1. d4 *');
    expect(games[0]?.tree).toBeUndefined();
    expect(games[0]?.problems[0]?.reason).toMatch(/Atomic is another variant/);
    expect(games[1]?.tree?.mainline()).toHaveLength(2);
  });

  it('tells what is wrong with a starting position', () => {
    expect(read('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n\n1. Kb1 *')[0]?.problems[0]?.reason).toMatch(/exactly one king/);
  });

  it('notices a comment without end', () => {
    const games = read('1. e4 { oh\n\n[Event "next"]\n\n1. d4 *');
    expect(games).toHaveLength(2);
    expect(games[0]?.problems[0]?.reason).toMatch(/no end/);
  });

  it('reads castling with zeros, long notation, coordinates, promotion', () => {
    const games = read('1. e2-e4 e7e5 2. Ng1-f3 g8f6 3. Bc4 Bc5 4. 0-0 0-0 *\n[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. a8Q *');
    expect(games.flatMap(game => game.problems)).toEqual([]);
    expect(games[0]?.tree?.mainline().at(-1)?.san).toBe('O-O');
    expect(games[1]?.tree?.mainline().at(-1)?.san).toBe('a8=Q');
  });

  it('never fails, whatever comes', () => {
    for (const text of ['', '[', '[Event', '((((', '))))', '{', '1.', '$', '1. e4 ( ( (', ']', '1. e4 [x] e5', '\ufeff1. e4', '%x\n1. e4']) {
      expect(() => read(text), text).not.toThrow();
    }
    expect(read('1. e4 [x] e5')[0]?.tree?.mainline().length).toBeGreaterThan(1);
  });
});
