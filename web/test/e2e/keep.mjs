// Nothing is lost: reloads, closed tabs, a killed program, the list of games, no network.

import assert from 'node:assert/strict';
import { startPreview, startProgram } from './server.mjs';
import { OPERA, SLOW, kept, loadPgn, moveCount, moves, ready, startGame, text, type } from './tools.mjs';

export const tests = [
  { name: 'brings back an analysis', check: bringsBack },
  { name: 'brings back a game after a crash', check: crash },
  { name: 'brings back a running game with its clocks', check: bringsBackAGame },
  { name: 'lists games: search, rename, delete, undo', check: lists },
  { name: 'keeps what was done a moment before another game comes', check: momentBefore },
  { name: 'two tabs keep two games', check: twoTabs },
  { name: 'a killed program costs nothing', check: killed },
  { name: 'a review ends when its program is killed', check: reviewWithoutProgram },
  { name: 'clocks stand while there is no engine at all', options: { serviceWorkers: 'block' }, check: noEngine },
  { name: 'works offline', check: offline },
];

async function bringsBack(page, { address, context }) {
  await loadPgn(page, OPERA);
  await page.click('#tab-analyse');
  await page.click('#moves .pair .move >> nth=4');
  await type(page, 'a6');
  await page.selectOption('#line-count', '2');
  await kept(page);
  await page.reload();
  await moveCount(page, 33);
  assert.equal(await text(page, '#moves [aria-current]'), 'a6', 'the place in the game comes back');
  assert.equal(await page.inputValue('#line-count'), '2', 'settings come back');
  await page.close();
  const again = await context.newPage();
  await again.goto(address);
  await moveCount(again, 33);
}

async function crash(page, { address, context }) {
  await type(page, 'e4', 'e5', 'Nf3');
  await kept(page);
  const crashed = page.waitForEvent('crash');
  await page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  const again = await context.newPage();
  await again.goto(address);
  await moveCount(again, 3);
}

async function bringsBackAGame(page) {
  await startGame(page, '3+2');
  await type(page, 'e4');
  await moveCount(page, 2);
  await page.waitForTimeout(2500);
  await page.reload();
  await moveCount(page, 2);
  await ready(page);
  const clock = await text(page, '#player-bottom .clock');
  assert.match(clock, /^(2:5\d|3:0\d)/, `the clock comes back: ${clock}`);
  assert.ok(await page.isVisible('#takeback'));
  await type(page, 'd4');
  await moveCount(page, 4);
  await page.click('#leave');
  await page.click('#toast >> text=Play on');
  assert.ok(await page.isVisible('#resign'), 'a game that was left goes on');
}

async function lists(page) {
  await loadPgn(page, OPERA);
  await kept(page);
  await loadPgn(page, '[White "Anderssen"]\n[Black "Kieseritzky"]\n\n1. e4 e5 2. f4 *');
  await kept(page);
  await page.click('#tab-files');
  await page.waitForFunction(() => document.querySelectorAll('#library li').length === 2);
  await page.fill('#library-search', 'morphy');
  assert.equal(await page.locator('#library li').count(), 1);
  await page.click('#library [aria-label^=Rename]');
  await page.fill('.rename', 'At the opera');
  await page.press('.rename', 'Enter');
  await page.fill('#library-search', 'opera');
  await page.waitForSelector('#library >> text=At the opera');
  await page.click('#library [aria-label^=Delete]');
  await page.waitForFunction(() => document.querySelectorAll('#library li').length === 0);
  await page.click('#toast >> text=Undo');
  await page.waitForSelector('#library >> text=At the opera');
  await page.click('#library .game-row');
  await moveCount(page, 33);
}

async function momentBefore(page) {
  await type(page, 'e4');
  await kept(page);
  await page.evaluate(() => {
    document.getElementById('typed-move').value = 'e5';
    document.getElementById('typed').requestSubmit();
    document.getElementById('new-analysis').click();
  });
  await kept(page);
  assert.deepEqual(await moves(page), []);
  await page.click('#tab-files');
  await page.click('#library .game-row');
  await moveCount(page, 2);
}

async function twoTabs(page, { address, context }) {
  await type(page, 'e4');
  await kept(page);
  const second = await context.newPage();
  await second.goto(address);
  await ready(second);
  assert.deepEqual(await moves(second), [], 'the game of the first tab is not taken from it');
  await type(second, 'd4');
  await kept(second);
  await second.reload();
  await moveCount(second, 1);
  assert.deepEqual(await moves(second), ['d4']);
  assert.deepEqual(await moves(page), ['e4']);
}

/// Opens the page of a program that a test may kill.
async function ownProgram(page) {
  const program = await startProgram();
  const preview = process.env.PREVIEW ? await startPreview(program.address) : undefined;
  await page.goto(preview?.address ?? program.address);
  await ready(page);
  const hasEngine = await page.evaluate(() => fetch('/engine/nets.json').then(answer => answer.ok, () => false));
  return { program, hasEngine, close: () => preview?.stop() };
}

async function killed(page) {
  const { program: first, hasEngine, close } = await ownProgram(page);
  const port = new URL(first.address).port;
  await startGame(page, '1+0');
  await type(page, 'e4');
  await moveCount(page, 2);
  await page.evaluate(() => navigator.serviceWorker.ready);
  first.stop();
  await type(page, 'd4');
  if (hasEngine) await moveCount(page, 4);
  assert.ok(await page.isVisible('#resign'), 'nobody won on time');
  const second = await startProgram(port);
  try {
    // The new program has a new token; the page is where it was.
    const address = new URL(page.url());
    address.hash = new URL(second.address).hash;
    await page.goto(address.href);
    await ready(page);
    await page.waitForFunction(() => document.querySelectorAll('#moves .pair .move').length >= 4, undefined, { timeout: 60_000 });
  } finally {
    close();
    second.stop();
  }
}

async function reviewWithoutProgram(page) {
  const { program, hasEngine, close } = await ownProgram(page);
  await loadPgn(page, OPERA);
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '1000000');
  await page.click('#report-start');
  await page.waitForSelector('#report-progress');
  await page.evaluate(() => navigator.serviceWorker.ready);
  program.stop();
  let second;
  try {
    await page.waitForSelector('#report-body >> text=connection was lost during the review', SLOW);
    assert.ok(await page.isVisible('#report-start'));
    if (!hasEngine) return;
    // The engine inside takes over, and reviews what the program left.
    await page.waitForSelector('#connection', { state: 'hidden', ...SLOW });
    await page.selectOption('#report-nodes', '20000');
    await page.click('#report-start');
    await page.waitForSelector('.summary', { timeout: 180_000 });
    // So does a program that comes back: what the page was doing is said to be lost.
    await page.selectOption('#report-nodes', '1000000');
    await page.click('#report-start');
    await page.waitForSelector('#report-progress');
    second = await startProgram(new URL(program.address).port);
    await page.evaluate(hash => (location.hash = hash), new URL(second.address).hash);
    await page.waitForSelector('#report-body >> text=connection was lost during the review', SLOW);
    assert.ok(await page.isHidden('#connection'));
    await page.click('#tab-analyse');
    await page.click('#engine-toggle');
    await page.waitForSelector('#engine-status >> text=/thread/', SLOW);
  } finally {
    second?.stop();
    close();
  }
}

async function noEngine(page) {
  await page.route('**/engine/*', route => route.abort());
  const { program, close } = await ownProgram(page);
  await startGame(page, '1+0');
  await type(page, 'e4');
  await moveCount(page, 2);
  program.stop();
  try {
    await page.waitForSelector('#connection:not([hidden])', SLOW);
    const before = await text(page, '#player-bottom .clock');
    await page.waitForTimeout(1500);
    assert.equal(await text(page, '#player-bottom .clock'), before);
    assert.ok(await page.isVisible('#resign'), 'nobody won on time');
  } finally {
    close();
  }
}

async function offline(page, { context }) {
  await type(page, 'e4', 'c5');
  await kept(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.reload();
  await moveCount(page, 2);
  await type(page, 'Nf3');
  await moveCount(page, 3);
  const manifest = await page.evaluate(() => fetch('/manifest.webmanifest').then(answer => answer.json()));
  assert.equal(manifest.display, 'standalone');
  assert.ok(manifest.icons.some(icon => icon.sizes === '512x512'));
  await context.setOffline(false);
}
