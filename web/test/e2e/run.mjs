// The page in a real browser (headless Chromium) against the real program: `make web-test`.
// SITE_DIR names the folder of `make site`, which is then tested as well; SITE_ONLY=1 leaves the program out.
// ONLY=pattern runs the tests whose name fits; PREVIEW=1 takes the page from `dist`.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { BROWSER, FLAGS } from './browser.mjs';
import { hasTables, startPreview, startProgram, startSite } from './server.mjs';
import { WIDE, ready } from './tools.mjs';
import * as analysis from './analysis.mjs';
import * as files from './files.mjs';
import * as keep from './keep.mjs';
import * as layout from './layout.mjs';
import * as play from './play.mjs';
import * as alone from './site.mjs';

const program = process.env.SITE_ONLY ? undefined : await startProgram();
const preview = program && process.env.PREVIEW ? await startPreview(program.address) : undefined;
const site = process.env.SITE_DIR ? await startSite(process.env.SITE_DIR) : undefined;
const withProgram = program ? [analysis, play, keep, files, layout].flatMap(part => part.tests) : [];
const withoutProgram = site ? alone.tests : [];
if (!site) console.log('the page alone is not tested: make site');
const folder = mkdtempSync(join(tmpdir(), 'tabiya-web-'));
const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });

/// Errors of the network are what a lost connection looks like.
const EXPECTED = /WebSocket connection|ERR_CONNECTION|ERR_INTERNET|Failed to fetch|Failed to load resource/;

let failures = 0;
let passed = 0;
try {
  for (const { name, options = {}, check } of [...withProgram, ...withoutProgram]) {
    const { address } = withoutProgram.some(test => test.name === name) ? site : (preview ?? program);
    if (!new RegExp(process.env.ONLY ?? '').test(name)) continue;
    const context = await browser.newContext({ ...WIDE, ...options, acceptDownloads: true });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => message.type() === 'error' && !EXPECTED.test(message.text()) && errors.push(message.text()));
    const started = Date.now();
    try {
      await page.goto(address);
      await ready(page);
      await check(page, { address, context, folder, hasTables, site, requests: site?.requests });
      assert.deepEqual(errors, []);
      passed++;
      console.log(`ok    ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failures++;
      console.log(`FAIL  ${name}: ${error.stack}\n${errors.join('\n')}`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/failure-${failures}.png` }).catch(() => undefined);
    }
    await context.close();
  }
} finally {
  await browser.close();
  preview?.stop();
  program?.stop();
  site?.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failures} failed`);
process.exit(failures ? 1 : 0);
