// The package as it is packed, in Node.js.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Engine, UciEngine } from 'tabiya';
import { Module } from '../dist/module.js';

const PROGRAM = process.env.TABIYA;
const NETS = new URL('../../nets/', import.meta.url);
const POLICY = new URL('policy.gguf', NETS);
const MATE = '6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1';

test('analyses with several lines', async () => {
  const engine = new Engine({ options: { Hash: 8 } });
  const hello = await engine.ready;
  assert.match(hello.evaluation, /^network/);
  const depths = [];
  const analysis = await engine.analyse({ moves: ['e2e4'], depth: 8, lines: 3, onLines: ({ depth }) => depths.push(depth) });
  assert.equal(analysis.lines.length, 3);
  assert.equal(analysis.depth, 8);
  assert.equal(analysis.best, analysis.lines[0].moves[0]);
  assert.ok(depths.length > 0);
  await engine.close();
});

test('chooses moves, one after the other', async () => {
  const engine = new Engine();
  const [mate, other] = await Promise.all([engine.bestMove({ fen: MATE, depth: 5 }), engine.bestMove({ elo: 1200, time: 5000 })]);
  assert.equal(mate, 'a1a8');
  assert.match(other, /^[a-h][12][a-h][34]$/);
  const { lines } = await engine.analyse({ fen: MATE, depth: 5 });
  assert.deepEqual(lines[0].score, { mate: 1 });
  assert.equal(await engine.bestMove({ fen: 'R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1' }), null);
  await engine.close();
});

test('an analysis can be ended', async () => {
  const engine = new Engine();
  const controller = new AbortController();
  const running = engine.analyse({ time: 600_000, signal: controller.signal, onLines: () => controller.abort() });
  assert.ok((await running).best);
  await engine.close();
});

test('mistakes are told', async () => {
  const engine = new Engine({ net: null });
  assert.equal((await engine.ready).evaluation, 'classical evaluation');
  await assert.rejects(engine.bestMove({ fen: 'nonsense' }), /./);
  assert.ok(await engine.bestMove({ nodes: 2000 }), 'and the engine goes on');
  await engine.close();
  await assert.rejects(engine.bestMove(), /closed/);
  await assert.rejects(new Engine({ net: new Uint8Array(9) }).ready, /network/);
});

test('speaks UCI', async () => {
  const lines = [];
  let hear = () => undefined;
  const engine = new UciEngine(line => {
    lines.push(line);
    hear(line);
  });
  const until = word => new Promise(resolve => (hear = line => line.startsWith(word) && resolve(line)));
  await engine.send('uci');
  await until('uciok');
  await engine.send(`position fen ${MATE}`);
  await engine.send('go infinite');
  await until('info depth 3');
  await engine.send('stop');
  assert.match(await until('bestmove'), /^bestmove a1a8/);
  await engine.close();
});

test('the package has what it needs and nothing else', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel', 'error'], { cwd: new URL('..', import.meta.url), encoding: 'utf8' });
  const names = JSON.parse(packed)[0].files.map(({ path }) => path).sort();
  const parts = ['index', 'messages', 'module', 'worker'].flatMap(name => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  assert.deepEqual(names, ['LICENSE', 'README.md', 'package.json', 'dist/tabiya.nnue', 'dist/tabiya.wasm', ...parts].sort());
});

test('plays like people', async () => {
  const engine = new Engine({ policy: POLICY });
  assert.match((await engine.ready).evaluation, /^network/);
  const moves = new Set();
  for (let count = 0; count < 12; count++) moves.add(await engine.bestMove({ moves: ['e2e4'], nodes: 500, elo: 1100, human: true }));
  assert.ok(moves.size > 1, [...moves].join(' '));
  await engine.close();
  const without = new Engine();
  await assert.rejects(without.bestMove({ elo: 1100, human: true }), /plays like people/);
  await without.close();
});

/// The nodes that the program counts with a network. It ends a bench when it is told to quit.
async function programBench(net) {
  const program = spawn(PROGRAM, { stdio: ['pipe', 'pipe', 'inherit'] });
  program.stdin.write(`setoption name EvalFile value ${net}\nbench\n`);
  let nodes;
  for await (const line of createInterface({ input: program.stdout })) {
    const found = /^(\d+) nodes \d+ nps$/.exec(line);
    if (!found) continue;
    nodes = found[1];
    program.stdin.end('quit\n');
  }
  return Number(nodes);
}

/// The bench of every network, as the program counts it.
test('searches the same tree as the program', { skip: !PROGRAM && 'TABIYA=path of the program to compare with' }, async () => {
  const wasm = await WebAssembly.compile(await readFile(new URL('../dist/tabiya.wasm', import.meta.url)));
  const nets = (await readdir(NETS)).filter(name => name.endsWith('.nnue'));
  assert.ok(nets.includes('default.nnue'));
  for (const name of nets) {
    const net = new URL(name, NETS);
    const module = new Module(wasm, 'messages', () => undefined);
    module.start();
    assert.ok(module.loadNet(await readFile(net)));
    const expected = await programBench(fileURLToPath(net));
    console.log(`${name}: ${expected} nodes`);
    assert.equal(module.bench(), expected, name);
  }
});
