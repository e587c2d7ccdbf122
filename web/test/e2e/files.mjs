// Files: bad ones are told, large ones are listed, packed ones are read; pictures; books.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { OPERA, SLOW, loadPgn, moveCount, saved, text, type } from './tools.mjs';

export const tests = [
  { name: 'tells what is wrong with a file', check: tellsWhatIsWrong },
  { name: 'says in words what is wrong with a position', check: fenInWords },
  { name: 'reads packed files of many games', check: manyGames },
  { name: 'shows a book and the games of a file in the explorer', check: explorer },
  { name: 'saves pictures of the board', check: pictures },
];

async function tellsWhatIsWrong(page) {
  await loadPgn(page, `${OPERA}\n\n[White "Bad"]\n[Black "Worse"]\n\n1. e4 e5 2. Qxf7 *\n\n[Variant "Atomic"]\n\n1. e4 *`);
  await page.waitForSelector('#problems li');
  const problems = await page.locator('#problems li').allTextContents();
  assert.equal(problems.length, 2);
  assert.match(problems[0], /Game 2 \(Bad – Worse\): 2\. Qxf7, it is not a legal move here/);
  assert.match(problems[1], /Game 3: Atomic is another variant/);
  assert.equal(await page.locator('#file-list li').count(), 3);
  await moveCount(page, 33);
  await page.click('#file-list .game-row >> nth=1');
  await moveCount(page, 2);
}

async function fenInWords(page) {
  await page.click('#tab-files');
  for (const [fen, words] of [
    ['8/8/8/8/8/8/8/K7 w - - 0 1', /king/],
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1', /rank 2|squares|files/],
    ['hello', /rank|board|field|FEN/i],
  ]) {
    await page.fill('#fen', fen);
    await page.press('#fen', 'Enter');
    await page.waitForTimeout(300);
    const said = await text(page, '#files-status');
    assert.match(said, words);
    assert.doesNotMatch(said, /ERR_/);
  }
}

async function manyGames(page, { folder }) {
  const games = Array.from({ length: 3000 }, (_, index) => `[White "Player ${index}"]\n[Black "Someone"]\n[Date "19${10 + (index % 90)}.01.01"]\n[Opening "${index === 1234 ? 'Ruy Lopez, Marshall' : 'Ruy Lopez'}"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0\n`);
  const file = join(folder, 'many.pgn.gz');
  writeFileSync(file, gzipSync(games.join('\n')));
  await page.click('#tab-files');
  await page.setInputFiles('#pgn-file', file);
  await page.waitForSelector('#files-status >> text=3,000 games', SLOW);
  await moveCount(page, 10);
  await page.fill('#file-search', 'player 2999');
  assert.equal(await page.locator('#file-list li').count(), 1);
  await page.click('#file-list .game-row');
  await page.waitForFunction(() => document.getElementById('player-bottom').textContent.includes('Player 2999'));
  await page.fill('#file-search', 'marshall someone');
  assert.match(await text(page, '#file-list li'), /Player 1234/);
  const packed = join(folder, 'x.pgn.zst');
  writeFileSync(packed, ZSTD);
  await page.setInputFiles('#pgn-file', packed);
  await page.waitForFunction(() => document.getElementById('player-bottom').textContent.includes('Zed'), undefined, SLOW);
  writeFileSync(file, Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
  await page.setInputFiles('#pgn-file', file);
  await page.waitForSelector('#files-status >> text=damaged');
}

/// `[White "Zed"]`, an empty line and `1. e4 e5 *`, in a Zstandard frame with one raw block.
const ZED = Buffer.from('[White "Zed"]\n\n1. e4 e5 *\n');
const ZSTD = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, ZED.length, 1 | (ZED.length << 3), 0, 0]), ZED]);

/// Two moves of the starting position: e2e4 twice as often as d2d4.
function book() {
  const entry = (move, weight) => {
    const bytes = Buffer.alloc(16);
    bytes.writeBigUInt64BE(0x463b96181691fc9cn, 0);
    bytes.writeUInt16BE(move, 8);
    bytes.writeUInt16BE(weight, 10);
    return bytes;
  };
  return Buffer.concat([entry((12 << 6) | 28, 20), entry((11 << 6) | 27, 10)]);
}

async function explorer(page, { folder }) {
  const file = join(folder, 'small.bin');
  writeFileSync(file, book());
  await page.setInputFiles('#pgn-file', file);
  await page.waitForSelector('#explorer >> text=67 %');
  await page.click('#explorer .move >> text=e4');
  await moveCount(page, 1);
  await page.waitForSelector('#explorer >> text=not in the book');
  await loadPgn(page, '[Result "1-0"]\n\n1. e4 e5 1-0\n\n[Result "0-1"]\n\n1. e4 c5 0-1\n\n[Result "1-0"]\n\n1. d4 1-0');
  await page.click('#tab-analyse');
  await page.waitForSelector('#explorer [aria-label="White won 1, drawn 0, Black won 1"]');
}

async function pictures(page) {
  await type(page, 'e4');
  await page.click('#tab-files');
  for (const [id, magic] of [['#save-svg', '<svg'], ['#save-png', '\x89PNG']]) {
    const bytes = await saved(page, id);
    assert.equal(bytes.subarray(0, 4).toString('latin1'), magic);
    assert.ok(bytes.length > 5000, `there are pieces in it: ${bytes.length}`);
  }
}
