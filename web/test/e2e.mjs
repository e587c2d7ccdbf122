// The page in a real browser (headless Chromium) against the real program: `make web-test`.
// Pictures go to the folder in SCREENSHOTS, if set.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const PROGRAM = process.env.TABIYA ?? '../target/debug/tabiya';
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PICTURES = process.env.SCREENSHOTS;
const WIDE = { width: 1280, height: 800 };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/// Morphy's game at the opera, Paris 1858.
const OPERA = `[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 {too early} (3... exd4 4. Nxd4 Nf6) 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6
7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6
15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0`;

const server = spawn(PROGRAM, ['serve', '--port', '0', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [address] = await new Promise((resolve, reject) => {
  createInterface({ input: server.stdout }).once('line', line => resolve([line]));
  server.once('exit', code => reject(new Error(`the program ended with ${code}`)));
});
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });

let failures = 0;
try {
  for (const [name, options, check] of [
    ['analyses a game', { viewport: WIDE }, analysesAGame],
    ['reports on a game', { viewport: WIDE, colorScheme: 'dark' }, reportsOnAGame],
    ['plays a game', { viewport: WIDE }, playsAGame],
    ['plays Chess960', { viewport: WIDE }, playsChess960],
    ['is used by keyboard alone', { viewport: WIDE }, isUsedByKeyboard],
    ['shows text as text', { viewport: WIDE }, showsTextAsText],
    ['fits a phone', PHONE, fitsAPhone],
  ]) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => message.type() === 'error' && errors.push(message.text()));
    try {
      await page.goto(address);
      await page.waitForFunction(() => document.getElementById('version').textContent);
      await check(page);
      assert.deepEqual(errors, []);
      console.log(`ok    ${name}`);
    } catch (error) {
      failures++;
      console.log(`FAIL  ${name}: ${error.stack}`);
      await picture(page, 'failure');
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.kill();
}
process.exitCode = failures ? 1 : 0;

async function picture(page, name) {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

async function type(page, ...moves) {
  for (const move of moves) {
    await page.fill('#typed-move', move);
    await page.press('#typed-move', 'Enter');
  }
}

async function loadPgn(page, text) {
  await page.click('#tab-files');
  await page.fill('#pgn', text);
  await page.click('#load-pgn');
}

/// Waits for analysis of at least this depth.
async function depth(page, wanted) {
  await page.waitForFunction(
    least => Number(/depth (\d+)/.exec(document.getElementById('engine-status').textContent)?.[1]) >= least,
    wanted,
    { timeout: 60_000 },
  );
}

async function analysesAGame(page) {
  assert.equal(new URL(page.url()).hash, '', 'the token left the address');
  await loadPgn(page, OPERA);
  assert.equal(await page.locator('#moves > .ply > .move').count(), 33);
  assert.equal(await page.locator('.variation .move').count(), 3);
  assert.match(await page.textContent('#moves .comment'), /too early/);
  await page.click('#moves > .ply > .move >> nth=5');
  await page.waitForFunction(() => /C41 Philidor/.test(document.getElementById('opening-name').textContent));
  await page.click('#moves > .ply > .move >> nth=17');
  await depth(page, 8);
  assert.equal(await page.locator('#lines li').count(), 3);
  assert.ok((await page.locator('cg-container svg.cg-shapes g > *').count()) >= 3, 'arrows are drawn');
  assert.match(await page.textContent('#score'), /^[+−#]/);
  await page.click('#inspect-toggle');
  await page.waitForSelector('#terms li');
  await picture(page, 'pieces');
  await page.click('#inspect-toggle');
  await depth(page, 12);
  await picture(page, 'analysis');
  await page.click('#lines li >> nth=0 >> .move >> nth=1');
  assert.ok((await page.locator('.variation').count()) >= 1, 'a clicked line becomes part of the game');
  await page.click('#threat-toggle');
  await depth(page, 4);
  await page.click('#tab-files');
  const fen = await page.inputValue('#fen');
  assert.match(fen, / [wb] /);
  assert.match(await page.inputValue('#pgn'), /\[White "Morphy"\][\s\S]*too early/);
  await page.fill('#fen', '8/8/8/8/8/8/8/K7 w - - 0 1');
  await page.press('#fen', 'Enter');
  assert.match(await page.textContent('#files-status'), /no position/);
}

async function reportsOnAGame(page) {
  await loadPgn(page, OPERA);
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '20000');
  await page.click('#report-start');
  await page.waitForSelector('.summary', { timeout: 120_000 });
  assert.match(await page.textContent('.summary >> nth=0'), /Morphy.*Duke and Count.*Accuracy/s);
  assert.ok((await page.locator('.moment').count()) > 0, 'there are critical moments');
  assert.ok((await page.locator('.graph-line').count()) === 1, 'the graph has no gaps');
  await page.click('.moment >> nth=0');
  assert.equal(await page.locator('#moves [aria-current]').count(), 1);
  await page.evaluate(() => (document.getElementById('panel-report').scrollTop = 0));
  await page.waitForTimeout(300);
  await picture(page, 'report');
}

async function playsAGame(page) {
  await page.click('#tab-play');
  await page.fill('[name=minutes]', '0');
  await page.fill('[name=seconds]', '0.1');
  await page.fill('#level', '1500');
  assert.equal(await page.textContent('#level-text'), 'Elo 1500');
  await page.click('text=Start the game');
  assert.match(await page.textContent('#player-top'), /Tabiya \(1500\)/);
  await type(page, 'f3');
  await page.waitForFunction(() => document.querySelectorAll('#moves > .ply > .move').length === 2);
  await page.click('#takeback');
  assert.equal(await page.locator('#moves > .ply > .move').count(), 0);
  const square = async name => {
    const box = await page.locator('#board cg-board').boundingBox();
    const size = box.width / 8;
    return [box.x + (name.charCodeAt(0) - 96.5) * size, box.y + (8.5 - Number(name[1])) * size];
  };
  await page.mouse.click(...(await square('e2')));
  await page.mouse.click(...(await square('e4')));
  await page.waitForFunction(() => document.querySelectorAll('#moves > .ply > .move').length === 2);
  await page.click('#hint');
  await page.waitForFunction(() => /Hint: \w/.test(document.getElementById('result').textContent));
  await picture(page, 'play');
  await page.click('#resign');
  assert.match(await page.textContent('#result'), /Tabiya wins by resignation \(0-1\)/);
  await page.click('#leave');
  await depth(page, 3);
}

async function playsChess960(page) {
  await page.click('#tab-play');
  await page.fill('[name=minutes]', '1');
  await page.check('[name=chess960]');
  await page.check('[name=color][value=black]');
  await page.click('text=Start the game');
  await page.waitForFunction(() => document.querySelectorAll('#moves > .ply > .move').length === 1, undefined, { timeout: 60_000 });
  assert.equal(await page.locator('.clock').count(), 2);
  await page.click('#tab-files');
  assert.match(await page.inputValue('#pgn'), /\[Variant "Chess960"\]/);
}

async function isUsedByKeyboard(page) {
  await page.keyboard.press('m');
  await page.keyboard.type('e4\n');
  await page.keyboard.type('e7e5\n');
  await page.keyboard.type('nf3\n');
  await page.keyboard.type('Qxf7\n');
  assert.match(await page.textContent('#typed-status'), /not a legal move/);
  assert.equal(await page.locator('#moves > .ply > .move').count(), 3);
  await page.keyboard.type('board\n');
  assert.match(await page.textContent('#announcer'), /knight b1 f3.*Black to move/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.textContent('#announcer'), /e5/);
  await page.keyboard.press('5');
  await depth(page, 6);
  assert.equal(await page.locator('#lines li').count(), 5);
  await page.keyboard.press('e');
  assert.match(await page.textContent('#announcer'), /better|even|mates/);
  await page.keyboard.press('a');
  assert.equal(await page.getAttribute('#engine-toggle', 'aria-pressed'), 'false');
  await page.keyboard.press('f');
  assert.equal(await page.locator('.orientation-black').count(), 1);
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('#help'));
  await page.keyboard.press('Escape');
  await page.focus('#tab-analyse');
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.isVisible('#panel-play'));
}

async function showsTextAsText(page) {
  const markup = '<img src=x onerror=document.title="bad"><b>x</b>';
  await loadPgn(page, `[White "${markup.replaceAll('"', '')}"]\n\n1. e4 {${markup}} e5 *`);
  assert.equal(await page.locator('#moves img, #moves b, .player img').count(), 0);
  assert.match(await page.textContent('#moves .comment'), /<img/);
  assert.equal(await page.title(), 'Tabiya');
}

async function fitsAPhone(page) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.viewport.width, `nothing sticks out: ${width}`);
  const box = await page.locator('#board cg-board').boundingBox();
  assert.ok(box.width > 330, `the board fills the screen: ${box.width}`);
  for (const tall of await page.locator('.steps > button, [role=tab]').all()) {
    assert.ok((await tall.boundingBox()).height >= 44, 'fingers are wide');
  }
  const size = box.width / 8;
  await page.touchscreen.tap(box.x + 4.5 * size, box.y + 6.5 * size);
  await page.touchscreen.tap(box.x + 4.5 * size, box.y + 4.5 * size);
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 1);
  await depth(page, 8);
  await page.evaluate(() => scrollTo(0, 0));
  await picture(page, 'phone');
}
