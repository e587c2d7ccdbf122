// The figures of docs/WEB.md about the package: nodes per second, time to the first move and download of this
// package, of the program, and of npm's `stockfish`, all in one run after `make npm`:
//
//   node npm/figures.mjs PROGRAM [FOLDER_OF_NPM_STOCKFISH]
//
// Every engine is a process that speaks UCI, has one thread, and is started anew for each round.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { UciEngine } from './dist/index.js';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const TIME_MS = Number(process.env.TIME_MS ?? 2000);
const POSITIONS = [
  'startpos',
  'fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9',
  'fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1',
  'fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1',
];

const [program, stockfish] = process.argv.slice(2);
if (program === '--uci') await speak(stockfish);
else await compare();

/// The package as a UCI engine on standard input and output.
async function speak(net) {
  const engine = new UciEngine(line => console.log(line), { net });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'quit') break;
    await engine.send(line);
  }
  await engine.close();
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

async function compare() {
  const own = net => ({ command: process.execPath, args: [file('figures.mjs'), '--uci', net], files: [file('dist/tabiya.wasm'), net] });
  const theirs = name => ({ command: process.execPath, args: [`${stockfish}/bin/${name}.js`], files: [`${stockfish}/bin/${name}.js`, `${stockfish}/bin/${name}.wasm`] });
  const engines = {
    program: { command: program, args: [], files: [] },
    'package, default network': own(file('../nets/default.nnue')),
    'package, small network': own(file('../nets/small.nnue')),
    ...(stockfish && { 'stockfish lite, one thread': theirs('stockfish-18-lite-single'), 'stockfish full, one thread': theirs('stockfish-18-single') }),
  };
  const seen = Object.fromEntries(Object.keys(engines).map(name => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, engine] of Object.entries(engines)) seen[name].push(await measure(engine));
  }
  const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  console.log(`median of ${ROUNDS} rounds, ${POSITIONS.length} positions of ${TIME_MS} ms each`);
  for (const [name, rounds] of Object.entries(seen)) {
    const speed = median(rounds.map(({ nps }) => nps));
    // Against the program in the same round.
    const ratio = median(rounds.map(({ nps }, round) => nps / seen.program[round].nps));
    const first = median(rounds.map(({ firstMove }) => firstMove));
    const bytes = engines[name].files.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
    console.log(`${name}: ${Math.round(speed / 1000)} thousand nodes/s (${ratio.toFixed(2)} of the program), first move after ${first.toFixed(2)} s, ${(bytes / 1e6).toFixed(2)} MB packed`);
  }
}

/// Starts an engine, takes its first move, then lets it think.
async function measure({ command, args }) {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const send = line => child.stdin.write(`${line}\n`);
  const until = (word, hear = () => undefined) => new Promise((resolve, reject) => {
    const listen = line => {
      hear(line);
      if (!line.startsWith(word)) return;
      lines.off('line', listen);
      resolve();
    };
    lines.on('line', listen);
    child.once('error', reject);
  });
  send('uci');
  await until('uciok');
  send('setoption name OwnBook value false');
  send('setoption name Hash value 32');
  send('position startpos');
  send('go depth 1');
  await until('bestmove');
  const firstMove = (performance.now() - started) / 1000;
  let nodes = 0;
  let milliseconds = 0;
  for (const position of POSITIONS) {
    let last = [0, 0];
    send(`position ${position}`);
    send(`go movetime ${TIME_MS}`);
    await until('bestmove', line => {
      const found = [/ nodes (\d+)/, / time (\d+)/].map(pattern => Number(pattern.exec(line)?.[1]));
      if (found.every(Number.isFinite)) last = found;
    });
    nodes += last[0];
    milliseconds += last[1];
  }
  send('quit');
  child.stdin.end();
  await new Promise(resolve => child.once('exit', resolve));
  return { nps: (1000 * nodes) / milliseconds, firstMove };
}
