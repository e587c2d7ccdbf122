// The figures of docs/WEB.md about the page alone, in headless Chromium: `SITE_DIR=../target/site npm run figures`.
// Files are packed on their way, as servers do it; nothing is in the browser at the start of a round.

import { chromium } from 'playwright-core';
import { startSite } from './e2e/server.mjs';
import { BROWSER, FLAGS } from './e2e/browser.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
/// The processor as it is, and slowed down as Lighthouse does it for phones.
const SLOWER = [1, 4];

const site = await startSite(process.env.SITE_DIR ?? '../target/site', { packed: true });
const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/// Notes from the page itself, before anything of it runs.
function watch() {
  window.blocks = [];
  new PerformanceObserver(list => window.blocks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
}

/// The first line of the engine that says who searches.
function firstLine() {
  return /depth \d/.test(document.getElementById('engine-status').textContent) && performance.now();
}

async function round(rate) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.addInitScript(watch);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  site.sent.length = 0;
  await page.goto(site.address);
  const line = await (await page.waitForFunction(firstLine, undefined, { polling: 20, timeout: 120_000 })).jsonValue();
  // The service worker fetches everything once more for the next visit; that is not counted.
  const first = new Map(site.sent.toReversed().map(({ path, bytes }) => [path, bytes]));
  const asked = await page.evaluate(() => [location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)].map(name => new URL(name).pathname));
  const shell = [...new Set(asked)].reduce((sum, path) => sum + (first.get(path) ?? 0), 0);
  const engine = [...first].filter(([path]) => /tabiya\.wasm|small-/.test(path)).reduce((sum, [, bytes]) => sum + bytes, 0);
  await page.waitForTimeout(2000);
  const { paint, blocks } = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    blocks: window.blocks,
  }));
  await context.close();
  const blocked = blocks.reduce((sum, duration) => sum + Math.max(0, duration - 50), 0);
  return { paint, blocked, longest: Math.max(0, ...blocks), line, shell, engine };
}

async function report(rate) {
  const rounds = [];
  for (let count = 0; count < ROUNDS; count++) rounds.push(await round(rate));
  const of = name => Math.round(median(rounds.map(figures => figures[name])));
  console.log(`processor 1/${rate}, median of ${ROUNDS}: first paint ${of('paint')} ms, main thread blocked ${of('blocked')} ms (longest task ${of('longest')} ms), first line of the engine ${of('line')} ms, page ${of('shell')} bytes, module and small network ${of('engine')} bytes`);
}

try {
  for (const rate of SLOWER) await report(rate);
} finally {
  await browser.close();
  site.stop();
}
