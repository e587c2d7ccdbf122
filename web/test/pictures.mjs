// The pictures of docs/WEB.md, and one of each view at five sizes to look at: `npm run pictures FOLDER`, with the page
// from `dist` and the program behind it (TABIYA=path).

import { chromium } from 'playwright-core';
import { BROWSER, FLAGS } from './e2e/browser.mjs';
import { SIZES, VIEWS } from './e2e/layout.mjs';
import { startPreview, startProgram } from './e2e/server.mjs';
import { OPERA, PHONE, WIDE, depth, loadPgn, ready } from './e2e/tools.mjs';

const folder = process.argv[2] ?? '.';
const UPRIGHT = { ...PHONE, deviceScaleFactor: 1 };
const SIDEWAYS = { ...UPRIGHT, viewport: { width: 844, height: 390 } };
const program = await startProgram();
const preview = await startPreview(program.address);
const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });

async function open(options) {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(preview.address);
  await ready(page);
  await loadPgn(page, OPERA);
  return page;
}

async function analyse(page) {
  await page.click('#tab-analyse');
  await page.click('#moves .pair .move >> nth=17');
  await depth(page, 14);
}

async function review(page) {
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '20000');
  await page.click('#report-start');
  await page.waitForSelector('.summary', { timeout: 180_000 });
  await page.click('.moment >> nth=0');
}

async function take(page, name) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${folder}/web-${name}.png` });
  await page.context().close();
}

/// The pictures of the documentation: what is shown, and how it comes about.
const DOCUMENTED = {
  analysis: [WIDE, analyse],
  pieces: [WIDE, async page => {
    await analyse(page);
    await page.click('#inspect-toggle');
    await page.waitForSelector('#terms li');
    await depth(page, 14);
  }],
  report: [{ ...WIDE, colorScheme: 'dark' }, review],
  games: [WIDE, page => page.click('#tab-files')],
  phone: [UPRIGHT, analyse],
  'phone-landscape': [SIDEWAYS, analyse],
};

try {
  for (const [name, [options, prepare]] of Object.entries(DOCUMENTED)) {
    const page = await open(options);
    await prepare(page);
    await take(page, name);
  }
  for (const [width, height] of SIZES) {
    for (const view of VIEWS) {
      const page = await open({ viewport: { width, height }, colorScheme: view === 'play' ? 'dark' : 'light' });
      if (view === 'analyse') await analyse(page);
      else await page.click(`#tab-${view}`);
      await take(page, `${width}x${height}-${view}`);
    }
  }
} finally {
  await browser.close();
  preview.stop();
  program.stop();
}
