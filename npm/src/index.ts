// Tabiya for JavaScript: a chess engine in a worker, in browsers and in Node.js.

import type { Language } from './module.js';
import type { Limit, Line, Lines, OptionRow, Reply, Request } from './messages.js';
import type { Setup } from './worker.js';

export type { GameAnalysis, Limit, Line, Lines, MoveAnalysis, OptionRow, Position, PublicScore, Reply, Request } from './messages.js';

/// What a worker is to the engine, whoever made it.
interface Thread {
  post(message: Setup | string): void;
  end(): void;
}

export interface EngineOptions {
  /// Where to get the module and the network, if not from beside this file.
  wasm?: string | URL | Uint8Array;
  /// `null` for the classical evaluation without a network.
  net?: string | URL | Uint8Array | null;
  /// A policy network, for moves as people play them; none comes with the package.
  policy?: string | URL | Uint8Array;
  /// Options by name, such as `{ Hash: 64 }`.
  options?: Record<string, string | number | boolean>;
}

/// A position: a FEN or `'startpos'`, and moves from there as coordinates (`'e2e4'`).
export interface PositionOptions {
  fen?: string;
  moves?: string[];
  chess960?: boolean;
}

export interface SearchOptions extends PositionOptions {
  /// Milliseconds; a second if no limit is given.
  time?: number;
  depth?: number;
  nodes?: number;
}

export interface AnalyseOptions extends SearchOptions {
  /// How many lines, from 1 to 5.
  lines?: number;
  /// Hears of every new depth.
  onLines?: (lines: Lines) => void;
  /// Ends the analysis early, with what is known by then.
  signal?: AbortSignal;
}

export interface BestMoveOptions extends SearchOptions {
  /// Plays at the strength of a rating.
  elo?: number;
  /// Moves as people of that rating play them; needs a policy network.
  human?: boolean;
}

export interface Analysis {
  /// The best move, or null where there is none.
  best: string | null;
  /// Scores are White's.
  lines: Line[];
  depth: number;
  nodes: number;
}

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/// An engine of its own in a worker of its own. End it with `close()`.
export class Engine {
  /// Settles when the engine is there.
  readonly ready: Promise<{ version: string; evaluation: string; options: OptionRow[] }>;
  private thread: Promise<Thread>;
  private lastId = 0;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private fail: (error: Error) => void = () => undefined;
  /// Why the engine is no more.
  private end: Error | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(settings: EngineOptions = {}) {
    let hello: (reply: Extract<Reply, { type: 'hello' }>) => void = () => undefined;
    this.ready = new Promise((resolve, reject) => {
      hello = resolve;
      this.fail = reject;
    });
    // With a network the second hello is the one that counts.
    let hellos = settings.net === null ? 1 : 2;
    this.thread = begin('messages', settings, text => {
      const reply = JSON.parse(text) as Reply;
      if (reply.type === 'hello' && --hellos <= 0) hello(reply);
      else if (reply.type === 'refused' && reply.id === null) {
        // Without the network it was meant to have there is no engine; a wrong option is only told.
        if (hellos > 0) void this.close(reply.reason);
        else this.fail(new Error(reply.reason));
      }
      else if ('id' in reply && reply.id !== null) this.waiting.get(reply.id)?.(reply);
    }, error => this.broken(error));
    this.thread.catch((error: unknown) => this.broken(error));
    for (const [name, value] of Object.entries(settings.options ?? {})) this.setOption(name, value).catch(() => undefined);
  }

  /// Analyses a position up to a limit.
  analyse(options: AnalyseOptions = {}): Promise<Analysis> {
    const id = ++this.lastId;
    const request: Request = { type: 'analyse', id, position: position(options), lines: options.lines ?? 1, threat: false, limit: limit(options) };
    return this.inTurn(async () => {
      let latest: Lines | undefined;
      const stop = (): void => void this.send({ type: 'stop' });
      const best = await this.ask(id, request, reply => {
        if (reply.type !== 'lines') return;
        latest = reply;
        options.onLines?.(reply);
      }, () => {
        if (options.signal?.aborted) stop();
        else options.signal?.addEventListener('abort', stop);
      });
      options.signal?.removeEventListener('abort', stop);
      return { best, lines: latest?.lines ?? [], depth: latest?.depth ?? 0, nodes: latest?.nodes ?? 0 };
    });
  }

  /// Chooses a move; null where there is none.
  bestMove(options: BestMoveOptions = {}): Promise<string | null> {
    const id = ++this.lastId;
    const request: Request = { type: 'think', id, position: position(options), limit: limit(options), elo: options.elo ?? null, human: options.human ?? false };
    return this.inTurn(() => this.ask(id, request, () => undefined));
  }

  /// Forgets what was learned.
  newGame(): Promise<void> {
    return this.send({ type: 'new_game' });
  }

  /// Sets an option; see `(await engine.ready).options`.
  setOption(name: string, value: string | number | boolean): Promise<void> {
    return this.send({ type: 'option', name, value: String(value) });
  }

  /// Ends the engine and everything it does.
  async close(reason = 'the engine was closed'): Promise<void> {
    this.broken(new Error(reason));
    (await this.thread.catch(() => undefined))?.end();
  }

  private async send(request: Request): Promise<void> {
    (await this.thread).post(JSON.stringify(request));
  }

  /// One search after the other: a new one would end the one before.
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async ask(id: number, request: Request, hear: (reply: Reply) => void, sent?: () => void): Promise<string | null> {
    await this.ready;
    if (this.end) throw this.end;
    const best = new Promise<string | null>((resolve, reject) => {
      this.waiting.set(id, reply => {
        hear(reply);
        if (reply.type === 'best') resolve(reply.move);
        if (reply.type === 'refused') reject(new Error(reply.reason));
      });
      this.fail = reject;
    });
    await this.send(request);
    sent?.();
    return best.finally(() => this.waiting.delete(id));
  }

  private broken(error: unknown): void {
    this.end ??= error instanceof Error ? error : new Error(String(error));
    this.fail(this.end);
    this.ready.catch(() => undefined);
  }
}

/// An engine that speaks UCI: lines in with `send`, lines out to `hear`.
export class UciEngine {
  private readonly thread: Promise<Thread>;

  constructor(hear: (line: string) => void, settings: EngineOptions = {}) {
    this.thread = begin('uci', settings, hear, error => hear(`info string ${String(error)}`));
    this.thread.catch((error: unknown) => hear(`info string ${String(error)}`));
  }

  async send(line: string): Promise<void> {
    (await this.thread).post(line);
  }

  async close(): Promise<void> {
    (await this.thread.catch(() => undefined))?.end();
  }
}

function position({ fen, moves, chess960 }: PositionOptions): { fen: string; moves: string[]; chess960: boolean } {
  return { fen: fen === undefined || fen === 'startpos' ? START : fen, moves: moves ?? [], chess960: chess960 ?? false };
}

function limit({ time, depth, nodes }: SearchOptions): Limit {
  if (depth !== undefined) return { kind: 'depth', depth };
  if (nodes !== undefined) return { kind: 'nodes', nodes };
  return { kind: 'time', ms: time ?? 1000 };
}

async function begin(language: Language, settings: EngineOptions, tell: (text: string) => void, failed: (error: unknown) => void): Promise<Thread> {
  const [wasm, net, policy] = await Promise.all([
    bytes(settings.wasm ?? new URL('./tabiya.wasm', import.meta.url)),
    settings.net === null ? undefined : bytes(settings.net ?? new URL('./tabiya.nnue', import.meta.url)),
    settings.policy && bytes(settings.policy),
  ]);
  const setup: Setup = { language, wasm: await WebAssembly.compile(wasm as BufferSource), net, policy: policy || undefined };
  const thread = await spawn(message => {
    if (typeof message === 'string') {
      if (message !== '{"type":"ready"}') tell(message);
    } else failed(message.failed);
  }, failed);
  thread.post(setup);
  return thread;
}

async function bytes(source: string | URL | Uint8Array): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source;
  const url = source instanceof URL ? source : new URL(source, isNode() ? 'file:///' : location.href);
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(source instanceof URL ? url : source);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function isNode(): boolean {
  return typeof process !== 'undefined' && Boolean(process.versions?.node);
}

/// Starts the worker and waits until it listens.
async function spawn(hear: (message: string | { failed: string }) => void, failed: (error: unknown) => void): Promise<Thread> {
  if (isNode()) {
    const { Worker } = await import('node:worker_threads');
    const worker = new Worker(new URL('./worker.js', import.meta.url));
    worker.on('message', hear);
    worker.on('error', failed);
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    return { post: message => worker.postMessage(message), end: () => void worker.terminate() };
  }
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', event => hear(event.data as string));
  worker.addEventListener('error', event => failed(event.message));
  await new Promise((resolve, reject) => {
    worker.addEventListener('message', resolve, { once: true });
    worker.addEventListener('error', reject, { once: true });
  });
  return { post: message => worker.postMessage(message), end: () => worker.terminate() };
}
