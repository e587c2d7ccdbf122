// What the tests of the page do again and again.

import { readFileSync } from 'node:fs';

export const WIDE = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/// Morphy's game at the opera, Paris 1858.
export const OPERA = `[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 {too early} (3... exd4 4. Nxd4 Nf6) 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6
7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6
15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0`;

export const SLOW = { timeout: 60_000 };

/// Waits until the engine has introduced itself.
export async function ready(page) {
  await page.waitForFunction(() => document.getElementById('version').textContent, undefined, SLOW);
}

export async function type(page, ...moves) {
  for (const move of moves) {
    await page.fill('#typed-move', move);
    await page.press('#typed-move', 'Enter');
  }
  await page.evaluate(() => document.activeElement.blur());
}

export async function loadPgn(page, text) {
  await page.click('#tab-files');
  await page.fill('#pgn', text);
  await page.click('#load-pgn');
  await page.waitForFunction(() => !document.getElementById('files-status').textContent.startsWith('Reading'), undefined, SLOW);
}

export function moves(page) {
  return page.locator('#moves .pair .move').allTextContents();
}

export async function moveCount(page, count) {
  await page.waitForFunction(wanted => document.querySelectorAll('#moves .pair .move').length === wanted, count, SLOW);
}

/// Waits for analysis of at least this depth.
export async function depth(page, wanted) {
  await page.waitForFunction(least => Number(/depth (\d+)/.exec(document.getElementById('engine-status').textContent)?.[1]) >= least, wanted, SLOW);
}

export async function square(page, name) {
  const box = await page.locator('#board cg-board').boundingBox();
  const size = box.width / 8;
  return [box.x + (name.charCodeAt(0) - 96.5) * size, box.y + (8.5 - Number(name[1])) * size];
}

export async function clickMove(page, from, to) {
  await page.mouse.click(...(await square(page, from)));
  await page.mouse.click(...(await square(page, to)));
}

/// Starts a game without a clock, the engine taking a tenth of a second.
export async function startGame(page, preset = 'none', color = 'white') {
  await page.click('#tab-play');
  await page.check(`[name=preset][value="${preset}"]`);
  if (preset === 'none') await page.fill('[name=seconds]', '0.1');
  await page.check(`[name=color][value=${color}]`);
  await page.click('text=Start the game');
}

export function text(page, selector) {
  return page.locator(selector).textContent();
}

/// The game is written down in the browser.
export async function kept(page) {
  await page.waitForTimeout(700);
}

/// The file that a button saves.
export async function saved(page, button) {
  const download = page.waitForEvent('download');
  await page.click(button);
  return readFileSync(await (await download).path());
}

export async function setFen(page, fen) {
  await page.click('#tab-files');
  await page.fill('#fen', fen);
  await page.press('#fen', 'Enter');
}

export async function pgnOf(page) {
  await page.click('#tab-files');
  return page.inputValue('#pgn');
}
