// Two chess clocks. Time runs only for the side to move, and not while nobody can play.

export type Side = 'white' | 'black';

export function other(side: Side): Side {
  return side === 'white' ? 'black' : 'white';
}

/// What is needed to go on later.
export interface ClockState {
  white: number;
  black: number;
  incrementMs: number;
}

export class Clock {
  private readonly left: Record<Side, number>;
  private running: Side | undefined;
  private since = 0;

  constructor(
    baseMs: number,
    readonly incrementMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = { white: baseMs, black: baseMs };
  }

  static from(state: ClockState, now?: () => number): Clock {
    const clock = new Clock(0, state.incrementMs, now);
    clock.set(state.white, state.black);
    return clock;
  }

  get state(): ClockState {
    return { white: this.time('white'), black: this.time('black'), incrementMs: this.incrementMs };
  }

  get turn(): Side | undefined {
    return this.running;
  }

  /// Milliseconds a side has left now.
  time(side: Side): number {
    const used = this.running === side ? this.now() - this.since : 0;
    return Math.max(0, this.left[side] - used);
  }

  /// The side moved: its time stands and grows by the increment, if it ran at all.
  press(mover: Side): void {
    if (this.running !== mover) return;
    this.left[mover] = this.time(mover) + this.incrementMs;
    this.running = undefined;
  }

  /// Lets the time of a side run.
  run(side: Side): void {
    if (this.running === side) return;
    this.stop();
    this.running = side;
    this.since = this.now();
  }

  stop(): void {
    if (this.running) this.left[this.running] = this.time(this.running);
    this.running = undefined;
  }

  /// Puts both clocks to a time and stops them, as after a take-back.
  set(white: number, black: number): void {
    this.running = undefined;
    this.left.white = white;
    this.left.black = black;
  }

  /// The side whose time is over.
  flagged(): Side | undefined {
    return this.running && this.time(this.running) === 0 ? this.running : undefined;
  }
}

/// `4:05`, `1:04:05`, and tenths at the end: `0:09.4`.
export function clockText(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const whole = Math.floor(tenths / 10);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (whole >= 3600) return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
  return `${minutes}:${two(whole % 60)}${whole < 20 ? `.${tenths % 10}` : ''}`;
}
