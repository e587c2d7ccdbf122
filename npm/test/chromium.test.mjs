// The package as it is packed, in headless Chromium (CHROMIUM=path to choose one).

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { test } from 'node:test';
import { chromium } from '../../web/node_modules/playwright-core/index.mjs';

const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/// Serves the files of the package, and an empty page.
async function serve() {
  const server = createServer(async ({ url }, response) => {
    if (url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    try {
      const body = await readFile(new URL(`../dist${url}`, import.meta.url));
      response.writeHead(200, { 'content-type': TYPES[extname(url)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('works in a web page', { skip: !existsSync(BROWSER) && `no ${BROWSER}` }, async () => {
  const server = await serve();
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const seen = await page.evaluate(async () => {
      const { Engine } = await import('/index.js');
      const engine = new Engine();
      const { evaluation } = await engine.ready;
      const { lines } = await engine.analyse({ depth: 8, lines: 3 });
      const mate = await engine.bestMove({ fen: '6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1', depth: 5 });
      await engine.close();
      return { evaluation, lines: lines.length, mate };
    });
    assert.match(seen.evaluation, /^network/);
    assert.equal(seen.lines, 3);
    assert.equal(seen.mate, 'a1a8');
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
});
