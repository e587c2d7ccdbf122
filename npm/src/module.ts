// The WebAssembly module as JavaScript sees it: texts in, texts out. Its other side is
// crates/wasm/src/exports.rs.

interface Exports {
  memory: WebAssembly.Memory;
  start(chance: number): number;
  start_uci(chance: number): number;
  room(length: number): number;
  receive(length: number): void;
  command(length: number): void;
  load_net(length: number): number;
  load_policy(length: number): number;
  step(): number;
  review(): void;
  bench(depth: number): number;
}

/// What the engine speaks: the messages of docs/WEB.md, or UCI.
export type Language = 'messages' | 'uci';

export class Module {
  private readonly exports: Exports;

  constructor(
    wasm: WebAssembly.Module,
    private readonly language: Language,
    tell: (text: string) => void,
  ) {
    const decoder = new TextDecoder();
    const reply = (start: number, length: number): void => tell(decoder.decode(new Uint8Array(this.exports.memory.buffer, start, length)));
    const instance = new WebAssembly.Instance(wasm, { host: { now: () => performance.now(), reply } });
    this.exports = instance.exports as unknown as Exports;
  }

  /// Begins the session; the engine says hello.
  start(): void {
    const begin = this.language === 'uci' ? this.exports.start_uci : this.exports.start;
    if (!begin(Math.random())) throw new Error('no memory for the engine');
  }

  /// Takes a message, or a line of UCI.
  receive(text: string): void {
    const length = this.write(new TextEncoder().encode(text));
    if (this.language === 'uci') this.exports.command(length);
    else this.exports.receive(length);
  }

  /// Judges by this network from now on; false if it is none.
  loadNet(bytes: Uint8Array): boolean {
    return this.exports.load_net(this.write(bytes)) !== 0;
  }

  /// Can play like people by this network from now on; false if it is none.
  loadPolicy(bytes: Uint8Array): boolean {
    return this.exports.load_policy(this.write(bytes)) !== 0;
  }

  /// Searches for a moment; whether there is more to do.
  step(): boolean {
    return this.exports.step() !== 0;
  }

  /// Makes the report that was asked for, all at once.
  review(): void {
    this.exports.review();
  }

  /// Nodes of the bench with the network in use; without a depth the usual one.
  bench(depth = 0): number {
    return this.exports.bench(depth);
  }

  private write(bytes: Uint8Array): number {
    const start = this.exports.room(bytes.length);
    // The memory may have grown, so that its view is made afterwards.
    new Uint8Array(this.exports.memory.buffer).set(bytes, start);
    return bytes.length;
  }
}

/// Lets the module search while there is something to search, and listens in between.
export class Runner {
  private isRunning = false;

  constructor(
    private readonly module: Module,
    private readonly failed: (error: unknown) => void,
  ) {}

  receive(text: string): void {
    this.guard(() => {
      this.module.receive(text);
      this.wake();
    });
  }

  private wake(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    later(() => this.turn());
  }

  private turn(): void {
    this.guard(() => {
      if (this.module.step()) later(() => this.turn());
      else this.isRunning = false;
    });
  }

  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.failed(error);
    }
  }
}

/// Does something as soon as the messages that wait have been heard. Timers would wait for longer.
const later: (work: () => void) => void = (() => {
  const immediate = (globalThis as { setImmediate?: (work: () => void) => void }).setImmediate;
  if (immediate) return immediate;
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return work => {
    waiting.push(work);
    port2.postMessage(0);
  };
})();
