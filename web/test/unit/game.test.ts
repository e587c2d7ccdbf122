// The pure parts of the page: positions, words, marks, material, undo, reports, books.

import { parseFen } from 'chessops/fen';
import { Chess } from 'chessops/chess';
import { makeUci } from 'chessops/util';
import { describe, expect, it } from 'vitest';
import type { MoveReport, ReportedGame, SideSummary } from '../../src/engine/protocol';
import { Book, polyglotKey } from '../../src/files/polyglot';
import { annotate, belongs } from '../../src/game/annotate';
import { chess960Fen } from '../../src/game/chess960';
import { readFen } from '../../src/game/fen';
import { toggleMark } from '../../src/game/marks';
import { advantage } from '../../src/game/material';
import { readGames } from '../../src/game/pgn-read';
import { writePgn } from '../../src/game/pgn-write';
import { restore, snapshot } from '../../src/game/snapshot';
import { GameTree, chancesAt, learn } from '../../src/game/tree';
import { endingText, moveNumber, readLine, readMove, scoreText, spokenEnding, spokenSan, spokenScore, winPercent } from '../../src/game/words';
import { History } from '../../src/history';
import { levelName } from '../../src/views/match';

function game(text: string): GameTree {
  const { tree } = readGames(text).next().value ?? {};
  if (!tree) throw new Error('unreadable');
  return tree;
}

function position(fen: string): Chess {
  return Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
}

describe('positions', () => {
  it('says in words what is wrong', () => {
    for (const [fen, words] of [
      ['', /no text/],
      ['8/8 w - - 0 1', /2 ranks instead of 8/],
      ['rnbqkbnr/pppppppp/8/8/8/9/PPPPPPPP/RNBQKBNR w KQkq - 0 1', /“9” on rank 3/],
      ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1', /rank 2 has 7 squares/],
      ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1', /w or b/],
      ['8/8/8/8/8/8/8/8 w - - 0 1', /empty/],
      ['4k3/8/8/8/8/8/8/8 w - - 0 1', /one king/],
      ['P3k3/8/8/8/8/8/8/4K3 w - - 0 1', /pawn/],
      ['4k3/4R3/8/8/8/8/8/4K3 w - - 0 1', /in check/],
    ] as const) {
      const read = readFen(fen);
      expect('reason' in read ? read.reason : 'fine', fen).toMatch(words);
    }
  });

  it('knows when castling needs Chess960', () => {
    const read = readFen(chess960Fen(0));
    expect('chess960' in read && read.chess960).toBe(true);
    expect(chess960Fen(518)).toBe('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1');
  });

  it('has 960 different starting positions, all legal', () => {
    const all = new Set(Array.from({ length: 960 }, (_, number) => chess960Fen(number)));
    expect(all.size).toBe(960);
    for (const fen of all) expect(readFen(fen)).not.toHaveProperty('reason');
  });
});

describe('words', () => {
  it('writes and speaks scores', () => {
    expect([{ cp: 35 }, { cp: -120 }, { mate: 3 }, { mate: -2 }, { cp: 19_990 }].map(scoreText)).toEqual(['+0.35', '−1.20', '#3', '-#2', 'won']);
    expect(spokenScore({ cp: -150 })).toBe('Black is better by 1.5');
    expect(winPercent({ cp: 0 })).toBe(50);
    expect(winPercent({ cp: 100 }) + winPercent({ cp: -100 })).toBeCloseTo(100);
  });

  it('says how a game ended', () => {
    const endings = [{ winner: 'white', reason: 'checkmate' }, { winner: 'black', reason: 'checkmate' }, { winner: undefined, reason: 'stalemate' }] as const;
    expect(endings.map(endingText)).toEqual(['1-0', '0-1', '½-½']);
    expect(endings.map(spokenEnding)).toEqual(['White has won by checkmate', 'Black has won by checkmate', 'the game is drawn by stalemate']);
  });

  it('speaks and reads moves', () => {
    expect(spokenSan('Nbxd7+')).toBe('knight b takes d7, check');
    expect(spokenSan('e8=Q#')).toBe('e8 becomes queen, checkmate');
    const start = Chess.default();
    for (const text of ['Nf3', 'nf3', 'g1f3']) expect(makeUci(readMove(start, text) ?? { from: 0, to: 0 })).toBe('g1f3');
    expect(readMove(start, 'Nf6')).toBeUndefined();
    expect(readLine(start, ['e2e4', 'e7e5', 'e2e4']).map(step => step.san)).toEqual(['e4', 'e5']);
    expect(moveNumber(start, false)).toBe('1.');
  });

  it('names levels from beginner up', () => {
    expect([600, 1500, 3000].map(levelName)).toEqual(['beginner', 'club player', 'grandmaster and beyond']);
  });
});

describe('a game', () => {
  it('is undone and done again, with its place, its report and everything written', () => {
    const history = new History();
    let tree = game('1. e4 { hello } e5 (1... c5) 2. Nf3 *');
    tree.goTo([0, 1]);
    history.record(tree, 'delete');
    const before = writePgn(tree);
    tree.cut();
    tree = history.undo(tree)?.tree ?? tree;
    expect(writePgn(tree)).toBe(before);
    expect(tree.current.san).toBe('c5');
    tree = history.redo(tree)?.tree ?? tree;
    expect(writePgn(tree)).not.toContain('c5');
    expect(history.canRedo).toBe(false);
  });

  it('keeps the deepest score', () => {
    const tree = game('1. e4 *');
    const node = tree.mainline()[1];
    if (!node) throw new Error('no move');
    learn(node, { cp: 10 }, 20);
    learn(node, { cp: 99 }, 5);
    expect(node.score).toEqual({ cp: 10 });
    learn(node, { cp: 30 }, 21);
    expect(node.score).toEqual({ cp: 30 });
  });

  it('has known chances at its end, and where somebody evaluated it', () => {
    const line = game('1. f3 e5 { [%eval 0.00] } 2. g4 Qh4# 0-1').mainline();
    expect(line.map(chancesAt)).toEqual([undefined, undefined, 50, undefined, 0]);
  });

  it('ends by threefold repetition and stalemate', () => {
    const tree = game('1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *');
    tree.current = tree.mainline().at(-1) ?? tree.root;
    expect(tree.ending()?.reason).toBe('threefold repetition');
    expect(GameTree.fromFen('k7/2Q5/8/8/8/8/8/K7 b - - 0 1').ending()?.reason).toBe('stalemate');
  });

  it('survives being kept', () => {
    const tree = game('[White "A"]\n\n1. e4 { [%clk 0:03:00] [%csl Re4] } *');
    tree.goTo([0]);
    const again = restore(snapshot(tree));
    expect(writePgn(again)).toBe(writePgn(tree));
    expect(again.current.san).toBe('e4');
  });

  it('counts material', () => {
    expect(advantage(position('4k3/8/8/8/8/8/PP6/3QK3 w - - 0 1'), 'white')).toEqual({ pieces: [{ role: 'queen', count: 1 }, { role: 'pawn', count: 2 }], points: 11 });
    expect(advantage(Chess.default(), 'black')).toEqual({ pieces: [], points: 0 });
  });

  it('has one mark of each kind on a move', () => {
    expect(toggleMark([2, 16], 4)).toEqual([4, 16]);
    expect(toggleMark([4, 16], 4)).toEqual([16]);
  });
});

const SIDE: SideSummary = { name: '', moves: 1, accuracy: 90, average_loss_cp: 10, inaccuracies: 0, mistakes: 0, blunders: 0, only_moves: 0, brilliancies: 0, phases: [] };

function step(ply: number, san: string, more: Partial<MoveReport> = {}): MoveReport {
  return { ply, number: Math.ceil(ply / 2), color: ply % 2 ? 'white' : 'black', san, uci: '', fen: '', phase: 'opening', best_eval: { cp: 10 }, eval: { cp: 10 }, depth: 8, best: null, best_line: [], reply_line: [], win_before: 50, win_after: 50, accuracy: 100, loss_cp: 0, judgement: null, mark: null, clock: null, remarks: [], facts: [], ...more };
}

describe('a report', () => {
  const report: ReportedGame = { game: 1, tags: {}, result: '*', error: null, opening: null, budget: '1 node', white: SIDE, black: SIDE, moves: [step(1, 'f3', { judgement: 'mistake', best_line: ['e4', 'e5'], remarks: ['It weakens the king.'] }), step(2, 'e5')] };

  it('leaves what the user wrote, and adds to it once', () => {
    const tree = game('1. f3 $5 { mine [%cal Gf2f3] } e5 *');
    annotate(tree, report);
    annotate(tree, report);
    const node = tree.mainline()[1];
    expect(node?.comment).toBe('mine It weakens the king.');
    expect(node?.nags).toEqual([5]);
    expect(node?.shapes).toHaveLength(1);
    expect(tree.root.children.map(child => child.san)).toEqual(['f3', 'e4']);
  });

  it('replaces marks of an earlier report', () => {
    const tree = game('1. f3 e5 *');
    annotate(tree, report);
    expect(tree.mainline()[1]?.nags).toEqual([2]);
    annotate(tree, { ...report, moves: [step(1, 'f3', { judgement: 'blunder' }), step(2, 'e5')] });
    expect(tree.mainline()[1]?.nags).toEqual([4]);
    expect(tree.mainline()[1]?.comment).toBe('');
  });

  it('does not replace deeper scores, and belongs to one game', () => {
    const tree = game('1. f3 { [%eval 1.23,40] } e5 *');
    annotate(tree, report);
    expect(tree.mainline()[1]?.score).toEqual({ cp: 123 });
    expect(belongs(report, tree)).toBe(true);
    expect(belongs(report, game('1. e4 e5 *'))).toBe(false);
  });
});

describe('Polyglot books', () => {
  it('has the keys that the format publishes', () => {
    for (const [fen, key] of [
      ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', 0x463b96181691fc9cn],
      ['rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1', 0x823c9b50fd114196n],
      ['rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3', 0x22a48b5a8e47ff78n],
      ['rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4', 0x00fdd303c946bdd9n],
      ['rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3', 0x3c8123ea7b067637n],
    ] as const) expect(polyglotKey(position(fen)), fen).toBe(key);
  });

  it('refuses what is no book', () => {
    expect(() => new Book(new ArrayBuffer(17))).toThrow(/no Polyglot book/);
  });

  it('finds moves, the most recommended first', () => {
    const data = new DataView(new ArrayBuffer(32));
    for (const [index, [move, weight]] of [[(11 << 6) | 27, 10], [(12 << 6) | 28, 20]].entries()) {
      data.setBigUint64(16 * index, 0x463b96181691fc9cn);
      data.setUint16(16 * index + 8, move ?? 0);
      data.setUint16(16 * index + 10, weight ?? 0);
    }
    const book = new Book(data.buffer);
    expect(book.moves(Chess.default()).map(({ move, weight }) => [makeUci(move), weight])).toEqual([['e2e4', 20], ['d2d4', 10]]);
  });
});
