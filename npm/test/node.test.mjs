// The package as it is packed, in Node.js.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Engine, UciEngine } from 'tabiya';
import { Module } from '../dist/module.js';

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

/// The number that `tabiya bench` prints with the default network; BENCH and NET choose others.
test('searches the same tree as the program', { skip: !process.env.BENCH && 'BENCH=nodes of `tabiya bench` to compare' }, async () => {
  const wasm = await WebAssembly.compile(await readFile(new URL('../dist/tabiya.wasm', import.meta.url)));
  const module = new Module(wasm, 'messages', () => undefined);
  module.start();
  const net = process.env.NET ?? new URL('../../nets/default.nnue', import.meta.url);
  assert.ok(module.loadNet(await readFile(net)));
  assert.equal(module.bench(), Number(process.env.BENCH));
});
