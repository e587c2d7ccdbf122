// The page under test: from the program itself, or from `dist` with the program behind it (PREVIEW=1),
// which saves building the program after each change of the page.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.TABIYA ?? '../target/debug/tabiya';
/// Endgame tables of the test data, where that is.
const TABLES = fileURLToPath(new URL('../../../../shared/data/syzygy', import.meta.url));
export const hasTables = existsSync(TABLES);
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.wasm': 'application/wasm', '.json': 'application/json', '.webmanifest': 'application/manifest+json' };

const pack = promisify(gzip);

/// Serves a folder as any web server would, below a path, without a program behind it; packed, if that is asked for.
export async function startSite(folder, { packed = false } = {}) {
  const requests = [];
  const sent = [];
  const kept = new Map();
  let paused = false;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://site');
    requests.push(pathname);
    if (paused) return request.socket.destroy();
    try {
      const path = pathname.replace(/^\/board\//, '').replace(/^$/, 'index.html');
      const file = await readFile(join(folder, path));
      const packs = packed && extname(path) !== '.gz';
      if (packs && !kept.has(path)) kept.set(path, await pack(file));
      const body = packs ? kept.get(path) : file;
      sent.push({ path: pathname, bytes: body.length });
      response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream', 'cache-control': 'no-cache', ...(packs && { 'content-encoding': 'gzip' }) });
      response.end(body);
    } catch {
      response.writeHead(404).end('not found\n');
    }
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/board/`,
    requests,
    sent,
    pause: () => (paused = true),
    go: () => (paused = false),
    stop: () => server.closeAllConnections() || server.close(),
  };
}

/// Starts the program; `address` is what it prints.
export async function startProgram(port = 0) {
  const child = spawn(PROGRAM, ['serve', '--port', String(port), '--no-open', '--no-page', ...(hasTables ? ['--syzygy', TABLES] : [])], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', code => reject(new Error(`the program ended with ${code}`)));
  });
  return { address, stop: () => child.kill('SIGKILL') };
}

/// Serves `dist` with the headers of the program, and passes sockets on to it.
export async function startPreview(program) {
  const { host, hash } = new URL(program);
  const { headers } = await fetch(program);
  const guarded = ['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-embedder-policy', 'cross-origin-resource-policy', 'x-content-type-options'];
  const shared = Object.fromEntries(guarded.map(name => [name, headers.get(name)]));
  const server = createServer(async (request, response) => {
    const path = request.url === '/' ? '/index.html' : request.url;
    try {
      const body = await readFile(join('dist', path));
      response.writeHead(200, { ...shared, 'content-type': TYPES[extname(path)] ?? 'application/octet-stream', 'cache-control': 'no-store' });
      response.end(body);
    } catch {
      response.writeHead(404, shared).end('not found\n');
    }
  });
  server.on('upgrade', (request, socket) => {
    const [name, port] = host.split(':');
    const behind = connect(Number(port), name, () => {
      const lines = Object.entries({ ...request.headers, host, origin: `http://${host}` }).map(([key, value]) => `${key}: ${value}`);
      behind.write(`GET /socket HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      behind.pipe(socket).pipe(behind);
    });
    behind.on('error', () => socket.destroy());
    socket.on('error', () => behind.destroy());
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}/${hash}`, stop: () => server.closeAllConnections() || server.close() };
}
