// Analysis: lines, arrows, options, the keyboard, marks, the graph, the report, training.

import assert from 'node:assert/strict';
import { OPERA, SLOW, depth, loadPgn, moves, pgnOf, saved, setFen, square, text, type } from './tools.mjs';

export const tests = [
  { name: 'analyses a game', check: analysesAGame },
  { name: 'goes on analysing when an option changes', check: goesOnAnalysing },
  { name: 'is used by keyboard alone', check: isUsedByKeyboard },
  { name: 'keys work whatever has focus, and focus stays', check: keysAndFocus },
  { name: 'undoes and does again', check: undoes },
  { name: 'marks moves, turns the bar, shows boards and tips', check: marks },
  { name: 'knows the end of a game without an engine', check: ends },
  { name: 'keeps the deepest score', check: deepest },
  { name: 'lists moves in two columns, with evaluations and clocks', check: columns },
  { name: 'sets up a position', check: editor },
  { name: 'shows what endgame tables know', check: tables },
  { name: 'reports on a game and keeps what the user wrote', check: reportsOnAGame },
  { name: 'a report stays with its game', check: reportBelongs },
  { name: 'cancels a review', check: cancels },
  { name: 'lets mistakes be tried again', check: training },
  { name: 'shows text as text', check: showsTextAsText },
];

async function analysesAGame(page) {
  assert.equal(new URL(page.url()).hash, '', 'the token left the address');
  await loadPgn(page, OPERA);
  assert.equal((await moves(page)).length, 33);
  assert.equal(await page.locator('.variation .move').count(), 3);
  assert.match(await text(page, '#moves .comment'), /too early/);
  await page.click('#moves .pair .move >> nth=5');
  await page.waitForFunction(() => /C41 Philidor/.test(document.getElementById('opening-name').textContent));
  await page.click('#moves .pair .move >> nth=17');
  await depth(page, 8);
  assert.equal(await page.locator('#lines li').count(), 3);
  assert.ok((await page.locator('cg-container svg.cg-shapes g > *').count()) >= 3, 'arrows are drawn');
  assert.match(await text(page, '#score'), /^[+−#]/);
  await page.click('#inspect-toggle');
  await page.waitForSelector('#terms li');
  await page.click('#inspect-toggle');
  const before = await page.locator('.variation').count();
  await page.click('#lines li >> nth=0 >> .move >> nth=1');
  assert.ok((await page.locator('.variation').count()) >= before, 'a clicked line becomes part of the game');
  await page.click('#threat-toggle');
  await depth(page, 4);
  assert.match(await pgnOf(page), /\[White "Morphy"\][\s\S]*too early/);
}

async function goesOnAnalysing(page) {
  await depth(page, 6);
  await page.click('#tab-settings');
  await page.fill('#option-Hash', '16');
  await page.press('#option-Hash', 'Enter');
  await page.waitForFunction(() => document.getElementById('engine-status').textContent === 'thinking…').catch(() => undefined);
  await depth(page, 6);
}

async function isUsedByKeyboard(page) {
  await page.keyboard.press('m');
  await page.keyboard.type('e4\n');
  await page.keyboard.type('e7e5\n');
  await page.keyboard.type('nf3\n');
  await page.keyboard.type('Qxf7\n');
  assert.match(await text(page, '#typed-status'), /not a legal move/);
  assert.deepEqual(await moves(page), ['e4', 'e5', 'Nf3']);
  await page.keyboard.type('board\n');
  assert.match(await text(page, '#announcer'), /knight b1 f3.*Black to move/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowLeft');
  assert.match(await text(page, '#announcer'), /e5/);
  await page.keyboard.press('5');
  await depth(page, 6);
  assert.equal(await page.locator('#lines li').count(), 5);
  await page.keyboard.press('e');
  assert.match(await text(page, '#announcer'), /better|even|mates/);
  await page.keyboard.press('a');
  assert.equal(await page.getAttribute('#engine-toggle', 'aria-pressed'), 'false');
  await page.keyboard.press('f');
  assert.equal(await page.locator('#board .orientation-black, #board.orientation-black').count(), 1);
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('#help'));
  await page.keyboard.press('Escape');
  await page.focus('#tab-analyse');
  await page.keyboard.press('Shift');
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.isVisible('#panel-play'));
}

async function keysAndFocus(page) {
  await loadPgn(page, OPERA);
  await page.click('#tab-analyse');
  await page.keyboard.press('ArrowRight');
  assert.equal(await text(page, '#moves [aria-current]'), 'e4', 'after a click on a tab the arrows go through the game');
  await page.selectOption('#line-count', '2');
  for (let count = 0; count < 4; count++) await page.keyboard.press('ArrowRight');
  assert.equal(await text(page, '#moves [aria-current]'), 'd4');
  await page.keyboard.press('v');
  assert.equal(await text(page, '#moves [aria-current]'), 'exd4', 'a key enters a variation');
  await page.keyboard.press('v');
  assert.equal(await text(page, '#moves [aria-current]'), 'Bg4', 'and leaves it');
  await page.locator('#moves .pair .move', { hasText: 'Nxb5' }).focus();
  await page.keyboard.press('ArrowRight');
  await depth(page, 3);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Nxb5', 'rendering leaves the focus where it is');
  const [x, y] = await square(page, 'd4');
  await page.mouse.move(x, y);
  const before = await text(page, '#moves [aria-current]');
  await page.mouse.wheel(0, 120);
  await page.waitForFunction(was => document.querySelector('#moves [aria-current]').textContent !== was, before);
}

async function undoes(page) {
  await type(page, 'e4', 'e5', 'Nf3');
  await page.keyboard.press('Control+z');
  assert.deepEqual(await moves(page), ['e4', 'e5']);
  await page.keyboard.press('Control+y');
  assert.deepEqual(await moves(page), ['e4', 'e5', 'Nf3']);
  await page.click('#moves .pair .move >> nth=0');
  await page.keyboard.press('Delete');
  assert.deepEqual(await moves(page), []);
  await page.click('#toast >> text=Undo');
  assert.deepEqual(await moves(page), ['e4', 'e5', 'Nf3']);
  await page.click('text=Comment, marks, line');
  await page.fill('#comment', 'my words');
  await page.press('#comment', 'Tab');
  assert.match(await text(page, '#moves'), /my words/);
  await page.click('#undo');
  assert.doesNotMatch(await text(page, '#moves'), /my words/);
  await page.click('#redo');
  assert.match(await text(page, '#moves'), /my words/);
}

async function marks(page) {
  await type(page, 'e4', 'e5', 'Qh5', 'Nc6', 'Bc4', 'Nf6');
  await page.click('text=Comment, marks, line');
  await page.click('#nags [aria-label=blunder]');
  assert.match((await moves(page)).at(-1), /\?\?/);
  assert.ok((await page.locator('#board').evaluate(board => board.textContent)).includes('??'), 'the mark stands on the board');
  assert.equal(await page.getAttribute('#bar', 'data-bottom'), 'white');
  await page.waitForFunction(() => document.getElementById('bar-white').style.height === '100%' && /^#/.test(document.getElementById('bar-score').textContent), undefined, SLOW);
  await page.keyboard.press('f');
  assert.equal(await page.getAttribute('#bar', 'data-bottom'), 'black');
  await depth(page, 2);
  await page.hover('#lines li >> nth=0 >> .move >> nth=0');
  assert.ok(await page.isVisible('#preview'), 'a small board shows the line');
  await page.keyboard.press('ArrowLeft');
  await depth(page, 4);
  await page.hover('#graph');
  assert.match(await text(page, '#graph-tip'), /\d/);
  assert.equal(await page.locator('#graph pattern').count(), 1, 'unknown parts look unknown');
  const [ax, ay] = await square(page, 'd4');
  await page.mouse.move(ax, ay);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(ax, ay - 80, { steps: 4 });
  await page.mouse.up({ button: 'right' });
  await page.click('#go-end');
  await page.click('#go-back');
  assert.match(await pgnOf(page), /\[%cal /, 'an arrow drawn by hand belongs to the move');
}

async function ends(page) {
  await page.keyboard.press('a');
  await loadPgn(page, '1. f3 e5 2. g4 Qh4# 0-1');
  await page.click('#tab-analyse');
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => document.getElementById('bar-white').style.height), '0%');
  assert.equal(await text(page, '#score'), '0-1');
  await page.keyboard.press('e');
  assert.match(await text(page, '#announcer'), /Black has won by checkmate/);
  await setFen(page, '7k/5Q2/6K1/8/8/8/8/8 b - - 0 1');
  await page.click('#tab-analyse');
  assert.equal(await page.evaluate(() => document.getElementById('bar-white').style.height), '50%');
  assert.equal(await text(page, '#score'), '½-½');
  await page.keyboard.press('e');
  assert.match(await text(page, '#announcer'), /drawn by stalemate/);
}

async function deepest(page) {
  await page.keyboard.press('a');
  await loadPgn(page, '1. e4 { [%eval 7.77,90] } e5 { [%eval 0.10] } *');
  await page.click('#tab-analyse');
  await page.click('#moves .pair .move >> nth=0');
  await page.keyboard.press('a');
  await depth(page, 6);
  assert.match(await pgnOf(page), /\[%eval 7\.77,90\]/, 'a shallow score does not replace a deep one');
}

async function columns(page) {
  await page.keyboard.press('a');
  await loadPgn(page, '1. e4 { [%eval 0.31] [%clk 0:02:58] } e5 { [%eval 0.25] [%clk 0:02:55] } 2. Nf3 { [%clk 0:02:50] } *');
  const rows = await page.locator('#moves .pair').allTextContents();
  assert.equal(rows.length, 2);
  assert.match(rows[0], /^1\.\s*e4\s*2:58\s*\+0\.31\s*e5\s*2:55\s*\+0\.25/);
  const [white, black] = await Promise.all([0, 1].map(column => page.locator(`#moves .pair >> nth=0 >> .cell >> nth=${column}`).boundingBox()));
  assert.ok(white.x + white.width <= black.x && Math.abs(white.y - black.y) < 1, 'side by side');
}

async function editor(page) {
  await page.click('#editor-open');
  await page.click('#editor-clear');
  assert.match(await text(page, '#editor-status'), /empty|king/);
  assert.ok(await page.isDisabled('#editor-use'));
  const box = await page.locator('#editor-board cg-board').boundingBox();
  const at = (file, rank) => [box.x + (file + 0.5) * (box.width / 8), box.y + (7.5 - rank) * (box.width / 8)];
  for (const [piece, place] of [['white king', at(4, 0)], ['black king', at(4, 7)], ['white queen', at(3, 0)]]) {
    await page.click(`#editor-pieces [aria-label="${piece}"]`);
    await page.mouse.click(...place);
  }
  await page.waitForFunction(() => document.getElementById('editor-fen').value === '4k3/8/8/8/8/8/8/3QK3 w - - 0 1');
  await page.click('#editor-use');
  assert.match(await page.inputValue('#fen'), /^4k3\/8.*3QK3 w/);
  assert.match(await text(page, '#player-bottom .points'), /\+9/);
}

async function tables(page, { hasTables }) {
  if (!hasTables) return;
  assert.equal(await page.locator('#option-SyzygyProbeLimit').count(), 1);
  await setFen(page, '6k1/8/6K1/8/8/8/8/R7 w - - 0 1');
  await page.click('#tab-analyse');
  await page.waitForSelector('#tables li');
  assert.match(await text(page, '#tables-verdict'), /White wins with best play/);
  assert.match(await text(page, '#tables li >> nth=0'), /Ra8#\s*DTZ 1\s*wins/);
  await setFen(page, '8/8/8/8/8/1k6/8/R3K3 w - - 0 1');
  await page.click('#tab-analyse');
  await page.waitForSelector('#tables >> text=draws');
  await page.click('#tables .move >> text=Ra8');
  assert.deepEqual(await moves(page), ['Ra8']);
  await page.waitForSelector('#tables-verdict >> text=Black loses');
  await page.click('#tab-files');
  await page.click('#new-analysis');
  await page.click('#tab-analyse');
  await page.waitForSelector('#tables-box', { state: 'hidden' });
}

async function review(page) {
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '20000');
  await page.click('#report-start');
}

async function reportsOnAGame(page) {
  await loadPgn(page, OPERA.replace('9. Bg5 b5', '9. Bg5 { [%csl Gb5][%cal Gc3b5] } b5 $5 { mine }'));
  await review(page);
  await page.waitForSelector('.summary', SLOW);
  assert.match(await text(page, '.summary >> nth=0'), /Morphy.*Duke and Count.*Accuracy/s);
  assert.ok((await page.locator('.moment').count()) > 0, 'there are critical moments');
  assert.equal(await page.locator('.graph-line').count(), 1, 'the graph has no gaps');
  assert.doesNotMatch(await text(page, '#moves'), /100\.00/, 'a mate needs no score');
  await page.click('.moment >> nth=0');
  assert.equal(await page.locator('#moves [aria-current]').count(), 1);
  const picture = (await saved(page, '#report-svg')).toString();
  assert.match(picture, /<svg[\s\S]*Morphy[\s\S]*Accuracy/);
  assert.doesNotMatch(picture, /<!--/);
  assert.equal((await saved(page, '#report-png')).subarray(1, 4).toString(), 'PNG');
  const pgn = await pgnOf(page);
  assert.match(pgn, /b5 \$5\s\{ mine/, 'own comments and marks stay');
  assert.match(pgn, /\[%csl Gb5\]/, 'own squares and arrows stay');
  assert.match(pgn, /\{ too early/);
  await page.click('#tab-report');
  await page.keyboard.press('Control+z');
  assert.equal(await page.locator('.summary').count(), 0, 'a report can be undone');
}

async function reportBelongs(page) {
  await loadPgn(page, OPERA);
  await review(page);
  await page.waitForTimeout(400);
  await loadPgn(page, '[White "Other"]\n\n1. d4 d5 2. c4 *');
  await page.click('#tab-report');
  await page.waitForSelector('#toast >> text=/with its game/', SLOW);
  assert.equal(await page.locator('.summary').count(), 0, 'the other game got nothing of it');
  assert.doesNotMatch(await pgnOf(page), /ECO|%eval/);
  await page.click('#library .game-row >> text=Morphy');
  await page.click('#tab-report');
  await page.waitForSelector('.summary');
}

async function cancels(page) {
  await loadPgn(page, OPERA);
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '1000000');
  await page.click('#report-start');
  await page.waitForFunction(() => Number(document.querySelector('#report-body progress')?.value) > 0, undefined, SLOW);
  await page.click('#report-cancel');
  assert.ok(await page.isVisible('#report-start'));
  await page.selectOption('#report-nodes', '20000');
  await page.click('#report-start');
  await page.waitForSelector('.summary', SLOW);
}

/// White takes what he should not.
const TRAP = '1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1';

async function training(page) {
  await loadPgn(page, TRAP);
  await review(page);
  await page.waitForSelector('.summary', SLOW);
  await page.locator('.retry >> nth=0').scrollIntoViewIfNeeded();
  await page.setViewportSize({ width: 1024, height: 600 });
  await page.click('.retry >> nth=0');
  const [box, panel] = await Promise.all(['.training', '#panel-report'].map(place => page.locator(place).boundingBox()));
  assert.ok(box.y >= panel.y && box.y + 40 <= panel.y + panel.height, 'it is where one looks');
  assert.match(await text(page, '.training'), /was played\. Find a better move for White/);
  const [, played] = /1 of \d+\.\s*\d+\. (\S+) was/.exec(await text(page, '.training'));
  await type(page, played);
  assert.match(await text(page, '#training-note'), /was played in the game/);
  await type(page, 'a3');
  await page.waitForFunction(() => /costs|good as well|Found|Try/.test(document.getElementById('training-note').textContent), undefined, SLOW);
  if (await page.isVisible('text=Show the answer')) await page.click('text=Show the answer');
  assert.match(await text(page, '#training-note'), /engine|Found/i);
  await page.click('.training >> text=Stop');
  assert.equal(await page.locator('.training').count(), 0);
}

async function showsTextAsText(page) {
  const markup = '<img src=x onerror=document.title="bad"><b>x</b>';
  await loadPgn(page, `[White "${markup.replaceAll('"', '')}"]\n\n1. e4 {${markup}} e5 *`);
  assert.equal(await page.locator('#moves img, #moves b, .player img').count(), 0);
  assert.match(await text(page, '#moves .comment'), /<img/);
  assert.equal(await page.title(), 'Tabiya');
}

