// The page alone: a folder of files, no program behind it, the engine inside.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { BROWSER, FLAGS } from './browser.mjs';
import { OPERA, SLOW, depth, kept, loadPgn, moveCount, ready, startGame, text, type } from './tools.mjs';

export const tests = [
  { name: 'the page alone analyses with three lines and says who searches', check: analyses },
  { name: 'the page alone plays a game', check: plays },
  { name: 'the page alone stops thinking when it is told', check: stops },
  { name: 'the page alone reviews a game, and cancels a review', check: reviews },
  { name: 'the page alone gets its network once', check: network },
  { name: 'the page alone plays as people do', check: playsAsPeople },
  { name: 'the page alone is small', check: small },
  { name: 'the page alone says if its engine cannot be loaded', options: { serviceWorkers: 'block' }, check: withoutModule },
  { name: 'the page alone works offline after the first visit', check: offline },
  { name: 'the page alone can be installed', check: installable },
];

async function analyses(page) {
  await page.selectOption('#line-count', '3');
  await type(page, 'e4', 'e5');
  await depth(page, 8);
  assert.equal(await page.locator('#lines > li').count(), 3);
  assert.match(await text(page, '#engine-status'), /nodes · .*\/s · engine in this page/);
  assert.ok(await page.isHidden('#connection'));
  await page.click('#threat-toggle');
  await depth(page, 6);
  await page.click('#inspect-toggle');
  await page.waitForSelector('#terms li', SLOW);
}

async function plays(page) {
  await page.click('#tab-settings');
  assert.equal(await page.locator('#option-Threads, [id^=option-Syzygy]').count(), 0, 'nothing to set that changes nothing');
  assert.equal(await page.locator('#option-Hash').count(), 1);
  await page.click('#tab-play');
  await page.fill('#level', '1500');
  await startGame(page);
  await type(page, 'e4');
  await moveCount(page, 2);
  assert.match(await text(page, '#engine-status'), /\/s · engine in this page/);
  await type(page, 'a3');
  await moveCount(page, 4);
  await page.click('#resign');
  await startGame(page, '3+2', 'black');
  await moveCount(page, 1);
}

async function stops(page) {
  await depth(page, 5);
  await page.click('#engine-toggle');
  await page.waitForTimeout(1500);
  const before = await text(page, '#engine-status');
  await page.waitForTimeout(1000);
  assert.equal(await text(page, '#engine-status'), before);
  await page.click('#engine-toggle');
  await depth(page, 5);
}

async function reviews(page) {
  await loadPgn(page, OPERA);
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '1000000');
  await page.click('#report-start');
  await page.waitForSelector('#report-progress', SLOW);
  await page.click('#report-cancel');
  await page.selectOption('#report-nodes', '20000');
  await page.click('#report-start');
  await page.waitForSelector('.summary', { timeout: 180_000 });
  assert.match(await text(page, '#report-body'), /Morphy/);
}

async function withNetwork(page) {
  await page.waitForFunction(() => /^network/.test(document.getElementById('evaluation-name').textContent), undefined, { timeout: 120_000 });
}

/// How many networks this browser keeps.
async function netsKept() {
  // Who opens what is not there would make it.
  if (!(await indexedDB.databases()).some(({ name }) => name === 'tabiya-nets')) return 0;
  return new Promise(resolve => {
    const opening = indexedDB.open('tabiya-nets');
    opening.onsuccess = () => {
      const counting = opening.result.transaction('nets').objectStore('nets').count();
      counting.onsuccess = () => opening.result.close() || resolve(counting.result);
    };
  });
}

async function network(page, { requests }) {
  for (let tries = 0; tries < 1200 && (await page.evaluate(netsKept)) === 0; tries++) await page.waitForTimeout(100);
  await withNetwork(page);
  assert.match(await text(page, '#evaluation-name'), /with wasm kernels/);
  const asked = () => requests.filter(path => /default-.*\.nnue/.test(path)).length;
  const before = asked();
  await page.reload();
  await withNetwork(page);
  await depth(page, 6);
  assert.equal(asked(), before, 'the second visit finds it in the browser');
}

async function playsAsPeople(page, { requests }) {
  const asked = () => requests.filter(path => /policy-.*\.gguf/.test(path)).length;
  const before = asked();
  await page.click('#tab-play');
  await page.fill('#level', '1200');
  await page.check('#human');
  assert.equal(asked(), before, 'the network for it comes when it is needed');
  await startGame(page);
  await type(page, 'e4');
  await moveCount(page, 2);
  assert.equal(asked(), before + 1);
  await kept(page);
  await page.reload();
  await ready(page);
  await type(page, 'd4');
  await moveCount(page, 4);
  assert.equal(asked(), before + 1, 'the second visit finds it in the browser');
}

/// What must come before the page can be used, packed as servers pack it.
async function small(page, { site }) {
  const parts = await page.evaluate(() => ['./', ...performance.getEntriesByType('resource').map(({ name }) => name)].filter(name => !/\/engine\/|\/sw\.js$/.test(name)));
  let total = 0;
  for (const part of parts) total += gzipSync(Buffer.from(await (await fetch(new URL(part, site.address))).arrayBuffer())).length;
  console.log(`      ${parts.length} files, ${total} bytes packed`);
  assert.ok(total < 200_000, String(total));
}

async function withoutModule(page) {
  await page.route('**/tabiya.wasm', route => route.abort());
  await page.reload();
  await page.waitForSelector('#connection >> text=engine of this page', SLOW);
  await type(page, 'e4', 'e5');
  await moveCount(page, 2);
}

async function offline(page, { context, site }) {
  await withNetwork(page);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while ((await caches.keys()).length === 0) await new Promise(resolve => setTimeout(resolve, 100));
  });
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller, undefined, SLOW);
  site.pause();
  await context.setOffline(true);
  try {
    await page.reload();
    await withNetwork(page);
    await depth(page, 6);
    await startGame(page);
    await type(page, 'd4');
    await moveCount(page, 2);
  } finally {
    site.go();
  }
}

/// What Chromium itself says; it asks for a browser that keeps things, which the other tests have not.
async function installable(_, { address, folder }) {
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), { executablePath: BROWSER, args: FLAGS });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const errors = async () => (await session.send('Page.getInstallabilityErrors')).installabilityErrors.map(({ errorId }) => errorId);
    await page.goto(new URL('icon.svg', address).href);
    assert.deepEqual(await errors(), ['no-manifest'], 'it says what is missing');
    await page.goto(address);
    await ready(page);
    assert.deepEqual(await errors(), []);
  } finally {
    await context.close();
  }
}
